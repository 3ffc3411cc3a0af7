/** Reads files that flags name (`-` is standard input), and checks whether files can be written. */
import {isUtf8} from 'node:buffer'
import {accessSync, constants, createReadStream, existsSync, lstatSync, statSync} from 'node:fs'
import {basename, dirname, resolve} from 'node:path'
import process from 'node:process'
import {usage} from '../../contract/failure.js'
import {sanitizeLine} from '../../contract/foreign-text.js'
import {mistakeIn} from '../../contract/input-mistakes.js'
import {sizeText} from '../../contract/limits.js'
import {sweepTemporaryFiles} from '../../storage/temporary.js'
import {invalid, named} from './checks.js'
import {whileReading} from './pending-reads.js'

const MOST_BYTES = 4 * 1024 * 1024

/**
 * Reads the text of `path` (`-`: standard input). Throws a usage error that names `flag` but does not quote the
 * content.
 */
export async function readText(flag: string, path: string): Promise<string> {
  return decode(flag, await readBytes(flag, path, MOST_BYTES))
}

/** Decodes `bytes` as text. Throws a usage error that names `flag` if they are not UTF-8. */
export function decode(flag: string, bytes: Uint8Array, ignoreBOM = false): string {
  try {
    return new TextDecoder('utf-8', {fatal: true, ignoreBOM}).decode(bytes)
  } catch {
    throw invalid(flag, 'is not UTF-8 text')
  }
}

/** Throws a usage error that names `flag` unless `bytes` are UTF-8 without NUL. */
export function checkEncoding(flag: string, bytes: Uint8Array): void {
  const hint = 'save it as UTF-8: in Excel as "CSV UTF-8", in LibreOffice with the character set UTF-8'
  const [first, second] = bytes
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff))
    throw usage('invalid_input', `${flag}: is UTF-16, not UTF-8`, hint)
  if (!isUtf8(bytes))
    throw usage(
      'invalid_input',
      `${flag}: is not UTF-8 text: the first mistake is on line ${lineNotUtf8(bytes)}`,
      hint,
    )
  const nul = bytes.indexOf(0)
  if (nul < 0) return
  const line = Buffer.from(bytes.subarray(0, nul))
    .toString('latin1')
    .split(/\r\n|\n|\r/).length
  throw invalid(flag, `is not text: there is a NUL byte on line ${line}`)
}

/** Returns the number (from 1) of the first line that is not UTF-8. */
function lineNotUtf8(bytes: Uint8Array): number {
  const newline = 0x0a
  for (let line = 1, start = 0; ; line++) {
    const end = bytes.indexOf(newline, start)
    if (end < 0 || !isUtf8(bytes.subarray(start, end))) return line
    start = end + 1
  }
}

/**
 * Reads the bytes of `path` (`-`: standard input). Throws a usage error that names `flag` if the file cannot be read or
 * is longer than `mostBytes`.
 */
export async function readBytes(flag: string, path: string, mostBytes: number): Promise<Uint8Array> {
  try {
    const bytes = await (path === '-' ? collect(process.stdin, mostBytes) : readFile(path, mostBytes))
    if (bytes.length <= mostBytes) return bytes
  } catch (error) {
    const {code} = error as NodeJS.ErrnoException
    if (code === undefined) throw error
    const what = path === '-' ? 'standard input' : sanitizeLine(path, 200)
    throw usage('cannot_read', `${flag}: cannot read ${what} (${readingProblem(code)})`)
  }
  throw invalid(flag, `longer than ${sizeText(mostBytes)}`)
}

/** Describes why a read failed, by the `code` of the system error. An unknown code is returned as it is. */
export function readingProblem(code: string): string {
  if (code === 'EACCES') return 'permission denied'
  if (code === 'EISDIR') return 'is a directory'
  return code === 'ENOENT' ? 'no such file' : code
}

/**
 * Reads a stream until it ends or more than `mostBytes` have arrived. The result may be slightly longer than
 * `mostBytes`.
 */
async function collect(stream: AsyncIterable<Buffer>, mostBytes: number): Promise<Buffer> {
  const pieces: Buffer[] = []
  let length = 0
  for await (const piece of stream) {
    pieces.push(piece)
    length += piece.length
    if (length > mostBytes) break
  }
  return Buffer.concat(pieces)
}

/** Reads at most `mostBytes` + 1 bytes of a file, so that reading an endless file ends. Throws the system's error. */
export function readFile(path: string, mostBytes: number): Promise<Buffer> {
  return whileReading(() => collect(createReadStream(path, {end: mostBytes}), mostBytes))
}

/**
 * Reads a secret from a file, or `-`, without its line feed at the end. Throws a usage error if it is empty or has
 * several lines.
 */
export async function readSecret(flag: string, path: string): Promise<string> {
  const secret = (await readText(flag, path)).replace(/\r?\n$/, '')
  if (secret === '') throw invalid(flag, 'contains no secret')
  if (/[\r\n]/.test(secret)) throw invalid(flag, 'must contain only the secret, on one line')
  return secret
}

/** Returns `path`. Throws a usage error that names `flag` if no file can be written there. */
export function checkWritable(flag: string, path: string): string {
  const shown = sanitizeLine(path, 200)
  if (path === '') throw invalid(flag, 'must be a file name')
  if (/[\\/]$/.test(path) || (existsSync(path) && statSync(path).isDirectory()))
    throw invalid(flag, `${shown} is a directory, not a file`)
  // File systems allow at most 255 bytes.
  if (Buffer.byteLength(basename(path)) > 255) throw invalid(flag, `${shown} is too long for a file name`)
  const directory = dirname(resolve(path))
  try {
    accessSync(`${directory}/.`, constants.W_OK | constants.X_OK)
    return path
  } catch (error) {
    const {code = ''} = error as NodeJS.ErrnoException
    const absence = {ENOENT: 'does not exist', ENOTDIR: 'is not a directory'}[code]
    const problem = absence ?? `cannot be written (${code})`
    const hint = `make it a directory that can be written, or name another file${flag && ` with ${flag}`}`
    const refusal = named(flag, `the directory ${sanitizeLine(directory, 200)} ${problem}`)
    throw usage('cannot_write', refusal, hint)
  }
}

/** Returns `path`. Throws a usage error that names `flag` unless a new file can be written there. */
export function checkNewFile(flag: string, path: string): string {
  requireNewFile(checkWritable(flag, path), 'name a new file', flag)
  return path
}

/**
 * Throws a usage error that names `flag` if something exists at `path`. Before that, removes temporary files that a
 * killed run may have left in its directory.
 */
export function requireNewFile(path: string, hint: string, flag = ''): void {
  if (!lstatSync(path, {throwIfNoEntry: false})) return
  sweepTemporaryFiles(dirname(resolve(path)))
  throw usage('file_exists', named(flag, `${sanitizeLine(path, 200)} exists already`), hint)
}

/** Parses `text` as JSON. If it is not JSON, throws a usage error that names `flag`, the line and the column. */
export function readJson(flag: string, text: string): unknown {
  const clean = text.replace(/^\ufeff/, '')
  try {
    return JSON.parse(clean)
  } catch {
    const {line, column, problem} = mistakeIn(clean)
    throw usage('invalid_json', `${flag}: is not JSON: ${problem} at line ${line}, column ${column}`)
  }
}
