/**
 * Checks of a database file: its permissions and whether it is a database at all, before SQLite opens it; then whether its
 * schema is ours and of which version, and whether it is damaged.
 */
import {closeSync, constants, existsSync, lstatSync, openSync, readSync, type Stats, statSync} from 'node:fs'
import {dirname} from 'node:path'
import {pathToFileURL} from 'node:url'
import {damaged, StorageError, storageErrorOf} from './errors.js'
import {ensurePrivateDirectory, isEntry, requireOwnFile, requireRegularFile, tighten} from './files.js'
import {type Connection, openSqlite} from './sqlite.js'

/**
 * `ours`: a file of the configuration directory, kept at 0600 in a 0700 directory. `users`: a file the user named, whose
 * directory must exist and whose permissions are left alone.
 */
export type FileOwner = 'ours' | 'users'

/** Files that SQLite creates beside a database. */
const SIDE_FILES = ['-wal', '-shm', '-journal']
const HEADER = Buffer.from('SQLite format 3\0')
/** SQLite treats a file shorter than one page as empty and overwrites it. */
const SMALLEST_PAGE_BYTES = 512

/**
 * Files whose header was read. Each is read once, before SQLite has it open: closing any descriptor of a file drops all
 * locks of the process on it (POSIX), SQLite's too, and another process would then delete a log that is still in use.
 */
const headerRead = new Set<string>()

function identityOf({dev, ino, birthtimeMs}: Stats): string {
  return `${dev}:${ino}:${birthtimeMs}`
}

/** Creates `path` as 0600, as SQLite will its log, or checks what is there before it is changed. Throws StorageError. */
export function prepareDatabaseFile(path: string, owner: FileOwner): void {
  const directory = dirname(path)
  const isOurs = owner === 'ours'
  if (isOurs) ensurePrivateDirectory(directory)
  else if (!existsSync(directory)) {
    const hint = 'create it, or choose a file in an existing directory'
    throw new StorageError('not_writable', `there is no directory ${directory}`, hint)
  }
  // SQLite follows a symbolic link named like its log, and would write to its target.
  const check = isOurs ? requireOwnFile : requireRegularFile
  const sides = SIDE_FILES.map(side => ({side: path + side, stats: check(path + side)}))
  const links = check(path)?.nlink ?? 1
  if (isOurs && links > 1) {
    // SQLite names its log after the file: changes written under one name are lost when the other is opened.
    const hint = 'replace it with a copy; it was not changed'
    throw new StorageError('not_ours', `${path} has a second name (a hard link)`, hint)
  }
  try {
    closeSync(openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL, 0o600))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  const stats = lstatSync(path)
  if (!headerRead.has(identityOf(stats)) && !isDatabase(path, stats)) {
    const hint = 'choose another file; it was not changed'
    throw isOurs ? damaged(path) : new StorageError('not_ours', `${path} is not a database`, hint)
  }
  headerRead.add(identityOf(stats))
  if (!isOurs) return
  tighten(path, stats)
  for (const {side, stats} of sides) if (stats) tighten(side, stats)
}

/** Whether the database, or a file that SQLite creates beside it, exists. */
export function hasDatabaseFile(path: string): boolean {
  return ['', ...SIDE_FILES].some(side => isEntry(path + side))
}

/** An empty file is a database, too. */
function isDatabase(path: string, {size}: Stats): boolean {
  if (size === 0) return true
  if (size < SMALLEST_PAGE_BYTES) return false
  const file = openSync(path, constants.O_RDONLY)
  try {
    const header = Buffer.alloc(HEADER.length)
    readSync(file, header, 0, header.length, 0)
    return header.equals(HEADER)
  } finally {
    closeSync(file)
  }
}

/** Brings the schema up to the last of `migrations`; call it in a transaction. */
export function migrate(connection: Connection, migrations: readonly string[], path: string): void {
  // Another process may have migrated it in the meantime.
  const from = requireOurs(connection, migrations, path)
  for (const migration of migrations.slice(from)) connection.exec(migration)
  connection.exec(`PRAGMA user_version = ${migrations.length}`)
}

/** One statement, because another process may migrate the file between two. */
const SCHEMA = `SELECT user_version AS version,
  (SELECT group_concat(name, ' ') FROM sqlite_master WHERE type = 'table') AS tables FROM pragma_user_version`

