/** Captures that were broken on purpose, with the codes that must name the change. */
import {createHash} from 'node:crypto'
import {deflateSync, gzipSync} from 'node:zlib'
import {eventText, headerFor, hmac, type Pick, richText, secretOf, T, word} from '../signed-events.js'

const escapeNonAscii = (text: string) =>
  text.replace(/[^\0-\x7f]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
const sortKeys = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (typeof value !== 'object' || value === null) return value
  const sorted = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(sorted.map(([name, one]) => [name, sortKeys(one)]))
}
/** Adds spaces outside strings, as Python's json.dumps does. */
const pythonic = (text: string) =>
  text.replace(/"(?:[^"\\]|\\.)*"|[,:]/g, part => (part.length === 1 ? `${part} ` : part))
const base64 = (text: string) => Buffer.from(text).toString('base64')
const printed = (text: string, indent: number | string = 0) => JSON.stringify(JSON.parse(text), null, indent)
export const sorted = (text: string, indent = 0) => JSON.stringify(sortKeys(JSON.parse(text)), null, indent)
/** Formats as Jackson's DefaultPrettyPrinter does, with lists on one line. */
const jackson = (text: string) =>
  printed(text, 2)
    .replace(/^( *"\w+"):/gm, '$1 :')
    .replace(/\[\n\s*(\{[^[]*\})\n\s*\]/g, (_, one: string) => `[ ${one.replaceAll('\n  ', '\n')} ]`)
    .replaceAll('[]', '[ ]')
/** Uses spacing that no printer produces. */
const spaced = (text: string) => text.replace('{', '{  ').replaceAll('":"', '" :  "')
const slashes = (text: string) => text.replaceAll('/', '\\/')
const toCrlf = (text: string) => text.replaceAll('\n', '\r\n')
const cancelled = (text: string) => text.replace('CONFIRMED', 'CANCELLED')

type Make = (pick: Pick) => string
const withoutTotal: Make = pick => richText(pick).replace(/,"total":[\d.]+/, '')
/** An event with a list of objects and an empty list. */
const updated: Make = pick =>
  `{"id":"evt_${word(pick, 8)}","type":"reservation.updated","created":"2026-01-01T00:00:00Z","data":{"changes":[{"field":"name","old":"Ali","new":"Ayşe"}],"tags":[]}}`
/** An event with numbers that no parser keeps as written, and an unusual order of keys. */
const moneyText: Make = pick =>
  `{"id":"evt_${word(pick, 8)}","type":"payment.captured","created":"2026-01-01T00:00:00Z","data":{"status":"PAID","currency":"EUR","amount":1250.00}}`
/** Returns the text of `make`, changed before it is signed. */
const signedAs =
  (change: (text: string, pick: Pick) => string, make = richText): Make =>
  pick =>
    change(make(pick), pick)

type Change = (text: string) => string | Uint8Array
type Rows<Row> = Readonly<Record<string, Readonly<Record<string, Row>>>>

/** Changes of a body after signing, by the codes that name them, with the signed body if it is a special one. */
const CHANGED: Rows<Change | readonly [Change, Make]> = {
  body_reserialized: {
    'printed by Python': text => escapeNonAscii(pythonic(text)),
    'printed by PHP': text => slashes(escapeNonAscii(text)),
    'slashes escaped': slashes,
    'letters escaped': escapeNonAscii,
    'letters escaped in upper case': text =>
      escapeNonAscii(text).replace(/\\u[\da-f]{4}/g, u => `\\u${u.slice(2).toUpperCase()}`),
    'pretty 2': [text => printed(text, 2), withoutTotal],
    'pretty tab': [text => printed(text, '\t'), withoutTotal],
    'pretty 2 and slashes': [text => slashes(printed(text, 2)), withoutTotal],
    'sorted keys': [text => sorted(text), withoutTotal],
    'sorted by Python': [text => escapeNonAscii(pythonic(sorted(text))), withoutTotal],
    'Go escapes': [
      text => text.replace(/[<>&]/g, c => `\\u00${c.charCodeAt(0).toString(16)}`),
      signedAs(text => text.replace('site', 'a&b<c>')),
    ],
    'printed without the escapes of Go, which signed them': [
      text => printed(text),
      signedAs(text => text.replace('site', 'a\\u0026b\\u003cc\\u003e')),
    ],
    'read as doubles': [
      text => printed(text),
      signedAs(text => text.replace('"status"', '"total_price":1250.00,"fee":7.50,"status"')),
    ],
    'sorted keys and shorter numbers': [text => sorted(text), moneyText],
    'sorted keys and shorter numbers, by Python': [
      text => pythonic(sorted(text)).replaceAll('1250', '1250.0'),
      moneyText,
    ],
    'printed by Jackson': [jackson, updated],
    'signed by Jackson, printed by JavaScript': [text => printed(text), signedAs(jackson, updated)],
    'slashes in a spacing of its own': [text => slashes(text), signedAs(spaced)],
    'signed by Python, printed by JavaScript': [text => printed(text), signedAs(pythonic, withoutTotal)],
    'signed by PHP, printed by JavaScript': [
      text => printed(text),
      signedAs(text => slashes(escapeNonAscii(text)), withoutTotal),
    ],
    'signed pretty, printed compact': [
      text => printed(text),
      signedAs((text, pick) => printed(text, [2, 4, '\t'][pick(3)]), withoutTotal),
    ],
  },
  body_retyped: {
    'typographic quotes': [text => text.replaceAll('"', '\u201d'), withoutTotal],
    'a zero-width space before it': text => `\u200b${text}`,
  },
  body_trailing_newline: {'newline added': text => `${text}\n`, 'CRLF added': text => `${text}\r\n`},
  body_trimmed: {
    'newline lost': [text => text.slice(0, -1), signedAs(text => `${text}\n`)],
    'spaces and line break lost': [text => text.trimEnd(), signedAs(text => `${text}  \n`)],
    trimmed: [text => text.trim(), signedAs(text => ` ${text} `)],
  },
  body_crlf: {
    'line breaks became CRLF': [toCrlf, signedAs(text => printed(text, 2), withoutTotal)],
    'line breaks became CR': [
      text => text.replaceAll('\n', '\r'),
      signedAs(text => printed(text, 2), withoutTotal),
    ],
    'line breaks became LF': [
      text => text.replaceAll('\r\n', '\n'),
      signedAs(text => toCrlf(printed(text, 2)), withoutTotal),
    ],
  },
  body_bom: {
    'BOM added': text => `\ufeff${text}`,
    'BOM lost': [text => text.slice(1), signedAs(text => `\ufeff${text}`)],
  },
  body_base64: {
    base64,
    base64url: text => Buffer.from(text).toString('base64url'),
    // The line break at the end belongs to the base64 encoding.
    'base64 and newline': text => `${base64(text)}\n`,
    'Lambda event': text => JSON.stringify({resource: '/', isBase64Encoded: true, body: base64(text)}),
  },
  body_double_encoded: {
    stringified: text => JSON.stringify(text),
    'quotes escaped': text => JSON.stringify(text).slice(1, -1),
    'in a list': text => JSON.stringify([text]),
    wrapped: text => JSON.stringify({body: text, isBase64Encoded: false}),
    'inside an object': [text => JSON.stringify({detail: JSON.parse(text)}), withoutTotal],
    'Buffer as JSON': text => JSON.stringify(Buffer.from(text)),
    'Python bytes, and letters': text =>
      `b'${Buffer.from(text)
        .toString('latin1')
        .replace(/[^ -[\]-~]/g, c => `\\x${c.charCodeAt(0).toString(16)}`)}'`,
    'Python bytes': [text => `b'${text.replaceAll('\\', '\\\\')}'`, signedAs(escapeNonAscii, eventText)],
  },
  body_charset: {
    'read as latin1': text => Buffer.from(text).toString('latin1'),
    'read as windows-1252': text => new TextDecoder('windows-1252').decode(Buffer.from(text)),
    'read as windows-1254': text => new TextDecoder('windows-1254').decode(Buffer.from(text)),
    'written as latin1': [
      text => Buffer.from(text, 'latin1'),
      signedAs(text => text.replace(/[^\0-\xff]/gu, 'ö').replace(/\}\}\}$/, ',"x":"Müller"}}}')),
    ],
    'UTF-16': text => Buffer.from(text, 'utf16le'),
    'UTF-16, big-endian': text => Buffer.from(text, 'utf16le').swap16(),
    'UTF-16 with a BOM': text => Buffer.from(`\ufeff${text}`, 'utf16le'),
    'another normal form': [
      text => text.normalize('NFD'),
      signedAs(text => text.replace('"contact"', '"ş":"ğ","contact"').normalize('NFC')),
    ],
  },
  body_form_encoded: {
    'body and an equals sign': text => `${text}=`,
    'form field': text => `payload=${encodeURIComponent(text)}`,
    'percent encoded': encodeURIComponent,
    'form key': text => JSON.stringify({[text]: ''}),
    'plus signs lost': text => text.replaceAll('+', ' '),
  },
  body_compressed: {gzip: gzipSync, deflate: deflateSync},
  body_html_escaped: {'entities in digits': text => text.replace(/["<]/g, c => `&#${c.charCodeAt(0)};`)},
  'body_bom body_trailing_newline': {'BOM and newline': text => `\ufeff${text}\n`},
  'body_base64 body_reserialized': {'base64 of pretty': [text => base64(printed(text, 2)), withoutTotal]},
  'body_reserialized body_trailing_newline': {
    'pretty, newline': [text => `${printed(text, 2)}\n`, withoutTotal],
  },
  'body_bom body_reserialized': {'pretty, BOM': [text => `\ufeff${printed(text, 4)}`, withoutTotal]},
  // These changes cannot be undone.
  unexplained: {
    'another amount': [
      text => text.replace(/"total":\d/, '"total":99'),
      signedAs(text => text.replace('"status"', '"total":12.30,"status"')),
    ],
    'a field taken out': text => text.replace('"status":"CONFIRMED"', '"x":1'),
    'cut off': text => text.slice(0, -20),
    'letters lost': text => text.replace(/[^\0-\x7f]/g, '?'),
    'empty body': () => '',
    'another status, printed': text => printed(cancelled(text), 2),
  },
}

export interface BrokenCapture {
  /** Exactly these codes must be found. */
  readonly codes: readonly string[]
  readonly body: Uint8Array
  readonly secret: string
  readonly header: string
  readonly others?: readonly {name: string; secret: string}[]
}

type Break = (pick: Pick) => BrokenCapture

/** Signatures that were created or copied in another way. */
const RESIGNED: Rows<(secret: string, body: Buffer, pick: Pick) => string> = {
  secret_prefix_missing: {'signed without prefix': (secret, body) => headerFor(secret.slice(6), body)},
  secret_base64_decoded: {
    'signed with decoded secret': (secret, body) => headerFor(Buffer.from(secret.slice(6), 'base64'), body),
  },
  secret_whitespace: {
    'signed with a line break': (secret, body) => headerFor(`${secret}\n`, body),
    'signed with a tab after it': (secret, body) => headerFor(`${secret}\t`, body),
    'signed with a space before it': (secret, body) => headerFor(` ${secret}`, body),
    'signed with a space on both sides': (secret, body) => headerFor(` ${secret} `, body),
  },
  timestamp_milliseconds: {
    'milliseconds throughout': (secret, body, pick) => headerFor(secret, body, milliseconds(pick)),
    'milliseconds signed': (secret, body, pick) =>
      headerFor(secret, body, milliseconds(pick)).replace(/t=\d+/, `t=${T}`),
    'a fraction of a second': (secret, body) => headerFor(secret, body, `${T}.5`),
    'milliseconds sent': (secret, body) => inMilliseconds(headerFor(secret, body)),
  },
  timestamp_not_signed: {'timestamp not signed': (secret, body) => `t=${T},v1=${hmac(secret, body)}`},
  separator_wrong: {
    'another separator': (secret, body, pick) =>
      `t=${T},v1=${hmac(secret, `${T}${[',', ':', '', '|', '\n', '-'][pick(6)]}${body}`)}`,
    'body first': (secret, body) => `t=${T},v1=${hmac(secret, `${body}.${T}`)}`,
  },
  signature_base64: {'digest in base64': (secret, body) => digestInBase64(headerFor(secret, body))},
  signature_uppercase: {
    'upper case': (secret, body) =>
      headerFor(secret, body).replace(/v1=(.*)/, (_, hex) => `v1=${hex.toUpperCase()}`),
  },
  signature_prefixed: {
    prefixed: (secret, body) => headerFor(secret, body).replace('v1=', 'v1=sha256='),
    'v1 twice': (secret, body) => headerFor(secret, body).replace('v1=', 'v1=v1='),
  },
  header_rewritten: {
    'a space in the header': (secret, body) => headerFor(secret, body).replace(',', ', '),
    'quotes around the header': (secret, body) => `"${headerFor(secret, body)}"`,
    'a semicolon in the header': (secret, body) => headerFor(secret, body).replace(',', ';'),
    'capitals in the header': (secret, body) => headerFor(secret, body).replace('t=', 'T=').replace('v', 'V'),
    'two times in the header': (secret, body) => `t=1,${headerFor(secret, body)}`,
    'a time that is not in digits': (secret, body) => headerFor(secret, body, `+${T}`),
    'a short digest more': (secret, body) => `${headerFor(secret, body)},v1=short`,
  },
  signed_without_hmac_key: {
    'plain hash': (_, body) => `t=${T},v1=${sha256(`${T}.${body}`)}`,
    'hash of secret and body': (secret, body) => `t=${T},v1=${sha256(`${secret}${T}.${body}`)}`,
    'empty key': (_, body) => headerFor('', body),
  },
  unexplained: {
    'a digest of nothing': (secret, _, pick) => `t=${T},v1=${hmac(secret, word(pick, 20))}`,
    'another time': (secret, body, pick) =>
      headerFor(secret, body).replace(`t=${T}`, `t=${T + 1 + pick(1e6)}`),
    'short digest': (secret, body) => headerFor(secret, body).slice(0, -8),
  },
}

const milliseconds = (pick: Pick) => `${T}${String(pick(1000)).padStart(3, '0')}`
const inMilliseconds = (header: string) => header.replace(`t=${T}`, `t=${T}123`)
const digestInBase64 = (header: string) =>
  header.replace(/v1=(.*)/, (_, hex) => `v1=${Buffer.from(hex, 'hex').toString('base64')}`)
const sha256 = (message: string) => createHash('sha256').update(message).digest('hex')

/** Secrets that differ slightly from the right one. */
const MISCOPIED: Rows<(secret: string, pick: Pick) => string> = {
  secret_whitespace: {
    'space after the secret': secret => `${secret} `,
    'tab before the secret': secret => `\t${secret}\r\n`,
  },
  secret_quoted: {
    'secret in double quotes': secret => `"${secret}"`,
  },
  'secret_quoted secret_whitespace': {'quoted with a line break': secret => `"${secret}"\n`},
  secret_prefix_doubled: {'prefix twice': secret => `whsec_${secret}`},
  secret_prefix_missing: {'prefix missing': secret => secret.slice(6)},
  secret_base64_encoded: {'secret in base64': base64},
  secret_not_a_signing_secret: {'client secret': (_, pick) => `sk_test_${word(pick, 20)}`},
  unexplained: {'unknown secret': (_, pick) => secretOf(pick)},
}

/** Returns a capture of the signed body from `make`, with the change applied. */
const capture =
  (
    codes: string,
    make: Make,
    change: (given: {text: string; secret: string; body: Buffer; pick: Pick}) => Partial<BrokenCapture>,
  ): Break =>
  pick => {
    const text = make(pick)
    const [body, secret] = [Buffer.from(text), secretOf(pick)]
    const broken = change({text, secret, body, pick})
    return {codes: codes.split(' '), secret, body, header: headerFor(secret, body), ...broken}
  }

function rows<Row>(table: Rows<Row>, toBreak: (codes: string, row: Row) => Break): [string, Break][] {
  return Object.entries(table).flatMap(([codes, named]) =>
    Object.entries(named).map(([name, row]): [string, Break] => [name, toBreak(codes, row)]),
  )
}

/** Every kind of change by its name. */
export const BREAKS: readonly (readonly [string, Break])[] = [
  ...rows(CHANGED, (codes, row) => {
    const [change, make] = typeof row === 'function' ? [row, richText] : row
    return capture(codes, make, ({text}) => ({body: Buffer.from(change(text) as string)}))
  }),
  ...rows(RESIGNED, (codes, header) =>
    capture(codes, eventText, ({secret, body, pick}) => ({header: header(secret, body, pick)})),
  ),
  ...rows(MISCOPIED, (codes, copy) =>
    capture(codes, eventText, ({secret, pick}) => ({secret: copy(secret, pick)})),
  ),
  ...Object.entries<Break>({
    'other subscription': capture('secret_of_other_subscription', eventText, ({secret, pick}) => ({
      secret: secretOf(pick),
      others: [
        {name: 'whsub_a', secret: secretOf(pick)},
        {name: 'whsub_b', secret},
      ],
    })),
    'Python and quoted secret': capture('body_reserialized secret_quoted', richText, ({text, secret}) => ({
      body: Buffer.from(escapeNonAscii(pythonic(text))),
      secret: `"${secret}"`,
    })),
    'base64 body and digest': capture('body_base64 signature_base64', richText, ({text, secret, body}) => ({
      body: Buffer.from(base64(text)),
      header: digestInBase64(headerFor(secret, body)),
    })),
    'newline and milliseconds sent': capture(
      'body_trailing_newline timestamp_milliseconds',
      richText,
      ({text, secret, body}) => ({
        body: Buffer.from(`${text}\n`),
        header: inMilliseconds(headerFor(secret, body)),
      }),
    ),
    'newline and timestamp not signed': capture(
      'body_trailing_newline timestamp_not_signed',
      eventText,
      ({text, secret}) => ({body: Buffer.from(`${text}\n`), header: `t=${T},v1=${hmac(secret, text)}`}),
    ),
    noise: pick => ({
      codes: ['unexplained'],
      secret: secretOf(pick),
      body: Buffer.from(Array.from({length: 200}, () => pick(256))),
      header: headerFor(secretOf(pick), Buffer.from('x')),
    }),
  }),
]
