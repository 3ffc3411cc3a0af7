/**
 * Opens a SQLite file that must not lose what it was told: write-ahead log, every commit flushed, deleted bytes
 * overwritten. Knows nothing of what is in it.
 */
import {existsSync, statSync} from 'node:fs'
import {
  hasWholePages,
  isSound,
  lookBeforehand,
  migrate,
  readOnlyName,
  requireOurs,
} from './database-content.js'
import {type FileOwner, hasDatabaseFile, prepareDatabaseFile} from './database-file.js'
import {damaged, StorageError, storageErrorOf} from './errors.js'
import {requireRegularFile} from './files.js'
import {
  type Connection,
  emptyLog,
  finishErasing,
  openSqlite,
  PATIENCE_MILLISECONDS,
  rewrite,
  type Statement,
  setMark,
  untilFree,
} from './sqlite.js'

export type Value = string | number | bigint | null | Uint8Array

export interface Database {
  /** Rows of a query. */
  all<Row>(sql: string, ...values: Value[]): Row[]
  /** First row of a query, or undefined. */
  get<Row>(sql: string, ...values: Value[]): Row | undefined
  /** Runs a statement; returns how many rows it changed. */
  run(sql: string, ...values: Value[]): number
  /** Runs `work` in one write transaction (BEGIN IMMEDIATE); a throw undoes it. Inside another one, joins it. */
  transaction<T>(work: () => T): T
  /**
   * Runs `work`, which deletes, in a write transaction of its own; then rewrites the file with what it still holds and
   * empties the log, so that no deleted byte stays. Throws `busy` when others keep the file open. Whoever is killed in
   * between, or meets another, leaves a mark, and the next one that opens the file does the rest.
   */
  erase<T>(work: () => T, options?: EraseOptions<T>): T
  close(): void
}

export interface EraseOptions<T> {
  /** Whether anything was deleted; taken for granted unless told. */
  readonly isNeeded?: (result: T) => boolean
  /** What cannot be rewritten at once is left to the next one that opens the file, with no wait and no error. */
  readonly orLater?: boolean
}

const PRAGMAS = `PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON;
  PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY`

/** Ours: who only reads, for somebody who is typing, does not wait longer. */
const READ_PATIENCE_MILLISECONDS = 200

export interface DatabaseOptions {
  /** Statements that bring the schema from version n to n + 1; only ever appended to. */
  readonly migrations: readonly string[]
  /** How long to wait for another process's transaction; ten seconds unless told. */
  readonly busyTimeoutMilliseconds?: number
  /** Whose file and directory it is; ours unless told. */
  readonly owner?: FileOwner
}

/**
 * Opens or creates the database at `path` (`:memory:` for one that lives in this process).
 * Throws StorageError: not writable, a symbolic link or another's file in the place, damaged, made by a newer version.
 */
export function openDatabase(path: string, options: DatabaseOptions): Database {
  try {
    if (path !== ':memory:') {
      prepareDatabaseFile(path, options.owner ?? 'ours')
      if (logBytes(path) > 0) lookBeforehand(path, options.migrations)
    }
    const {busyTimeoutMilliseconds = PATIENCE_MILLISECONDS} = options
    const connection = openSqlite(path, {timeout: busyTimeoutMilliseconds})
    try {
      const database = wrap(connection, path, busyTimeoutMilliseconds)
      // SQLite does not wait where another process is making the same new file one with a log.
      untilFree(busyTimeoutMilliseconds, path, () => {
        const version = requireOurs(connection, options.migrations, path)
        if (path !== ':memory:') requireSound(connection, path)
        connection.exec(PRAGMAS)
        if (version < options.migrations.length) migrate(connection, database, options.migrations, path)
        return true
      })
      finishErasing(connection, busyTimeoutMilliseconds)
      return database
    } catch (error) {
      connection.close()
      throw error
    }
  } catch (error) {
    throw storageErrorOf(error, path)
  }
}

/** Ours: so much is looked through in two milliseconds, a fraction of a start. */
const SOON_LOOKED_THROUGH_BYTES = 1024 * 1024

/** Throws StorageError for a damage that would else be met halfway, when something is written already. */
function requireSound(connection: Connection, path: string): void {
  const isSmall = statSync(path).size <= SOON_LOOKED_THROUGH_BYTES
  if (!hasWholePages(connection, path) || (isSmall && !isSound(connection))) throw damaged(path)
}

/**
 * Opens the database at `path` to be read alone: no file is created, migrated or chmodded. A schema older or newer than
 * ours shows in the queries, which fail. Throws StorageError, also when there is no such file.
 */
