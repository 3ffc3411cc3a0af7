/**
 * Captures broken on purpose, each with the codes that name what was done to it. Signed here with node's HMAC, in no
 * way by the code under test; every choice comes from the random numbers handed in.
 */
import {createHash, createHmac} from 'node:crypto'

export interface BrokenCapture {
  readonly name: string
  /** Every one of these codes must be found, and no other. */
  readonly codes: readonly string[]
  readonly body: Uint8Array
  readonly secret: string
  readonly header: string
  readonly others?: readonly {name: string; secret: string}[]
}

/** A whole number below `limit`. */
export type Pick = (limit: number) => number

/** Small, seeded, and the same on every machine (mulberry32). */
export function seeded(seed: number): Pick {
  let state = seed >>> 0
  return limit => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit
  }
}

export const T = 1_700_000_000

function hmac(key: string | Uint8Array, message: string | Uint8Array): string {
  return createHmac('sha256', key).update(message).digest('hex')
}

export function headerFor(key: string | Uint8Array, body: Uint8Array, t: string = String(T)): string {
  return `t=${t},v1=${hmac(key, Buffer.concat([Buffer.from(`${t}.`), body]))}`
}

const NAMES = [
  'Ayşe Öğüt',
  'İbrahim Çağrı',
  'Zoë Núñez',
  'Łukasz Żółć',
  '山田太郎',
  'Anna 🏖️ Berg',
  'Müller',
  'Şükrü Ağaoğlu',
]
const TYPES = ['reservation.confirmed', 'reservation.updated', 'payment.captured', 'voucher.ready']
const WORDS = 'ABCDEFGHJKMNPQRSTVWXYZ0123456789'

function word(pick: Pick, length: number): string {
  return Array.from({length}, () => WORDS[pick(WORDS.length)]).join('')
}

/** An event as JSON text without blanks, numbers spelled as money is. */
export function eventText(pick: Pick): string {
  const type = TYPES[pick(TYPES.length)] ?? ''
  const name = NAMES[pick(NAMES.length)] ?? ''
  const amount = `${pick(9000) + 100}.${String(pick(100)).padStart(2, '0')}`
  const fields = [
    '"object":"reservation"',
    `"reservation_ref":"RSV-${word(pick, 10)}"`,
    `"client_reference_id":"TRIP-${pick(10_000)}"`,
    '"status":"CONFIRMED"',
    ...(type === 'payment.captured' ? [`"amount":"${amount}","currency":"EUR","payment_status":"PAID"`] : []),
    ...(type === 'voucher.ready'
      ? [
          `"voucher":{"url":"https://v.example.com/p/${word(pick, 12)}?a=1&b=2","expires_at":"2026-11-20T13:00:00+03:00"}`,
        ]
      : []),
    ...(type === 'reservation.updated'
      ? [`"changes":[{"field":"guests[0].name","old":"Ali","new":"${name}"}],"tags":[]`]
      : []),
    ...(pick(2) ? [`"lead_guest":"${name}"`] : []),
    ...(pick(3) === 0 ? [`"total":${amount}`] : []),
  ]
  return `{"id":"evt_${word(pick, 16)}","type":"${type}","created":"2026-11-20T12:00:00+03:00","data":{${fields.join(',')}}}`
}

/** An event that holds a letter beyond ASCII, a slash and a money number. */
export function richText(pick: Pick): string {
  const name = NAMES[pick(NAMES.length)] ?? ''
  return eventText(pick).replace(
    /\}\}$/,
    `,"contact":{"name":"${name}","site":"https://e.example.com/${word(pick, 4)}"}}}`,
  )
}

const secretOf = (pick: Pick) => `whsec_${Buffer.from(word(pick, 32)).toString('base64').replace(/=+$/, '')}`

type Break = (pick: Pick) => Omit<BrokenCapture, 'name'>

