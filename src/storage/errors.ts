/** Errors of local storage, each with a next step. No message contains stored data. */

export type StorageFault =
  | 'not_writable'
  | 'not_ours'
  | 'corrupt'
  | 'busy'
  | 'full'
  | 'too_new'
  | 'failed'
  /** The next two faults occur only with a shared store. */
  | 'not_allowed'
  | 'unreachable'

export class StorageError extends Error {
  override readonly name = 'StorageError'
  /** Whether a later attempt may succeed. */
  readonly isPassing: boolean

  constructor(
    readonly fault: StorageFault,
    message: string,
    /** The next step for the user, on one line. */
    readonly hint: string,
    {isPassing, ...options}: ErrorOptions & {readonly isPassing?: boolean} = {},
  ) {
    super(message, options)
    this.isPassing = isPassing ?? ['busy', 'full', 'unreachable'].includes(fault)
  }

  /**
   * The corresponding `Failure.kind`: `unreachable` for a database on another machine that cannot be reached, else
   * `usage`.
   */
  get kind(): 'usage' | 'unreachable' {
    return this.fault === 'unreachable' ? 'unreachable' : 'usage'
  }
}

/**
 * A warning to add to the advice to move a file away. Without its journal, this program could make a reservation twice.
 */
export const WHEN_MOVED_AWAY =
  'if that is state.db, first check with the service what is booked: earlier reservations are then unknown here'

export function damaged(path: string, options?: ErrorOptions): StorageError {
  const hint = `restore a copy of it, or move it away to start with an empty one; ${WHEN_MOVED_AWAY}`
  return new StorageError('corrupt', `${path} is damaged`, hint, options)
}

/** Reports whether `error` is the StorageError of a full disk. */
export function isFull(error: unknown): boolean {
  return error instanceof StorageError && error.fault === 'full'
}

const NOT_WRITABLE = /^(EACCES|EPERM|EROFS|SQLITE_READONLY|SQLITE_CANTOPEN|ENOENT|ENOTDIR)/
const MAKE_WRITABLE = 'make the directory writable, or set BOOKCTL_CONFIG_DIR to one that is'
const FREE_SPACE = 'free some disk space; what was stored before is unchanged'
const CHECK_DISK = 'check the free space, the quota and the disk; what was stored before is unchanged'

/** The meaning of Node's and SQLite's error codes. A pattern matches the start of a code, and the first match wins. */
const FAULTS: readonly [start: RegExp, fault: StorageFault, message: string, hint: string][] = [
  [NOT_WRITABLE, 'not_writable', 'cannot write PATH (CODE)', MAKE_WRITABLE],
  // SHMSIZE: SQLite could not enlarge the index of the log. It reports that only when the disk is full.
  [/^(ENOSPC|EDQUOT|EFBIG|SQLITE_FULL|SQLITE_IOERR_SHMSIZE)/, 'full', 'no space left for PATH', FREE_SPACE],
  // A quota or a limit on file sizes was reached. SQLite reports other failed writes with the same code.
  [/^SQLITE_IOERR_WRITE/, 'full', 'cannot write more to PATH (CODE)', CHECK_DISK],
  [/^EEXIST/, 'not_ours', 'PATH exists already', 'name another file; it was not changed'],
  [/^SQLITE_(BUSY|LOCKED)/, 'busy', 'PATH is in use by another process', 'run the command again'],
  [/^/, 'failed', 'cannot use PATH (CODE)', 'check the file and the disk it is on'],
]

/**
 * Converts an error of Node or SQLite that occurred at `path` to a StorageError. A StorageError is returned unchanged.
 */
export function storageErrorOf(error: unknown, path: string): StorageError {
  if (error instanceof StorageError) return error
  const code = String((error as {code?: unknown}).code ?? '')
  const cause = {cause: error}
  if (/^SQLITE_(NOTADB|CORRUPT)/.test(code)) return damaged(path, cause)
  const [, fault, text, hint] = FAULTS.find(([start]) => start.test(code)) as (typeof FAULTS)[number]
  const message = text.replace('CODE', code || 'unknown error').replace('PATH', () => path)
  return new StorageError(fault, message, hint, cause)
}
