/**
 * Redaction: a known secret is removed in every spelling and at every place, redacting twice gives the same as once, and the time
 * grows with the text. Secrets that are recognised by their form are tested in test/api/redact/redact.test.ts.
 */
import fc from 'fast-check'
import {quoteBody, readAnswer, refusalOf} from '../../../src/api/answers/refusals.js'
import {createRedactor, redactText} from '../../../src/api/redact/redact.js'
import {curlLine} from '../../../src/api/trace/curl.js'
import {createTrace} from '../../../src/api/trace/trace.js'
import {ExchangeError} from '../../../src/api/types.js'
import {REDACTED} from '../../../src/contract/foreign-text.js'
import {anyText, must, property, words} from './inputs.js'

/** A secret that is part of the replacement text cannot be searched for. */
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

/** The text as it is sent in bytes: lone surrogates become U+FFFD. */
const wellFormed = (text: string) => Buffer.from(text).toString()
const percent = (text: string) => encodeURIComponent(wellFormed(text))
const base64 = (encoding: 'base64' | 'base64url') => (text: string, before: number) =>
  Buffer.concat([Buffer.alloc(before, 'a'), Buffer.from(text), Buffer.from('zzz')]).toString(encoding)
/** The promised spellings (src/api/redact/redact.ts). */
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
const BEFORE = words('" ","token":" {"a":" https://h.example/x?y= &z= % = \\')
const around = fc.oneof(anyText, fc.constantFrom(...BEFORE, 'Bearer ', 'Error: ', '\n    at f ('))

/** Reports whether `text` shows the secret in any spelling. */
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

/** JSON with the secret as a value, in a list, as a key, in JSON inside a string, or thirty levels down. */
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

/** Where a request or its answer contains a secret value, which then also occurs elsewhere. */
interface Carried {
  readonly known?: string[]
  readonly headers?: Record<string, string>
  readonly sent?: object
  readonly received?: object
}
const CARRIERS: readonly ((value: string) => Carried)[] = [
  value => ({known: [value]}),
  value => ({headers: {authorization: `Bearer ${value}`}}),
  ...words('client_secret token refresh_token').map(name => (value: string) => ({sent: {[name]: value}})),
  ...words('access_token secret').map(name => (value: string) => ({received: {[name]: value}})),
  ...words('name surname birth_date passport').map(name => (value: string) => ({
    sent: {guests: [{type: 'ADULT', [name]: value}]},
  })),
  value => ({sent: {guests: [{identity: {type: 'TC', number: value}}]}}),
  value => ({sent: {contact: {email: value}}}),
  value => ({sent: {changes: {phone_number: value}}}),
]
const carrier = fc.constantFrom(...CARRIERS)
/** In a header, a space ends the token. */
const isWord = (value: string) => !/\s/.test(value)
const quotes = (value: string) => ({note: [`for ${value}`, base64('base64')(value, 1)]})
type Attempt = [string, (typeof CARRIERS)[0], typeof quotes, typeof quotes, boolean, boolean]
const EACH_CARRIER = CARRIERS.map(
  (carry, n): Attempt => ['tok_canary/+2', carry, quotes, quotes, n % 3 === 1, n % 3 === 2],
)

/** Texts that the patterns look for, and that a slow pattern would look for again at each character. */
const PATTERNS = words('x a. a@ a@b. -eyJ token &token= https:// "a":" "a\\\\ %41')
const REPEATED = [...PATTERNS, '1 ', '2030-06-01 ', 'Bearer ', ' ']
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
    'redaction: no secret and no person of a request or its answer is in an archive, a curl line, the output of -v and -vv, a summary, or what is quoted of an answer',
    fc.tuple(secret.filter(isWord), carrier, holder, holder, fc.boolean(), fc.boolean()),
    async ([value, carry, sent, received, ...odd]) => {
      const carried = carry(value)
      // A secret is known only if its answer was received completely.
      const [isLost, isCut] = carried.received ? [] : odd
      const text = percent(value)
      const echo = {code: value, request_id: value, message: `no ${value}`, details: {[text]: value}}
      const answer = JSON.stringify({data: [carried.received, received(value)], error: echo})
      const type = {'content-type': 'application/json'}
      const request = {
        method: 'POST',
        url: `https://h.example/v1/reservations?q=${text}`,
        headers: {authorization: 'Bearer none', 'x-echo': `a ${text}`, ...type, ...carried.headers},
        body: JSON.stringify({...carried.sent, more: sent(value)}),
      }
      const headers = {location: `https://h.example/${text}`, 'x-echo': text, 'set-cookie': `a=${text}`}
      const body = Buffer.from(isCut ? answer.slice(0, -1) : answer)
      const outcome = isLost
        ? new ExchangeError('reset', true, `gone ${value}`)
        : {status: 400, headers, body}
      const times = {attempt: 1, startedAt: 1_800_000_000, milliseconds: 4, waitMilliseconds: undefined}
      const texts: string[] = []
      const trace = createTrace({
        show: line => texts.push(line),
        bodies: true,
        showCurl: (sent, redactor) => texts.push(curlLine(sent, redactor)),
        note: summary => texts.push(JSON.stringify(summary)),
        keep: true,
        secrets: carried.known ?? [],
      })
      trace.attempt({request, outcome, ...times})
      texts.push(JSON.stringify(await trace.har('1')))
      if (!(outcome instanceof ExchangeError)) {
        const read = readAnswer({
          ...outcome,
          url: request.url,
          attempts: 1,
          mayHaveActed: false,
          secrets: [value],
        })
        const {message, details} = refusalOf(read, {now: 0})
        texts.push(JSON.stringify([message, details]), quoteBody(read) ?? '')
      }
      for (const each of texts) must(!shows(each, value), value, each)
    },
    {weight: 4, examples: EACH_CARRIER},
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
    'redaction: the time it takes grows with the text, whatever is repeated in it',
    fc.tuple(
      fc.oneof(fc.constantFrom(...REPEATED), fc.stringMatching(/^[\w@.:/&?=" \\-]{1,6}$/)),
      fc.constantFrom('', 'a', '"', '@'),
    ),
    ([piece, end]) => must(redactText(piece.repeat(200_000 / piece.length) + end).length >= 0),
    {weight: 40, examples: REPEATED.map((piece): [string, ''] => [piece, ''])},
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
