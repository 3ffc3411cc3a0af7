/**
 * Redaction in general: a secret it was given is not there after, however it is written and wherever it is; nor what is
 * under telling names, or has the form of a secret; twice is once, innocent text stays, and the time grows with the text.
 */
import fc from 'fast-check'
import {quoteBody} from '../../../src/api/answers/errors.js'
import {createRedactor, REDACTED, redactText} from '../../../src/api/redact/redact.js'
import {curlLine} from '../../../src/api/trace/curl.js'
import {toHar} from '../../../src/api/trace/har.js'
import {describeAttempt, describeBodies} from '../../../src/api/trace/trace.js'
import {ExchangeError} from '../../../src/api/types.js'
import {anyText, must, property} from './property.js'

/** What stands in the place of a secret may hold it by chance, and then nothing can be said. */
const isTelling = (secret: string) => !REDACTED.includes(secret) && secret.trim() === secret
const secret = fc
  .oneof(
    fc.stringMatching(/^(sk_test_|sk_live_|whsec_)[\w+/=-]{8,40}$/),
    fc.stringMatching(/^[A-Za-z0-9+/]{16,60}={0,2}$/),
    fc.stringMatching(/^[\x21-\x7e]{8,40}$/),
    fc.string({unit: 'grapheme', minLength: 8, maxLength: 30}),
    fc.string({unit: 'binary', minLength: 8, maxLength: 30}),
    fc.constant('half a pair \ud83d of it'),
    fc.stringMatching(/^ey[\w-]{20,40}\.[\w-]{10,20}\.[\w-]{10,20}$/),
  )
  .filter(isTelling)

/** As it goes out in bytes: half a surrogate pair as U+FFFD. */
const wellFormed = (text: string) => Buffer.from(text).toString()
const base64 = (encoding: 'base64' | 'base64url') => (text: string, before: number) =>
  Buffer.concat([Buffer.alloc(before, 'a'), Buffer.from(text), Buffer.from('zzz')]).toString(encoding)
/** The ways of writing that are promised (src/api/redact/known-values.ts). */
const SPELLINGS: readonly ((text: string, before: number) => string)[] = [
  text => text,
  text => encodeURIComponent(wellFormed(text)),
  text => encodeURIComponent(wellFormed(text)).replace(/%../g, hex => hex.toLowerCase()),
  text => [...Buffer.from(text)].map(byte => `%${byte.toString(16).padStart(2, '0')}`).join(''),
  text => JSON.stringify(text).slice(1, -1),
  text => Buffer.from(text).toString('hex'),
  base64('base64'),
  base64('base64url'),
]
const spelling = fc.constantFrom(...SPELLINGS)
const around = fc.oneof(
  anyText,
  fc.constantFrom(
    '"',
    '","token":"',
    '{"a":"',
    'https://h.example/x?y=',
    'Bearer ',
    'Error: ',
    '\n    at f (',
    '&z=',
    '%',
    '=',
    '\\',
  ),
)

/** Whether `text` still tells `told`: as it is, or by any of the ways of writing. */
function tells(text: string, secretTold: string): boolean {
  const told = wellFormed(secretTold)
  if (text.includes(secretTold)) return true
  if (text.includes(told) || percentDecoded(text).includes(told)) return true
  if (Buffer.from(told).length < 6) return false
  if (text.includes(Buffer.from(told).toString('hex'))) return true
  return (text.match(/[\w+/-]{8,}/g) ?? []).some(run =>
    [0, 1, 2, 3].some(from => Buffer.from(run.slice(from), 'base64').includes(told)),
  )
}

function percentDecoded(text: string): string {
  return text.replace(/(%[0-9a-f]{2})+/gi, encoded =>
    Buffer.from(encoded.replaceAll('%', ''), 'hex').toString(),
  )
}

