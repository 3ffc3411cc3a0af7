/** A local sandbox for tests: in memory by default, on a free loopback port, with a stopped clock. */
import {randomUUID} from 'node:crypto'
import {createSandbox, type SandboxOptions} from '../../src/sandbox/sandbox.js'
import {serveSandbox} from '../../src/sandbox/serve.js'
import {CONTACT} from './stay.js'

/** Unix seconds of 2030-06-01T12:00:00Z, the time at which a test's sandbox starts by default. */
export const TEST_START = 1_906_545_600

export interface JsonAnswer {
  readonly status: number
  readonly headers: Headers
  readonly json: Any
}

// biome-ignore lint/suspicious/noExplicitAny: records of every shape, as they come
type Any = any

export type SandboxClient = Awaited<ReturnType<typeof connect>>

export type TestSandbox = Awaited<ReturnType<typeof startSandbox>>

export interface TestSandboxOptions extends Partial<SandboxOptions> {
  /** Calls `handle` directly, without a socket. This is quicker, and enough for most tests. */
  readonly inProcess?: boolean
  /**
   * Called with each answer of the API and its path under the base URL, before the answer is returned. Throws if the answer is
   * wrong.
   */
  readonly check?: (method: string, path: string, answer: JsonAnswer) => void
}

const ALL_SCOPES =
  'hotels:read tours:read reservations:read reservations:write account:read content:read webhooks:read webhooks:write'

export async function startSandbox(options: TestSandboxOptions = {}) {
  const {inProcess, check, ...rest} = options
  const sandbox = createSandbox({database: ':memory:', clock: () => TEST_START, ...rest})
  const served = inProcess ? undefined : await serveSandbox(sandbox, 0)
  const origin = served?.origin ?? 'http://127.0.0.1'
  const baseUrl = `${origin}/partner-api/v1`
  const send: Send = async (method, url, ...more) => {
    const answer = await request(served ? fetch : given => sandbox.handle(given), method, url, ...more)
    if (url.startsWith(baseUrl)) check?.(method, url.slice(baseUrl.length), answer)
    return answer
  }
  return {
    origin,
    baseUrl,
    sandbox,
    ...controlsOf(send, origin),
    client: (name: '' | '_poor' | '_readonly' = '', scope = ALL_SCOPES) =>
      connect(send, baseUrl, name, scope),
    close: async () => {
      await served?.close()
      sandbox.close()
    },
  }
}

function controlsOf(send: Send, origin: string) {
  /** Calls a path outside the API, for example `/_sandbox/events`. */
  const control = (method: string, path: string, body?: unknown) => send(method, origin + path, body)
  return {
    control,
    /** Returns the entries that a control lists. */
    listed: async (list: 'events' | 'deliveries' | 'requests' | 'faults'): Promise<Any[]> =>
      (await expectOk(control('GET', `/_sandbox/${list}`))).json.data,
    advance: async (seconds: number) => {
      await expectOk(control('POST', '/_sandbox/clock', {advance_seconds: seconds}))
    },
    fault: async (order: {operation: string; kind: string; [more: string]: unknown}) => {
      await expectOk(control('POST', '/_sandbox/faults', order))
    },
  }
}

const sendByFetch: Send = (...asked) => request(fetch, ...asked)

/** Returns a client of a sandbox that runs at `origin`. */
export const connectTo = (origin: string) => connect(sendByFetch, `${origin}/partner-api/v1`, '', ALL_SCOPES)

/** Returns the controls of such a sandbox. */
export const controlsAt = (origin: string) => controlsOf(sendByFetch, origin)

type Send = (
  method: string,
  url: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<JsonAnswer>

async function connect(send: Send, baseUrl: string, name: string, scope: string) {
  const granted = await expectOk(
    send('POST', `${baseUrl}/oauth/token`, {
      grant_type: 'client_credentials',
      client_id: `cid_sandbox${name}`,
      client_secret: `sk_test_sandbox${name}`,
      scope,
    }),
  )
  const token = granted.json.data.access_token as string
  /** Calls the API with the bearer token. `path` is relative to the base URL. */
  const call = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    send(method, baseUrl + path, body, {authorization: `Bearer ${token}`, ...headers})
  /** Searches for two adults in Istanbul and returns the offers. `change` replaces criteria. */
  const search = async (change: Record<string, unknown> = {}): Promise<Any[]> =>
    (await expectOk(call('POST', '/hotels/search', searchRequest(change)))).json.data.offers
  /** Sends a reservation request with this Idempotency-Key. */
  const reserve = (body: unknown, key: string = randomUUID()) =>
    call('POST', '/reservations/hotel', body, {'idempotency-key': key})
  /** Like `reserve`, for an offer. */
  const convert = (offer: {offer_id: string}, change?: Record<string, unknown>, key?: string) =>
    reserve(reservationRequest(offer.offer_id, change), key)
  /** Returns the data of a successful GET. */
  const get = async (path: string): Promise<Any> => (await expectOk(call('GET', path))).json.data
  /** Searches, reserves the first offer that `pick` accepts (default: the first), and returns the reservation. */
  const book = async (change?: Record<string, unknown>, pick = (_: Any) => true): Promise<Any> => {
    const offer = (await search()).find(pick)
    return (await expectOk(convert(offer, change))).json.data
  }
  return {token, call, get, search, reserve, convert, book}
}

/** Returns a search for two adults from Turkey, three nights in Istanbul from 2030-07-10, in euro. */
export function searchRequest(change: Record<string, unknown> = {}) {
  return {
    destination: {type: 'CITY' as const, id: 101},
    check_in: '2030-07-10',
    check_out: '2030-07-13',
    rooms: [{adults: 2, children_ages: []}],
    client_nationality: 'TR',
    currency: 'EUR',
    ...change,
  }
}

export {CONTACT}

export const ADULT = {
  type: 'ADULT',
  name: 'Ayşe',
  surname: 'Öğüt',
  birth_date: '1990-05-17',
  gender: 'FEMALE',
  nationality: 'TR',
  identity: {type: 'TC', number: '10000000146'},
  is_lead: true,
}

/** Returns a reservation request for two adults, paid from the account, with a new client reference. */
export function reservationRequest(offerId: string, change: Record<string, unknown> = {}) {
  return {
    offer_id: offerId,
    client_reference_id: `ref-${randomUUID()}`,
    client_nationality: 'TR',
    contact: CONTACT,
    guests: [ADULT, {...ADULT, name: 'Can', gender: 'MALE', is_lead: false}],
    payment: {mode: 'account'},
    ...change,
  }
}

async function request(
  exchange: (request: Request) => Promise<Response>,
  method: string,
  url: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<JsonAnswer> {
  const init: RequestInit = {method, headers, redirect: 'manual'}
  if (body !== undefined) {
    init.body = typeof body === 'string' ? body : JSON.stringify(body)
    init.headers = {'content-type': 'application/json', ...headers}
  }
  const answer = await exchange(new Request(url, init))
  const text = await answer.text()
  return {status: answer.status, headers: answer.headers, json: parse(text)}
}

/** Returns the parsed JSON, or the text itself if it is not JSON. */
export function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

async function expectOk(answer: Promise<JsonAnswer>): Promise<JsonAnswer> {
  const got = await answer
  if (got.status >= 300) throw new Error(`the sandbox answered ${got.status}: ${JSON.stringify(got.json)}`)
  return got
}
