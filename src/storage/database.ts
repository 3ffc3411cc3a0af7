/**
 * Opens SQLite files. A commit is flushed to the disk before it returns. It is then in the file itself, unless the
 * database has a write-ahead log. Deleted bytes are overwritten.
 */
import {isUtf8} from 'node:buffer'
import {randomInt} from 'node:crypto'
import {statSync} from 'node:fs'
import {dirname} from 'node:path'
import {
  type Connection,
  checkBeforehand,
  createDatabaseFile,
  type FileOwner,
  hasDatabaseFile,
  isSound,
  openReadOnly,
  openSqlite,
  pause,
  prepareDatabaseFile,
  requireOurs,
  requireSound,
  type Statement,
  sizeOf,
} from './database-file.js'
import {damaged, StorageError, storageErrorOf} from './errors.js'
import {ensurePrivateDirectory, requireRegularFile} from './files.js'

export type Value = string | number | bigint | null | Uint8Array

export interface Database {
  /** Returns the rows of a query. */
  all<Row>(sql: string, ...values: Value[]): Row[]
  /** Returns the first row of a query, or undefined. */
  get<Row>(sql: string, ...values: Value[]): Row | undefined
  /** Runs a statement and returns the number of rows it changed. */
  run(sql: string, ...values: Value[]): number
  /**
   * Runs `work` in a write transaction (BEGIN IMMEDIATE), which is rolled back if `work` throws. Inside another transaction,
   * `work` joins it.
   */
  transaction<T>(work: () => T): T
  /**
   * Runs `work`, which deletes rows and returns their number, in its own write transaction. If it deleted any, the file
   * is rewritten, so that no deleted byte remains. Throws a StorageError `busy` if other processes keep using the file.
   * It must not be used for a database with a log.
   *
   * Until the rewrite is complete the file has a mark, and the next process that opens the file completes it. With
   * `orLater`, `erase` tries the rewrite only once, and a busy file is not an error. With `atClose`, the file is
   * rewritten when it is closed.
   */
  erase(work: () => number, options?: {readonly orLater?: boolean; readonly atClose?: boolean}): number
  /**
   * Checks every page, and every index against its table. Only the first call does that; 200 MB take about a second.
   * Returns whether there is a file. Throws a StorageError if the file is damaged.
   */
  check(): boolean
  /**
   * Copies the current content of the database to `path`, a new or empty file, in one read transaction. If the database
   * has a log, other processes can write meanwhile. The copy is not flushed.
   */
  copyTo(path: string): void
  /**
   * Throws a StorageError if the path no longer leads to the file that was opened, or to its log. If the file was
   * removed, moved or replaced, SQLite would keep writing to a file that no other process finds. The first call,
   * directly after opening, records the identity of the files. The error counts as passing.
   */
  requireInPlace(): void
  /** Throws the StorageError for a damaged file. Callers use it when the content is not what was written. */
  refuse(): never
  close(): void
}

/** EXTRA also flushes the directory after the journal is removed; only then is a commit durable. */
const PRAGMAS = `PRAGMA synchronous = EXTRA; PRAGMA secure_delete = ON; PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY`

/**
 * How long a reader waits for another process. It is short, because shell completion reads while the user is typing.
 */
const READ_PATIENCE_MILLISECONDS = 200

export interface DatabaseOptions {
  /** SQL that upgrades the schema, each from version n to n + 1. Migrations are only ever appended. */
  readonly migrations: readonly string[]
  /** How many milliseconds to wait for the transaction of another process (default 30 seconds). */
  readonly busyTimeoutMilliseconds?: number
  /** Who manages the file's permissions (default `ours`). */
  readonly owner?: FileOwner
  /**
   * Whether commits go to a write-ahead log while the file is open. A server needs one for its many commits. If a byte
   * of the log is damaged, SQLite silently drops everything after it; without a log, every commit is in the file
   * itself.
   */
  readonly hasLog?: boolean
  /** Runs at the end of a migration, in the same transaction. */
  readonly afterMigration?: (database: Database) => void
}

/**
 * Opens or creates the database at `path` (`:memory:` for one in memory). Throws a StorageError if the file cannot be
 * written, is a symbolic link, belongs to another user or program, is damaged, or was made by a newer version.
 */