/** JSON with `told` in it, as a value, in a list, in JSON inside a string, twice over. */
const holders: readonly ((told: string) => unknown)[] = [
  told => told,
  told => ({message: `no ${told} here`}),
  told => [[{a: [told, 1]}]],
  told => ({[told]: 1}),
  told => ({body: JSON.stringify({inner: told})}),
  told => ({body: JSON.stringify({inner: JSON.stringify([told])})}),
  told => ({
    headers: [{name: 'X-Echo', value: `a ${told}`}],
    url: `https://h.example/${encodeURIComponent(wellFormed(told))}?q=${told}`,
  }),
  told => Array.from({length: 30}).reduce(inner => ({inner}), told as unknown),
]

interface Placed {
  readonly told: string
  readonly request: {method: string; url: string; headers: Record<string, string>; body?: string}
  readonly outcome: ExchangeError | {status: number; headers: Record<string, string>; body: Uint8Array}
}

const placed: fc.Arbitrary<Placed> = fc
  .tuple(secret, fc.constantFrom(...holders), fc.constantFrom(...holders), fc.boolean(), fc.boolean())
  .map(([told, sent, received, isLost, isCut]) => {
    const query = encodeURIComponent(wellFormed(told))
    const answer = JSON.stringify(received(told))
    return {
      told,
      request: {
        method: 'POST',
        url: `https://h.example/v1/reservations?q=${query}`,
        headers: {
          authorization: `Bearer ${told}`,
          'x-echo': `a ${printable(told)}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify(sent(told)),
      },
      outcome: isLost
        ? new ExchangeError('reset', true, `ECONNRESET ${told}`)
        : {
            status: 400,
            headers: {
              location: `https://h.example/${query}`,
              'x-echo': printable(told),
              'set-cookie': `a=${query}`,
            },
            body: Buffer.from(isCut ? answer.slice(0, -1) : answer),
          },
    }
  })

/** Headers hold no more than this. */
function printable(text: string): string {
  return encodeURIComponent(wellFormed(text))
}

const lines = (text: string) => text.trim().split(/\s*\n\s*/)
/** Nothing in them has the form of a secret, a person's number or a link. */
const INNOCENT = lines(`the offer off_1 costs 450.00 EUR
  RSV-0G1H2J3K4M
  2030-06-01T12:00:00+03:00
  check_in 2030-06-01 2030-06-04
  HTTP 409 price_changed
  0b9f2f4e-3f1a-4c52-9a53-0f4b8a0c7d11
  İstanbul Oteli 東京
  room for 2 adults: 7, 4
  ECONNREFUSED 127.0.0.1:8080
  evt_01 whsub_1 cid_sandbox
  1.250,00 TRY
  {"check_in":"2030-06-01","total":"10.00"}
  41.0082, 28.9784
  1700000000123
  a=b&c=d
  50 % of the price
  it's [redacted]`)
/** What the patterns look for, and might look for from each of its characters again. */
const REPEATED = [
  ...[
    'x',
    'a.',
    'a@',
    'a@b.',
    '-eyJ',
    'token',
    '&token=',
    '1 ',
    '2030-06-01 ',
    'https://',
    '"a":"',
    '"a\\\\',
  ],
  ...['%41', 'Bearer ', ' '],
]
const TELLING = lines(`identity
  passport_no
  national_id
  card_number
  credit_card
  email_address
  phone_number
  mobile_phone
  surname
  birth_date
  access_token
  client_secret
  api_key
  document_id`)
const INNOCENT_NAMES = lines(`is_mobile_rate
  mobile_only
  rate_card
  policy_document
  min_identity_age
  identity_type
  email_template
  phone_required
  token_type
  card_type
  microphone
  name`)
/** As services write names. */
const styles: readonly ((name: string) => string)[] = [
  name => name,
  name => name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
  name => name.replaceAll('_', '-'),
]
const named = (names: readonly string[]) =>
  fc.tuple(fc.constantFrom(...names), fc.constantFrom(...styles)).map(([name, style]) => style(name))
const date = fc
  .tuple(fc.integer({min: 2000, max: 2099}), fc.integer({min: 1, max: 12}), fc.integer({min: 1, max: 28}))
  .map(([y, m, d]) => `${y}-${String(m).padStart(2, '0')}-${String(d).padStart(2, '0')}`)
