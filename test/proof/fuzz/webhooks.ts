/** What comes from outside as a webhook: its signature beside a check of its own, captures however they are cut, events. */
import fc from 'fast-check'
import {readCaptures} from '../../../src/webhooks/captures/captures.js'
import type {CapturedRequest} from '../../../src/webhooks/captures/request.js'
import {readEvent, readUsualEvent} from '../../../src/webhooks/signature/event.js'
import {DEFAULT_HEADER_NAMES, headerOf} from '../../../src/webhooks/signature/headers.js'
import {createVerifier, sign, verify} from '../../../src/webhooks/signature/signature.js'
import {captureLine, EVENT, SIGNING_SECRET, signatureOf} from '../../support/webhook-files.js'
import {corpusOf, KINDS} from './kinds.js'
import {anyText, must, property} from './property.js'
import {isSigned} from './signed.js'

const T = 1_700_000_000
const body = Buffer.from(EVENT)
const secrets = [{name: 'one', secret: SIGNING_SECRET}]
const kindOf = (name: string) => KINDS.find(kind => kind.name === name) as (typeof KINDS)[number]
const savedOf = (name: string) => corpusOf(kindOf(name))
const bytes = (name: string) => kindOf(name).input

interface Read {
  readonly headers: unknown
  readonly body: string
  readonly problem: string | undefined
  readonly receivedAt: number | undefined
  readonly place: string | undefined
  readonly notes: readonly string[]
  readonly surplus: string | undefined
}

/** All requests of a file that comes in pieces of at most `size` bytes. */
async function read(file: Uint8Array, size: number): Promise<Read[]> {
  async function* pieces() {
    for (let at = 0; at < file.length; at += size) yield Buffer.from(file.subarray(at, at + size))
  }
  const found: Read[] = []
  for await (const requests of readCaptures(pieces(), {
    ...{signatureGiven: false, names: DEFAULT_HEADER_NAMES, leftOut: {count: 0}},
  }))
    for (const request of requests) found.push(await readOne(request))
  return found
}

async function readOne(request: CapturedRequest): Promise<Read> {
  const parts: Uint8Array[] = []
  if (request.body instanceof Uint8Array) parts.push(request.body)
  else for await (const piece of request.body) parts.push(Buffer.from(piece))
  const whole = Buffer.concat(parts)
  checkVerdict(request, whole)
  const {headers, problem, receivedAt, place, afterwards} = request
  const {surplus, notes} = afterwards
  return {
    ...{headers, problem, receivedAt, place, notes: [...notes]},
    body: whole.toString('base64'),
    surplus: surplus && Buffer.from(surplus).toString('base64'),
  }
}

/** Found valid only if it is signed, by the check apart. */
function checkVerdict({headers = {}}: CapturedRequest, whole: Uint8Array): void {
  const header = headerOf(headers, 'x-service-signature')
  const {valid} = verify({rawBody: whole, header, secrets, now: T})
  const isRight = typeof header === 'string' && isSigned(header, whole, SIGNING_SECRET, T)
  const isRightAlone =
    Array.isArray(header) && header.length === 1 && isSigned(String(header[0]), whole, SIGNING_SECRET, T)
  must(!valid || isRight || isRightAlone, 'found valid what is not', header)
}

