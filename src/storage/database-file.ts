/** The file of a database before SQLite opens it: who may read it, and whether it is one at all. */
import {closeSync, constants, existsSync, lstatSync, openSync, readSync, type Stats, statSync} from 'node:fs'
import {dirname} from 'node:path'
import {damaged, StorageError} from './errors.js'
import {ensurePrivateDirectory, isEntry, requireOwnFile, requireRegularFile, tighten} from './files.js'

/**
 * `ours`: a file of the configuration directory, kept at 0600 in a 0700 directory. `users`: a file the user named,
 * whose directory has to be there and whose permissions, like the directory's, are the user's own business.
 */
export type FileOwner = 'ours' | 'users'

/** What SQLite makes beside a database. */
const SIDE_FILES = ['-wal', '-shm', '-journal']
const HEADER = Buffer.from('SQLite format 3\0')
/** SQLite takes a file shorter than one page for an empty one and writes over it. */
const SMALLEST_PAGE_BYTES = 512

/**
 * Files that were looked into. Each is once, before SQLite has it open: to close any descriptor of a file takes away all
 * locks that the process holds on it (POSIX), SQLite's too, and others would then delete a log that is still written to.
 */
const lookedInto = new Set<string>()

function identityOf({dev, ino, birthtimeMs}: Stats): string {
  return `${dev}:${ino}:${birthtimeMs}`
}

/**
 * Creates `path` as 0600 before SQLite does, since its log and index files take the same mode, or looks at what is
 * there before anything is changed. Throws StorageError, or what the system threw.
 */
export function prepareDatabaseFile(path: string, owner: FileOwner): void {
  if (owner === 'ours') ensurePrivateDirectory(dirname(path))
  else requireDirectory(path)
  // SQLite follows a link in the place of its log, and would write into what it points to.
  const look = owner === 'ours' ? requireOwnFile : requireRegularFile
  const sides = SIDE_FILES.map(side => ({side: path + side, stats: look(path + side)}))
  const there = look(path)
  if (owner === 'ours') requireOneName(path, there)
  try {
    closeSync(openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL, 0o600))
    lookedInto.add(identityOf(lstatSync(path)))
    return
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  const stats = lstatSync(path)
  if (!lookedInto.has(identityOf(stats)) && !isDatabase(path, stats))
    throw owner === 'ours' ? damaged(path) : notADatabase(path)
  lookedInto.add(identityOf(stats))
  if (owner !== 'ours') return
  tighten(path, stats)
  for (const {side, stats} of sides) if (stats) tighten(side, stats)
}

/** SQLite keeps its log by name: what is written under one of two names is lost to whoever opens the other. */
function requireOneName(path: string, stats: Stats | undefined): void {
  if (stats === undefined || stats.nlink < 2) return
  const hint = 'copy it, and put the copy in its place; it was not changed'
  throw new StorageError('not_ours', `${path} has another name besides (a hard link)`, hint)
}

/**
 * Whether the file at `path`, with pages of `pageBytes`, ends amid one of them, which SQLite reads as if zeros followed.
 * Only a log may still hold the page that was being written there.
 */
export function endsAmidPage(path: string, pageBytes: number): boolean {
  const bytesOf = (side: string) => statSync(path + side, {throwIfNoEntry: false})?.size ?? 0
  return bytesOf('') % pageBytes !== 0 && bytesOf('-wal') === 0 && bytesOf('-journal') === 0
}

/** Whether anything is in the place of the database, or of a file that SQLite makes beside it. */
export function hasDatabaseFile(path: string): boolean {
  return ['', ...SIDE_FILES].some(side => isEntry(path + side))
}

function requireDirectory(path: string): void {
  const directory = dirname(path)
  if (existsSync(directory)) return
  const hint = 'create it first, or name a file in a directory that exists'
  throw new StorageError('not_writable', `there is no directory ${directory}`, hint)
}

/** Whether it is a database: an empty file is one, too. */
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

function notADatabase(path: string): StorageError {
  return new StorageError('not_ours', `${path} is not a database`, 'name another file; it was not changed')
}
