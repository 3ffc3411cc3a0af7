/** What services answer, beyond the commands: links, vouchers, offers, errors; and requests that come to `listen`. */
import fc from 'fast-check'
import {describeError} from '../../../src/api/answers/errors.js'
import {factsOf} from '../../../src/api/answers/offer-facts.js'
import {termsOf} from '../../../src/api/answers/offer-terms.js'
import {findOffers} from '../../../src/api/answers/offers.js'
import {refusalOf} from '../../../src/api/answers/refusals.js'
import {fetchLink} from '../../../src/api/operations/link.js'
import {fetchVoucher} from '../../../src/api/operations/vouchers.js'
import type {Answer, Api} from '../../../src/api/types.js'
import {describeFailure} from '../../../src/cli/shell/failure.js'
import {Failure} from '../../../src/contract/failure.js'
import {parseJson} from '../../../src/contract/json.js'
import {isAmount} from '../../../src/contract/money.js'
import {fakeClock} from '../../support/clocks.js'
import {startReceiving} from '../../support/receiving.js'
import {exchangeRaw, SECRET, signedRequest} from '../../support/webhook-load.js'
import {corpusOf, KINDS} from './kinds.js'
import {httpRequests} from './mutate.js'
import {anyText, must, property} from './property.js'
import {dangerousIn} from './sanitiser.js'
import {isSigned} from './signed.js'

const kind = KINDS.find(({name}) => name === 'answers') as (typeof KINDS)[number]
const saved = corpusOf(kind).map(({bytes}) => bytes)
const link = fc.oneof(
  anyText,
  fc.webUrl({withQueryParameters: true, withFragments: true}),
  fc
    .tuple(
      fc.constantFrom('https:', 'HTTPS:', 'http:', 'ftp:', 'file:', 'data:', 'javascript:', '', 'ht\ntps:'),
      fc.constantFrom('//', '/', '\\\\', '', '///'),
      fc.constantFrom(
        'files.test',
        '127.0.0.1:1',
        '[::1]:1',
        'localhost',
        'u:p@files.test',
        '127.0.0.1.files.test',
        '0x7f.1',
        '169.254.169.254',
        '',
      ),
      fc.constantFrom('/v?token=canary', '', '/\u0000', '?a', '/%00', '\\@x'),
    )
    .map(parts => parts.join('')),
)

/** Whatever it throws must be a Failure with words fit for a terminal; they are given back. */
async function failing(work: () => unknown): Promise<string> {
  try {
    await work()
    return ''
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const {exit, text} = describeFailure(error)
    must(exit > 2 && dangerousIn(text.replaceAll('\n', '')) === undefined, exit, text)
    return text
  }
}

const answerOf = (status: number, body: Uint8Array, headers: Record<string, string> = {}): Answer => {
  const json = parseJson(body)
  return {status, headers, body, attempts: 1, mayHaveActed: false, json, requestId: undefined}
}