export const webhooks = [
  property(
    'signature: valid only if a check apart says so, whole or in pieces',
    fc.tuple(
      bytes('signature').map(text => Buffer.from(text).toString()),
      fc.integer({min: -302, max: 302}),
      fc.nat(EVENT.length),
    ),
    ([header, age, at]) => {
      const now = T + age
      const verdict = verify({rawBody: body, header, secrets, now})
      must(!verdict.valid || isSigned(header, body, SIGNING_SECRET, now), header, now)
      const verifier = createVerifier({header, secrets, now})
        .update(body.subarray(0, at))
        .update(body.subarray(at))
      must(JSON.stringify(verifier.finish()) === JSON.stringify(verdict), header, now)
    },
  ),
  property(
    'signature: what is signed here is valid, and with any bit changed it is not',
    fc.tuple(
      fc.uint8Array({minLength: 1, maxLength: 300}),
      anyText.filter(text => text.length > 3),
      fc.nat(2400),
      fc.integer({min: -300, max: 300}),
    ),
    ([raw, secret, bit, age]) => {
      const key = `whsec_${secret}x`
      const header = sign(key, String(T), raw)
      must(isSigned(header, raw, key, T), header)
      const terms = {
        header,
        secrets: [
          {name: 'a', secret: 'whsec_other'},
          {name: 'b', secret: key},
        ],
      }
      must(verify({rawBody: raw, ...terms, now: T + age}).valid, header)
      const changed = Uint8Array.from(raw)
      changed[bit % raw.length] = (changed[bit % raw.length] ?? 0) ^ (1 << (bit % 8))
      must(!verify({rawBody: changed, ...terms, now: T + age}).valid, header)
      must(!verify({rawBody: raw, ...terms, now: T + Math.sign(age || 1) * 301}).valid, header)
    },
  ),
  property(
    'signature: of the saved headers those whose name says so are valid, and no other',
    fc.constantFrom(...savedOf('signature')),
    ({name, bytes: saved}) => {
      const {valid} = verify({rawBody: body, header: Buffer.from(saved).toString(), secrets, now: T})
      must(valid === name.startsWith('valid-'), name, valid)
    },
    {examples: savedOf('signature'), weight: 50},
  ),
  property(
    'captures: read alike whole and in pieces of any size, and nothing in them is believed',
    fc.tuple(bytes('captures'), fc.integer({min: 1, max: 70})),
    async ([file, size]) => {
      const [whole, cut] = [await read(file, file.length + 1), await read(file, size)]
      must(
        JSON.stringify(cut) === JSON.stringify(whole),
        size,
        JSON.stringify(whole).slice(0, 600),
        JSON.stringify(cut).slice(0, 600),
      )
    },
    {
      weight: 10,
      examples: savedOf('captures')
        .filter(saved => saved.bytes.length < 100_000)
        .map((saved): [Uint8Array, number] => [saved.bytes, 997]),
    },
  ),
  property(
    'captures: what is right in them is found right',
    fc.tuple(fc.uint8Array({maxLength: 200}), fc.constantFrom('\r\n', '\n'), fc.integer({min: 1, max: 50})),
    async ([raw, end, size]) => {
      const signature = signatureOf(raw, T)
      const head = [
        'POST /hook HTTP/1.1',
        'Host: x',
        `X-Service-Signature: ${signature}`,
        `Content-Length: ${raw.length}`,
      ]
      const request = Buffer.concat([Buffer.from(`${head.join(end)}${end}${end}`), raw])
      const har = {
        log: {
          entries: [
            {
              request: {
                headers: [{name: 'x-service-signature', value: signature}],
                postData: {text: Buffer.from(raw).toString('base64'), encoding: 'base64'},
              },
            },
          ],
        },
      }
      const line = {
        ...JSON.parse(captureLine('', T)),
        body_base64: Buffer.from(raw).toString('base64'),
        headers: {'x-service-signature': signature},
      }
      for (const file of [
        request,
        Buffer.from(JSON.stringify(har)),
        Buffer.from(`${JSON.stringify(line)}\n`),
      ]) {
        const [found] = await read(file, size)
        must(
          found !== undefined && found.body === Buffer.from(raw).toString('base64'),
          file.toString(),
          found,
        )
        const header = headerOf((found?.headers ?? {}) as Record<string, string>, 'X-Service-Signature')
        must(verify({rawBody: raw, header, secrets, now: T}).valid, found)
      }
    },
    {weight: 10},
  ),
  property(
    'events: the quick way says the same as the slow one, or nothing',
    fc.oneof(
      bytes('answers'),
      fc.json().map(text => Buffer.from(`{"id":"evt_1","type":"a","created":"b","data":${text}}`)),
      anyText.map(text => Buffer.from(`{"id":"${text}","type":"a","created":"b"}`)),
    ),
    raw => {
      const quick = readUsualEvent(Buffer.from(raw).toString('latin1'))
      const slow = readEvent(raw)
      must(
        quick === undefined || JSON.stringify(quick) === JSON.stringify(slow),
        Buffer.from(raw).toString(),
        quick,
        slow,
      )
    },
  ),
]