/** A body that was changed after it was signed. */
const changed =
  (
    codes: readonly string[],
    change: (text: string, pick: Pick) => string | Uint8Array,
    make = richText,
  ): Break =>
  pick => {
    const text = make(pick)
    const secret = secretOf(pick)
    return {
      codes,
      secret,
      body: Buffer.from(change(text, pick) as string),
      header: headerFor(secret, Buffer.from(text)),
    }
  }

/** A signature that was made, or copied, in another way. */
const resigned =
  (codes: readonly string[], header: (secret: string, body: Buffer, pick: Pick) => string): Break =>
  pick => {
    const body = Buffer.from(eventText(pick))
    const secret = secretOf(pick)
    return {codes, secret, body, header: header(secret, body, pick)}
  }

/** A secret in hand that is not quite the one. */
const miscopied =
  (codes: readonly string[], copy: (secret: string, pick: Pick) => string): Break =>
  pick => {
    const body = Buffer.from(eventText(pick))
    const secret = secretOf(pick)
    return {codes, secret: copy(secret, pick), body, header: headerFor(secret, body)}
  }

const escapeNonAscii = (text: string) =>
  text.replace(/[^\0-\x7f]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
const sortKeys = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(sortKeys)
    : typeof value === 'object' && value !== null
      ? Object.fromEntries(
          Object.entries(value)
            .sort(([a], [b]) => (a < b ? -1 : 1))
            .map(([k, v]) => [k, sortKeys(v)]),
        )
      : value
const withoutTotal = (pick: Pick) => richText(pick).replace(/,"total":[\d.]+/, '')
/** Numbers that no parser keeps as they are spelled, in an order of keys of its own. */
const moneyText = (pick: Pick) =>
  `{"id":"evt_${word(pick, 8)}","type":"payment.captured","created":"2026-01-01T00:00:00Z","data":{"status":"PAID","currency":"EUR","amount":1250.00}}`
/** With blanks as Python's json.dumps puts them, outside of strings. */
const pythonic = (text: string) =>
  text.replace(/"(?:[^"\\]|\\.)*"|[,:]/g, part => (part.length === 1 ? `${part} ` : part))
const base64 = (text: string) => Buffer.from(text).toString('base64')
const pretty = (text: string, indent: number | string) => JSON.stringify(JSON.parse(text), null, indent)
const RE = 'body_reserialized'

