/**
 * Writes files so that they are complete or absent: first under a private temporary name and flushed, then renamed or
 * linked into place. The next writer in the directory removes temporary files that killed processes left. The usual
 * packages for this ignore a short write: on a full disk they replace a good file with a truncated one.
 */
import * as fs from 'node:fs'
import {dirname, resolve} from 'node:path'
import process from 'node:process'
import {StorageError, storageErrorOf} from './errors.js'
import {sweepTemporaryFiles, temporaryPath} from './temporary.js'

/**
 * Creates `directory` with mode 0700, or removes the permissions of others from an existing one unless it is shared.
 * Throws a StorageError if it is not a directory or cannot be created.
 */
export function ensurePrivateDirectory(directory: string): void {
  try {
    createDirectories(directory)
    const stats = fs.lstatSync(directory)
    if (!stats.isDirectory() && !(stats.isSymbolicLink() && fs.existsSync(directory))) {
      const what = stats.isSymbolicLink() ? 'a symbolic link to nothing' : 'not a directory'
      throw new StorageError('not_ours', `${directory} is ${what}`, 'set BOOKCTL_CONFIG_DIR to a directory')
    }
    tightenDirectory(directory)
  } catch (error) {
    throw storageErrorOf(error, directory)
  }
}

/** Creates `directory` and its missing parents as 0700. Throws the system's error. */
export function createDirectories(directory: string): void {
  // Node's recursive form hangs where the system reports ENOENT for an existing parent (/proc).
  const missing: string[] = []
  let parent = directory
  while (!fs.existsSync(parent) && parent !== dirname(parent)) {
    missing.unshift(parent)
    parent = dirname(parent)
  }
  for (const each of missing) {
    try {
      fs.mkdirSync(each, {mode: 0o700})
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
}

/**
 * Removes the permissions of group and others from `directory`, unless it is shared: owned by another user, the root of
 * the disk, or with the sticky bit, like /tmp. Throws the system's error.
 */
export function tightenDirectory(directory: string): void {
  const stats = fs.lstatSync(directory)
  const isShared = (stats.mode & 0o1000) !== 0 || dirname(resolve(directory)) === resolve(directory)
  const isOurs = process.platform !== 'win32' && stats.isDirectory() && stats.uid === process.getuid?.()
  if (isOurs && !isShared && (stats.mode & 0o077) !== 0) fs.chmodSync(directory, 0o700)
}

/**
 * Returns the stats of a file, or undefined if there is none. Throws a StorageError if it is not a regular file. A link
 * is rejected too: it may be an attack, or deliberate.
 */
export function requireRegularFile(path: string, hint = MOVE_AWAY): fs.Stats | undefined {
  const stats = lstatIfAny(path)
  if (stats === undefined || stats.isFile()) return stats
  let what = ''
  if (stats.isSymbolicLink()) what = 'a symbolic link, '
  else if (stats.isDirectory()) what = 'a directory, '
  throw new StorageError('not_ours', `${path} is ${what}not a regular file`, hint)
}

export const MOVE_AWAY = 'move it away; neither it nor its target was changed'

/**
 * Returns the stats of a file without following links, or undefined if there is none. Throws a StorageError if the
 * system does not allow it.
 */
export function lstatIfAny(path: string): fs.Stats | undefined {
  try {
    return fs.lstatSync(path, {throwIfNoEntry: false})
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return undefined
    throw storageErrorOf(error, path)
  }
}

const NEW_FILE = fs.constants.O_WRONLY | fs.constants.O_CREAT | fs.constants.O_EXCL

interface WriteOptions {
  readonly existing: 'replace' | 'create'
  readonly like?: fs.Stats | undefined
  readonly whenReady?: (() => void) | undefined
}

/**
 * Writes `pieces` as the whole content of `path`. An existing file is replaced by a rename (`replace`), or causes an error
 * (`create`). Calls `whenReady` when everything is on the disk, before the rename. The file is private (0600), or has the
 * permissions and, where the system allows it, the owner of `like`.
 * Throws a StorageError, also for errors of `pieces` and `whenReady`; an existing file then stays unchanged.
 */
export async function writeWholeFile(
  path: string,
  pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  {existing, like, whenReady}: WriteOptions,
): Promise<void> {
  const directory = dirname(path)
  const temporary = temporaryPath(directory)
  sweepTemporaryFiles(directory)
  let file: number | undefined
  try {
    // Replacing a device or a pipe, such as /dev/null as root, would break the system.
    if (existing === 'replace' && !lstatIfAny(path)?.isSymbolicLink())
      requireRegularFile(path, 'choose another file; it was not changed')
    file = fs.openSync(temporary, NEW_FILE, 0o600)
    for await (const bytes of pieces) writeAll(file, bytes)
    if (like) takeAfter(like, file)
    fs.fsyncSync(file)
    const whole = file
    file = undefined
    fs.closeSync(whole)
    whenReady?.()
    if (existing === 'replace') fs.renameSync(temporary, path)
    else putInPlace(temporary, path)
    flushDirectory(directory)
  } catch (error) {
    throw storageErrorOf(error, path)
  } finally {
    if (file !== undefined) fs.closeSync(file)
    fs.rmSync(temporary, {force: true})
  }
}

/** Writes all of `bytes` to the open file `file`, because the system may write a part of them. */
function writeAll(file: number, bytes: Uint8Array): void {
  let written = 0
  while (written < bytes.length) written += fs.writeSync(file, bytes, written)
}

/** Gives the open file `file` the permissions and the owner of another file, of which only root can give the owner. */
function takeAfter({mode, uid, gid}: fs.Stats, file: number): void {
  if (process.platform === 'win32') return
  if (process.geteuid?.() === 0) fs.fchownSync(file, uid, gid)
  fs.fchmodSync(file, mode & 0o777)
}

/**
 * Gives the file `temporary` the name `path`. Throws EEXIST if that name is in use. If the file system has hard links,
 * the file keeps its temporary name as well.
 */
export function putInPlace(temporary: string, path: string): void {
  try {
    fs.linkSync(temporary, path)
  } catch (error) {
    // Some file systems have no hard links, for example FAT and some network shares.
    if (!['EPERM', 'ENOTSUP', 'ENOSYS'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    fs.closeSync(fs.openSync(path, NEW_FILE, 0o600))
    fs.renameSync(temporary, path)
  }
}

/** Reports whether files can be created in `directory`. Creates the directory if it is missing. */
export function isWritableDirectory(directory: string): boolean {
  try {
    ensurePrivateDirectory(directory)
    fs.accessSync(directory, fs.constants.W_OK | fs.constants.X_OK)
    return true
  } catch {
    return false
  }
}

/**
 * Flushes a directory to the disk, so that a rename in it is durable. Does nothing if the system cannot open or flush a
 * directory; it then writes the entry later.
 */
export function flushDirectory(directory: string): void {
  if (process.platform === 'win32') return
  let handle: number | undefined
  try {
    handle = fs.openSync(directory, fs.constants.O_RDONLY)
    fs.fsyncSync(handle)
  } catch (error) {
    if (!['EACCES', 'EINVAL', 'ENOTSUP'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
  } finally {
    if (handle !== undefined) fs.closeSync(handle)
  }
}

/**
 * Reports whether the file at `path` belongs to another user, who could read what is written to it or may have written
 * its content. Root is trusted. If root runs this program in the home of a user, the owner of the directory is trusted
 * too.
 */
export function isOfAnother(path: string, {uid}: fs.Stats): boolean {
  const own = process.geteuid?.()
  if (own === undefined || uid === own || uid === 0) return false
  return own !== 0 || uid !== fs.statSync(dirname(path)).uid
}

/**
 * Removes the permissions of group and others from a file, if the system allows it. `file` is its descriptor or its
 * path.
 */
export function tighten(file: number | string, {mode}: fs.Stats): void {
  if (process.platform === 'win32' || (mode & 0o077) === 0) return
  try {
    if (typeof file === 'number') fs.fchmodSync(file, 0o600)
    else fs.chmodSync(file, 0o600)
  } catch {
    // On a read-only disk no other user can change the file either.
  }
}

/** Like `requireRegularFile`, but also throws a StorageError if the file belongs to another user. */
export function requireOwnFile(path: string): fs.Stats | undefined {
  const stats = requireRegularFile(path)
  if (stats === undefined || !isOfAnother(path, stats)) return stats
  const hint = 'change its owner (chown) or move it away; it was not changed'
  throw new StorageError('not_ours', `${path} belongs to another user`, hint)
}

/** Maximum size of a PEM file: four times the certificates of a whole system. */
export const MOST_PEM_BYTES = 1024 * 1024

/**
 * Returns the text of a file with certificates or a key. Throws the system's error, EFBIG for more than MOST_PEM_BYTES
 * (a device may never end), or EINVAL for a pipe (which may have no writer).
 */
export function readPem(file: string): string {
  if (fs.statSync(file).isFIFO()) throw Object.assign(new Error('a pipe'), {code: 'EINVAL'})
  const descriptor = fs.openSync(file, 'r')
  try {
    const bytes = Buffer.allocUnsafe(MOST_PEM_BYTES + 1)
    let length = 0
    while (length < bytes.length) {
      const got = fs.readSync(descriptor, bytes, length, bytes.length - length, null)
      if (got === 0) break
      length += got
    }
    if (length > MOST_PEM_BYTES) throw Object.assign(new Error('file too large'), {code: 'EFBIG'})
    return bytes.toString('utf8', 0, length)
  } finally {
    fs.closeSync(descriptor)
  }
}
