/**
 * The whole table of retries, as the sender applies it: every operation, every status from 100 to 599 and every fault, with each
 * form of Retry-After. The expected results are written independently of the code. They come from RFC 9110 §10.2.3 for
 * Retry-After, §7 for 401, and docs/architecture.md ("Exactly one reservation") for what may be sent twice.
 */
import {expect, test} from 'vitest'
import {createSender, mayHaveActed} from '../../../src/api/http/send.js'
import {createApi} from '../../../src/api/operations/client.js'
import {
  ExchangeError,
  type ExchangeFault,
  SendError,
  type Transport,
  type WireAnswer,
} from '../../../src/api/types.js'
import {OPERATIONS, type OperationName} from '../../../src/contract/operations.js'
import {fakeClock} from '../../support/clocks.js'

/** The time of the fake clock: 2027-01-15T08:00:00Z. */
const NOW = 1_800_000_000
const TIMEOUT_SECONDS = 60
/** Half of the first ceiling of 250 ms, because `random` returns a half. */
const JITTER = 125
const date = (seconds: number) => new Date((NOW + seconds) * 1000).toUTCString()

/** Headers, and the milliseconds they ask for; undefined if they ask for none that can be read. */
const HEADERS: readonly (readonly [headers: Record<string, string>, asked: number | undefined])[] = [
  [{}, undefined],
  [{'retry-after': '0'}, 0],
  [{'retry-after': '7'}, 7000],
  [{'retry-after': ' 7 '}, 7000],
  [{'retry-after': '59'}, 59_000],
  [{'retry-after': '60'}, 60_000],
  [{'retry-after': '999999999'}, 999_999_999_000],
  [{'retry-after': date(5)}, 5000],
  [{'retry-after': date(5).replace(/^\w+/, 'Someday')}, 5000],
  [{'retry-after': date(-5)}, 0],
  [{'retry-after': date(86_400)}, 86_400_000],
  // Measured by the service's own clock if the answer has a date.
  [{'retry-after': date(1005), date: date(1000)}, 5000],
  [{'retry-after': date(5), date: 'never'}, 5000],
  ...[
    '-1',
    '+1',
    '1.5',
    '1e3',
    '0x10',
    '٧',
    'soon',
    'NaN',
    '1999999999',
    '2033-05-18',
    '\u202e7',
    '5, 6',
    '',
    ' ',
    '7 s',
    '9'.repeat(400),
  ].map((text): [Record<string, string>, undefined] => [{'retry-after': text}, undefined]),
]

const PASSING = ['dns', 'refused', 'connect_timeout', 'proxy', 'reset', 'timeout', 'cut'] as ExchangeFault[]
const LASTING = ['tls', 'proxy_refused', 'too_large', 'protocol'] as ExchangeFault[]

interface Seen {
  readonly requests: number
  readonly waits: readonly number[]
  readonly mayHaveActed: boolean
  /** The final status, or the fault. */
  readonly end: number | ExchangeFault
}

/** Sends to a service that answers first with `first` and then with 200. */
async function send(first: WireAnswer | ExchangeError, repeatable: boolean): Promise<Seen> {
  const clock = fakeClock(NOW)
  let requests = 0
  const transport: Transport = async () => {
    if (++requests > 1) return {status: 200, headers: {}, body: Buffer.alloc(0)}
    if (first instanceof ExchangeError) throw first
    return first
  }
  const sender = createSender({transport, clock, random: () => 0.5})
  const request = {method: 'POST', url: 'https://service.test/v1/x', headers: {}, body: '{}'}
  const seen = await sender.send(request, {repeatable, timeoutSeconds: TIMEOUT_SECONDS}).catch(error => {
    if (error instanceof SendError) return {status: error.last.fault, mayHaveActed: error.mayHaveActed}
    throw error
  })
  return {requests, waits: clock.sleeps, mayHaveActed: seen.mayHaveActed, end: seen.status}
}

function expected(may: boolean, asked: number | undefined, acted: boolean, end: Seen['end']): Seen {
  const wait = Math.max(JITTER, asked ?? 0)
  const fits = wait < TIMEOUT_SECONDS * 1000
  return may && fits
    ? {requests: 2, waits: [wait], mayHaveActed: acted, end: 200}
    : {requests: 1, waits: [], mayHaveActed: typeof end === 'number' ? false : acted, end}
}

