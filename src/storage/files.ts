/**
 * Files that are whole or absent: written under a private temporary name, flushed, then renamed or linked into
 * place, and the directory flushed. Short writes are continued, every failure removes the temporary file, and the next
 * writer in the same directory removes that of one that was killed.
 * (The usual atomic-write packages ignore a short write: on a full disk they replace a good file with a cut one.)
 */
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeSync,
} from 'node:fs'
import {dirname, resolve} from 'node:path'
import process from 'node:process'
import {StorageError, storageErrorOf} from './errors.js'
import {sweepTemporaryFiles, temporaryPath} from './temporary.js'

/**
 * Creates `directory` as 0700, or tightens it to that when it is ours alone to tighten. Throws StorageError when it is
 * not a directory.
 */
export function ensurePrivateDirectory(directory: string): void {
  try {
    makeDirectory(directory)
    const stats = lstatSync(directory)
    if (!stats.isDirectory() && !(stats.isSymbolicLink() && existsSync(directory))) {
      const what = stats.isSymbolicLink() ? 'a symbolic link to nothing' : 'not a directory'
      throw new StorageError('not_ours', `${directory} is ${what}`, 'set BOOKCTL_CONFIG_DIR to a directory')
    }
    tightenDirectory(directory)
  } catch (error) {
    throw storageErrorOf(error, directory)
  }
}

/** Takes from others what they may do in `directory`, if it is ours alone to tighten. Throws what the system does. */
export function tightenDirectory(directory: string): void {
  const stats = lstatSync(directory)
  if ((stats.mode & 0o077) !== 0 && mayTighten(directory, stats)) chmodSync(directory, 0o700)
}

/** Never one that others share: of another owner, the root of the disk, or with the sticky bit, as /tmp has. */
function mayTighten(directory: string, stats: Stats): boolean {
  const shared = (stats.mode & 0o1000) !== 0 || dirname(resolve(directory)) === resolve(directory)
  return process.platform !== 'win32' && stats.isDirectory() && stats.uid === process.getuid?.() && !shared
}

