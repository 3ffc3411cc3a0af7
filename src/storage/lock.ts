/**
 * Implements a lock between processes as an open write transaction on an empty SQLite file. The kernel releases the
 * lock when its holder dies.
 */
import {createHash} from 'node:crypto'
import {readdirSync} from 'node:fs'
import {dirname, join} from 'node:path'
import {setTimeout as sleep} from 'node:timers/promises'
import {type Connection, openSqlite, prepareDatabaseFile} from './database-file.js'
import {StorageError, storageErrorOf} from './errors.js'
import {lstatIfAny, MOVE_AWAY} from './files.js'

const LOCKS = 'locks'
/**
 * The number of lock files for each kind, which limits how many there are. Two keys with the same file wait for each
 * other.
 */
const STRIPES = 32

interface LockOptions {
  /** The configuration directory. The lock files are in its subdirectory `locks`. */
  readonly directory: string
  /** What sort of thing is locked, for example `tokens`. Locks of different kinds never wait for each other. */
  readonly kind: string
  /** Identifies the locked thing within its kind. */
  readonly key: string
  /** How long to wait for the lock. */
  readonly waitMilliseconds: number
}

/**
 * Runs `work` while no other process holds the same lock. While waiting, calls `peek` repeatedly; the first value other
 * than undefined is returned, without the lock. Returns `{gaveUp: true}` when the time is up. Throws a StorageError if
 * the directory cannot be written.
 */
export async function withLock<T>(
  {directory, kind, key, waitMilliseconds}: LockOptions,
  work: () => Promise<T>,
  peek: () => Promise<T | undefined> = async () => undefined,
): Promise<{gaveUp: false; value: T} | {gaveUp: true}> {
  const stripe = (createHash('sha256').update(key).digest()[0] ?? 0) % STRIPES
  const path = join(directory, LOCKS, `${kind}-${stripe.toString(16).padStart(2, '0')}.lock`)
  let connection: Connection
  try {
    // A symbolic link to a directory is rejected too.
    const place = lstatIfAny(dirname(path))
    if (place && !place.isDirectory())
      throw new StorageError('not_ours', `${dirname(path)} is not a directory`, MOVE_AWAY)
    prepareDatabaseFile(path, 'ours')
    connection = openSqlite(path, {timeout: 0})
  } catch (error) {
    throw storageErrorOf(error, path)
  }
  try {
    const deadline = performance.now() + waitMilliseconds
    for (;;) {
      try {
        connection.exec('BEGIN IMMEDIATE')
        break
      } catch (error) {
        const failed = storageErrorOf(error, path)
        if (failed.fault !== 'busy') throw failed
      }
      const seen = await peek()
      if (seen !== undefined) return {gaveUp: false, value: seen}
      if (performance.now() >= deadline) return {gaveUp: true}
      await sleep(5 + Math.random() * 20)
    }
    try {
      return {gaveUp: false, value: await work()}
    } finally {
      connection.exec('ROLLBACK')
    }
  } finally {
    connection.close()
  }
}

/** Returns the names of the lock files in `directory`, or none if they cannot be listed. */
export function lockFilesOf(directory: string): string[] {
  try {
    return readdirSync(join(directory, LOCKS))
  } catch {
    return []
  }
}
