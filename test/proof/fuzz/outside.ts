/**
 * Properties of input from outside: signatures compared with an independent check, captures split at any place, links, vouchers
 * and errors.
 */
import fc from 'fast-check'
import {factsOf, findOffers} from '../../../src/api/answers/offers.js'
import {refusalOf} from '../../../src/api/answers/refusals.js'
import {termsOf} from '../../../src/api/answers/terms-and-fees.js'
import {fetchLink} from '../../../src/api/operations/client.js'
import {fetchVoucher} from '../../../src/api/operations/vouchers.js'
import type {Answer, Api} from '../../../src/api/types.js'
import {parseJson} from '../../../src/contract/json.js'
import {isAmount} from '../../../src/contract/money.js'
import {readCaptures} from '../../../src/webhooks/captures/captures.js'
import type {CapturedRequest} from '../../../src/webhooks/captures/request.js'
import {type CheckResult, check} from '../../../src/webhooks/diagnose/check.js'
import {headerOf} from '../../../src/webhooks/signature/headers.js'
import {createVerifier, verify} from '../../../src/webhooks/signature/signature.js'
import {fakeClock} from '../../support/clocks.js'
import {startReceiving} from '../../support/receiving.js'
import {EVENT, HEADER_NAMES, isSigned, SIGNING_SECRET, signatureOf} from '../../support/webhook-files.js'
import {exchangeRaw, SECRET, signedRequest} from '../../support/webhook-load.js'
import {FORMS, randomBody} from '../../webhooks/captures/forms.js'
import {checkTerms, seeded} from '../../webhooks/signed-events.js'
import {corpusOf, KINDS, T} from './commands.js'
import {anyText, attempt, httpRequests, must, property} from './inputs.js'

const body = Buffer.from(EVENT)
const secrets = [{name: 'one', secret: SIGNING_SECRET}]

/**
 * Reads all requests of a file in pieces of at most `size` bytes. A request may be valid only if the independent check agrees.
 */
async function read(file: Uint8Array, size: number) {
  async function* pieces() {
    for (let at = 0; at < file.length; at += size) yield Buffer.from(file.subarray(at, at + size))
  }
  const options = {signatureGiven: false, names: HEADER_NAMES, leftOut: {count: 0}}
  const found: {headers: CapturedRequest['headers']; body: string; rest: unknown}[] = []
  for await (const requests of readCaptures(pieces(), options))
    for (const request of requests) {
      const parts: Uint8Array[] = []
      if (request.body instanceof Uint8Array) parts.push(request.body)
      else for await (const piece of request.body) parts.push(Buffer.from(piece))
      const whole = Buffer.concat(parts)
      const {headers, problem, gap, receivedAt, place, afterwards} = request
      const header = headerOf(headers ?? {}, 'x-service-signature')
      const [alone = '', ...more] = [header ?? ''].flat()
      for (const each of [whole, ...[...(request.otherReadings?.(whole) ?? [])].map(other => other.body)]) {
        const {valid} = verify({rawBody: each, header, secrets, now: T})
        const isRight = more.length === 0 && isSigned(alone, each, SIGNING_SECRET, T)
        must(!valid || isRight, 'found valid what is not', header)
      }
      const surplus = afterwards?.surplus && Buffer.from(afterwards.surplus).toString('base64')
      const rest = {problem, gap, receivedAt, place, notes: [...(afterwards?.notes ?? [])], surplus}
      found.push({headers, body: whole.toString('base64'), rest})
    }
  return found
}

