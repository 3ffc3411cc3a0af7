/** Bodies inside another encoding: base64, a JSON string, a wrapping object, a form, HTML entities. */
import type {Step} from './body-repairs.js'
import {withoutEnd} from './text-end.js'

const MOST_WRAPPED_BYTES = 8 * 1024 * 1024

/** What `bytes` are an encoding of. Throws nothing. */
export function* unwrapEncodings(bytes: Uint8Array): Generator<Step> {
  if (bytes.length > MOST_WRAPPED_BYTES) return
  const text = Buffer.from(bytes).toString('utf8')
  yield* fromBase64(text)
  yield* fromJson(text)
  yield* fromQuotes(text)
  yield* fromForm(text)
  yield* fromEntities(text)
}

const step = (code: string, what: string, content: string | Uint8Array): Step => ({
  bytes: typeof content === 'string' ? Buffer.from(content) : content,
  cause: {code, what},
})

function* fromBase64(text: string): Generator<Step> {
  const data = text.trim().replace(/^data:[^,]{0,100};base64,/, '')
  const plain = data.replace(/[\r\n \t]+/g, '').replace(/^"(.*)"$/s, '$1')
  if (plain.length < 8 || !/^[A-Za-z0-9+/_-]+={0,2}$/.test(plain)) return
  const decoded = Buffer.from(plain, 'base64')
  // A word of letters is base64 too; an event is an object.
  yield step('body_base64', 'The body is base64, and what it encodes was signed.', decoded)
}

function* fromJson(text: string): Generator<Step> {
  const first = text.trimStart()[0]
  if (first !== '"' && first !== '{') return
  const value = parse(text)
  if (typeof value === 'string') {
    yield step('body_double_encoded', 'The body is a JSON string that holds the one that was signed.', value)
  }
  if (typeof value === 'object' && value !== null) yield* fromWrapper(value as Record<string, unknown>)
}

/** An object put around the body, as Lambda events and queues do, or a form parser that took it for a name. */
function* fromWrapper(wrapper: Record<string, unknown>): Generator<Step> {
  const {type, data} = wrapper
  if (type === 'Buffer' && Array.isArray(data) && data.every(isByte)) {
    yield step('body_double_encoded', 'The body is a Buffer printed as JSON.', Uint8Array.from(data))
  }
  const names = Object.keys(wrapper)
  const [name = ''] = names
  if (names.length === 1 && wrapper[name] === '' && name.includes('{')) {
    yield step('body_form_encoded', 'A form parser took the whole body for the name of a field.', name)
  }
  for (const [member, value] of Object.entries(wrapper).slice(0, 40)) {
    if (typeof value !== 'string' || value.length < 2) continue
    if (wrapper.isBase64Encoded === true && member === 'body') {
      const what = 'The body stands as base64 inside the event of a gateway (isBase64Encoded).'
      yield step('body_base64', what, Buffer.from(value, 'base64'))
    } else if (/^\s*[{[]/.test(value)) {
      yield step('body_double_encoded', 'The body stands as text inside another JSON object.', value)
    }
  }
}

function isByte(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 255
}

/** Quotes of a shell or of Python around the body, or its quotes escaped. */
function* fromQuotes(text: string): Generator<Step> {
  const trimmed = text.trim()
  const quoted = /^(b?)(['`])(.*)\2$/s.exec(trimmed)
  const code = 'body_double_encoded'
  if (quoted) {
    const inner = quoted[3] ?? ''
    yield step(code, 'Quotes stand around the body.', inner)
    if (quoted[1] === 'b')
      yield step(code, "The body is Python's way to show bytes: b'…'.", fromPython(inner))
  }
  if (/^\{\s*\\"/.test(trimmed)) {
    const value = parse(`"${withoutEnd(text, '\r\n')}"`)
    if (typeof value === 'string') yield step(code, 'The quotes of the body are escaped.', value)
  }
}

const PYTHON: Readonly<Record<string, string>> = {n: '\n', r: '\r', t: '\t'}

function fromPython(text: string): Uint8Array {
  const plain = text.replace(/\\(?:x([\da-f]{2})|(.))/gs, (_, hex?: string, character?: string) =>
    hex ? String.fromCharCode(Number.parseInt(hex, 16)) : (PYTHON[character ?? ''] ?? character ?? ''),
  )
  return Buffer.from(plain, 'latin1')
}

function* fromForm(text: string): Generator<Step> {
  const code = 'body_form_encoded'
  const what = 'The body is encoded as a form, and the plain one was signed.'
  const named = /^[\w.[\]-]{1,64}=/.exec(text)?.[0].length ?? 0
  if (named > 0 || /%[\da-f]{2}/i.test(text)) {
    const fields = named > 0 ? text.split('&').map(field => field.slice(field.indexOf('=') + 1)) : [text]
    for (const field of [...fields.slice(0, 20), text.slice(named)]) {
      const bare = withoutEnd(field, '\r\n').replace(/=$/, '')
      yield step(code, what, percentDecode(bare.replaceAll('+', ' ')))
      yield step(code, what, percentDecode(bare))
    }
  }
  if (/^\s*\{.*\}=$/s.test(text)) yield step(code, what, text.slice(0, -1))
  // A form parser turns `+` into a blank; the offset of a time shows it.
  const zoned = text.replace(/(T\d\d:\d\d(?::\d\d(?:\.\d+)?)?) (\d\d:?\d\d")/g, '$1+$2')
  if (zoned === text) return
  yield step(code, 'A form parser made blanks of its plus signs.', zoned)
  yield step(code, 'A form parser made blanks of its plus signs.', text.replaceAll(' ', '+'))
}

function percentDecode(text: string): Uint8Array {
  const bytes = Buffer.from(text)
  const out: number[] = []
  for (let at = 0; at < bytes.length; at++) {
    const hex = bytes[at] === 0x25 ? bytes.toString('latin1', at + 1, at + 3) : ''
    if (/^[\da-f]{2}$/i.test(hex)) {
      out.push(Number.parseInt(hex, 16))
      at += 2
    } else out.push(bytes[at] ?? 0)
  }
  return Uint8Array.from(out)
}

const ENTITIES: Readonly<Record<string, string>> = {quot: '"', amp: '&', lt: '<', gt: '>', apos: "'"}

function* fromEntities(text: string): Generator<Step> {
  if (!/&(?:quot|#34|#x22|amp|lt|gt|#39|#x27|apos);/i.test(text)) return
  const plain = text.replace(
    /&(?:#x([\da-f]{1,6})|#(\d{1,7})|(quot|amp|lt|gt|apos));/gi,
    (all, hex, decimal, name) => {
      const code = hex ? Number.parseInt(hex, 16) : Number(decimal)
      if (name) return ENTITIES[name.toLowerCase()] ?? all
      return code <= 0x10ffff ? String.fromCodePoint(code) : all
    },
  )
  yield step('body_html_escaped', 'Characters of the body were escaped as HTML entities.', plain)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
