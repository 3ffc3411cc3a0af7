/**
 * Checks a database file: its permissions, whether it is a database, whether its schema is bookctl's and of which
 * version, and whether it is damaged. The checks happen before SQLite changes anything. This is the only file that
 * imports libsql.
 */
import {isUtf8} from 'node:buffer'
import {
  closeSync,
  constants,
  existsSync,
  lstatSync,
  openSync,
  readSync,
  rmSync,
  type Stats,
  statSync,
} from 'node:fs'
import {createRequire} from 'node:module'
import {dirname} from 'node:path'
import {pathToFileURL} from 'node:url'
import type LibSql from 'libsql'
import {damaged, StorageError, storageErrorOf, WHEN_MOVED_AWAY} from './errors.js'
import {
  ensurePrivateDirectory,
  flushDirectory,
  lstatIfAny,
  putInPlace,
  requireOwnFile,
  requireRegularFile,
  tighten,
} from './files.js'
import {sweepTemporaryFiles, temporaryPath} from './temporary.js'

export type Connection = LibSql.Database
export type Statement = LibSql.Statement

let Database: (new (path: string, options: {timeout: number}) => Connection) | undefined

/**
 * Opens a SQLite file. `path` may be a URI, and `timeout` is how many milliseconds to wait for the transaction of
 * another process. Throws SQLite's error. libsql is loaded when the first database is opened: this takes 10 ms on Node
 * 20, most of it to find out which C library the system has.
 */
export function openSqlite(path: string, options: {timeout: number}): Connection {
  // `import()` is asynchronous, and stores are synchronous.
  Database ??= createRequire(import.meta.url)('libsql') as NonNullable<typeof Database>
  return new Database(path, options)
}

/**
 * Who manages a file. `ours` is a file in the configuration directory, kept at 0600 in a 0700 directory. `users` is a
 * file that the user named; its directory must exist, and its permissions stay unchanged.
 */
export type FileOwner = 'ours' | 'users'

/** Suffixes of the files that SQLite creates next to a database. */
export const SIDE_FILES = ['-wal', '-shm', '-journal']
const HEADER = Buffer.from('SQLite format 3\0')
/** SQLite treats a file shorter than one page as empty and overwrites it. */
const SMALLEST_PAGE_BYTES = 512

/**
 * The files whose header was read. Each header is read once, before SQLite opens the file: closing any descriptor of a
 * file releases all locks that the process holds on it (POSIX), including SQLite's. Another process could then delete a
 * log that is still in use.
 */
const headerRead = new Set<string>()

/**
 * Prepares a database file for SQLite: creates it empty as 0600, or checks the existing file and its side files before
 * anything is changed. `isMade` says that `createDatabaseFile` made the file, so a missing or empty one is damaged.
 * Throws a StorageError if the file cannot be used.
 */
export function prepareDatabaseFile(path: string, owner: FileOwner, {isMade = false} = {}): void {
  const directory = dirname(path)
  const isOurs = owner === 'ours'
  if (isOurs) ensurePrivateDirectory(directory)
  else if (!existsSync(directory)) {
    const hint = 'create it, or choose a file in an existing directory'
    throw new StorageError('not_writable', `there is no directory ${directory}`, hint)
  }
  // SQLite follows a symbolic link in place of its log, and would write to the target of the link.
  const check = isOurs ? requireOwnFile : requireRegularFile
  const sides = SIDE_FILES.map(side => ({side: path + side, stats: check(path + side)}))
  // For a moment, a new file has its temporary name as well. If its process was killed then, the temporary name is
  // removed here.
  const hasOneName = () => (check(path)?.nlink ?? 1) === 1
  if (isOurs && !hasOneName()) sweepTemporaryFiles(directory)
  if (isOurs && !becomesTrue(hasOneName)) {
    // SQLite names the journal after the file. If the file is opened under its other name, SQLite does not find the
    // journal.
    const hint = 'replace it with a copy; it was not changed'
    throw new StorageError('not_ours', `${path} has a second name (a hard link)`, hint)
  }
  // On a file system without hard links, a new file is empty for a moment.
  if (isMade && !becomesTrue(() => sizeOf(path) > 0)) throw damaged(path)
  try {
    closeSync(openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL, 0o600))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  const stats = lstatSync(path)
  const identity = `${stats.dev}:${stats.ino}:${stats.birthtimeMs}`
  if (!headerRead.has(identity)) {
    const version = readVersion(path, stats)
    const hint = 'choose another file; it was not changed'
    // Only a file in WAL mode has a log. SQLite would use any log that it finds, even one of another file.
    const isOfAnother = version === 1 && sizeOf(`${path}-wal`) > 0
    if (isOurs && (version === undefined || isOfAnother)) throw damaged(path)
    if (version === undefined) throw new StorageError('not_ours', `${path} is not a database`, hint)
  }
  headerRead.add(identity)
  if (!isOurs) return
  tighten(path, stats)
  for (const {side, stats} of sides) if (stats) tighten(side, stats)
}