export function openDatabase(path: string, options: DatabaseOptions): Database {
  const {migrations, busyTimeoutMilliseconds: patience = PATIENCE_MILLISECONDS} = options
  const {owner = 'ours', hasLog = false} = options
  const isFile = path !== ':memory:'
  const isOurs = isFile && owner === 'ours'
  const connect = () => {
    if (isOurs) {
      ensurePrivateDirectory(dirname(path))
      if (!hasDatabaseFile(path)) createDatabaseFile(path, temporary => createAt(temporary, path, options))
    }
    if (isFile) {
      prepareDatabaseFile(path, owner, {isMade: isOurs})
      if (sizeOf(`${path}-wal`) > 0) checkBeforehand(path, migrations)
    }
    return openSqlite(path, {timeout: patience})
  }
  return opened(path, connect, connection => {
    const database = wrap(connection, {path, patience, hasLog})
    // SQLite itself does not wait while another process turns the write-ahead log on or off.
    untilFree(patience, path, () => {
      const version = requireOurs(connection, migrations, path)
      if (isFile) requireSound(connection, path)
      connection.exec(`PRAGMA journal_mode = ${hasLog ? 'WAL' : 'DELETE'}; ${PRAGMAS}`)
      if (version < migrations.length) migrateWith(connection, database, path, options)
    })
    finishErasing(connection, patience)
    return database
  })
}

/**
 * Creates an empty database at `temporary`, which is moved to `path` later. No other process knows the file yet, so it
 * needs no lock.
 */
function createAt(temporary: string, path: string, options: DatabaseOptions): void {
  const connect = () => openSqlite(temporary, {timeout: 0})
  opened(path, connect, connection => {
    connection.exec(`PRAGMA journal_mode = MEMORY; ${PRAGMAS}`)
    const database = wrap(connection, {path, patience: 0, hasLog: false})
    migrateWith(connection, database, path, options)
    return database
  }).close()
}

function migrateWith(connection: Connection, database: Database, path: string, options: DatabaseOptions) {
  const {migrations, afterMigration} = options
  database.transaction(() => {
    // Another process may have migrated the file since the check.
    const from = requireOurs(connection, migrations, path)
    for (const migration of migrations.slice(from)) connection.exec(migration)
    connection.exec(`PRAGMA user_version = ${migrations.length}`)
    afterMigration?.(database)
  })
}

/** Opens a connection and returns the result of `use`. Closes the connection if `use` throws. Throws a StorageError. */
function opened(path: string, connect: () => Connection, use: (connection: Connection) => Database) {
  try {
    const connection = connect()
    try {
      return use(connection)
    } catch (error) {
      connection.close()
      throw error
    }
  } catch (error) {
    throw storageErrorOf(error, path)
  }
}

/**
 * Opens a database read-only: no file is created or migrated, and no permissions change. Throws a StorageError if the
 * file is missing, damaged or not readable.
 */
export function openDatabaseToRead(
  path: string,
  {hasLog = false}: Pick<DatabaseOptions, 'hasLog'> = {},
): Database {
  requireRegularFile(path)
  const connect = () => openReadOnly(path, READ_PATIENCE_MILLISECONDS)
  return opened(path, connect, connection => {
    requireSound(connection, path)
    return wrap(connection, {path, patience: READ_PATIENCE_MILLISECONDS, hasLog})
  })
}

/**
 * Returns what distinguishes a file from another one at the same path, or undefined if there is no file or it cannot be
 * read.
 */
function identityOf(path: string): string | undefined {
  try {
    const {dev, ino} = statSync(path, {bigint: true})
    return `${dev}:${ino}`
  } catch {
    return undefined
  }
}

interface Opened {
  readonly path: string
  /** How many milliseconds to wait for another process. */
  readonly patience: number
  readonly hasLog: boolean
}

