/**
 * The one importer of libsql, loaded with the first database that is opened, because a native library costs 15 ms to load;
 * and waiting for other processes where SQLite itself does not.
 */
import {createRequire} from 'node:module'
import type LibSql from 'libsql'
import {StorageError, storageErrorOf} from './errors.js'

export type Connection = LibSql.Database
export type Statement = LibSql.Statement

interface Options {
  readonly readonly?: boolean
  /** Milliseconds to wait for another's transaction. */
  readonly timeout: number
}

type Constructor = new (path: string, options: Options) => Connection

let Database: Constructor | undefined

/** A connection to the database at `path`, or of that URI. Throws what SQLite says. */
export function openSqlite(path: string, options: Options): Connection {
  // Not `import()`: what is read of a store is read at once, in one turn.
  Database ??= createRequire(import.meta.url)('libsql') as Constructor
  return new Database(path, options)
}

/** Ours: how long another process's transaction is waited for. */
export const PATIENCE_MILLISECONDS = 30_000
/** Ours. */
const TRY_AGAIN_MILLISECONDS = 10

/** Tries until `isDone`, also while SQLite calls `path` busy. Throws StorageError: `busy` when time is up. */
export function untilFree(patienceMilliseconds: number, path: string, isDone: () => boolean): void {
  for (const end = performance.now() + patienceMilliseconds; ; ) {
    let busy = new StorageError('busy', `${path} is in use by another process`, 'run the command again')
    try {
      if (isDone()) return
    } catch (error) {
      busy = storageErrorOf(error, path)
      if (busy.fault !== 'busy') throw busy
    }
    if (performance.now() >= end) throw busy
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, TRY_AGAIN_MILLISECONDS)
  }
}
