/** The one importer of libsql, loaded with the first database that is opened: a native library costs 15 ms to load. */
import {createRequire} from 'node:module'
import type LibSql from 'libsql'

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