/** With its parents. Node's own recursive form never returns where the system answers ENOENT to a good parent (/proc). */
function makeDirectory(directory: string): void {
  if (existsSync(directory)) return
  const parent = dirname(directory)
  if (parent !== directory) makeDirectory(parent)
  try {
    mkdirSync(directory, {mode: 0o700})
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/**
 * What lies at `path`, if anything does. Throws StorageError unless it is a regular file. A symbolic link in the place of a file of ours is
 * neither followed nor replaced: somebody put it there for a reason, or against us.
 */
export function requireRegularFile(path: string): Stats | undefined {
  const stats = lstatIfAny(path)
  if (stats === undefined || stats.isFile()) return stats
  const what = stats.isSymbolicLink()
    ? 'a symbolic link'
    : stats.isDirectory()
      ? 'a directory'
      : 'no regular file'
  const hint = 'move it away; neither it nor what it points to was changed'
  throw new StorageError('not_ours', `${path} is ${what}, in the place of a file of ours`, hint)
}

/** The same for a directory: undefined, or a directory that is no symbolic link. */
export function requireRealDirectory(path: string): void {
  const stats = lstatIfAny(path)
  if (stats === undefined || stats.isDirectory()) return
  const hint = 'move it away; neither it nor what it points to was changed'
  throw new StorageError('not_ours', `${path} is not a directory of its own`, hint)
}

/** Whether anything lies at `path`, a link to nowhere too; where that cannot be told, opening it will say why. */
export function isEntry(path: string): boolean {
  try {
    return lstatIfAny(path) !== undefined
  } catch {
    return true
  }
}

function lstatIfAny(path: string): Stats | undefined {
  try {
    return lstatSync(path, {throwIfNoEntry: false})
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return undefined
    throw storageErrorOf(error, path)
  }
}

export interface WholeFileOptions {
  /** `replace` renames over what is there; `create` refuses (EEXIST) when the name is taken. */
  readonly existing: 'replace' | 'create'
  /** Permissions of the file; 0600 unless told. */
  readonly mode?: number
  /** Called when all of it is on the disk and nothing but its name is missing; what it throws leaves the old content. */
  readonly whenReady?: () => void
}

/**
 * Writes `bytes` as the whole content of `path`. With `existing: 'create'` a taken name throws the EEXIST error of
 * the system and leaves the file as it was; any other failure throws StorageError, and the old content stays.
 */
export function writeWholeFile(path: string, bytes: Uint8Array, options: WholeFileOptions): void {
  writeWholePieces(path, [bytes], options)
}

/** The same for what is too long to be held at once. What `pieces` throws is thrown so, too. */
export function writeWholePieces(
  path: string,
  pieces: Iterable<Uint8Array>,
  options: WholeFileOptions,
): void {
  const directory = dirname(path)
  const temporary = temporaryPath(directory)
  sweepTemporaryFiles(directory)
  if (options.existing === 'replace') requireReplaceable(path)
  try {
    writeNewFile(temporary, pieces, options.mode ?? 0o600)
    options.whenReady?.()
    if (options.existing === 'replace') renameSync(temporary, path)
    else putInPlace(temporary, path)
    flushDirectory(directory)
  } catch (error) {
    if (options.existing === 'create' && (error as NodeJS.ErrnoException).code === 'EEXIST') throw error
    throw storageErrorOf(error, path)
  } finally {
    rmSync(temporary, {force: true})
  }
}

/** Without replacing anything. Throws EEXIST when the name is taken. */
function putInPlace(temporary: string, path: string): void {
  try {
    linkSync(temporary, path)
  } catch (error) {
    // A disk that knows one name a file: FAT, some shares.
    if (!['EPERM', 'ENOTSUP', 'ENOSYS'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    closeSync(openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600))
    renameSync(temporary, path)
  }
}

/** A device or a pipe (/dev/null, where root may write) would be gone for everyone. */
function requireReplaceable(path: string): void {
  const stats = lstatIfAny(path)
  if (stats === undefined || stats.isFile() || stats.isSymbolicLink()) return
  const hint = 'name another file; it was not changed'
  throw new StorageError('not_ours', `${path} is no regular file`, hint)
}

/** Whether files can be made in `directory`, which is created if it can be. */
export function isWritableDirectory(directory: string): boolean {
  try {
    ensurePrivateDirectory(directory)
    accessSync(directory, constants.W_OK | constants.X_OK)
    return true
  } catch {
    return false
  }
}

function writeNewFile(path: string, pieces: Iterable<Uint8Array>, mode: number): void {
  const file = openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, mode)
  try {
    for (const bytes of pieces)
      for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** Where a directory may not be read, or cannot be flushed, its entry is on the disk when the system puts it there. */
function flushDirectory(directory: string): void {
  if (process.platform === 'win32') return
  try {
    const handle = openSync(directory, constants.O_RDONLY)
    try {
      fsyncSync(handle)
    } finally {
      closeSync(handle)
    }
  } catch (error) {
    if (!['EACCES', 'EINVAL', 'ENOTSUP'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
}

/**
 * Whether the file at `path` belongs to somebody who could read what we write there, or have written what we read: not
 * to us or to root; nor, where we are root in another's home, to whom the directory belongs.
 */
export function isOfAnother(path: string, {uid}: Stats): boolean {
  const own = process.geteuid?.()
  if (own === undefined || uid === own || uid === 0) return false
  return own !== 0 || uid !== statSync(dirname(path)).uid
}

/** Takes from others what they may do with a file of ours, where the system lets us. `file`: its descriptor or path. */
export function tighten(file: number | string, {mode}: Stats): void {
  if (process.platform === 'win32' || (mode & 0o077) === 0) return
  try {
    if (typeof file === 'number') fchmodSync(file, 0o600)
    else chmodSync(file, 0o600)
  } catch {
    // On a disk that is only read nobody changes it either.
  }
}

/** What lies at `path`, if anything does. Throws StorageError unless it is a regular file and nobody else's. */
export function requireOwnFile(path: string): Stats | undefined {
  const stats = requireRegularFile(path)
  if (stats === undefined || !isOfAnother(path, stats)) return stats
  const hint = 'make it your own (chown), or move it away; it was not changed'
  throw new StorageError('not_ours', `${path} belongs to another user`, hint)
}

const PIECE_BYTES = 64 * 1024

/**
 * The bytes of `file`, a path or a descriptor, which stays open. Throws the error of the system, and one with the code
 * EFBIG when there are more than `mostBytes`: Node's own readFileSync reads ten gigabytes before it says that they are
 * too many for a string, and never ends where the file has no end.
 */
export function readAtMost(file: string | number, mostBytes: number): Buffer {
  const descriptor = typeof file === 'number' ? file : openSync(file, 'r')
  try {
    const pieces: Buffer[] = []
    for (let length = 0; ; ) {
      const piece = Buffer.allocUnsafe(PIECE_BYTES)
      const got = readSync(descriptor, piece)
      if (got === 0) return Buffer.concat(pieces)
      length += got
      if (length > mostBytes) throw Object.assign(new Error('file too large'), {code: 'EFBIG'})
      pieces.push(piece.subarray(0, got))
    }
  } finally {
    if (typeof file === 'string') closeSync(descriptor)
  }
}

/** Ours: the authorities of a whole system take a quarter of it. */
export const MOST_PEM_BYTES = 1024 * 1024

/** The text of a file of certificates or of a key. Throws as `readAtMost` does, and for a pipe, which may never say a word. */
export function readPem(file: string | number): string {
  if (typeof file === 'string' && statSync(file).isFIFO())
    throw Object.assign(new Error('a pipe'), {code: 'EINVAL'})
  return readAtMost(file, MOST_PEM_BYTES).toString('utf8')
}