const cents = fc.integer({min: 0, max: 999_999}).map(amount => (amount / 100).toFixed(2))
const neighbour = fc.constantFrom(
  '2030-06-01',
  '2',
  '17',
  '2030',
  '450.00',
  'EUR',
  '12:30',
  '1700000000',
  '+',
  'a-1',
)

/** Identity numbers (service.md) and cards (Luhn), with the digits at the end that make them so. */
const personal = fc.oneof(
  fc.array(fc.nat(9), {minLength: 8, maxLength: 8}).map(rest => {
    const nine = [1, ...rest]
    const at = (places: number[]) => places.reduce((sum, place) => sum + (nine[place] ?? 0), 0)
    const tenth = (((at([0, 2, 4, 6, 8]) * 7 - at([1, 3, 5, 7])) % 10) + 10) % 10
    return [...nine, tenth, (at([0, 1, 2, 3, 4, 5, 6, 7, 8]) + tenth) % 10].join('')
  }),
  fc.array(fc.nat(9), {minLength: 14, maxLength: 14}).map(rest => {
    const fifteen = [4, ...rest]
    const sum = fifteen.reduce(
      (total, digit, place) =>
        total + (place % 2 === 0 ? (digit * 2 > 9 ? digit * 2 - 9 : digit * 2) : digit),
      0,
    )
    return [...fifteen, (10 - (sum % 10)) % 10].join('')
  }),
)