export const BREAKS: Readonly<Record<string, Break>> = {
  'printed by Python': changed([RE], text => escapeNonAscii(pythonic(text))),
  'printed by Python, letters kept': changed([RE], text => pythonic(text)),
  'printed by PHP': changed([RE], text => escapeNonAscii(text).replaceAll('/', '\\/')),
  'slashes escaped': changed([RE], text => text.replaceAll('/', '\\/')),
  'letters escaped': changed([RE], text => escapeNonAscii(text)),
  'letters escaped in upper case': changed([RE], text =>
    escapeNonAscii(text).replace(/\\u[\da-f]{4}/g, u => `\\u${u.slice(2).toUpperCase()}`),
  ),
  'pretty 2': changed([RE], text => pretty(text, 2), withoutTotal),
  'pretty 4': changed([RE], text => pretty(text, 4), withoutTotal),
  'pretty tab': changed([RE], text => pretty(text, '\t'), withoutTotal),
  'pretty 2 CRLF': changed([RE], text => pretty(text, 2).replaceAll('\n', '\r\n'), withoutTotal),
  'pretty 2 and slashes': changed([RE], text => pretty(text, 2).replaceAll('/', '\\/'), withoutTotal),
  'sorted keys and printed numbers': () => {
    const text =
      '{"id":"evt_1","type":"payment.captured","created":"2026-01-01T00:00:00Z","data":{"status":"PAID","amount":1250.00}}'
    const secret = 'whsec_sorted_and_printed'
    return {
      codes: [RE],
      secret,
      body: Buffer.from(JSON.stringify(sortKeys(JSON.parse(text)))),
      header: headerFor(secret, Buffer.from(text)),
    }
  },
  'sorted keys': changed([RE], text => JSON.stringify(sortKeys(JSON.parse(text))), withoutTotal),
  'sorted by Python': changed(
    [RE],
    text => escapeNonAscii(pythonic(JSON.stringify(sortKeys(JSON.parse(text))))),
    withoutTotal,
  ),
  'Go escapes': changed(
    [RE],
    text => text.replace(/[<>&]/g, c => `\\u00${c.charCodeAt(0).toString(16)}`),
    pick => richText(pick).replace('site', 'a&b<c>'),
  ),
  'read as doubles': changed(
    [RE],
    text => JSON.stringify(JSON.parse(text)),
    pick => richText(pick).replace('"status"', '"total_price":1250.00,"fee":7.50,"status"'),
  ),
  'sorted keys and shorter numbers': changed(
    [RE],
    text => JSON.stringify(sortKeys(JSON.parse(text))),
    moneyText,
  ),
  'sorted keys and shorter numbers, pretty': changed(
    [RE],
    text => JSON.stringify(sortKeys(JSON.parse(text)), null, 2),
    moneyText,
  ),
  'sorted keys and shorter numbers, by Python': changed(
    [RE],
    text => pythonic(JSON.stringify(sortKeys(JSON.parse(text)))).replaceAll('1250', '1250.0'),
    moneyText,
  ),
  'signed by Python, printed by JavaScript': pick => {
    const text = pythonic(withoutTotal(pick))
    const secret = secretOf(pick)
    return {
      codes: [RE],
      secret,
      body: Buffer.from(JSON.stringify(JSON.parse(text))),
      header: headerFor(secret, Buffer.from(text)),
    }
  },
  'signed by PHP, printed by JavaScript': pick => {
    const text = escapeNonAscii(withoutTotal(pick)).replaceAll('/', '\\/')
    const secret = secretOf(pick)
    return {
      codes: [RE],
      secret,
      body: Buffer.from(JSON.stringify(JSON.parse(text))),
      header: headerFor(secret, Buffer.from(text)),
    }
  },
  'signed pretty, printed compact': pick => {
    const text = pretty(withoutTotal(pick), [2, 4, '\t'][pick(3)] ?? 2)
    const secret = secretOf(pick)
    return {
      codes: [RE],
      secret,
      body: Buffer.from(JSON.stringify(JSON.parse(text))),
      header: headerFor(secret, Buffer.from(text)),
    }
  },
  'newline added': changed(['body_trailing_newline'], text => `${text}\n`),
  'CRLF added': changed(['body_trailing_newline'], text => `${text}\r\n`),
  'newline lost': changed(
    ['body_trimmed'],
    text => text.slice(0, -1),
    pick => `${richText(pick)}\n`,
  ),
  'spaces and line break lost': changed(
    ['body_trimmed'],
    text => text.trimEnd(),
    pick => `${richText(pick)}  \n`,
  ),
  'line breaks became CRLF': changed(
    ['body_crlf'],
    text => text.replaceAll('\n', '\r\n'),
    pick => pretty(withoutTotal(pick), 2),
  ),
  'line breaks became LF': changed(
    ['body_crlf'],
    text => text.replaceAll('\r\n', '\n'),
    pick => pretty(withoutTotal(pick), 2).replaceAll('\n', '\r\n'),
  ),
  'BOM added': changed(['body_bom'], text => `\ufeff${text}`),
  'BOM lost': changed(
    ['body_bom'],
    text => text.slice(1),
    pick => `\ufeff${richText(pick)}`,
  ),
  base64: changed(['body_base64'], text => base64(text)),
  base64url: changed(['body_base64'], text => Buffer.from(text).toString('base64url')),
  'base64 in lines': changed(['body_base64'], text => base64(text).replace(/.{76}/g, '$&\n')),
  'Lambda event': changed(['body_base64'], text =>
    JSON.stringify({resource: '/', isBase64Encoded: true, body: base64(text)}),
  ),
  stringified: changed(['body_double_encoded'], text => JSON.stringify(text)),
  'stringified twice': changed(['body_double_encoded'], text => JSON.stringify(JSON.stringify(text))),
  wrapped: changed(['body_double_encoded'], text => JSON.stringify({body: text, isBase64Encoded: false})),
  'Buffer as JSON': changed(['body_double_encoded'], text => JSON.stringify(Buffer.from(text))),
  'Python bytes': changed(
    ['body_double_encoded'],
    text => `b'${text.replaceAll('\\', '\\\\')}'`,
    pick => escapeNonAscii(eventText(pick)),
  ),
  'read as latin1': changed(['body_charset'], text => Buffer.from(text).toString('latin1')),
  'read as windows-1252': changed(['body_charset'], text =>
    new TextDecoder('windows-1252').decode(Buffer.from(text)),
  ),
  'read as windows-1254': changed(['body_charset'], text =>
    new TextDecoder('windows-1254').decode(Buffer.from(text)),
  ),
  'written as latin1': changed(
    ['body_charset'],
    text => Buffer.from(text, 'latin1'),
    pick =>
      richText(pick)
        .replace(/[^\0-\xff]/gu, 'ö')
        .replace(/\}\}\}$/, ',"x":"Müller"}}}'),
  ),
  'UTF-16': changed(['body_charset'], text => Buffer.from(text, 'utf16le')),
  'another normal form': changed(
    ['body_charset'],
    text => text.normalize('NFD'),
    pick => richText(pick).replace('"contact"', '"ş":"ğ","contact"').normalize('NFC'),
  ),
  trimmed: changed(
    ['body_trimmed'],
    text => text.trim(),
    pick => ` ${richText(pick)} `,
  ),
  'trimmed lines': changed(
    ['body_trimmed'],
    text => text.trim(),
    pick => `\n${richText(pick)}\n`,
  ),
  'form field': changed(['body_form_encoded'], text => `payload=${encodeURIComponent(text)}`),
  'form encoded': changed(['body_form_encoded'], text => new URLSearchParams({payload: text}).toString()),
  'percent encoded': changed(['body_form_encoded'], text => encodeURIComponent(text)),
  'form key': changed(['body_form_encoded'], text => JSON.stringify({[text]: ''})),
  'plus signs lost': changed(['body_form_encoded'], text => text.replaceAll('+', ' ')),

  'blank after the secret': miscopied(['secret_whitespace'], secret => `${secret} `),
  'line break after the secret': miscopied(['secret_whitespace'], secret => `${secret}\n`),
  'tab before the secret': miscopied(['secret_whitespace'], secret => `\t${secret}\r\n`),
  'secret in double quotes': miscopied(['secret_quoted'], secret => `"${secret}"`),
  'secret in single quotes': miscopied(['secret_quoted'], secret => `'${secret}'`),
  'quoted with a line break': miscopied(['secret_quoted', 'secret_whitespace'], secret => `"${secret}"\n`),
  'prefix missing': miscopied(['secret_prefix_missing'], secret => secret.slice(6)),
  'signed without prefix': resigned(['secret_prefix_missing'], (secret, body) =>
    headerFor(secret.slice(6), body),
  ),
  'signed with decoded secret': resigned(['secret_base64_decoded'], (secret, body) =>
    headerFor(Buffer.from(secret.slice(6), 'base64'), body),
  ),
  'signed with a line break': resigned(['secret_whitespace'], (secret, body) =>
    headerFor(`${secret}\n`, body),
  ),
  'other subscription': pick => {
    const secret = secretOf(pick)
    const body = Buffer.from(eventText(pick))
    const others = [
      {name: 'whsub_a', secret: secretOf(pick)},
      {name: 'whsub_b', secret},
    ]
    return {
      codes: ['secret_of_other_subscription'],
      secret: secretOf(pick),
      body,
      header: headerFor(secret, body),
      others,
    }
  },
  'client secret': miscopied(['secret_not_a_signing_secret'], (_, pick) => `sk_test_${word(pick, 20)}`),

  'milliseconds throughout': resigned(['timestamp_milliseconds'], (secret, body, pick) =>
    headerFor(secret, body, `${T}${String(pick(1000)).padStart(3, '0')}`),
  ),
  'milliseconds signed': resigned(['timestamp_milliseconds'], (secret, body, pick) => {
    const signed = headerFor(secret, body, `${T}${String(pick(1000)).padStart(3, '0')}`)
    return `t=${T},${signed.slice(signed.indexOf('v1'))}`
  }),
  'milliseconds sent': resigned(['timestamp_milliseconds'], (secret, body) =>
    headerFor(secret, body).replace(`t=${T}`, `t=${T}123`),
  ),
  'timestamp not signed': resigned(
    ['timestamp_not_signed'],
    (secret, body) => `t=${T},v1=${hmac(secret, body)}`,
  ),
  'another separator': resigned(
    ['separator_wrong'],
    (secret, body, pick) =>
      `t=${T},v1=${hmac(secret, `${T}${[',', ':', '', '|', '\n', '-'][pick(6)]}${body}`)}`,
  ),
  'body first': resigned(['separator_wrong'], (secret, body) => `t=${T},v1=${hmac(secret, `${body}.${T}`)}`),
  'digest in base64': resigned(['signature_base64'], (secret, body) =>
    headerFor(secret, body).replace(
      /v1=(.*)/,
      (_, hex) => `v1=${Buffer.from(hex, 'hex').toString('base64')}`,
    ),
  ),
  'upper case': resigned(['signature_uppercase'], (secret, body) =>
    headerFor(secret, body).replace(/v1=(.*)/, (_, hex) => `v1=${hex.toUpperCase()}`),
  ),
  prefixed: resigned(['signature_prefixed'], (secret, body) =>
    headerFor(secret, body).replace('v1=', 'v1=sha256='),
  ),
  'plain hash': resigned(
    ['signed_without_hmac_key'],
    (_, body) => `t=${T},v1=${createPlain(`${T}.${body}`)}`,
  ),
  'hash of secret and body': resigned(
    ['signed_without_hmac_key'],
    (secret, body) => `t=${T},v1=${createPlain(`${secret}${T}.${body}`)}`,
  ),
  'empty key': resigned(['signed_without_hmac_key'], (_, body) => headerFor('', body)),

  'BOM and newline': changed(['body_bom', 'body_trailing_newline'], text => `\ufeff${text}\n`),
  'base64 of pretty': changed(['body_base64', RE], text => base64(pretty(text, 2)), withoutTotal),
  // The line break at the end of base64 is its own.
  'base64 and newline': changed(['body_base64'], text => `${base64(text)}\n`),
  'pretty and newline': changed([RE, 'body_trailing_newline'], text => `${pretty(text, 2)}\n`, withoutTotal),
  'pretty with BOM': changed([RE, 'body_bom'], text => `\ufeff${pretty(text, 4)}`, withoutTotal),
  'Python and quoted secret': pick => {
    const made = changed([RE, 'secret_quoted'], text => escapeNonAscii(pythonic(text)))(pick)
    return {...made, secret: `"${made.secret}"`}
  },
  'newline and prefix missing': pick => {
    const made = changed(['body_trailing_newline', 'secret_prefix_missing'], text => `${text}\n`)(pick)
    return {...made, secret: made.secret.slice(6)}
  },
  'PHP and secret with a blank': pick => {
    const made = changed([RE, 'secret_whitespace'], text => escapeNonAscii(text).replaceAll('/', '\\/'))(pick)
    return {...made, secret: `${made.secret} `}
  },
  'base64 body and digest': pick => {
    const made = changed(['body_base64', 'signature_base64'], base64)(pick)
    return {
      ...made,
      header: made.header.replace(/v1=(.*)/, (_, hex) => `v1=${Buffer.from(hex, 'hex').toString('base64')}`),
    }
  },
  'pretty and milliseconds': pick => {
    const text = withoutTotal(pick)
    const secret = secretOf(pick)
    return {
      codes: [RE, 'timestamp_milliseconds'],
      secret,
      body: Buffer.from(pretty(text, 2)),
      header: headerFor(secret, Buffer.from(text), `${T}042`),
    }
  },
  'pretty and milliseconds sent': pick => {
    const made = changed([RE, 'timestamp_milliseconds'], text => pretty(text, 2), withoutTotal)(pick)
    return {...made, header: made.header.replace(`t=${T}`, `t=${T}123`)}
  },
  'newline and milliseconds sent': pick => {
    const made = changed(['body_trailing_newline', 'timestamp_milliseconds'], text => `${text}\n`)(pick)
    return {...made, header: made.header.replace(`t=${T}`, `t=${T}123`)}
  },
  'newline and timestamp not signed': pick => {
    const text = eventText(pick)
    const secret = secretOf(pick)
    const codes = ['body_trailing_newline', 'timestamp_not_signed']
    return {codes, secret, body: Buffer.from(`${text}\n`), header: `t=${T},v1=${hmac(secret, text)}`}
  },
}