function wrap(connection: Connection, {path, patience, hasLog}: Opened): Database {
  const statements = new Map<string, Statement>()
  const prepare = (sql: string) => {
    const statement = statements.get(sql) ?? connection.prepare(sql)
    statements.set(sql, statement)
    return statement
  }
  const namesOf = new Map<string, string[]>()
  /**
   * Returns the rows of a SELECT without BLOBs. Each row is read as the bytes of a JSON array, because libsql ends the process
   * at text that is not UTF-8, which a damaged file may contain.
   */
  const select = <Row>(sql: string, values: Value[]): Row[] => {
    let names = namesOf.get(sql)
    if (names === undefined) {
      const columns = connection.prepare(sql).columns()
      names = columns.map(({name}) => name)
      namesOf.set(sql, names)
    }
    const array = `json_array(${names.map(name => `"${name}"`)})`
    const rows = prepare(`SELECT CAST(${array} AS BLOB) AS row FROM (${sql})`).all(values)
    return (rows as {row: Uint8Array}[]).map(({row}) => {
      if (!isUtf8(row)) throw damaged(path)
      const list = JSON.parse(Buffer.from(row).toString()) as unknown[]
      return Object.fromEntries((names as string[]).map((name, n) => [name, list[n]])) as Row
    })
  }
  /**
   * Reports whether a statement is a query whose rows are read as bytes. This is not done in a database with a log,
   * which has BLOBs.
   */
  const isSelect = (sql: string) => !hasLog && /^\s*(SELECT|WITH)\b/i.test(sql)
  const guarded = <T>(work: () => T): T => {
    try {
      return work()
    } catch (error) {
      const isSqlites = String((error as {code?: unknown} | null)?.code).startsWith('SQLITE_')
      throw isSqlites ? storageErrorOf(error, path) : error
    }
  }
  const files = hasLog ? [path, `${path}-wal`] : [path]
  let known: readonly (string | undefined)[] | undefined
  const isInPlace = () =>
    known === undefined || files.every((file, n) => known?.[n] === undefined || identityOf(file) === known[n])
  let inTransaction = false
  let isChecked = false
  let erasesAtClose = false
  const transaction = <T>(work: () => T): T => {
    if (inTransaction) return work()
    return guarded(() => {
      connection.exec('BEGIN IMMEDIATE')
      inTransaction = true
      try {
        const result = work()
        connection.exec('COMMIT')
        return result
      } catch (error) {
        if (connection.inTransaction) connection.exec('ROLLBACK')
        throw error
      } finally {
        inTransaction = false
      }
    })
  }

  // The values are passed as one list: libsql takes a single Uint8Array for named parameters and ends the process.
  return {
    all: <Row>(sql: string, ...values: Value[]) =>
      guarded(() => (isSelect(sql) ? select<Row>(sql, values) : (prepare(sql).all(values) as Row[]))),
    get: <Row>(sql: string, ...values: Value[]) =>
      guarded(() => {
        if (isSelect(sql)) return select<Row>(sql, values)[0]
        const row = prepare(sql).get(values) as (Row & {_metadata?: unknown}) | undefined
        // libsql adds the duration of the statement to the row.
        if (row) delete row._metadata
        return row
      }),
    run: (sql, ...values) => guarded(() => prepare(sql).run(values).changes),
    transaction,
    erase(work, {orLater = false, atClose = false} = {}) {
      let mark = 0
      const rows = transaction(() => {
        const changed = work()
        if (changed > 0) mark = setMark(connection)
        return changed
      })
      if (rows > 0 && atClose) erasesAtClose = true
      else if (rows > 0 && orLater) finishErasing(connection, patience)
      if (rows === 0 || orLater || atClose) return rows
      try {
        // SQLite itself does not wait for a reader that opens the file during the rewrite.
        untilFree(patience, path, () => rewrite(connection, mark))
        return rows
      } catch (error) {
        // The rows are deleted and the mark is set, so only the rewrite is missing.
        const {fault, message} = storageErrorOf(error, path)
        const when = fault === 'full' ? 'the disk has space' : 'no other process uses the file'
        const hint = `a later command erases them once ${when}; until then the deleted bytes can still be read in that file`
        const problem = `deleted, but not yet erased from ${path}: ${message}`
        throw new StorageError(fault, problem, hint, {cause: error})
      }
    },
    check() {
      isChecked ||= guarded(() => isSound(connection, {whole: true}))
      if (!isChecked) throw damaged(path)
      return true
    },
    // libsql has no backup API. VACUUM INTO is SQLite's other way to copy a database in use.
    copyTo: target => guarded(() => void connection.prepare('VACUUM INTO ?').run([target])),
    requireInPlace() {
      // On some file systems SQLite keeps no log; then there is nothing to compare.
      known ??= files.map(identityOf)
      if (isInPlace()) return
      const what = `${path} or its log was removed, moved or replaced while it was open`
      const advice = 'move the files back, or start again with those that are to be used'
      throw new StorageError('failed', `${what}: ${advice}`, advice, {isPassing: true})
    },
    refuse() {
      throw damaged(path)
    },
    close() {
      if (erasesAtClose) finishErasing(connection, patience)
      // If the files were replaced, the log at the path may belong to another file and contain events that another
      // process stored.
      if (hasLog && isInPlace()) {
        // Prepared statements keep the connection open, so that closing it would not remove the log. The log is
        // therefore copied into the file, and removed if no other process has the file open.
        try {
          connection.exec('PRAGMA busy_timeout = 0')
          connection.exec('PRAGMA wal_checkpoint(TRUNCATE)')
          connection.exec('PRAGMA journal_mode = DELETE')
        } catch {
          // The file is in use or opened read-only, or the disk is full. Nothing is lost, and the next process tries
          // again.
        }
      }
      connection.close()
    },
  }
}

