/**
 * Redaction: a secret it was given is not there after, however it is written and wherever it is; nor what has a telling
 * name, or the form of a secret; twice is once, innocent text stays, and the time grows with the text.
 */
import fc from 'fast-check'
import {quoteBody} from '../../../src/api/answers/errors.js'
import {createRedactor, REDACTED, redactText} from '../../../src/api/redact/redact.js'
import {curlLine} from '../../../src/api/trace/curl.js'
import {toHar} from '../../../src/api/trace/har.js'
import {describeAttempt, describeBodies} from '../../../src/api/trace/trace.js'
import {ExchangeError} from '../../../src/api/types.js'
import {anyText, lines, must, property, words} from './property.js'

/** A secret that is part of what replaces it cannot be looked for. */
const isFindable = (secret: string) => !REDACTED.includes(secret) && secret.trim() === secret
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
  .filter(isFindable)

/** As it goes out in bytes: half a surrogate pair as U+FFFD. */
const wellFormed = (text: string) => Buffer.from(text).toString()
const percent = (text: string) => encodeURIComponent(wellFormed(text))
const base64 = (encoding: 'base64' | 'base64url') => (text: string, before: number) =>
  Buffer.concat([Buffer.alloc(before, 'a'), Buffer.from(text), Buffer.from('zzz')]).toString(encoding)
/** The spellings that are promised (src/api/redact/known-values.ts). */
const spelling = fc.constantFrom<(text: string, before: number) => string>(
  text => text,
  percent,
  text => percent(text).replace(/%../g, hex => hex.toLowerCase()),
  text => [...Buffer.from(text)].map(byte => `%${byte.toString(16).padStart(2, '0')}`).join(''),
  text => JSON.stringify(text).slice(1, -1),
  text => Buffer.from(text).toString('hex'),
  base64('base64'),
  base64('base64url'),
)
const BEFORE = [
  ...words('" ","token":" {"a":" https://h.example/x?y= &z= % = \\'),
  'Bearer ',
  'Error: ',
  '\n    at f (',
]
const around = fc.oneof(anyText, fc.constantFrom(...BEFORE))

/** Whether `text` shows the secret, in any spelling. */
function shows(text: string, secret: string): boolean {
  const sent = wellFormed(secret)
  const decoded = text.replace(/(%[0-9a-f]{2})+/gi, run =>
    Buffer.from(run.replaceAll('%', ''), 'hex').toString(),
  )
  if (text.includes(secret) || text.includes(sent) || decoded.includes(sent)) return true
  if (Buffer.from(sent).length < 6) return false
  if (text.includes(Buffer.from(sent).toString('hex'))) return true
  const runs = text.match(/[\w+/-]{8,}/g) ?? []
  return runs.some(run => [0, 1, 2, 3].some(from => Buffer.from(run.slice(from), 'base64').includes(sent)))
}

function knowing(...secrets: string[]) {
  const redactor = createRedactor()
  for (const each of secrets) redactor.add(each)
  return redactor
}