/** The version of the schema. Throws StorageError, before anything is changed, unless it has the tables of that version. */
export function requireOurs(connection: Connection, migrations: readonly string[], path: string): number {
  const {version, tables} = connection.prepare(SCHEMA).get() as {version: number; tables: string | null}
  if (version > migrations.length) {
    const hint = 'install that version, or use another BOOKCTL_CONFIG_DIR'
    throw new StorageError('too_new', `${path} was made by a newer version of bookctl`, hint)
  }
  const names = new Set(tables?.split(' '))
  const expected = tablesOf(migrations.slice(0, Math.max(0, version)))
  const isOurs = version === 0 ? tables === null : expected.every(name => names.has(name))
  if (version >= 0 && isOurs) return version
  const message = `${path} belongs to another program, or some of its tables are missing`
  const hint = 'move it away, together with its -wal and -shm files; it was not changed'
  throw new StorageError('not_ours', message, hint)
}

const CHANGE = /^\s*(?:(CREATE|DROP) TABLE (\w+)|ALTER TABLE (\w+) RENAME TO (\w+))/gm

/** The tables that exist after `migrations`. */
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
 * As `requireOurs`, before anything that can write is opened: closing a writable connection copies the log into the file,
 * even when the file belongs to another program or the log to another file.
 */
export function checkBeforehand(path: string, migrations: readonly string[]): void {
  const connection = openReadOnly(path, 0)
  try {
    if (!isSurelyOurs(connection, migrations)) requireOurs(connection, migrations, path)
  } catch (error) {
    // Busy, or damaged: opening it for writing reports that.
    if (error instanceof StorageError) throw error
  } finally {
    connection.close()
  }
}

/**
 * Whether the tables are ours, without a prepared statement: that would hold the file after its connection is closed, and
 * no process could then open it exclusively.
 */
function isSurelyOurs(connection: Connection, migrations: readonly string[]): boolean {
  const tables = "SELECT count(*) FROM sqlite_master WHERE type = 'table'"
  const isOf = migrations.map((_, n) => {
    const names = tablesOf(migrations.slice(0, n + 1)).map(name => `'${name}'`)
    return `WHEN ${n + 1} THEN (${tables} AND name IN (${names.join()})) = ${names.length}`
  })
  try {
    // json() of an empty text is an error.
    connection.exec(
      `SELECT json(iif(CASE user_version WHEN 0 THEN (${tables}) = 0 ${isOf.join(' ')} ELSE FALSE END, '1', '')) FROM pragma_user_version`,
    )
    return true
  } catch {
    return false
  }
}

/** Opens `path` for reading only. Without a log no process is writing, and SQLite then need not create its index file. */
export function openReadOnly(path: string, timeout: number): Connection {
  const options = existsSync(`${path}-wal`) ? '' : '&immutable=1'
  return openSqlite(`${pathToFileURL(path).href}?mode=ro${options}`, {timeout})
}

/** What is wrong with the database at `path`, which must exist; undefined when it is sound. Changes nothing. */
export function inspectDatabase(path: string): string | undefined {
  // Opening a named pipe would wait for its other end, and no signal ends that.
  if (!statSync(path).isFile()) return 'is not a regular file'
  try {
    const connection = openReadOnly(path, 2000)
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

/**
 * Whether the file at `path`, which `connection` has open, ends with a whole page; SQLite reads the rest of it as zeros. Only
 * a log can still hold that rest.
 */
export function hasWholePages(connection: Connection, path: string): boolean {
  const [first] = connection.prepare('PRAGMA page_size').all() as {page_size: number}[]
  if (first === undefined) return false
  return sizeOf(path) % first.page_size === 0 || ['-wal', '-journal'].some(side => sizeOf(path + side) > 0)
}

/** In bytes; 0 for no file. */
export function sizeOf(path: string): number {
  return statSync(path, {throwIfNoEntry: false})?.size ?? 0
}

/** SQLite's own check of the pages. Throws its error if the file is not a database at all. */
export function isSound(connection: Connection): boolean {
  const [first] = connection.prepare('PRAGMA quick_check(1)').all() as {quick_check?: unknown}[]
  return first?.quick_check === 'ok'
}
