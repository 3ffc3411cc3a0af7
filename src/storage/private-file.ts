/** Files of ours that others could read or change: whose they are, and what their permissions let others do. */
import {chmodSync, fchmodSync, type Stats, statSync} from 'node:fs'
import {dirname} from 'node:path'
import process from 'node:process'
import {StorageError} from './errors.js'
import {requireRegularFile} from './files.js'

/**
 * Whether the file at `path` belongs to somebody who could read what we write there, or have written what we read: not
 * to us or to root; nor, where we are root in another's home, to whom the directory belongs.
 */
export function isOfAnother(path: string, {uid}: Stats): boolean {
  const own = process.geteuid?.()
  if (own === undefined || uid === own || uid === 0) return false
  return own !== 0 || uid !== statSync(dirname(path)).uid
}

/** Takes from others what they may do with a file of ours, where the system lets us. `file`: its descriptor or path. */
export function tighten(file: number | string, {mode}: Stats): void {
  if (process.platform === 'win32' || (mode & 0o077) === 0) return
  try {
    if (typeof file === 'number') fchmodSync(file, 0o600)
    else chmodSync(file, 0o600)
  } catch {
    // On a disk that is only read nobody changes it either.
  }
}

/** What lies at `path`, if anything does. Throws StorageError unless it is a regular file and nobody else's. */
export function requireOwnFile(path: string): Stats | undefined {
  const stats = requireRegularFile(path)
  if (stats === undefined || !isOfAnother(path, stats)) return stats
  const hint = 'make it your own (chown), or move it away; it was not changed'
  throw new StorageError('not_ours', `${path} belongs to another user`, hint)
}