export const answers = [
  property(
    'answers: a link is fetched by https, or by http from this machine to itself; it is never shown',
    fc.tuple(
      fc.constantFrom('https://service.test/v1', 'http://127.0.0.1:9/v1'),
      link,
      fc.array(link, {maxLength: 5}),
    ),
    async ([baseUrl, first, redirects]) => {
      const fetched: string[] = []
      const left = [...redirects]
      const sender = {
        async send(request: {url: string; headers: object}) {
          fetched.push(request.url)
          must(!('authorization' in request.headers) && !('cookie' in request.headers), request)
          const next = left.shift()
          return answerOf(
            next === undefined ? 200 : 302,
            new Uint8Array(),
            next === undefined ? {} : {location: next},
          )
        },
      }
      const said = await failing(() => fetchLink({baseUrl, sender}, first))
      must(!said.includes('canary') && !said.includes('u:p'), said)
      must(fetched.length <= 4, fetched)
      let wasHttps = false
      for (const text of fetched) {
        const url = new URL(text)
        const isHere =
          ['127.0.0.1', '[::1]', 'localhost'].includes(url.hostname) || url.hostname.startsWith('127.')
        must(
          url.protocol === 'https:' ||
            (url.protocol === 'http:' && isHere && !wasHttps && baseUrl.startsWith('http:')),
          fetched,
        )
        must(url.username === '' && url.password === '', text)
        wasHttps ||= url.protocol === 'https:'
      }
    },
  ),
  property(
    'answers: a voucher is a whole PDF or nothing',
    fc.tuple(
      fc.array(
        fc.oneof(
          fc.constantFrom('%PDF-1.7\n', '%PDF', '%%EOF\n', '%%EO', '<html>', '\0', ' '),
          fc.string({unit: 'binary', maxLength: 9}),
          fc.constant('x'.repeat(3000)),
        ),
        {maxLength: 5},
      ),
      fc.constantFrom(undefined, 'right', '0', '-1', '1e9', 'x', ''),
      fc.constantFrom(200, 200, 200, 201, 204, 206, 301, 403, 404, 410, 500),
    ),
    async ([parts, length, status]) => {
      const body = Buffer.from(parts.join(''))
      const announced = length === 'right' ? String(body.length) : length
      const fetched = answerOf(status, body, announced === undefined ? {} : {'content-length': announced})
      const api = {
        baseUrl: 'https://service.test/v1',
        clock: fakeClock(),
        exchange: async () =>
          answerOf(200, Buffer.from('{"data":{"voucher":{"url":"https://files.test/v"}}}')),
        fetchLink: async () => fetched,
      } as unknown as Api
      let saved: Uint8Array | undefined
      await failing(async () => {
        saved = await fetchVoucher(api, 'RSV-1')
      })
      const isWhole =
        status === 200 &&
        body.subarray(0, 5).equals(Buffer.from('%PDF-')) &&
        body.subarray(-2048).includes('%%EOF')
      if (saved !== undefined)
        must(
          isWhole && body.equals(saved) && (announced === undefined || Number(announced) === body.length),
          status,
          announced,
        )
      else
        must(
          !isWhole || (announced !== undefined && Number(announced) !== body.length),
          status,
          announced,
          parts,
        )
    },
  ),
  property(
    'answers: offers of any shape: texts are texts, prices are plain amounts or none',
    kind.input,
    bytes => {
      for (const offer of findOffers(parseJson(bytes))) {
        const {price, rooms_left: _, ...facts} = {rooms_left: null, ...factsOf(offer)}
        must(price.total === null || isAmount(price.total), price)
        must(price.currency === null || typeof price.currency === 'string', price)
        must(typeof offer.offerId === 'string' && offer.offerId !== '', facts)
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
    fc.tuple(kind.input, fc.integer({min: 300, max: 599})),
    async ([bytes, status]) => {
      const answer = {...answerOf(status, bytes), secrets: ['canary-canary']}
      const {code, message = ''} = describeError(answer)
      must(typeof code === 'string' && message.length < 2000, code, message)
      await failing(() => {
        throw refusalOf(answer, 1_800_000_000)
      })
    },
    {examples: saved.map((bytes): [Uint8Array, number] => [bytes, 400])},
  ),
]

const now = Math.floor(Date.now() / 1000)
const good = signedRequest('{"id":"evt_1","type":"a"}', 'evt_1', {timestamp: now}).toString()
const lines = good.split('\r\n').filter(line => /^(X-Service|Content-Length|Host)/.test(line))

export const receiving = [
  property(
    'listen: a request of any form is answered or cut off, and 200 only for what is signed',
    fc.oneof(
      httpRequests(lines, '{"id":"evt_1","type":"a"}'),
      fc.uint8Array({maxLength: 300}),
      fc
        .tuple(fc.uint8Array({maxLength: 200}), fc.constantFrom('evt_1', 'x'))
        .map(([raw, id]) => signedRequest(Buffer.from(raw), id, {timestamp: now})),
    ),
    async bytes => {
      const receiver = await startReceiving({clock: () => now})
      try {
        const answer = await exchangeRaw(receiver.port, Buffer.from(bytes), {end: true})
        must(
          answer === '' || /^HTTP\/1\.1 (200|400|401|404|405|408|411|413|417|431|501|503|505) /.test(answer),
          answer.slice(0, 80),
        )
        for (const event of receiver.store.page({}, {after: 0}, 10)) {
          const headers = Object.fromEntries(
            event.rawHeaders.flatMap((name, n) =>
              n % 2 === 0 ? [[name.toLowerCase(), event.rawHeaders[n + 1] ?? '']] : [],
            ),
          )
          must(isSigned(String(headers['x-service-signature']), event.body, SECRET, now), headers)
        }
      } finally {
        await receiver.close()
      }
    },
    {weight: 50},
  ),
]
