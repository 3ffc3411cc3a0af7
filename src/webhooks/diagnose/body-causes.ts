/**
 * Undoes changes that a body may have undergone after it was signed. If the HMAC matches after a change is undone, that
 * change is the cause. A change that loses information cannot be undone.
 */

import {isUtf8} from 'node:buffer'
import {unzipSync} from 'node:zlib'
import {unescapeHtml} from '../captures/rendered.js'
import {parseText} from '../captures/request.js'
import {type BodyForm, type Cause, cause} from './finding.js'
import {LINE_BREAK_ADDED} from './reprint.js'

/**
 * Decodes a body in the forms that the repairs below use. `latin1` has one character per byte. `json` is undefined if
 * the body is not JSON.
 */
function decodeBody(bytes: Uint8Array) {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const utf8 = buffer.toString('utf8')
  const json = parseText(utf8)
  const fields: Record<string, unknown> = typeof json === 'object' ? {...json} : {}
  return {bytes, latin1: buffer.toString('latin1'), utf8, json, fields}
}

type DecodedBody = ReturnType<typeof decodeBody>

/** A cause, with a function that returns the bodies that the change may have started from. */
type Repair = readonly [Cause, undo: (body: DecodedBody) => readonly (string | Uint8Array)[]]

const bytesOf = (latin1: string) => Buffer.from(latin1, 'latin1')
const changed = ({latin1}: DecodedBody, pattern: RegExp, by: string) => {
  const text = latin1.replace(pattern, by)
  return text === latin1 ? [] : [bytesOf(text)]
}
const row = (code: string, what: string, undo: Repair[1]): Repair => [cause(code, what), undo]

const DOUBLE = 'body_double_encoded'
const FORM = 'body_form_encoded'

