/** Verbose lines, HAR documents and curl lines report every attempt, without secrets and personal data. */
import {execFileSync} from 'node:child_process'
import {describe, expect, test} from 'vitest'
import {createRedactor, redactStack} from '../../src/api/redact/redact.js'
import {curlLine} from '../../src/api/trace/curl.js'
import {createTrace} from '../../src/api/trace/trace.js'
import {type AttemptRecord, ExchangeError, type WireAnswer} from '../../src/api/types.js'

const BASE = 'https://service.test/partner-api/v1'

const answer = (json: unknown, headers: Record<string, string> = {}, status = 200): WireAnswer => ({
  status,
  headers: {'content-type': 'application/json', 'x-request-id': 'req_1', ...headers},
  body: Buffer.from(typeof json === 'string' ? json : JSON.stringify(json)),
})

const record = (
  method: string,
  url: string,
  body: unknown,
  outcome: WireAnswer | ExchangeError,
  headers: Record<string, string> = {authorization: 'Bearer canary-token'},
): AttemptRecord => {
  const request = {method, url, headers, ...(body !== undefined && {body: JSON.stringify(body)})}
  const times = {startedAt: 1_800_000_000, milliseconds: 41.4, waitMilliseconds: undefined}
  return {request, attempt: 1, outcome, ...times}
}

const person = {name: 'Canaryşe', email: 'canary@example.test', birth_date: '1987-06-05'}
const GUEST = {type: 'ADULT', ...person, identity: {type: 'TC', number: '10000000146'}}
const BOOKING = {offer_id: 'off_1', client_reference_id: 'my-ref', contact: person, guests: [GUEST]}

/** The answer to a reservation. */
const MADE = {
  reservation_ref: 'RSV-1',
  status: 'PENDING_PAYMENT',
  hotel: {name: 'Pera Palace'},
  payment: {url: 'https://pay.test/canary?x=1', amount: '240.00'},
  guests: [GUEST],
  nested: JSON.stringify({inner: JSON.stringify({access_token: 'x', who: 'other-canary@example.test'})}),
}

const LINKED = answer('%PDF-1.7 Canaryşe', {location: 'https://files.test/canary?x=1'})

/** The requests of a booking. */
const ERRAND: AttemptRecord[] = [
  record(
    'POST',
    `${BASE}/oauth/token`,
    {client_id: 'cid_1', client_secret: 'sk_test_canary'},
    answer({data: {access_token: 'canary-token'}}, {'set-cookie': 's=canary-cookie', location: '/canary'}),
    {'proxy-authorization': 'Basic canary-proxy'},
  ),
  record('POST', `${BASE}/reservations/hotel`, BOOKING, answer({data: MADE}), {
    authorization: 'Bearer canary-token',
    'idempotency-key': '0b9f2f4e-visible-key',
  }),
  record('GET', 'https://files.test/canary4signature/v.pdf', undefined, LINKED, {}),
  record(
    'GET',
    `${BASE}/account?token=canary&client_reference_id=my-ref`,
    undefined,
    new ExchangeError('reset', true, 'service.test:443 closed it'),
  ),
]

/** Returns the lines shown for the booking, without and with bodies, the records kept of it, and its HAR document. */
async function run() {
  const [lines, long, kept]: [string[], string[], object[]] = [[], [], []]
  const trace = createTrace({show: line => lines.push(line), note: summary => kept.push(summary), keep: true})
  const wordy = createTrace({show: line => long.push(line), bodies: true})
  for (const attempt of ERRAND) for (const each of [trace, wordy]) each.attempt(attempt)
  return {lines, long, kept, har: await trace.har('0.1.0')}
}

test('no secret and no person is in a line, in what is kept or the HAR document', async () => {
  // Secrets of every kind, place and spelling are in test/proof/fuzz/redaction.ts.
  expect(JSON.stringify(await run())).not.toMatch(/canary|1987|10000000146/i)
})

test('a verbose line is one line with method, URL, status, time, request id and attempt', async () => {
  const {lines} = await run()
  expect(lines).toHaveLength(ERRAND.length)
  expect(lines[1]).toBe(`POST ${BASE}/reservations/hotel: 200 in 41 ms, request req_1, attempt 1`)
  expect(lines[2]).toMatch(/^GET https:\/\/files\.test\/\[redacted\]: 200/)
  expect(lines[3]).toBe(
    `GET ${BASE}/account?token=[redacted]&client_reference_id=[redacted]: reset in 41 ms (service.test:443 closed it), attempt 1`,
  )
})

test('a verbose line has the wait, and foreign text escaped', () => {
  const lines: string[] = []
  const odd = answer({}, {'x-request-id': 'a\u001b[31m\u202eb'}, 503)
  createTrace({show: line => lines.push(line)}).attempt({
    ...record('GET', `${BASE}/account`, undefined, odd),
    waitMilliseconds: 249.6,
  })
  expect(lines).toEqual([
    `GET ${BASE}/account: 503 in 41 ms, request a\\u001b[31m\\u202eb, attempt 1, again in 250 ms`,
  ])
})