test.each([true, false])('every status × headers, repeatable: %s', async repeatable => {
  const wrong: unknown[] = []
  let cells = 0
  for (let status = 100; status <= 599; status++) {
    for (const [headers, asked] of HEADERS) {
      const may = status === 429 || (repeatable && [500, 502, 503, 504].includes(status))
      const seen = await send({status, headers, body: Buffer.from('{}')}, repeatable)
      const right = expected(may, asked, status >= 500, status)
      cells++
      if (JSON.stringify(seen) !== JSON.stringify(right)) wrong.push({status, headers, seen, right})
    }
  }
  expect(wrong).toEqual([])
  expect(cells).toBeGreaterThanOrEqual(14_000)
})

test.each([...PASSING, ...LASTING].flatMap(fault => [true, false].map(sent => [fault, sent] as const)))(
  '%s, sent: %s',
  async (fault, sent) => {
    for (const repeatable of [true, false]) {
      const seen = await send(new ExchangeError(fault, sent, 'made up'), repeatable)
      expect(seen).toEqual(expected(PASSING.includes(fault) && (repeatable || !sent), undefined, sent, fault))
    }
  },
)

/**
 * Operations that may change something: all POST, PATCH and DELETE requests except the token requests (§4.1, §4.2) and the
 * searches.
 */
const CHANGES = new Set([
  'reservations.create',
  'reservations.update',
  'reservations.cancel',
  'subscriptions.create',
  'subscriptions.update',
  'subscriptions.delete',
  'subscriptions.test',
  'subscriptions.rotate',
])

const ENDS: readonly (readonly [name: string, end: number | ExchangeError, read: number, changed: number])[] =
  [
    ['200', 200, 1, 1],
    ['401', 401, 2, 2],
    ['403', 403, 1, 1],
    ['429', 429, 4, 4],
    ['500', 500, 4, 1],
    ['503', 503, 4, 1],
    ['501', 501, 1, 1],
    ['307', 307, 1, 1],
    ['cut', new ExchangeError('cut', true, 'made up'), 4, 1],
    ['stalled', new ExchangeError('timeout', true, 'made up'), 4, 1],
    ['refused', new ExchangeError('refused', false, 'made up'), 4, 4],
    ['tls', new ExchangeError('tls', false, 'made up'), 1, 1],
  ]

test.each(Object.keys(OPERATIONS) as OperationName[])('%s is sent as often as it may be', async name => {
  for (const [what, end, read, changed] of ENDS) {
    const bodies = new Set<string | undefined>()
    let requests = 0
    const transport: Transport = async request => {
      requests++
      bodies.add(request.body)
      if (end instanceof ExchangeError) throw end
      return {status: end, headers: {}, body: Buffer.from('{}')}
    }
    const clock = fakeClock(NOW)
    let tokens = 0
    const token = () => ({access_token: `t${tokens++}`, scopes: [], obtainedAt: NOW, expiresAt: NOW + 7200})
    const api = createApi({
      baseUrl: 'https://service.test/v1',
      sender: createSender({transport, clock, random: () => 0.5}),
      tokens: {get: async () => token(), replace: async () => token()},
      clock,
    })
    const inPath = [...OPERATIONS[name].path.matchAll(/\{(\w+)\}/g)]
    const parameters = Object.fromEntries(inPath.map(([, key]) => [key, 'x']))
    await api
      .callForAnswer(name, {parameters, body: {a: 1}})
      .catch(error => expect(error).toBeInstanceOf(SendError))
    const times = CHANGES.has(name) ? changed : read
    // A request without a bearer token has no token to renew.
    const isUnsigned = OPERATIONS[name].scope === null && end === 401
    expect([what, requests]).toEqual([what, isUnsigned ? 1 : times])
    expect(bodies.size).toBe(1)
  }
})

test('only a 4xx and a redirect that keeps the method say that the service did not act', () => {
  const all = Array.from({length: 500}, (_, n) => n + 100)
  const without = all.filter(status => !mayHaveActed({status}))
  expect(without).toEqual([307, 308, ...all.filter(status => status >= 400 && status < 500)])
})
