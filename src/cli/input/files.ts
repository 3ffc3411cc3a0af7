/** Reading what a person hands over: a file, or `-` for standard input. */
import {accessSync, closeSync, constants, openSync, readSync, statSync} from 'node:fs'
import {dirname, resolve} from 'node:path'
import {usage} from '../../contract/failure.js'
import {sanitizeLine} from '../../contract/foreign-text.js'

/** Ours: nothing we read this way is longer. */
const MOST_BYTES = 4 * 1024 * 1024

/** The text of `path` (`-`: standard input). Throws usage naming `flag`; never says what is in the file. */
export function readText(flag: string, path: string): string {
  try {
    const bytes = readBounded(path)
    if (bytes.length > MOST_BYTES) throw usage('invalid_input', `${flag}: longer than 4 MiB`)
    return new TextDecoder('utf-8', {fatal: true}).decode(bytes)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA')
      throw usage('invalid_input', `${flag}: is not UTF-8 text`)
    if (code === undefined) throw error
    throw usage(
      'cannot_read',
      `${flag}: cannot read ${path === '-' ? 'standard input' : sanitizeLine(path, 200)} (${code})`,
    )
  }
}

/** At most one byte more than may be read, so that a file without end ends too. */
function readBounded(path: string): Buffer {
  const bytes = Buffer.alloc(MOST_BYTES + 1)
  const file = path === '-' ? 0 : openSync(path, 'r')
  try {
    let length = 0
    for (let got = 1; got > 0 && length < bytes.length; length += got) {
      got = readSync(file, bytes, length, bytes.length - length, null)
    }
    return bytes.subarray(0, length)
  } finally {
    if (file !== 0) closeSync(file)
  }
}

/** A secret from a file or `-`, without its one trailing newline. Throws usage when it is empty or several lines. */
export function readSecret(flag: string, path: string): string {
  const secret = readText(flag, path).replace(/\r?\n$/, '')
  if (secret === '') throw usage('invalid_input', `${flag}: there is no secret in it`)
  if (/[\r\n]/.test(secret)) throw usage('invalid_input', `${flag}: must hold the secret alone, on one line`)
  return secret
}

/** Throws usage, naming `flag`, unless a file can be written at `path`. */
export function checkWritable(flag: string, path: string): void {
  const shown = sanitizeLine(path, 200)
  if (path === '' || statSync(path, {throwIfNoEntry: false})?.isDirectory()) {
    throw usage('invalid_input', `${flag}: must be the name of a file`)
  }
  try {
    accessSync(dirname(resolve(path)), constants.W_OK)
  } catch (error) {
    const {code} = error as NodeJS.ErrnoException
    throw usage('cannot_write', `${flag}: cannot write ${shown} (${code})`)
  }
}