const webhooks = [
  property(
    'signature: valid only if a check apart says so, whole or in pieces',
    fc.tuple(KINDS.signature.input, fc.integer({min: -302, max: 302}), fc.nat(EVENT.length)),
    ([bytes, age, at]) => {
      const [header, now] = [Buffer.from(bytes).toString(), T + age]
      const verdict = verify({rawBody: body, header, secrets, now})
      must(!verdict.valid || isSigned(header, body, SIGNING_SECRET, now), header, now)
      const verifier = createVerifier({header, secrets, now})
      verifier.update(body.subarray(0, at))
      verifier.update(body.subarray(at))
      must(JSON.stringify(verifier.finish()) === JSON.stringify(verdict), header, now)
    },
  ),
  property(
    'signature: of the saved headers those whose name says so are valid, and no other',
    fc.constantFrom(...corpusOf('signature')),
    ({name, bytes}) => {
      const {valid} = verify({rawBody: body, header: Buffer.from(bytes).toString(), secrets, now: T})
      must(valid === name.startsWith('valid-'), name, valid)
    },
    {examples: corpusOf('signature'), weight: 50},
  ),
  property(
    'captures: read alike whole and in pieces of any size, and nothing in them is believed',
    fc.tuple(KINDS.captures.input, fc.integer({min: 1, max: 70})),
    async ([file, size]) => {
      const [whole, cut] = [await read(file, file.length + 1), await read(file, size)].map(each =>
        JSON.stringify(each),
      )
      must(cut === whole, size, whole?.slice(0, 600), cut?.slice(0, 600))
    },
    {
      weight: 10,
      examples: corpusOf('captures')
        .filter(({bytes}) => bytes.length < 100_000)
        .map(({bytes}): [Uint8Array, number] => [bytes, 997]),
    },
  ),
]

/** Returns the verdict on each request in a text that a partner sent. */
async function judge(text: string | Buffer): Promise<CheckResult[]> {
  async function* whole() {
    yield Buffer.from(text as string)
  }
  const results: CheckResult[] = []
  const options = {signatureGiven: false, names: HEADER_NAMES, leftOut: {count: 0}}
  // A count this high leaves out the search for causes, which takes most of the time.
  const terms = {...checkTerms({secrets}), inVain: {count: 1e9}}
  for await (const requests of readCaptures(whole(), options))
    for (const request of requests) results.push(await check(request, terms))
  return results
}

const partners = property(
  'captures: in every form that partners send a signed request is valid, and a broken one is not',
  fc.tuple(
    fc.constantFrom(...Object.entries(FORMS)),
    fc.nat(),
    fc.constantFrom('sound', 'body', 'secret', 'gone'),
  ),
  async ([[name, write], seed, fate]) => {
    const body = randomBody(seeded(seed))
    const eventId = /evt_\d+/.exec(body.toString())?.[0] ?? ''
    const sent = fate === 'body' ? Buffer.from(body.toString().replace('voucher', 'Voucher')) : body
    const signature = signatureOf(body, T, fate === 'secret' ? 'whsec_other' : SIGNING_SECRET)
    const text = write({signature: fate === 'gone' ? 'none' : signature, eventId, body: sent})
    if (text === undefined) return
    const results = await judge(text)
    must(results.length === 1, name, results.length, String(text))
    const {valid, reason, event_id: id} = results[0] as CheckResult
    must(valid === (fate === 'sound'), name, fate, reason, String(text))
    must(!valid || id === eventId, name, id, eventId)
    must(fate !== 'gone' || reason === 'malformed_header', name, reason, String(text))
  },
  {weight: 4},
)

const cutForms = property(
  'captures: a form that was cut or changed anywhere is never valid for another body',
  fc.tuple(
    fc.constantFrom(...Object.values(FORMS)),
    fc.nat(),
    fc.nat(),
    fc.constantFrom('cut', 'drop', 'double'),
  ),
  async ([write, seed, place, change]) => {
    const body = randomBody(seeded(seed))
    const text = write({signature: signatureOf(body, T), eventId: 'evt_1', body})
    if (text === undefined) return
    const bytes = Buffer.from(text as string)
    const at = place % bytes.length
    const rest = change === 'cut' ? Buffer.alloc(0) : bytes.subarray(change === 'drop' ? at + 1 : at)
    const changed = Buffer.concat([bytes.subarray(0, change === 'double' ? at + 1 : at), rest])
    // Whatever is valid has the signed body, so its event is the one that was signed.
    const signed = JSON.parse(body.toString()).id
    for (const {valid, event_id: id} of await judge(changed))
      must(!valid || id === signed, changed.toString())
  },
  {weight: 4},
)

