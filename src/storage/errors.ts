/** Faults of local storage, each with what to do. No message holds what was being stored. */

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

/** The StorageError for what Node or SQLite threw while working on `path`; a StorageError passes unchanged. */
export function storageErrorOf(error: unknown, path: string): StorageError {
  if (error instanceof StorageError) return error
  const code = String((error as {code?: unknown}).code ?? '')
  const cause = {cause: error}
  if (
    ['EACCES', 'EPERM', 'EROFS', 'SQLITE_READONLY', 'SQLITE_CANTOPEN', 'ENOENT', 'ENOTDIR'].some(c =>
      code.startsWith(c),
    )
  ) {
    return new StorageError(
      'not_writable',
      `cannot write ${path} (${code})`,
      'make the directory writable, or set BOOKCTL_CONFIG_DIR to one that is',
      cause,
    )
  }
  if (
    code.startsWith('ENOSPC') ||
    code.startsWith('EDQUOT') ||
    code.startsWith('EFBIG') ||
    code.startsWith('SQLITE_FULL') ||
    // The index of the log could not be enlarged: SQLite names no other reason than a full disk.
    code.startsWith('SQLITE_IOERR_SHMSIZE')
  ) {
    return new StorageError(
      'full',
      `no space left for ${path}`,
      'free some disk space; what was stored before is unchanged',
      cause,
    )
  }
  // A quota, or a limit on the size of files: SQLite tells them from no other reason why a write fails.
  if (code.startsWith('SQLITE_IOERR_WRITE')) {
    const hint = 'look at the space, the quota and the disk; what was stored before is unchanged'
    return new StorageError('full', `no more can be written to ${path} (${code})`, hint, cause)
  }
  if (code.startsWith('SQLITE_NOTADB') || code.startsWith('SQLITE_CORRUPT')) {
    return damaged(path, cause)
  }
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) {
    return new StorageError('busy', `${path} is in use by another process`, 'run the command again', cause)
  }
  return new StorageError(
    'failed',
    `cannot use ${path} (${code || 'unknown error'})`,
    'check the file and the disk it is on',
    cause,
  )
}