const TRY_AGAIN_MILLISECONDS = 10

/** Waits 10 ms for another process. It blocks the thread, because stores are synchronous. */
export function pause(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, TRY_AGAIN_MILLISECONDS)
}

/** How long another process may take to put a new file in place. */
const PLACING_MILLISECONDS = 1000

/**
 * Waits until `isTrue` returns true, because another process may be putting a file in place. Reports whether that
 * happened in time.
 */
function becomesTrue(isTrue: () => boolean): boolean {
  for (const end = performance.now() + PLACING_MILLISECONDS; !isTrue(); pause()) {
    if (performance.now() >= end) return false
  }
  return true
}

/**
 * Creates a database with `make` under a temporary name, then moves it to `path` unless another process has created one
 * there. No other process sees a partial file, so an empty file at `path` is damaged. Throws a StorageError, or the
 * error that `make` throws.
 */
export function createDatabaseFile(path: string, make: (temporary: string) => void): void {
  const directory = dirname(path)
  sweepTemporaryFiles(directory)
  const temporary = temporaryPath(directory)
  try {
    prepareDatabaseFile(temporary, 'ours')
    make(temporary)
    putInPlace(temporary, path)
    flushDirectory(directory)
  } catch (error) {
    // Another process has created the database.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(temporary, {force: true})
  }
}

/**
 * Reports whether the database, or one of the files that SQLite creates next to it, exists. A broken link counts as
 * existing.
 */
export function hasDatabaseFile(path: string): boolean {
  return ['', ...SIDE_FILES].some(side => {
    try {
      return lstatIfAny(path + side) !== undefined
    } catch {
      // If this cannot be checked, opening the file will report why.
      return true
    }
  })
}

/**
 * The offset of the read version in the header of a database file. The read version is 2 for a file in WAL mode, else
 * 1.
 */
const READ_VERSION_OFFSET = 19

/** Returns the read version of a file: 0 for an empty file, undefined for a file that is not a database. */
function readVersion(path: string, {size}: Pick<Stats, 'size'>): number | undefined {
  if (size === 0) return 0
  if (size < SMALLEST_PAGE_BYTES) return undefined
  const file = openSync(path, constants.O_RDONLY)
  try {
    const header = Buffer.alloc(READ_VERSION_OFFSET + 1)
    readSync(file, header, 0, header.length, 0)
    return header.subarray(0, HEADER.length).equals(HEADER) ? header[READ_VERSION_OFFSET] : undefined
  } finally {
    closeSync(file)
  }
}

/**
 * Reads version, tables and schema in one statement, because another process may migrate the file between two. The
 * names are cast to bytes, because libsql ends the process at text that is not UTF-8.
 */
const SCHEMA = `SELECT user_version AS version,
    CAST((SELECT group_concat(name, ' ') FROM sqlite_master WHERE type = 'table') AS BLOB) AS tables,
    CAST((SELECT group_concat(concat(name, sql), ' ') FROM sqlite_master) AS BLOB) AS texts
  FROM pragma_user_version`

/**
 * Returns the version of the schema (0: no tables). Throws a StorageError unless the file has the tables of that
 * version. Changes nothing.
 */
export function requireOurs(connection: Connection, migrations: readonly string[], path: string): number {
  const row = connection.prepare(SCHEMA).get() as {version: number} & Record<
    'tables' | 'texts',
    Buffer | null
  >
  const {version, tables, texts} = row
  if (texts !== null && !isUtf8(texts)) throw damaged(path)
  if (version > migrations.length) {
    const hint = 'install that version; another BOOKCTL_CONFIG_DIR knows no earlier reservation'
    throw new StorageError('too_new', `${path} was made by a newer version of bookctl`, hint)
  }
  const names = new Set(tables?.toString().split(' '))
  const expected = tablesOf(migrations.slice(0, Math.max(0, version)))
  const isOurs = version === 0 ? tables === null : expected.every(name => names.has(name))
  if (version >= 0 && isOurs) return version
  const message = `${path} belongs to another program, or some of its tables are missing`
  const hint = `it was not changed; move it away, with its -journal, -wal and -shm files; ${WHEN_MOVED_AWAY}`
  throw new StorageError('not_ours', message, hint)
}

const CHANGE = /^\s*(?:(CREATE|DROP) TABLE (\w+)|ALTER TABLE (\w+) RENAME TO (\w+))/gm