const now = Math.floor(Date.now() / 1000)
const GOOD = '{"id":"evt_1","type":"a"}'
const head = signedRequest(GOOD, 'evt_1', {timestamp: now, headers: ''}).toString().split('\r\n')
const signedBytes = fc
  .tuple(fc.uint8Array({maxLength: 200}), fc.constantFrom('evt_1', 'x'))
  .map(([raw, id]) => signedRequest(Buffer.from(raw), id, {timestamp: now, headers: ''}))
const STATUSES = /^HTTP\/1\.1 (200|400|401|404|405|408|411|413|417|431|501|503|505) /

const receiving = property(
  'listen: a request of any form is answered or cut off, and 200 only for what is signed',
  fc.oneof(
    httpRequests(
      head.filter(line => /^(X-Service|Content-Length|Host)/.test(line)),
      GOOD,
    ),
    fc.uint8Array({maxLength: 300}),
    signedBytes,
  ),
  async bytes => {
    const receiver = await startReceiving({clock: () => now})
    try {
      const answer = await exchangeRaw(receiver.port, Buffer.from(bytes), {end: true})
      must(answer === '' || STATUSES.test(answer), answer.slice(0, 80))
      for (const {rawHeaders, body} of await receiver.kept()) {
        const at = rawHeaders.findIndex((name, n) => n % 2 === 0 && /^x-service-signature$/i.test(name))
        must(isSigned(rawHeaders[at + 1] ?? '', body, SECRET, now), rawHeaders)
      }
    } finally {
      await receiver.close()
    }
  },
  {weight: 50},
)

const saved = corpusOf('answers').map(({bytes}) => bytes)
const SCHEMES = ['https:', 'HTTPS:', 'http:', 'ftp:', 'file:', 'data:', 'javascript:', '', 'ht\ntps:']
const HOSTS =
  'files.test 127.0.0.1:1 [::1]:1 localhost u:p@files.test 127.0.0.1.files.test 0x7f.1 169.254.169.254'
const PATHS = ['/v?token=canary', '', '/\u0000', '?a', '/%00', '\\@x']
const link = fc.oneof(
  anyText,
  fc.webUrl({withQueryParameters: true, withFragments: true}),
  fc
    .tuple(
      fc.constantFrom(...SCHEMES),
      fc.constantFrom('//', '/', '\\\\', '', '///'),
      fc.constantFrom(...HOSTS.split(' '), ''),
      fc.constantFrom(...PATHS),
    )
    .map(parts => parts.join('')),
)
const pdfPiece = fc.oneof(
  fc.constantFrom('%PDF-1.7\n', '%PDF', '%%EOF\n', '%%EO', '<html>', '\0', ' ', 'x'.repeat(3000)),
  fc.string({maxLength: 9}),
)

const answerOf = (status: number, bytes: Uint8Array, headers: Record<string, string> = {}): Answer => ({
  url: 'https://service.test/v1/account',
  status,
  headers,
  body: bytes,
  attempts: 1,
  mayHaveActed: false,
  json: parseJson(bytes),
  requestId: undefined,
})

