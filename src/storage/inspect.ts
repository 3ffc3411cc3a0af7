/** Looks whether a database is whole, without changing or creating anything beside it. */
import {existsSync} from 'node:fs'
import {pathToFileURL} from 'node:url'
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
      return isSound(connection) ? undefined : 'is damaged'
    } finally {
      connection.close()
    }
  } catch (error) {
    const {fault} = storageErrorOf(error, path)
    return fault === 'corrupt' ? 'is damaged' : fault === 'busy' ? 'is in use' : 'cannot be read'
  }
}

/** Whether its pages are whole and hang together. Throws what SQLite says of one that is not even a database. */
export function isSound(connection: Connection): boolean {
  const [first] = connection.prepare('PRAGMA quick_check(1)').all() as {quick_check?: unknown}[]
  return first?.quick_check === 'ok'
}
