/** Errors of local storage, each with what to do. No message holds what was being stored. */

export type StorageFault = 'not_writable' | 'not_ours' | 'corrupt' | 'busy' | 'full' | 'too_new' | 'failed'

export class StorageError extends Error {
  override readonly name = 'StorageError'

  constructor(
    readonly fault: StorageFault,
    message: string,
    /** What the user can do about it, one line. */
    readonly hint: string,
    options?: ErrorOptions,
  ) {
    super(message, options)
  }
}

export function damaged(path: string, options?: ErrorOptions): StorageError {
  const hint = 'move the file away to start with an empty one; it was not changed'
  return new StorageError('corrupt', `${path} is damaged`, hint, options)
}

/** Whether `error` says that there is no space left. */
export function isFull(error: unknown): boolean {
  return error instanceof StorageError && error.fault === 'full'
}

/** What codes of Node and SQLite that begin like this mean; the first match counts. */
const FAULTS: readonly [
  beginning: RegExp,
  fault: StorageFault,
  message: (path: string, code: string) => string,
  hint: string,
][] = [
  [
    /^(EACCES|EPERM|EROFS|SQLITE_READONLY|SQLITE_CANTOPEN|ENOENT|ENOTDIR)/,
    'not_writable',
    (path, code) => `cannot write ${path} (${code})`,
    'make the directory writable, or set BOOKCTL_CONFIG_DIR to one that is',
  ],
  [
    // The index of the log could not be enlarged (SHMSIZE): SQLite gives no other reason than a full disk.
    /^(ENOSPC|EDQUOT|EFBIG|SQLITE_FULL|SQLITE_IOERR_SHMSIZE)/,
    'full',
    path => `no space left for ${path}`,
    'free some disk space; what was stored before is unchanged',
  ],
  [
    // A quota or a limit on file sizes; SQLite reports other failed writes the same way.
    /^SQLITE_IOERR_WRITE/,
    'full',
    (path, code) => `cannot write more to ${path} (${code})`,
    'check the free space, the quota and the disk; what was stored before is unchanged',
  ],
  [/^SQLITE_(BUSY|LOCKED)/, 'busy', path => `${path} is in use by another process`, 'run the command again'],
  [
    /^/,
    'failed',
    (path, code) => `cannot use ${path} (${code || 'unknown error'})`,
    'check the file and the disk it is on',
  ],
]

/** The StorageError for what Node or SQLite threw while working on `path`; a StorageError passes unchanged. */
export function storageErrorOf(error: unknown, path: string): StorageError {
  if (error instanceof StorageError) return error
  const code = String((error as {code?: unknown}).code ?? '')
  const cause = {cause: error}
  if (/^SQLITE_(NOTADB|CORRUPT)/.test(code)) return damaged(path, cause)
  const [, fault, message, hint] = FAULTS.find(([beginning]) =>
    beginning.test(code),
  ) as (typeof FAULTS)[number]
  return new StorageError(fault, message(path, code), hint, cause)
}
