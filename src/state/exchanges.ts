/**
 * The last requests of this machine, for `support bundle`: exchanges.jsonl, a line each, without bodies and secrets. Lines
 * are appended in one write, so processes need no lock; a full file is renamed to exchanges.1.jsonl, replacing the last one.
 */
import * as fs from 'node:fs'
import {join} from 'node:path'
import {isOfAnother, tighten} from '../storage/files.js'
import {EXCHANGES_BEFORE_NAME, EXCHANGES_NAME} from './file-names.js'

const FULL_BYTES = 64 * 1024
const LONGEST_LINE_BYTES = 4096
const MOST_READ_BYTES = 1024 * 1024
/** Opening a pipe would otherwise wait forever. */
const NO_LINK_NO_WAIT = (fs.constants.O_NOFOLLOW ?? 0) | (fs.constants.O_NONBLOCK ?? 0)

/** Appends a line for each, if `directory` exists. Throws nothing; returns a warning when the file is a symbolic link. */
export function keepExchanges(directory: string, exchanges: readonly object[]): string | undefined {
  if (exchanges.length === 0 || !fs.existsSync(directory)) return undefined
  const path = join(directory, EXCHANGES_NAME)
  try {
    const lines = exchanges.map(each => `${JSON.stringify(each)}\n`)
    append(path, lines.filter(line => Buffer.byteLength(line) <= LONGEST_LINE_BYTES).join(''))
    if (fs.statSync(path).size > FULL_BYTES) fs.renameSync(path, join(directory, EXCHANGES_BEFORE_NAME))
  } catch (error) {
    // Other errors: a read-only home, a full disk, a directory of that name.
    if ((error as NodeJS.ErrnoException).code === 'ELOOP')
      return `${path} is a symbolic link, which is not followed: requests are not recorded`
  }
  return undefined
}

function append(path: string, text: string): void {
  const flags = fs.constants.O_RDWR | fs.constants.O_APPEND | fs.constants.O_CREAT
  const file = fs.openSync(path, flags | NO_LINK_NO_WAIT, 0o600)
  try {
    const stats = fs.fstatSync(file)
    if (!stats.isFile() || isOfAnother(path, stats)) return
    tighten(file, stats)
    fs.writeSync(file, endsInsideLine(file, stats.size) ? `\n${text}` : text)
  } finally {
    fs.closeSync(file)
  }
}

/** Whether the last writer was interrupted; its line is lost, and would corrupt the next one. */
function endsInsideLine(file: number, size: number): boolean {
  const last = Buffer.alloc(1)
  return size > 0 && fs.readSync(file, last, 0, 1, size - 1) === 1 && last.toString() !== '\n'
}

/** The last `most` exchanges, oldest first; lines truncated by a crash are left out. */
export function lastExchanges(directory: string, most: number): Record<string, unknown>[] {
  return [EXCHANGES_BEFORE_NAME, EXCHANGES_NAME]
    .flatMap(name => linesOf(join(directory, name)))
    .flatMap(parseLine)
    .slice(-most)
}

/** Of a file larger than it can normally be, only the end is read. */
function linesOf(path: string): string[] {
  let file: number | undefined
  try {
    file = fs.openSync(path, fs.constants.O_RDONLY | NO_LINK_NO_WAIT)
    const stats = fs.fstatSync(file)
    if (!stats.isFile()) return []
    const bytes = Buffer.alloc(Math.min(stats.size, MOST_READ_BYTES))
    const length = fs.readSync(file, bytes, 0, bytes.length, stats.size - bytes.length)
    return bytes.toString('utf8', 0, length).split('\n')
  } catch {
    return []
  } finally {
    if (file !== undefined) fs.closeSync(file)
  }
}

function parseLine(line: string): Record<string, unknown>[] {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? [value as Record<string, unknown>] : []
  } catch {
    return []
  }
}
