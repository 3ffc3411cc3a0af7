/** Checks of a database file before SQLite opens it: permissions, and whether it is a database at all. */
import {closeSync, constants, existsSync, lstatSync, openSync, readSync, type Stats, statSync} from 'node:fs'
import {dirname} from 'node:path'
import {damaged, StorageError} from './errors.js'
import {ensurePrivateDirectory, isEntry, requireOwnFile, requireRegularFile, tighten} from './files.js'

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

/**
 * Whether the file at `path`, with pages of `pageBytes`, ends inside a page, which SQLite reads as if zeros followed.
 * Only a log can still hold the rest of that page.
 */
export function endsAmidPage(path: string, pageBytes: number): boolean {
  const bytesOf = (side: string) => statSync(path + side, {throwIfNoEntry: false})?.size ?? 0
  return bytesOf('') % pageBytes !== 0 && bytesOf('-wal') === 0 && bytesOf('-journal') === 0
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