describe('the HAR document', async () => {
  type Entry = {request: Record<string, unknown>; response: Record<string, unknown>} & Record<string, unknown>
  const {log} = (await run()).har as {log: {version: string; creator: object; entries: Entry[]}}

  test('has every field HAR 1.2 requires, of the right type', () => {
    expect(log).toMatchObject({version: '1.2', creator: {name: 'bookctl', version: '0.1.0'}})
    const [number, string, list] = [expect.any(Number), expect.any(String), expect.any(Array)]
    const both = {httpVersion: 'HTTP/1.1', cookies: [], headers: list, headersSize: -1, bodySize: number}
    const content = {size: number, mimeType: string}
    for (const entry of log.entries) {
      expect(entry).toMatchObject({
        startedDateTime: '2027-01-15T08:00:00.000Z',
        time: number,
        cache: {},
        timings: {send: number, wait: number, receive: number},
        request: {method: string, url: expect.stringMatching(/^https:/), queryString: list, ...both},
        response: {status: number, statusText: string, content, redirectURL: string, ...both},
      })
    }
  })

  test('keeps key, references, statuses and hotel', () => {
    const text = JSON.stringify(log.entries[1])
    const plain =
      '0b9f2f4e-visible-key off_1 my-ref RSV-1 PENDING_PAYMENT 240.00 https://pay.test/[redacted] ADULT'
    for (const kept of [...plain.split(' '), 'Pera Palace']) expect(text).toContain(kept)
    expect(JSON.stringify(log.entries[0])).toContain('cid_1')
    expect(log.entries[3]).toMatchObject({response: {status: 0}, _error: {fault: 'reset', sent: true}})
  })
})

test('-vv adds headers and bodies of both sides, each cut at 4 KiB', async () => {
  const text = (await run()).long.join('\n')
  expect(text).toContain('  > idempotency-key: 0b9f2f4e-visible-key')
  expect(text).toContain('"hotel":{"name":"Pera Palace"}')
  expect(text).toContain('bytes that are not JSON, left out')
  const lines: string[] = []
  const large = record('GET', `${BASE}/account`, undefined, answer({data: 'x'.repeat(10_000)}))
  createTrace({show: line => lines.push(line), bodies: true}).attempt(large)
  expect(lines.at(-1)).toMatch(/^ {2}< .{4095}… \(cut; 100\d\d bytes\)$/)
})

test('a summary is kept of each attempt, and a sentence is no code', async () => {
  const kept: object[] = []
  const sentence = record('GET', `${BASE}/account`, undefined, answer({title: 'Ayşe Öğüt is dead'}, {}, 409))
  createTrace({note: summary => kept.push(summary)}).attempt(sentence)
  expect(kept[0]).not.toHaveProperty('error_code')
  expect((await run()).kept[1]).toEqual({
    at: '2027-01-15T08:00:00.000Z',
    method: 'POST',
    url: `${BASE}/reservations/hotel`,
    ms: 41,
    attempt: 1,
    status: 200,
    request_id: 'req_1',
    idempotency_key: '0b9f2f4e-visible-key',
  })
})

test('a stack trace keeps its places and loses what looks like a secret', () => {
  const stack = `Error: broken by GET /pay/1yKgD1aylbd7nWlN2F8QOxWx9 {"identity":{"number":"U1234567"}}
    at listSubscriptions (/opt/bookctl/src/api/webhooks.ts:77:20)`
  expect(redactStack(stack)).toBe(`Error: broken by GET /pay/[redacted] {"identity":[redacted]
    at listSubscriptions (/opt/bookctl/src/api/webhooks.ts:77:20)`)
})

/** Returns the words that `sh` reads in `line`, without `curl` itself. */
function wordsOf(line: string): string[] {
  const script = `curl() { for word; do printf '%s\\0' "$word"; done; }\n${line}`
  const env = {...process.env, BOOKCTL_TOKEN: 'tok$(id)', BOOKCTL_CLIENT_SECRET: 'sk_"x'}
  return execFileSync('sh', ['-c', script], {env, encoding: 'utf8'}).split('\0').slice(0, -1)
}

test('the shell reads back the same request, whatever characters it has', () => {
  const body = JSON.stringify({a: `it's "$HOME" \`id\` $(id) \\ ;&|`, b: ['ş', 1.5, null]})
  const line = curlLine(
    {
      method: 'POST',
      url: "https://service.test/v1/x/it's?q=a%20b&c=%26",
      headers: {authorization: 'Bearer secret', 'x-note': "don't $(id)", 'user-agent': 'bookctl/1'},
      body,
    },
    createRedactor(),
  )
  expect(line).not.toContain('secret')
  expect(wordsOf(line)).toEqual([
    '-sS',
    '-X',
    'POST',
    "https://service.test/v1/x/it's?q=a%20b&c=%26",
    '-H',
    'Authorization: Bearer tok$(id)',
    '-H',
    "x-note: don't $(id)",
    '--data-raw',
    body,
  ])
  const list = {method: 'POST', url: 'https://service.test/v1/x', headers: {}, body: '["\u202e\u{e0067}"]'}
  expect(wordsOf(curlLine(list, createRedactor())).at(-1)).toBe(String.raw`["\u202e\udb40\udc67"]`)
})

test('secrets of the OAuth bodies are variables', () => {
  const line = curlLine(
    {
      method: 'POST',
      url: 'https://service.test/v1/oauth/token',
      headers: {},
      body: '{"client_id":"cid_1","client_secret":"sk_test_canary","scope":"hotels:read"}',
    },
    createRedactor(),
  )
  expect(line).not.toContain('canary')
  expect(wordsOf(line).at(-1)).toBe('{"client_id":"cid_1","client_secret":"sk_"x","scope":"hotels:read"}')
})

test('of a signed link the path is taken out', () => {
  const request = {method: 'GET', url: 'https://f.test/signed/v.pdf?sig=1', headers: {}}
  expect(curlLine(request, createRedactor())).toBe("curl -sS 'https://f.test/[redacted]'")
})
