/**
 * The last requests of this machine, for `support bundle`: exchanges.jsonl, a line each, without bodies and secrets.
 * Lines are appended in one write, so processes need not wait for each other; a full file becomes exchanges.1.jsonl,
 * in place of the one before.
 */
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  openSync,
  readSync,
  renameSync,
  statSync,
  writeSync,
} from 'node:fs'
import {join} from 'node:path'
import {isOfAnother, tighten} from '../storage/files.js'
import {EXCHANGES_BEFORE_NAME, EXCHANGES_NAME} from './file-names.js'

/** Ours. */
const FULL_BYTES = 64 * 1024
const LONGEST_LINE_BYTES = 4096
const MOST_READ_BYTES = 1024 * 1024
/** A pipe in its place would otherwise be waited for, for ever. */
const NEITHER_LINK_NOR_WAIT = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
const LOCK_WAIT_MILLISECONDS = 1000

/**
 * Appends a line for each of `exchanges`, if `directory` exists. A record that cannot be kept is no reason for a
 * command to fail: nothing is thrown. Returns a warning when something else is in the place of the file.
 */
export async function keepExchanges(
  directory: string,
  exchanges: readonly object[],
): Promise<string | undefined> {
  if (exchanges.length === 0 || !existsSync(directory)) return undefined
  const path = join(directory, EXCHANGES_NAME)
  try {
    const lines = exchanges.map(each => `${JSON.stringify(each)}\n`)
    append(path, lines.filter(line => Buffer.byteLength(line) <= LONGEST_LINE_BYTES).join(''))
    if (statSync(path).size > FULL_BYTES) await rotate(directory, path)
  } catch (error) {
    // Else a read-only home, a full disk, a directory in the place.
    if ((error as NodeJS.ErrnoException).code === 'ELOOP')
      return `${path} is a symbolic link, which is not followed: requests are not recorded`
  }
  return undefined
}

function append(path: string, text: string): void {
  const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT
  const file = openSync(path, flags | NEITHER_LINK_NOR_WAIT, 0o600)
  try {
    const stats = fstatSync(file)
    if (!stats.isFile() || isOfAnother(path, stats)) return
    tighten(file, stats)
    writeSync(file, endsAmidLine(file, stats.size) ? `\n${text}` : text)
  } finally {
    closeSync(file)
  }
}

/** Whether the last writer was cut off; its line is lost, and would take the next with it. */
function endsAmidLine(file: number, size: number): boolean {
  const last = Buffer.alloc(1)
  return size > 0 && readSync(file, last, 0, 1, size - 1) === 1 && last.toString() !== '\n'
}

/** Under the lock, so that of two processes that find the file full one renames it. */
async function rotate(directory: string, path: string): Promise<void> {
  const {withLock} = await import('../storage/lock.js')
  const lock = {directory, kind: 'exchanges', key: EXCHANGES_NAME, waitMilliseconds: LOCK_WAIT_MILLISECONDS}
  await withLock(lock, async () => {
    if (statSync(path).size > FULL_BYTES) renameSync(path, join(directory, EXCHANGES_BEFORE_NAME))
  })
}

/** The last `most` exchanges, oldest first; lines that were cut by a crash are left out. */
export function lastExchanges(directory: string, most: number): Record<string, unknown>[] {
  return [EXCHANGES_BEFORE_NAME, EXCHANGES_NAME]
    .flatMap(name => linesOf(join(directory, name)))
    .flatMap(parseLine)
    .slice(-most)
}

function linesOf(path: string): string[] {
  try {
    const file = openSync(path, constants.O_RDONLY | NEITHER_LINK_NOR_WAIT)
    try {
      const stats = fstatSync(file)
      return stats.isFile() ? endOf(file, stats.size).split('\n') : []
    } finally {
      closeSync(file)
    }
  } catch {
    return []
  }
}

/** Of a file larger than ours ever are, the end is read. */
function endOf(file: number, size: number): string {
  const bytes = Buffer.alloc(Math.min(size, MOST_READ_BYTES))
  const length = readSync(file, bytes, 0, bytes.length, size - bytes.length)
  return bytes.toString('utf8', 0, length)
}

function parseLine(line: string): Record<string, unknown>[] {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? [value as Record<string, unknown>] : []
  } catch {
    return []
  }
}