const REPAIRS: readonly Repair[] = [
  [LINE_BREAK_ADDED, body => [/(?:\r\n|\n|\r)$/, /[\r\n]{1,8}$/].flatMap(end => changed(body, end, ''))],
  row('body_reserialized', 'Spacing: white space was added around the body.', ({latin1}) =>
    /^\s|[ \t]$/.test(latin1) ? [bytesOf(latin1.trim())] : [],
  ),
  row('body_bom', 'A byte order mark (EF BB BF) was put before the body.', body =>
    changed(body, /^\xef\xbb\xbf/, ''),
  ),
  row('body_crlf', 'Its line breaks are CRLF, and LF was signed.', body => changed(body, /\r\n/g, '\n')),
  row('body_crlf', 'Its line breaks are LF, and CRLF was signed.', body => changed(body, /\r?\n/g, '\r\n')),
  row('body_crlf', 'Its line breaks are CR, and LF was signed.', body => changed(body, /\r(?!\n)/g, '\n')),
  row('body_base64', 'The body is base64, and its decoded form was signed.', ({utf8}) => {
    const data = utf8.trim().replace(/^data:[^,]{0,100};base64,/, '')
    const plain = data.replace(/[\r\n \t]+/g, '').replace(/^"(.*)"$/s, '$1')
    // A short word can look like base64.
    return plain.length >= 8 && /^[A-Za-z0-9+/_-]+={0,2}$/.test(plain) ? [Buffer.from(plain, 'base64')] : []
  }),
  row('body_base64', 'The body is base64 inside the event of a gateway (isBase64Encoded).', ({fields}) => {
    const {isBase64Encoded, body} = fields
    return isBase64Encoded === true && typeof body === 'string' ? [Buffer.from(body, 'base64')] : []
  }),
  row(DOUBLE, 'The body is a JSON string that holds the signed one.', ({json}) =>
    typeof json === 'string' ? [json] : [],
  ),
  row(DOUBLE, 'The body is text inside another JSON object.', ({fields}) =>
    Object.values(fields)
      .filter(value => typeof value === 'string')
      .filter(text => /^\s*[{[]./s.test(text)),
  ),
  row(DOUBLE, 'The body is a Buffer printed as JSON.', ({fields: {type, data}}) =>
    type === 'Buffer' && Array.isArray(data) ? [Uint8Array.from(data)] : [],
  ),
  row(DOUBLE, 'Quotes are around the body.', ({utf8}) => match(/^\s*(['`])(.*)\1\s*$/s, utf8, 2)),
  row(DOUBLE, "The body is bytes as Python shows them: b'…'.", ({utf8}) =>
    match(/^\s*b(['"])(.*)\1\s*$/s, utf8, 2).map(fromPython),
  ),
  row(DOUBLE, 'The quotes of the body are escaped.', ({utf8}) => {
    const value = /^\s*\{\s*\\"/.test(utf8) ? parseText(`"${utf8.replace(/[\r\n]{1,8}$/, '')}"`) : undefined
    return typeof value === 'string' ? [value] : []
  }),
  row(FORM, 'A form parser took the whole body for the name of a field.', ({fields}) =>
    Object.keys(fields).filter(name => fields[name] === ''),
  ),
  row(FORM, 'The body is encoded as a form, and the plain one was signed.', ({utf8}) => {
    const trimmed = utf8.trim()
    if (/^\{.*\}=$/s.test(trimmed)) return [trimmed.slice(0, -1)]
    if (!/^[\w.[\]-]{1,64}=|^[^\s"]*%[\da-f]{2}/i.test(trimmed)) return []
    // The body is a value, or the name of a field without a value.
    return [...new URLSearchParams(trimmed)].map(([name, value]) => value || name)
  }),
  row(FORM, 'A form parser turned its plus signs into spaces.', ({utf8}) => {
    // In the offset of a time, a space shows that plus signs were replaced.
    const zoned = utf8.replace(/(T\d\d:\d\d(?::\d\d(?:\.\d+)?)?) (\d\d:?\d\d")/g, '$1+$2')
    return zoned === utf8 ? [] : [zoned, utf8.replaceAll(' ', '+')]
  }),
  row('body_html_escaped', 'Characters of the body were escaped as HTML entities.', ({utf8}) => [
    unescapeHtml(utf8),
  ]),
  row(
    'body_retyped',
    'Its quotes were replaced by typographic ones, as mail programs and word processors do.',
    ({utf8}) => [utf8.replace(/[\u201c-\u201f]/g, '"').replace(/[\u2018-\u201b]/g, "'")],
  ),
  row(
    'body_retyped',
    'Invisible characters, such as a zero-width space, were put into the body.',
    ({utf8}) => [utf8.replace(/[\u200b-\u200f\u2060\u00ad]/g, '')],
  ),
  row('body_compressed', 'The body is compressed, and the plain one was signed.', ({bytes}) => {
    if (bytes[0] !== 0x1f && bytes[0] !== 0x78) return []
    try {
      return [unzipSync(bytes, {maxOutputLength: 4 * 1024 * 1024})]
    } catch {
      // The body is not compressed.
      return []
    }
  }),
]

const MOST_FORMS = 60
const MOST_STEPS = 3

/**
 * Returns `start`, and the bodies from which up to three changes may have made them, most similar first. All bodies
 * together have at most about `mostBytes`.
 */
export function unwrapBody(start: readonly BodyForm[], mostBytes: number): BodyForm[] {
  const keyOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1')
  const seen = new Set(start.map(({bytes}) => keyOf(bytes)))
  const forms = [...start]
  let total = 0
  // The loop also visits the forms that are appended in it.
  for (const {bytes, causes} of forms) {
    if (causes.length >= MOST_STEPS) continue
    const body = decodeBody(bytes)
    const undone = REPAIRS.flatMap(([cause, undo]) =>
      undo(body).map(content => ({bytes: Buffer.from(content as string), causes: [cause]})),
    )
    for (const back of [...undone, ...undoCharset(bytes)]) {
      const key = keyOf(back.bytes)
      if (seen.has(key) || forms.length >= MOST_FORMS || total > mostBytes) continue
      seen.add(key)
      total += back.bytes.length
      forms.push({bytes: back.bytes, causes: [...causes, ...back.causes]})
    }
  }
  return forms
}

function match(pattern: RegExp, text: string, group: number): string[] {
  return [pattern.exec(text)?.[group]].filter(found => found !== undefined)
}

const PYTHON: Readonly<Record<string, string>> = {n: '\n', r: '\r', t: '\t'}

function fromPython(text: string): Uint8Array {
  const plain = text.replace(/\\(?:x([\da-f]{2})|(.))/gs, (_, hex?: string, character?: string) =>
    hex ? String.fromCharCode(Number.parseInt(hex, 16)) : (PYTHON[character ?? ''] ?? character ?? ''),
  )
  return bytesOf(plain)
}

const EDGES = ['', ' ', '\n', '\t', '\r\n', '  ', '\n\n', ' \n', '  \n']

/** Yields `form` with white space or a byte order mark added at its edges, where it may have been removed. */
export function* restoreEdges({bytes, causes}: BodyForm): Generator<BodyForm> {
  const framed = (before: string, after: string, code: string, what: string): BodyForm => ({
    bytes: Buffer.concat([Buffer.from(before), bytes, Buffer.from(after)]),
    causes: [...causes, cause(code, what)],
  })
  const endLost = 'The signed body ends with a line break, which is missing here.'
  for (const end of ['\n', '\r\n', '\r']) yield framed('', end, 'body_trimmed', endLost)
  const markLost = 'The signed body begins with a byte order mark (EF BB BF), which is missing here.'
  yield framed('\ufeff', '', 'body_bom', markLost)
  const trimmed = 'White space around the body was removed after it was signed.'
  for (const before of EDGES)
    for (const after of EDGES) if (before + after !== '') yield framed(before, after, 'body_trimmed', trimmed)
}

/** One-byte encodings that a receiver may confuse with UTF-8. 1254 is Turkish. */
const ONE_BYTE = ['latin1', 'windows-1254'] as const

const step = (content: string | Uint8Array, how: string): BodyForm => ({
  bytes: Buffer.from(content as string),
  causes: [cause('body_charset', `The body ${how}.`)],
})

/** Yields the bodies from which a wrong encoding may have made `bytes`, if that can be undone. */
function* undoCharset(bytes: Uint8Array): Generator<BodyForm> {
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

/** Decodes bytes. For latin1 it uses Buffer, because TextDecoder treats latin1 as windows-1252. */
function decode(bytes: Uint8Array, encoding: (typeof ONE_BYTE)[number]): string {
  if (encoding === 'latin1') return Buffer.from(bytes).toString('latin1')
  return new TextDecoder(encoding).decode(bytes)
}

/** Encodes `text` in a one-byte encoding. Returns undefined if the encoding lacks one of its characters. */
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

/**
 * Yields `original` as wrong encodings would garble it. This cannot be undone, but it is recognised if the original
 * body is known.
 */
export function* lossyReadings(original: Uint8Array): Generator<BodyForm> {
  const text = Buffer.from(original).toString('utf8')
  const changes: readonly [how: string, content: string][] = [
    ['a `?` for each other letter', text.replace(/[^\0-\x7f]/gu, '?')],
    ['other letters left out', text.replace(/[^\0-\x7f]/gu, '')],
    [
      'U+FFFD for each other byte',
      Buffer.from(original)
        .toString('latin1')
        .replace(/[^\0-\x7f]/g, '\ufffd'),
    ],
  ]
  for (const [how, content] of changes)
    yield step(content, `was read as ASCII, ${how}: the lost letters cannot be restored`)
}
