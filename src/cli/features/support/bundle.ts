/** The support bundle as a file: what is in it is shown first, then it is written whole or not at all. */
import {lstatSync} from 'node:fs'
import {dirname, resolve} from 'node:path'
import {usage} from '../../../contract/failure.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import {writeWholeFile} from '../../../storage/files.js'
import {sweepTemporaryFiles} from '../../../storage/temporary.js'
import type {Result} from '../../terminal/result.js'
import type {BundleFile} from './contents.js'

/** Throws usage when there is something at `path`. */
export function requireNew(path: string): void {
  if (!lstatSync(path, {throwIfNoEntry: false})) return
  sweepTemporaryFiles(dirname(resolve(path)))
  throw taken(path)
}

/** The zip archive, whose files only their owner may read. */
export async function zipBundle(files: readonly BundleFile[], now: number): Promise<Uint8Array> {
  const {strToU8, zipSync} = await import('fflate')
  // The mode of a regular file, 0600, where zip keeps it.
  const options = {mtime: now * 1000, level: 9, os: 3, attrs: (0o100600 << 16) >>> 0} as const
  return zipSync(Object.fromEntries(files.map(({name, text}) => [name, [strToU8(text), options]])))
}

/** Writes it as 0600, whole or not at all. Throws usage when the name is taken, StorageError when it cannot be. */
export function writeBundle(path: string, bytes: Uint8Array, force: boolean): void {
  try {
    writeWholeFile(resolve(path), bytes, {existing: force ? 'replace' : 'create'})
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw taken(path)
    throw error
  }
}

function taken(path: string) {
  return usage(
    'file_exists',
    `${sanitizeLine(path, 200)} exists already`,
    'name another, or add --force to replace it',
  )
}

export const BUNDLE_COLUMNS = ['name', 'bytes', 'about']

/** What is in it, a line a file; `path` and `bytes` are null when it was not written. */
export function bundleResult(
  files: readonly BundleFile[],
  written: {readonly path: string; readonly bytes: number} | undefined,
): Result<Record<string, unknown>> {
  const items = files.map(({name, text, about}) => ({name, bytes: Buffer.byteLength(text), about}))
  return {
    document: {path: written?.path ?? null, bytes: written?.bytes ?? null, files: items},
    items,
    columns: BUNDLE_COLUMNS.map(name => ({name, value: item => item[name]})),
    id: item => item.name,
  }
}

/** The same as lines to read before agreeing. */
export function listing(files: readonly BundleFile[]): string[] {
  return files.map(({name, text, about}) => `${name} (${Buffer.byteLength(text)} bytes): ${about}`)
}
