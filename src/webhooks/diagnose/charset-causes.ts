/** Bodies that were read in one character encoding and written in another. */
import {isUtf8} from 'node:buffer'
import {type BodyForm, cause} from './finding.js'

/** One-byte encodings a receiver may take for UTF-8; 1254 is Turkish. */
const ONE_BYTE = ['latin1', 'windows-1252', 'windows-1254'] as const

const step = (content: string | Uint8Array, how: string): BodyForm => ({
  bytes: Buffer.from(content as string),
  causes: [cause('body_charset', `The body ${how}.`)],
})

/** What `bytes` may have been before an encoding went wrong. Only what can be undone without loss. */
export function* undoCharset(bytes: Uint8Array): Generator<BodyForm> {
  if (bytes.every(byte => byte < 0x80 && byte !== 0)) return
  const wide = wideEncodingOf(bytes)
  if (wide) yield step(new TextDecoder(wide).decode(bytes), `is ${wide.toUpperCase()}, and UTF-8 was signed`)
  if (!isUtf8(bytes)) {
    for (const encoding of ONE_BYTE)
      yield step(decode(bytes, encoding), `is ${encoding}, and UTF-8 was signed`)
    return
  }
  const text = Buffer.from(bytes).toString('utf8')
  for (const encoding of ONE_BYTE) {
    const once = encode(text, encoding)
    if (!once) continue
    const twice = `was read as ${encoding} and written as UTF-8 once more`
    yield step(once, isUtf8(once) ? twice : `is UTF-8, and ${encoding} was signed`)
  }
  for (const form of ['NFC', 'NFD'] as const) {
    const normal = text.normalize(form)
    if (normal !== text) yield step(normal, `has its letters in another Unicode normal form than ${form}`)
  }
}

function wideEncodingOf(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  if (bytes.length < 4 || bytes.length % 2 === 1) return undefined
  const [first, second] = bytes
  if ((first === 0xff && second === 0xfe) || (second === 0 && first !== 0)) return 'utf-16le'
  if ((first === 0xfe && second === 0xff) || (first === 0 && second !== 0)) return 'utf-16be'
  return undefined
}

/** TextDecoder takes latin1 for windows-1252. */
function decode(bytes: Uint8Array, encoding: (typeof ONE_BYTE)[number]): string {
  return encoding === 'latin1'
    ? Buffer.from(bytes).toString('latin1')
    : new TextDecoder(encoding).decode(bytes)
}

/** `text` in a one-byte encoding; undefined when it has a character that the encoding has not. */
function encode(text: string, encoding: (typeof ONE_BYTE)[number]): Uint8Array | undefined {
  const all = Uint8Array.from({length: 256}, (_, n) => n)
  const bytes = new Map([...decode(all, encoding)].map((character, n) => [character.charCodeAt(0), n]))
  const encoded = Buffer.alloc(text.length)
  for (let at = 0; at < text.length; at++) {
    const byte = bytes.get(text.charCodeAt(at))
    if (byte === undefined) return undefined
    encoded[at] = byte
  }
  return encoded
}

/** What reading `original` in the wrong encoding makes of it, with loss: not to be undone, but recognised beside it. */
export function* lossyReadings(original: Uint8Array): Generator<BodyForm> {
  const text = Buffer.from(original).toString('utf8')
  const bytes = Buffer.from(original).toString('latin1')
  const intoLatin1 = text.replace(/[^\0-\xff]/gu, '?')
  const latin1 = 'latin1, a `?` for each letter it does not have'
  const changes: readonly [how: string, content: string | Uint8Array][] = [
    ['read as ASCII, a `?` for each other letter', text.replace(/[^\0-\x7f]/gu, '?')],
    ['read as ASCII, a `?` for each other byte', bytes.replace(/[^\0-\x7f]/g, '?')],
    ['read as ASCII, other letters left out', text.replace(/[^\0-\x7f]/gu, '')],
    ['read as ASCII, U+FFFD for each other byte', bytes.replace(/[^\0-\x7f]/g, '\ufffd')],
    ['read as UTF-8, U+FFFD for invalid bytes', text],
    [`read as ${latin1}`, intoLatin1],
    [`written as ${latin1}`, Buffer.from(intoLatin1, 'latin1')],
  ]
  for (const [how, content] of changes) yield step(content, `was ${how}: the lost letters cannot be restored`)
}