export function openDatabaseToRead(path: string): Database {
  requireRegularFile(path)
  // Without a log nobody is writing, and SQLite need not make its index file to read.
  const name = readOnlyName(path, existsSync(`${path}-wal`) ? '' : '&immutable=1')
  try {
    const connection = openSqlite(name, {timeout: READ_PATIENCE_MILLISECONDS})
    try {
      requireSound(connection, path)
      return wrap(connection, path, READ_PATIENCE_MILLISECONDS)
    } catch (error) {
      connection.close()
      throw error
    }
  } catch (error) {
    throw storageErrorOf(error, path)
  }
}

/** Ours, and as much as SQLite copies into the file by itself. */
const LONG_LOG_BYTES = 4 * 1024 * 1024

function logBytes(path: string): number {
  return statSync(`${path}-wal`, {throwIfNoEntry: false})?.size ?? 0
}

/**
 * Closing alone leaves the log as it is, since statements that are kept hold the connection; the next process then reads
 * all of it and appends. Who else has the file open does so in our place.
 */
function emptyLongLog(connection: Connection): void {
  try {
    connection.exec('PRAGMA busy_timeout = 0')
    emptyLog(connection)
  } catch {
    // Opened to be read alone, or the disk is full: nothing is lost, and the next one tries again.
  }
}

function wrap(connection: Connection, path: string, patienceMilliseconds: number): Database {
  const statements = new Map<string, Statement>()
  const prepare = (sql: string) => {
    let statement = statements.get(sql)
    if (!statement) {
      statement = connection.prepare(sql)
      statements.set(sql, statement)
    }
    return statement
  }
  const guarded = <T>(work: () => T): T => {
    try {
      return work()
    } catch (error) {
      throw isSqliteError(error) ? storageErrorOf(error, path) : error
    }
  }
  let inTransaction = false
  // Nor for another one that is emptying the log, too.
  const truncateLog = () => untilFree(patienceMilliseconds, path, () => emptyLog(connection))
  const rewriteOrSay = (mark: number) => {
    try {
      rewrite(connection, mark, truncateLog)
    } catch (error) {
      throw notYetErased(storageErrorOf(error, path), path)
    }
  }
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

  // Values go as one list: a lone Uint8Array would be taken for named parameters, which ends the whole process.
  return {
    all: <Row>(sql: string, ...values: Value[]) => guarded(() => prepare(sql).all(values) as Row[]),
    get: <Row>(sql: string, ...values: Value[]) =>
      guarded(() => withoutMetadata(prepare(sql).get(values) as Row | undefined)),
    run: (sql, ...values) => guarded(() => prepare(sql).run(values).changes),
    transaction,
    erase(work, {isNeeded = () => true, orLater = false} = {}) {
      const {result, mark} = transaction(() => {
        const done = work()
        return {result: done, mark: isNeeded(done) ? setMark(connection) : undefined}
      })
      if (mark === undefined) return result
      if (orLater) finishErasing(connection, patienceMilliseconds)
      else rewriteOrSay(mark)
      return result
    },
    close() {
      if (logBytes(path) >= LONG_LOG_BYTES) emptyLongLog(connection)
      connection.close()
    },
  }
}

/** The deleting itself is done, and the mark stands. */
function notYetErased(error: StorageError, path: string): StorageError {
  const {fault, message} = error
  const when = fault === 'full' ? 'with room on the disk' : 'that has the file to itself'
  const hint = `the next command ${when} finishes it; until then the deleted bytes can still be read in that file`
  return new StorageError(fault, `deleted, but not yet erased from ${path}: ${message}`, hint, {cause: error})
}

/** libsql adds the statement's duration to the row. */
function withoutMetadata<Row>(row: Row | undefined): Row | undefined {
  if (row) delete (row as {_metadata?: unknown})._metadata
  return row
}

function isSqliteError(error: unknown): boolean {
  return String((error as {code?: unknown} | null)?.code ?? '').startsWith('SQLITE_')
}

/** Answers every query with no rows; a statement that would change something is a mistake of the program. */
export const EMPTY_DATABASE: Database = {
  all: () => [],
  get: () => undefined,
  run: refuse,
  transaction: refuse,
  erase: refuse,
  close() {},
}

/** What `open` opens when a file of a database lies at `path`, and else the empty database. */
export function openIfAny(path: string, open: () => Database): Database {
  return hasDatabaseFile(path) ? open() : EMPTY_DATABASE
}

function refuse(): never {
  throw new TypeError('nothing can be written to a database that is not there')
}
