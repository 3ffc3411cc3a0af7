/** A partner's program, as small functions on plain fetch, and the sandbox that it uses, whose clock can be moved. */
import {randomUUID} from 'node:crypto'
import {onTestFinished} from 'vitest'
import {ConnectionDrop} from '../../../src/sandbox/base/answers.js'
import {judge} from '../../../src/sandbox/certify/judge.js'
import {reservationRequest, searchRequest, startSandbox, TEST_START} from '../../support/sandbox.js'

const SCOPES = 'hotels:read reservations:read reservations:write account:read'

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape, as a partner's program reads them
type Any = any

export interface Answer {
  /** 0 if there was no answer. */
  readonly status: number
  readonly json: Any
}

interface Sending {
  readonly method?: string
  readonly token?: string
  readonly body?: unknown
  readonly headers?: Record<string, string>
  readonly signal?: AbortSignal
}

export type Partner = Awaited<ReturnType<typeof openPartner>>

/**
 * Opens a sandbox, whose real time is that of `wait`. It is in process unless `isServed`: only then are there connections, which
 * show how many workers a program has.
 */
export async function openPartner({isServed = false} = {}) {
  let now = TEST_START
  const sandbox = await startSandbox({inProcess: !isServed, clock: () => now, allowHttpLoopback: true})
  onTestFinished(sandbox.close)
  const {baseUrl} = sandbox
  const exchange = isServed ? fetch : (request: Request) => sandbox.sandbox.handle(request)
  const send = async (
    path: string,
    {method, token, body, headers, signal}: Sending = {},
  ): Promise<Answer> => {
    const request = new Request(path.startsWith('http') ? path : baseUrl + path, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: {
        ...(token !== undefined && {authorization: `Bearer ${token}`}),
        ...(body !== undefined && {'content-type': 'application/json'}),
        ...headers,
      },
      ...(body !== undefined && {body: typeof body === 'string' ? body : JSON.stringify(body)}),
      ...(signal && {signal}),
    })
    try {
      const answer = await exchange(request)
      const text = await answer.text()
      return {status: answer.status, json: text.startsWith('{') ? JSON.parse(text) : text}
    } catch (error) {
      const isLost = error instanceof ConnectionDrop || (isServed && error instanceof TypeError)
      if (!isLost) throw error
      return {status: 0, json: undefined}
    }
  }
  const askToken = (scope = SCOPES, more: object = {}) => {
    const credentials = {client_id: 'cid_sandbox', client_secret: 'sk_test_sandbox'}
    return send('/oauth/token', {body: {grant_type: 'client_credentials', ...credentials, scope, ...more}})
  }
  const search = async (token: string): Promise<Any[]> =>
    (await send('/hotels/search', {token, body: searchRequest()})).json.data.offers
  const judged = () => judge(sandbox.sandbox.evidence('cid_sandbox', 0), 'cid_sandbox')
  return {
    ...sandbox,
    send,
    askToken,
    /** Returns a new token. */
    token: async (scope?: string): Promise<string> => (await askToken(scope)).json.data.access_token,
    search,
    /** Searches, and returns the request to book the first offer. */
    trip: async (token: string, change: object = {}) => {
      const [offer] = await search(token)
      return reservationRequest(offer.offer_id, {client_reference_id: `ref-${randomUUID()}`, ...change})
    },
    /** Books with a key of its own unless one is given; null sends none. */
    book: (token: string, body: unknown, key: string | null = randomUUID(), signal?: AbortSignal) =>
      send('/reservations/hotel', {
        token,
        body,
        headers: key === null ? {} : {'idempotency-key': key},
        ...(signal && {signal}),
      }),
    /** Lets real time pass. */
    wait(seconds: number) {
      now += seconds
    },
    judge: judged,
    /** Returns the rules that it breaks. */
    failed: () =>
      judged()
        .rules.filter(({verdict}) => verdict === 'failed')
        .map(({rule}) => rule),
  }
}
