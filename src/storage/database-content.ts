/** What a database holds: whether its schema is ours and of which version, and whether the file is damaged. */
import {existsSync} from 'node:fs'
import {pathToFileURL} from 'node:url'
import {endsAmidPage} from './database-file.js'
import {StorageError, storageErrorOf} from './errors.js'
import {type Connection, openSqlite} from './sqlite.js'

/** What migrations need of an open database. */
interface Migrated {
  transaction<T>(work: () => T): T
  run(sql: string): number
}

/** Brings the schema up to the last of `migrations`, in one transaction. */
export function migrate(
  connection: Connection,
  database: Migrated,
  migrations: readonly string[],
  path: string,
): void {
  database.transaction(() => {
    // Another process may have done it meanwhile.
    const from = requireOurs(connection, migrations, path)
    if (from === migrations.length) return
    for (const migration of migrations.slice(from)) connection.exec(migration)
    database.run(`PRAGMA user_version = ${migrations.length}`)
  })
}

/** In one statement, so that what another process does between two is not taken for a strange file. */
const WHOSE = `SELECT user_version AS version,
  (SELECT group_concat(name, ' ') FROM sqlite_master WHERE type = 'table') AS tables FROM pragma_user_version`

/** The version of the schema. Throws StorageError, before anything is changed, unless the tables of that version are there. */
export function requireOurs(connection: Connection, migrations: readonly string[], path: string): number {
  const {version, tables} = connection.prepare(WHOSE).get() as {version: number; tables: string | null}
  if (version > migrations.length) {
    const hint = 'install that version, or use another BOOKCTL_CONFIG_DIR'
    throw new StorageError('too_new', `${path} was made by a newer version of bookctl`, hint)
  }
  const names = new Set(tables?.split(' '))
  const expected = tablesOf(migrations.slice(0, Math.max(0, version)))
  const isOurs = version === 0 ? tables === null : expected.every(name => names.has(name))
  if (version >= 0 && isOurs) return version
  const hint = 'move it away, with the files of its name that end in -wal and -shm; it was not changed'
  throw new StorageError('not_ours', `${path} is of another program, or has lost tables of ours`, hint)
}

const CHANGE = /^\s*(?:(CREATE|DROP) TABLE (\w+)|ALTER TABLE (\w+) RENAME TO (\w+))/gm

/** Which tables there are after `migrations`. */
function tablesOf(migrations: readonly string[]): string[] {
  const names = new Set<string>()
  for (const [, verb, name = '', from = '', to] of migrations.join('\n').matchAll(CHANGE)) {
    if (verb === 'CREATE') names.add(name)
    else names.delete(name)
    if (to !== undefined && names.delete(from)) names.add(to)
  }
  return [...names]
}

/**
 * The same before anything that can write is opened: closing that copies the log into the file, though the file be
 * another's, or the log of another file.
 */
export function lookBeforehand(path: string, migrations: readonly string[]): void {
  const connection = openSqlite(readOnlyName(path), {timeout: 0})
  try {
    if (!isSurelyOurs(connection, migrations)) requireOurs(connection, migrations, path)
  } catch (error) {
    // Busy, or a damage that opening it will tell of.
    if (error instanceof StorageError) throw error
  } finally {
    connection.close()
  }
}

/**
 * Whether the tables are ours, asked without a statement that is kept: one holds the file after its connection was closed,
 * and nobody could then have it alone.
 */
function isSurelyOurs(connection: Connection, migrations: readonly string[]): boolean {
  const tables = "SELECT count(*) FROM sqlite_master WHERE type = 'table'"
  const isOf = migrations.map((_, n) => {
    const names = tablesOf(migrations.slice(0, n + 1)).map(name => `'${name}'`)
    return `WHEN ${n + 1} THEN (${tables} AND name IN (${names.join()})) = ${names.length}`
  })
  try {
    // What is no JSON is an error.
    connection.exec(
      `SELECT json(iif(CASE user_version WHEN 0 THEN (${tables}) = 0 ${isOf.join(' ')} ELSE FALSE END, '1', '')) FROM pragma_user_version`,
    )
    return true
  } catch {
    return false
  }
}

/** The name that SQLite opens `path` by to read it alone. */
export function readOnlyName(path: string, more = ''): string {
  return `${pathToFileURL(path).href}?mode=ro${more}`
}

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
