/** Bodies that were read in one character encoding and written in another. */
import {isUtf8} from 'node:buffer'
import type {Cause} from './cause.js'

/** One-byte encodings a receiver may take for UTF-8; 1254 is Turkish. */
const ONE_BYTE = ['latin1', 'windows-1252', 'windows-1254'] as const

/** What `bytes` may have been before an encoding went wrong. Only what can be undone without loss. */
export function* undoCharset(bytes: Uint8Array): Generator<{bytes: Uint8Array; cause: Cause}> {
  if (isAscii(bytes)) return
  const wide = fromUtf16(bytes)
  if (wide) yield {bytes: Buffer.from(wide.text), cause: cause(`is ${wide.encoding}, and UTF-8 was signed`)}
  if (isUtf8(bytes)) yield* undoDecoding(new TextDecoder('utf-8', {ignoreBOM: true}).decode(bytes))
  else yield* undoEncoding(bytes)
}

/** UTF-8 that was read as a one-byte encoding and written as UTF-8 once more, or text in another normal form. */
function* undoDecoding(text: string): Generator<{bytes: Uint8Array; cause: Cause}> {
  for (const encoding of ONE_BYTE) {
    const bytes = encodeOneByte(text, encoding)
    if (!bytes) continue
    const how = isUtf8(bytes)
      ? `was read as ${encoding} and written as UTF-8 once more`
      : `is UTF-8, and ${encoding} was signed`
    yield {bytes, cause: cause(how)}
  }
  for (const form of ['NFC', 'NFD'] as const) {
    const normal = text.normalize(form)
    if (normal === text) continue
    yield {
      bytes: Buffer.from(normal),
      cause: cause(`has its letters in another Unicode normal form than ${form}`),
    }
  }
}

/** Bytes that are no UTF-8: written in a one-byte encoding. */
function* undoEncoding(bytes: Uint8Array): Generator<{bytes: Uint8Array; cause: Cause}> {
  for (const encoding of ONE_BYTE) {
    const text =
      encoding === 'latin1' ? Buffer.from(bytes).toString('latin1') : new TextDecoder(encoding).decode(bytes)
    yield {bytes: Buffer.from(text), cause: cause(`is ${encoding}, and UTF-8 was signed`)}
  }
}

function cause(how: string): Cause {
  return {code: 'body_charset', what: `The body ${how}.`}
}

function isAscii(bytes: Uint8Array): boolean {
  return bytes.every(byte => byte < 0x80 && byte !== 0)
}

function fromUtf16(bytes: Uint8Array): {text: string; encoding: string} | undefined {
  if (bytes.length < 4 || bytes.length % 2 === 1) return undefined
  const [first, second] = bytes
  const little = (first === 0xff && second === 0xfe) || (second === 0 && first !== 0)
  const big = (first === 0xfe && second === 0xff) || (first === 0 && second !== 0)
  if (!little && !big) return undefined
  const encoding = little ? 'utf-16le' : 'utf-16be'
  return {text: new TextDecoder(encoding).decode(bytes), encoding: little ? 'UTF-16LE' : 'UTF-16BE'}
}

/** `text` in a one-byte encoding; undefined when a character has no byte there. */
function encodeOneByte(text: string, encoding: (typeof ONE_BYTE)[number]): Uint8Array | undefined {
  const table = encoding === 'latin1' ? undefined : tableOf(encoding)
  const bytes = Buffer.alloc(text.length)
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    const byte = table && code > 0x7f ? table.get(code) : code
    if (byte === undefined || byte > 0xff) return undefined
    bytes[at] = byte
  }
  return bytes
}

function tableOf(encoding: string): Map<number, number> {
  const upper = Uint8Array.from({length: 128}, (_, n) => n + 128)
  const text = new TextDecoder(encoding).decode(upper)
  return new Map([...text].map((character, n) => [character.charCodeAt(0), n + 128]))
}

/**
 * What reading bytes the wrong way makes of `original`, with loss: these cannot be undone, but recognised when the
 * original is at hand.
 */
export function* lossyReadings(original: Uint8Array): Generator<{bytes: Uint8Array; cause: Cause}> {
  const text = Buffer.from(original).toString('utf8')
  const ways: readonly [string, string][] = [
    ['ASCII, a `?` for each other letter', text.replace(/[^\0-\x7f]/gu, '?')],
    [
      'ASCII, a `?` for each other byte',
      Buffer.from(original)
        .toString('latin1')
        .replace(/[^\0-\x7f]/g, '?'),
    ],
    ['ASCII, other letters left out', text.replace(/[^\0-\x7f]/gu, '')],
    [
      'ASCII, U+FFFD for each other byte',
      Buffer.from(original)
        .toString('latin1')
        .replace(/[^\0-\x7f]/g, '\ufffd'),
    ],
    ['UTF-8, U+FFFD for what is none', text],
    ['latin1, a `?` for each letter it does not have', text.replace(/[^\0-\xff]/gu, '?')],
  ]
  for (const [name, read] of ways) {
    const bytes = Buffer.from(read, name.startsWith('latin1') ? 'latin1' : 'utf8')
    yield {bytes, cause: cause(`was read as ${name}: what was lost cannot be got back from it`)}
    if (name.startsWith('latin1')) {
      yield {bytes: Buffer.from(read, 'utf8'), cause: cause(`was read as ${name}`)}
    }
  }
}