export const redaction = [
  property(
    'redaction: a secret that was told is not there after, however written and wherever it stands',
    fc.tuple(secret, spelling, around, around, fc.nat(5)),
    ([told, write, before, after, offset]) => {
      const redactor = createRedactor()
      redactor.add(told)
      for (const text of [
        redactor.text(before + write(told, offset) + after),
        redactor.header('x-echo', before + write(told, offset) + after),
      ])
        must(!tells(text, told) || tells(before, told) || tells(after, told), told, text)
    },
    {weight: 2},
  ),
  property(
    'redaction: nor in JSON at any depth, in names, or in JSON inside of JSON',
    fc.tuple(secret, fc.constantFrom(...holders), spelling),
    ([told, hold, write]) => {
      const redactor = createRedactor()
      redactor.add(told)
      const text = JSON.stringify(redactor.json(hold(write(told, 0))))
      must(!tells(text, told), told, text)
    },
    {weight: 2},
  ),
  property(
    'redaction: nor in an archive, a curl line, what -v and -vv say, or what is quoted of an answer',
    placed,
    ({told, request, outcome}) => {
      const redactor = createRedactor()
      redactor.add(told)
      const record = {
        request,
        attempt: 1,
        startedAt: 1_800_000_000,
        milliseconds: 4,
        outcome,
        waitMilliseconds: undefined,
      }
      const creator = {name: 'bookctl', version: '1'}
      const told_ = [
        JSON.stringify(toHar([record], {creator, redactor})),
        curlLine(request, redactor),
        describeAttempt(record, redactor),
        ...describeBodies(record, redactor),
        ...(outcome instanceof ExchangeError ? [] : [quoteBody({...outcome, secrets: [told]}) ?? '']),
      ]
      for (const text of told_) must(!tells(text, told), told, text)
    },
    {weight: 4},
  ),
  property(
    'redaction: several secrets, one inside the other or side by side',
    fc.tuple(secret, secret, around),
    ([one, other, text]) => {
      const redactor = createRedactor()
      for (const each of [one, other, one.slice(0, 8)].filter(isTelling)) redactor.add(each)
      const safe = redactor.text(`${one}${other}${text}${other}${one}`)
      must(!tells(safe, one) && !tells(safe, other), one, other, safe)
    },
  ),
  property(
    'redaction: twice is once',
    fc.tuple(fc.option(secret, {nil: undefined}), spelling, around, around),
    ([told, write, before, after]) => {
      const redactor = createRedactor()
      if (told !== undefined) redactor.add(told)
      const once = redactor.text(`${before}${told === undefined ? '' : write(told, 1)}${after}`)
      must(redactor.text(once) === once, once, redactor.text(once))
    },
  ),
  property(
    'redaction: what looks like a secret is taken out untold',
    fc.tuple(around, fc.stringMatching(/^(sk_live_|sk_test_|whsec_)[\w]{12,30}$/), around),
    ([before, look, after]) => {
      must(!redactText(`${before} ${look} ${after}`).includes(look), before, look, after)
    },
  ),
  property(
    'redaction: innocent text stays as it is',
    fc.array(fc.constantFrom(...INNOCENT), {minLength: 1, maxLength: 5}),
    texts => {
      const text = texts.join('; ')
      must(redactText(text) === text, text, redactText(text))
      const json = {
        message: text,
        list: texts,
        offers: [{offer_id: 'off_1', price: {total: '10.00', currency: 'EUR'}}],
      }
      must(
        JSON.stringify(createRedactor().json(json)) === JSON.stringify(json),
        JSON.stringify(createRedactor().json(json)),
      )
    },
    {examples: INNOCENT.map(text => [text])},
  ),
  property(
    'redaction: the time it takes grows with the text, whatever is repeated in it',
    fc.tuple(
      fc.oneof(fc.constantFrom(...REPEATED), fc.stringMatching(/^[\w@.:/&?=" \\-]{1,6}$/)),
      fc.constantFrom('', 'a', '"', '@'),
    ),
    ([piece, end]) => {
      const text = piece.repeat(60_000 / piece.length) + end
      must(redactText(text).length >= 0)
    },
    {weight: 40, examples: REPEATED.map((piece): [string, ''] => [piece, ''])},
  ),
  property(
    'redaction: under a telling name all is taken out, under an innocent one nothing',
    fc.tuple(
      named(TELLING),
      named(INNOCENT_NAMES),
      fc.constantFrom('plain', ['plain'], {note: '}', no: 'plain'}),
    ),
    ([telling, innocent, value]) => {
      const document = {[innocent]: value, [telling]: value}
      const shown = {[innocent]: value, [telling]: REDACTED}
      must(fc.stringify(createRedactor().json(document)) === fc.stringify(shown), document)
      const text = redactText(JSON.stringify(document).slice(0, -1))
      must(text === `${JSON.stringify({[innocent]: value}).slice(0, -1)},"${telling}":${REDACTED}`, text)
    },
  ),
  property(
    'redaction: dates, times and amounts are no identity and no card',
    fc.array(fc.oneof(date, cents, fc.constantFrom('12:30', '00:00')), {minLength: 1, maxLength: 6}),
    words =>
      must(redactText(words.join(' ')) === words.join(' '), words.join(' '), redactText(words.join(' '))),
  ),
  property(
    "redaction: a person's number is taken out, whatever numbers stand beside it",
    fc.tuple(fc.array(neighbour, {maxLength: 2}), personal, fc.array(neighbour, {maxLength: 2})),
    ([before, number, after]) => {
      const text = [...before, number, ...after].join(' ')
      must(!redactText(text).includes(number), text, redactText(text))
    },
    {
      examples: [
        [['2030-06-01'], '10000000146', []],
        [['17'], '10000000146', ['2030-06-01']],
      ],
    },
  ),
  property(
    'redaction: a short value that was told is a word of its own, and part of no other',
    fc.tuple(fc.stringMatching(/^[1-9][0-9]{2,4}$/), fc.constantFrom('1', 'x', '0', 'ş')),
    ([told, beside]) => {
      const redactor = createRedactor()
      redactor.add(told)
      for (const text of [
        `${beside}${told}`,
        `${told}${beside} EUR`,
        `${told}.00`,
        `${beside}${told}.00 EUR`,
      ])
        must(redactor.text(text) === text, told, text)
      for (const [before, after] of [
        [' ', ' '],
        ['"', '"'],
        ['%20', '%0A'],
        ['(', ').'],
        ['\\n', ','],
      ])
        must(redactor.text(before + told + after) === `${before}[redacted]${after}`, told, before, after)
    },
  ),
]
