/**
 * Checks of a database file: its permissions and whether it is a database at all, before SQLite opens it; then whether its
 * schema is ours and of which version, and whether it is damaged. The one importer of libsql.
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
 * Loads libsql with the first database that is opened, because that takes 10 ms on Node 20, most of them to find out which
 * C library is here. `path` may be a URI; `timeout`: milliseconds to wait for another process's transaction. Throws SQLite's error.
 */
export function openSqlite(path: string, options: {timeout: number}): Connection {
  // Not `import()`, because stores are synchronous.
  Database ??= createRequire(import.meta.url)('libsql') as NonNullable<typeof Database>
  return new Database(path, options)
}

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

/**
 * Creates `path` empty as 0600, as SQLite will the files beside it, or checks what is there before it is changed. With
 * `isMade`, for a file of `createDatabaseFile`, a missing or empty one is damaged. Throws StorageError.
 */
export function prepareDatabaseFile(path: string, owner: FileOwner, {isMade = false} = {}): void {
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
  // A new file has its temporary name for a moment, too; one of a killed process is removed.
  const hasOneName = () => (check(path)?.nlink ?? 1) === 1
  if (isOurs && !hasOneName()) sweepTemporaryFiles(directory)
  if (isOurs && !becomesTrue(hasOneName)) {
    // SQLite names its journal after the file: what is written under one name breaks when the other is opened.
    const hint = 'replace it with a copy; it was not changed'
    throw new StorageError('not_ours', `${path} has a second name (a hard link)`, hint)
  }
  // A new file is empty for a moment where there are no hard links.
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
    // A log belongs only to a file that is written ahead; SQLite would read it in any case.
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

/** Before the next look at what another process is doing. Stores are synchronous. */
export function pause(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, TRY_AGAIN_MILLISECONDS)
}

/** How long another process has to put a new file in place. */
const PLACING_MILLISECONDS = 1000

/** Whether `isTrue` becomes true while another process may be putting a file in place. */
function becomesTrue(isTrue: () => boolean): boolean {
  for (const end = performance.now() + PLACING_MILLISECONDS; !isTrue(); pause()) {
    if (performance.now() >= end) return false
  }
  return true
}

/**
 * Makes a database with `make` under a temporary name and puts it in place, if there is nothing at `path`: no other process
 * ever sees a part of it, so an empty file is a damaged one. Throws StorageError, and what `make` throws.
 */
export function createDatabaseFile(path: string, make: (temporary: string) => void): void {
  const directory = dirname(path)
  ensurePrivateDirectory(directory)
  if (hasDatabaseFile(path)) return
  sweepTemporaryFiles(directory)
  const temporary = temporaryPath(directory)
  try {
    prepareDatabaseFile(temporary, 'ours')
    make(temporary)
    putInPlace(temporary, path)
    flushDirectory(directory)
  } catch (error) {
    // Another process was faster.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(temporary, {force: true})
  }
}

/** Whether the database, or a file that SQLite creates beside it, exists, a broken link too. */
export function hasDatabaseFile(path: string): boolean {
  return ['', ...SIDE_FILES].some(side => {
    try {
      return lstatIfAny(path + side) !== undefined
    } catch {
      // Opening it reports why it cannot be checked.
      return true
    }
  })
}

/** The place in the header of the version that a reader needs: 1, or 2 for a file that is written ahead. */
const READ_VERSION_OFFSET = 19

/** That version, 0 for an empty file; undefined for a file that is not a database. */
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

/** One statement, because another process may migrate the file between two. As bytes: see `rowsAsBytes`. */
const SCHEMA = `SELECT user_version AS version,
    CAST((SELECT group_concat(name, ' ') FROM sqlite_master WHERE type = 'table') AS BLOB) AS tables,
    CAST((SELECT group_concat(concat(name, sql), ' ') FROM sqlite_master) AS BLOB) AS texts
  FROM pragma_user_version`

/** The version of the schema. Throws StorageError, before anything is changed, unless it has the tables of that version. */
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

/**
 * Opens `path` for reading only. In a file that is written ahead but has no log no process is writing, and SQLite then need
 * not create the index of the log.
 */
export function openReadOnly(path: string, timeout: number): Connection {
  const isAtRest = !existsSync(`${path}-wal`) && readVersion(path, statSync(path)) === 2
  const options = isAtRest ? '&immutable=1' : ''
  return openSqlite(`${pathToFileURL(path).href}?mode=ro${options}`, {timeout})
}

/** What is wrong with the database at `path`, which must exist; undefined when it is sound. Changes nothing. */
export function inspectDatabase(path: string): string | undefined {
  // Opening a named pipe would wait for its other end, and no signal ends that.
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

/** In bytes; 0 for no file. */
export function sizeOf(path: string): number {
  return statSync(path, {throwIfNoEntry: false})?.size ?? 0
}

/** A file of this size is checked in two milliseconds; `check` of a Database checks a larger one. */
const MOST_CHECKED_BYTES = 1024 * 1024

/** Throws StorageError for damage that a command would otherwise meet halfway, after its first writes. */
export function requireSound(connection: Connection, path: string, {isLarge = false} = {}): void {
  const [first] = connection.prepare('PRAGMA page_size').all() as {page_size: number}[]
  const size = sizeOf(path)
  // SQLite reads the rest of a page that is cut off as zeros; only a log can still hold that rest.
  const isWhole = first !== undefined && size % first.page_size === 0
  if (!isWhole && !['-wal', '-journal'].some(side => sizeOf(path + side) > 0)) throw damaged(path)
  if ((isLarge || size <= MOST_CHECKED_BYTES) && !isSound(connection)) throw damaged(path)
}

/**
 * SQLite's own check of the pages; `whole` also compares every index with its table. Throws its error if the file is not a
 * database at all.
 */
export function isSound(connection: Connection, {whole = false} = {}): boolean {
  const check = whole ? 'integrity_check' : 'quick_check'
  // Not its text, which may hold names of a damaged schema: see `rowsAsBytes`.
  const sql = `SELECT ${check} = 'ok' AS sound FROM pragma_${check}(1)`
  const [first] = connection.prepare(sql).all() as {sound: number}[]
  return first?.sound === 1
}
