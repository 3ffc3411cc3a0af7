/**
 * Records the last requests of this machine for `support bundle`, one line each in exchanges.jsonl, without bodies and
 * secrets. Lines are appended with a single write, so processes need no lock. A full file is renamed to
 * exchanges.1.jsonl, which replaces the previous one.
 */
import * as fs from 'node:fs'
import {join} from 'node:path'
import {isObject, type JsonObject, parseJson} from '../contract/json.js'
import {isOfAnother, tighten} from '../storage/files.js'
import {EXCHANGES_BEFORE_NAME, EXCHANGES_NAME} from './file-names.js'

const FULL_BYTES = 64 * 1024
const LONGEST_LINE_BYTES = 4096
/** Without O_NONBLOCK, opening a named pipe could wait forever. */
const NO_LINK_NO_WAIT = (fs.constants.O_NOFOLLOW ?? 0) | (fs.constants.O_NONBLOCK ?? 0)

/**
 * Appends one line per exchange if `directory` exists. Never throws. Returns a warning if the file is a symbolic link.
 */
export function keepExchanges(directory: string, exchanges: readonly object[]): string | undefined {
  if (exchanges.length === 0 || !fs.existsSync(directory)) return undefined
  const path = join(directory, EXCHANGES_NAME)
  const lines = exchanges.map(each => `${JSON.stringify(each)}\n`)
  const text = lines.filter(line => Buffer.byteLength(line) <= LONGEST_LINE_BYTES).join('')
  const flags = fs.constants.O_RDWR | fs.constants.O_APPEND | fs.constants.O_CREAT
  let file: number | undefined
  try {
    file = fs.openSync(path, flags | NO_LINK_NO_WAIT, 0o600)
    const stats = fs.fstatSync(file)
    if (!stats.isFile() || isOfAnother(path, stats)) return undefined
    tighten(file, stats)
    // If a write was interrupted, the last line has no end and would corrupt the next one.
    const last = Buffer.alloc(1, '\n')
    if (stats.size > 0) fs.readSync(file, last, 0, 1, stats.size - 1)
    fs.writeSync(file, last.toString() === '\n' ? text : `\n${text}`)
    if (fs.fstatSync(file).size > FULL_BYTES) fs.renameSync(path, join(directory, EXCHANGES_BEFORE_NAME))
  } catch (error) {
    // Other errors are ignored, for example a read-only home, a full disk, or a directory with this name.
    if ((error as NodeJS.ErrnoException).code === 'ELOOP')
      return `${path} is a symbolic link, which is not followed: requests are not recorded`
  } finally {
    if (file !== undefined) fs.closeSync(file)
  }
  return undefined
}

/** Returns the last `most` exchanges, oldest first. Lines that a crash has truncated are left out. */
export function lastExchanges(directory: string, most: number): JsonObject[] {
  return [EXCHANGES_BEFORE_NAME, EXCHANGES_NAME]
    .flatMap(name => linesOf(join(directory, name)))
    .map(line => parseJson(Buffer.from(line)))
    .filter(isObject)
    .slice(-most)
}

function linesOf(path: string): string[] {
  let file: number | undefined
  try {
    file = fs.openSync(path, fs.constants.O_RDONLY | NO_LINK_NO_WAIT)
    return fs.readFileSync(file, 'utf8').split('\n')
  } catch {
    return []
  } finally {
    if (file !== undefined) fs.closeSync(file)
  }
}