/** JSON with the secret as a value, in a list, as a name, in JSON inside a string, thirty levels down. */
const holder = fc.constantFrom<(secret: string) => unknown>(
  secret => secret,
  secret => ({message: `no ${secret} here`}),
  secret => [[{a: [secret, 1]}]],
  secret => ({[secret]: 1}),
  secret => ({body: JSON.stringify({inner: JSON.stringify([secret])})}),
  secret => ({
    headers: [{name: 'X-Echo', value: `a ${secret}`}],
    url: `https://h.example/${percent(secret)}?q=${secret}`,
  }),
  secret => Array.from({length: 30}).reduce(inner => ({inner}), secret as unknown),
)

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
  it's [redacted]
  2030-06-01 2 17 2030 450.00 EUR 12:30 1700000000`)
/** What the patterns look for, and might look for again from each of its characters. */
const PATTERNS = words('x a. a@ a@b. -eyJ token &token= https:// "a":" "a\\\\ %41')
const REPEATED = [...PATTERNS, '1 ', '2030-06-01 ', 'Bearer ', ' ']
const NEIGHBOURS = words('2030-06-01 2 17 2030 450.00 EUR 12:30 1700000000 + a-1')
/** Identity numbers (service.md) and cards (Luhn), with their check digits. */
const PERSONAL = words('10000000146 12345678950 4111111111111111 5555555555554444 378282246310005')

export const redaction = [
  property(
    'redaction: a known secret is not there after, however it is written and wherever it is; twice is once',
    fc.tuple(secret, spelling, around, around, fc.nat(5)),
    ([secret, write, before, after, offset]) => {
      const text = before + write(secret, offset) + after
      const redactor = knowing(secret)
      for (const safe of [redactor.text(text), redactor.header('x-echo', text)])
        must(!shows(safe, secret) || shows(before, secret) || shows(after, secret), secret, safe)
      const once = redactor.text(text)
      must(redactor.text(once) === once, once, redactor.text(once))
    },
    {weight: 2},
  ),
  property(
    'redaction: nor in JSON at any depth, in names, or in JSON inside JSON',
    fc.tuple(secret, holder, spelling),
    ([secret, hold, write]) => {
      const text = JSON.stringify(knowing(secret).json(hold(write(secret, 0))))
      must(!shows(text, secret), secret, text)
    },
    {weight: 2},
  ),
  property(
    'redaction: nor in an archive, a curl line, the output of -v and -vv, or what is quoted of an answer',
    fc.tuple(secret, holder, holder, fc.boolean(), fc.boolean()),
    ([secret, sent, received, isLost, isCut]) => {
      const text = percent(secret)
      const answer = JSON.stringify(received(secret))
      const type = {'content-type': 'application/json'}
      const request = {
        method: 'POST',
        url: `https://h.example/v1/reservations?q=${text}`,
        headers: {authorization: `Bearer ${secret}`, 'x-echo': `a ${text}`, ...type},
        body: JSON.stringify(sent(secret)),
      }
      const headers = {location: `https://h.example/${text}`, 'x-echo': text, 'set-cookie': `a=${text}`}
      const body = Buffer.from(isCut ? answer.slice(0, -1) : answer)
      const outcome = isLost
        ? new ExchangeError('reset', true, `ECONNRESET ${secret}`)
        : {status: 400, headers, body}
      const times = {attempt: 1, startedAt: 1_800_000_000, milliseconds: 4, waitMilliseconds: undefined}
      const record = {request, outcome, ...times}
      const redactor = knowing(secret)
      const texts = [
        JSON.stringify(toHar([record], '1', redactor)),
        curlLine(request, redactor),
        describeAttempt(record, redactor),
        ...describeBodies(record, redactor),
        ...(outcome instanceof ExchangeError ? [] : [quoteBody({...outcome, secrets: [secret]}) ?? '']),
      ]
      for (const each of texts) must(!shows(each, secret), secret, each)
    },
    {weight: 4},
  ),
  property(
    'redaction: several secrets, nested or side by side',
    fc.tuple(secret, secret, around),
    ([one, other, text]) => {
      const redactor = knowing(...[one, other, one.slice(0, 8)].filter(isFindable))
      const safe = redactor.text(`${one}${other}${text}${other}${one}`)
      must(!shows(safe, one) && !shows(safe, other), one, other, safe)
    },
  ),
  property(
    'redaction: what has the form of a secret is removed unknown',
    fc.tuple(around, fc.stringMatching(/^(sk_live_|sk_test_|whsec_)[\w]{12,30}$/), around),
    ([before, secret, after]) =>
      must(!redactText(`${before} ${secret} ${after}`).includes(secret), before, secret, after),
  ),
  property(
    'redaction: innocent text stays as it is',
    fc.array(fc.constantFrom(...INNOCENT), {minLength: 1, maxLength: 5}),
    texts => {
      const text = texts.join('; ')
      must(redactText(text) === text, text, redactText(text))
      const price = {total: '10.00', currency: 'EUR'}
      const json = JSON.stringify({message: text, list: texts, offers: [{offer_id: 'off_1', price}]})
      must(JSON.stringify(createRedactor().json(JSON.parse(json))) === json, json)
    },
    {examples: INNOCENT.map(text => [text])},
  ),
  property(
    'redaction: the time it takes grows with the text, whatever is repeated in it',
    fc.tuple(
      fc.oneof(fc.constantFrom(...REPEATED), fc.stringMatching(/^[\w@.:/&?=" \\-]{1,6}$/)),
      fc.constantFrom('', 'a', '"', '@'),
    ),
    ([piece, end]) => must(redactText(piece.repeat(60_000 / piece.length) + end).length >= 0),
    {weight: 40, examples: REPEATED.map((piece): [string, ''] => [piece, ''])},
  ),
  property(
    "redaction: a person's number is removed, whatever numbers are beside it",
    fc.tuple(
      fc.array(fc.constantFrom(...NEIGHBOURS), {maxLength: 4}),
      fc.nat(4),
      fc.constantFrom(...PERSONAL),
    ),
    ([beside, at, number]) => {
      const text = beside.toSpliced(at, 0, number).join(' ')
      must(!redactText(text).includes(number), text, redactText(text))
    },
    {examples: [[['2030-06-01'], 1, '10000000146']]},
  ),
  property(
    'redaction: a short known value is a word of its own, and part of no other',
    fc.tuple(fc.stringMatching(/^[1-9][0-9]{2,4}$/), fc.constantFrom('1', 'x', '0', 'ş')),
    ([value, beside]) => {
      const redactor = knowing(value)
      for (const text of [beside + value, `${value}${beside} EUR`, `${value}.00`, `${beside}${value}.00`])
        must(redactor.text(text) === text, value, text)
      for (const [before, after] of [' , ', '","', '%20,%0A', '(,).', '\\n,;'].map(text => text.split(',')))
        must(redactor.text(before + value + after) === `${before}${REDACTED}${after}`, value, before, after)
    },
  ),
]