/** Returns the names of the tables that exist after `migrations`. */
function tablesOf(migrations: readonly string[]): string[] {
  const names = new Set<string>()
  for (const [, verb, name = '', from = '', to] of migrations.join('\n').matchAll(CHANGE)) {
    if (verb === 'CREATE') names.add(name)
    else if (verb === 'DROP') names.delete(name)
    else if (to !== undefined && names.has(from)) {
      names.delete(from)
      names.add(to)
    }
  }
  return [...names]
}

/**
 * Checks the schema as `requireOurs` does, before the file is opened for writing. Closing a writable connection copies
 * the log into the file, even if the file belongs to another program, or the log to another file.
 */
export function checkBeforehand(path: string, migrations: readonly string[]): void {
  const connection = openReadOnly(path, 0)
  try {
    if (!isSurelyOurs(connection, migrations)) requireOurs(connection, migrations, path)
  } catch (error) {
    // The file is busy or damaged. Opening it for writing will report that.
    if (error instanceof StorageError) throw error
  } finally {
    connection.close()
  }
}

/**
 * Reports whether the tables are bookctl's, without a prepared statement. A prepared statement would keep the file open
 * after its connection is closed, and no process could then open it exclusively.
 */
function isSurelyOurs(connection: Connection, migrations: readonly string[]): boolean {
  const tables = "SELECT count(*) FROM sqlite_master WHERE type = 'table'"
  const isOf = migrations.map((_, n) => {
    const names = tablesOf(migrations.slice(0, n + 1)).map(name => `'${name}'`)
    return `WHEN ${n + 1} THEN (${tables} AND name IN (${names.join()})) = ${names.length}`
  })
  try {
    // The query fails unless the tables match, because json() fails for an empty text.
    connection.exec(
      `SELECT json(iif(CASE user_version WHEN 0 THEN (${tables}) = 0 ${isOf.join(' ')} ELSE FALSE END, '1', '')) FROM pragma_user_version`,
    )
    return true
  } catch {
    return false
  }
}

/**
 * Opens `path` read-only. If a file in WAL mode has no log, no process is writing to it. It is then opened as
 * immutable, so that SQLite need not create the index of the log.
 */
export function openReadOnly(path: string, timeout: number): Connection {
  const isAtRest = !existsSync(`${path}-wal`) && readVersion(path, statSync(path)) === 2
  const options = isAtRest ? '&immutable=1' : ''
  return openSqlite(`${pathToFileURL(path).href}?mode=ro${options}`, {timeout})
}

/**
 * Returns what is wrong with the database at `path`, to complete a message, or undefined if it is sound. The file must
 * exist. Changes nothing.
 */
export function inspectDatabase(path: string): string | undefined {
  // Opening a named pipe would wait for its other end, and no signal interrupts that.
  if (!statSync(path).isFile()) return 'is not a regular file'
  try {
    const connection = openReadOnly(path, 2000)
    try {
      requireSound(connection, path, {isLarge: true})
      return undefined
    } finally {
      connection.close()
    }
  } catch (error) {
    const {fault} = storageErrorOf(error, path)
    return fault === 'corrupt' ? 'is damaged' : fault === 'busy' ? 'is in use' : 'cannot be read'
  }
}

/** Returns the size of a file in bytes, or 0 if there is no file. */
export function sizeOf(path: string): number {
  return statSync(path, {throwIfNoEntry: false})?.size ?? 0
}

/**
 * The largest file that is checked when it is opened, which takes two milliseconds. The method `check` of a Database
 * checks larger ones.
 */
const MOST_CHECKED_BYTES = 1024 * 1024

/** Throws a StorageError if the file is damaged, so that a command does not discover it after its first writes. */
export function requireSound(connection: Connection, path: string, {isLarge = false} = {}): void {
  const [first] = connection.prepare('PRAGMA page_size').all() as {page_size: number}[]
  const size = sizeOf(path)
  // If the file ends within a page, SQLite reads the rest of the page as zeros. Only a log can still contain that rest.
  const isWhole = first !== undefined && size % first.page_size === 0
  if (!isWhole && !['-wal', '-journal'].some(side => sizeOf(path + side) > 0)) throw damaged(path)
  if ((isLarge || size <= MOST_CHECKED_BYTES) && !isSound(connection)) throw damaged(path)
}

/**
 * Reports whether SQLite's own check finds the pages sound. `whole` also compares every index with its table. Throws
 * SQLite's error if the file is not a database.
 */
export function isSound(connection: Connection, {whole = false} = {}): boolean {
  const check = whole ? 'integrity_check' : 'quick_check'
  // The text of the check is not read: it may contain names that are not UTF-8, at which libsql ends the process.
  const sql = `SELECT ${check} = 'ok' AS sound FROM pragma_${check}(1)`
  const [first] = connection.prepare(sql).all() as {sound: number}[]
  return first?.sound === 1
}