/** Changes nothing can undo: the one right answer is `unexplained`. */
export const TAMPERED: Readonly<Record<string, Break>> = {
  'another status': changed(['unexplained'], text => text.replace('CONFIRMED', 'CANCELLED')),
  'another amount': changed(
    ['unexplained'],
    text => text.replace(/"total":\d/, '"total":99'),
    pick => richText(pick).replace('"status"', '"total":12.30,"status"'),
  ),
  'one digit of the reference': changed(['unexplained'], text => text.replace(/RSV-./, 'RSV-_')),
  'a field added': changed(['unexplained'], text => text.replace('"data":{', '"data":{"admin":true,')),
  'a field taken out': changed(['unexplained'], text => text.replace('"status":"CONFIRMED"', '"x":1')),
  'cut off': changed(['unexplained'], text => text.slice(0, -20)),
  'letters lost': changed(['unexplained'], text => text.replace(/[^\0-\x7f]/g, '?')),
  'another id': changed(['unexplained'], text => text.replace(/evt_..../, 'evt_XXXX')),
  'empty body': changed(['unexplained'], () => ''),
  'tampered and printed': changed(['unexplained'], text => pretty(text.replace('CONFIRMED', 'CANCELLED'), 2)),
  'tampered in base64': changed(['unexplained'], text => base64(text.replace('CONFIRMED', 'CANCELLED'))),
  'tampered, with a line break': changed(
    ['unexplained'],
    text => `${text.replace('CONFIRMED', 'CANCELLED')}\n`,
  ),
  'unknown secret': miscopied(['unexplained'], (_, pick) => secretOf(pick)),
  'one letter of the secret': miscopied(['unexplained'], secret => `${secret.slice(0, -1)}_`),
  'a digest of nothing': resigned(
    ['unexplained'],
    (secret, _, pick) => `t=${T},v1=${hmac(secret, word(pick, 20))}`,
  ),
  'another time': resigned(['unexplained'], (secret, body, pick) =>
    headerFor(secret, body).replace(`t=${T}`, `t=${T + 1 + pick(1e6)}`),
  ),
  'short digest': resigned(['unexplained'], (secret, body) => headerFor(secret, body).slice(0, -8)),
  noise: pick => ({
    codes: ['unexplained'],
    secret: secretOf(pick),
    body: Buffer.from(Array.from({length: 200}, () => pick(256))),
    header: headerFor(secretOf(pick), Buffer.from('x')),
  }),
}

function createPlain(message: string): string {
  return createHash('sha256').update(message).digest('hex')
}
