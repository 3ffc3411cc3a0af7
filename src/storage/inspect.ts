/** Looks whether a database is whole, without changing or creating anything beside it. */
import {existsSync} from 'node:fs'
import {pathToFileURL} from 'node:url'
import {endsAmidPage} from './database-file.js'
import {storageErrorOf} from './errors.js'
import {type Connection, openSqlite} from './sqlite.js'

/**
 * What is wrong with the database at `path`, which must exist, in words; undefined when nothing is. Reading a database
 * nobody has open would create its log beside it, so it is then opened as one that cannot change.
 */
export function inspectDatabase(path: string): string | undefined {
  try {
    const isOpen = existsSync(`${path}-wal`)
    const name = isOpen ? path : `${pathToFileURL(path).href}?immutable=1`
    const connection = openSqlite(name, {readonly: true, timeout: 2000})
    try {
      return hasWholePages(connection, path) && isSound(connection) ? undefined : 'is damaged'
    } finally {
      connection.close()
    }
  } catch (error) {
    const {fault} = storageErrorOf(error, path)
    return fault === 'corrupt' ? 'is damaged' : fault === 'busy' ? 'is in use' : 'cannot be read'
  }
}

/** Whether the file at `path`, which `connection` has open, ends with a page. */
export function hasWholePages(connection: Connection, path: string): boolean {
  const [first] = connection.prepare('PRAGMA page_size').all() as {page_size: number}[]
  return first !== undefined && !endsAmidPage(path, first.page_size)
}

/** Whether its pages hang together. Throws what SQLite says of one that is not even a database. */
export function isSound(connection: Connection): boolean {
  const [first] = connection.prepare('PRAGMA quick_check(1)').all() as {quick_check?: unknown}[]
  return first?.quick_check === 'ok'
}