/** How many milliseconds to wait for the transaction of another process, by default. */
export const PATIENCE_MILLISECONDS = 30_000

/**
 * Runs `work`, and repeats it while SQLite reports that `path` is busy. Throws a StorageError `busy` when the time is
 * up.
 */
function untilFree(patienceMilliseconds: number, path: string, work: () => void): void {
  for (const end = performance.now() + patienceMilliseconds; ; pause()) {
    try {
      work()
      return
    } catch (error) {
      const failed = storageErrorOf(error, path)
      if (failed.fault !== 'busy' || performance.now() >= end) throw failed
    }
  }
}

/**
 * Marks that an erasure is unfinished: a random number in the `application_id` of the file's header. The transaction
 * that deletes rows sets it. If the process is killed before the rewrite, the next process that opens the file
 * completes it.
 */
const FIRST_MARK = 0x57_00_00_00
const MARKS = 0x01_00_00_00

/** Sets a new mark, inside the transaction that deletes rows. Returns the mark. */
export function setMark(connection: Connection): number {
  const mark = FIRST_MARK + randomInt(MARKS)
  connection.exec(`PRAGMA application_id = ${mark}`)
  return mark
}

/** Returns the mark of an unfinished erasure, or undefined. */
export function markOf(connection: Connection): number | undefined {
  const {application_id: mark} = connection.prepare('PRAGMA application_id').get() as {application_id: number}
  return mark >= FIRST_MARK && mark < FIRST_MARK + MARKS ? mark : undefined
}

/** Rewrites the file, so that no deleted byte remains, and removes the mark. Throws SQLite's errors; the mark then stays. */
export function rewrite(connection: Connection, mark: number): void {
  connection.exec('VACUUM')
  connection.exec('BEGIN IMMEDIATE')
  try {
    // If another process has started an erasure in the meantime, its mark stays.
    if (markOf(connection) === mark) connection.exec('PRAGMA application_id = 0')
    connection.exec('COMMIT')
  } catch (error) {
    // A commit fails while another process reads. An open transaction would keep the file locked for all.
    if (connection.inTransaction) connection.exec('ROLLBACK')
    throw error
  }
}

/**
 * Completes an unfinished erasure, without waiting. If the file is busy, a later process will complete it.
 * `busyMilliseconds` is the busy timeout to restore afterwards.
 */
export function finishErasing(connection: Connection, busyMilliseconds: number): void {
  const mark = markOf(connection)
  if (mark === undefined) return
  connection.exec('PRAGMA busy_timeout = 0')
  try {
    rewrite(connection, mark)
  } catch {
    // The file is busy or the disk is full, so the mark stays.
  } finally {
    connection.exec(`PRAGMA busy_timeout = ${busyMilliseconds}`)
  }
}