const answers = [
  property(
    'answers: a link is fetched by https, or by http from this machine to itself; it is never shown',
    fc.tuple(
      fc.constantFrom('https://service.test/v1', 'http://127.0.0.1:9/v1'),
      link,
      fc.array(link, {maxLength: 5}),
    ),
    async ([baseUrl, first, redirects]) => {
      const fetched: string[] = []
      const sender = {
        async send({url, headers}: {url: string; headers: object}) {
          must(!('authorization' in headers) && !('cookie' in headers), headers)
          const location = redirects[fetched.length]
          fetched.push(url)
          return location === undefined ? answerOf(200, body) : answerOf(302, body, {location})
        },
      }
      const {refusal = ''} = await attempt(() => fetchLink({baseUrl, sender}, first))
      must(!refusal.includes('canary') && !refusal.includes('u:p'), refusal)
      must(fetched.length <= 4, fetched)
      const urls = fetched.map(text => new URL(text))
      for (const [n, {protocol, hostname, username, password}] of urls.entries()) {
        const isHere = /^(127\.[\d.]+|\[::1\]|localhost)$/.test(hostname) && baseUrl.startsWith('http:')
        const wasHttps = urls.slice(0, n).some(before => before.protocol === 'https:')
        must(protocol === 'https:' || (protocol === 'http:' && isHere && !wasHttps), fetched)
        must(username === '' && password === '', fetched)
      }
    },
    {
      examples: [
        ...['http://voucher.test/v', 'http://127.0.0.1/v', 'ftp://127.0.0.1/v', 'file:///etc/passwd', ''],
        'https://u:p@voucher.test/',
      ].flatMap((text): ['https://service.test/v1' | 'http://127.0.0.1:9/v1', string, string[]][] => [
        ['https://service.test/v1', text, []],
        ['https://service.test/v1', 'https://files.test/v', [text]],
        ['http://127.0.0.1:9/v1', 'https://files.test/v', [text]],
      ]),
    },
  ),
  property(
    'answers: a voucher is a whole PDF or nothing',
    fc.tuple(
      fc.array(pdfPiece, {maxLength: 5}),
      fc.constantFrom(200, 200, 200, 201, 204, 206, 301, 403, 404, 410, 500),
    ),
    async ([parts, status]) => {
      const pdf = Buffer.from(parts.join(''))
      const shown = answerOf(200, Buffer.from('{"data":{"voucher":{"url":"https://files.test/v"}}}'))
      const api = {
        baseUrl: 'https://service.test/v1',
        clock: fakeClock(),
        callForAnswer: async () => shown,
        fetchLink: async () => answerOf(status, pdf),
      } as unknown as Api
      const {value} = await attempt(() => fetchVoucher(api, 'RSV-1'))
      const isPdf = /^%PDF-.*%%EOF[\t\n\f\r ]*$/s.test(Buffer.from(pdf).toString('latin1'))
      must((value !== undefined) === (status === 200 && isPdf), status, parts)
      must(value === undefined || pdf.equals(value), parts)
    },
  ),
  property(
    'answers: offers of any shape: texts are texts, prices are plain amounts or none',
    KINDS.answers.input,
    bytes => {
      for (const offer of findOffers(parseJson(bytes))) {
        const {price} = factsOf(offer)
        must(price.total === null || isAmount(price.total), price)
        must(price.currency === null || typeof price.currency === 'string', price)
        must(typeof offer.offerId === 'string' && offer.offerId !== '', offer.offerId)
        const {roomsLeft, dueAtProperty = [], policies = []} = termsOf(offer.node.value)
        must(roomsLeft === undefined || (Number.isInteger(roomsLeft) && roomsLeft > 0), roomsLeft)
        for (const {amount} of dueAtProperty) must(typeof amount === 'string', amount)
        for (const {fee} of policies) must(typeof fee === 'string', fee)
      }
    },
    {examples: saved},
  ),
  property(
    'answers: an error of any shape is reported in few words that a terminal can show',
    fc.tuple(KINDS.answers.input, fc.integer({min: 300, max: 599})),
    async ([bytes, status]) => {
      const {refusal = ''} = await attempt(() => {
        throw refusalOf({...answerOf(status, bytes), secrets: ['canary-canary']}, {now: 1_800_000_000})
      })
      must(refusal !== '' && refusal.length < 4000, refusal)
    },
    {examples: saved.map((bytes): [Uint8Array, number] => [bytes, 400])},
  ),
]

export const outside = [...webhooks, partners, cutForms, receiving, ...answers]
