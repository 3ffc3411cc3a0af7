/**
 * Handles a request of the API: injected faults, bearer token (§5.2, §5.6), scope, Idempotency-Key, body, then the
 * operation.
 */

import {createHash} from 'node:crypto'
import {setTimeout as sleep} from 'node:timers/promises'
import {canonicalJson, isObject, parseJson as parse} from '../../contract/json.js'
import {MOST_KEY_LENGTH} from '../../contract/limits.js'
import {type BodyOf, KEY_RETENTION_SECONDS, OPERATION_DETAILS} from '../../contract/operation-details.js'
import {OPERATIONS, type SandboxOperation, type Scope} from '../../contract/operations.js'
import type {Reservation} from '../../contract/reservations.js'
import {type Answer, ConnectionDrop, jsonResponse, Refusal} from '../base/answers.js'
import type {Service} from '../base/service.js'
import {type Client, expireToken, findClient, findToken} from '../store/clients.js'
import {withOrigin} from '../store/reservations.js'
import {type ActiveFault, faultInstead, giveBackFault, refusalOf, takeFault} from './faults.js'
import {
  type Handle,
  keptAnswer,
  parseJson,
  type RequestContext,
  type RunningService,
  validate,
} from './requests.js'

/**
 * Runs `work`, applying the fault that is injected into `operation`, if there is one. `work` must call `pause` at the
 * point where an injected latency should delay it.
 */
export async function underFaults(
  service: RunningService,
  operation: string,
  context: RequestContext,
  work: (pause: Pause) => Promise<Response>,
): Promise<Response> {
  context.var.entry.operation = operation
  const fault = takeFault(service.faults, operation, context.var.entry.client_id)
  if (fault) changeState(service, context, fault)
  context.set('fault', faultOf(service, context, fault))
  const instead = faultInstead(fault)
  if (instead) return instead
  context.set('isTruncated', fault?.kind === 'truncate')
  const milliseconds = service.latencyMilliseconds + (fault?.kind === 'latency' ? (fault.latency_ms ?? 0) : 0)
  const pause = async () => {
    if (milliseconds > 0) await until(service.closing, milliseconds)
  }
  if (!fault?.kind.startsWith('commit-then-')) return work(pause)
  const spare = () => {
    giveBackFault(service.faults, fault)
    context.set('fault', undefined)
  }
  const response = await work(pause).catch(error => {
    if (!(error instanceof ConnectionDrop)) spare()
    throw error
  })
  if (!response.ok) {
    // A replayed refusal changes nothing, like the original one.
    spare()
    return response
  }
  if (fault.kind === 'commit-then-hang') {
    await until(AbortSignal.any([context.req.raw.signal, service.closing]))
  }
  if (fault.kind === 'commit-then-status') throw refusalOf(fault)
  throw new ConnectionDrop()
}

/**
 * Applies a fault that changes the state of the sandbox instead of an answer. This request and later ones then meet the
 * new state.
 */
function changeState(service: RunningService, context: RequestContext, fault: ActiveFault): void {
  const {kind, code} = fault
  const {body, entry} = context.var
  const token = bearerIn(context.req.header('authorization'))
  if (kind === 'expire-token' && token) expireToken(service.database, token, service.clock.now())
  const {offer_id, client_reference_id} = bookingIn(body)
  if (kind === 'lose-offer') service.lostOffers.set(offer_id, code ?? 'rooms_unavailable')
  if (kind === 'slow-voucher')
    service.slowVouchers.add(JSON.stringify([entry.client_id, client_reference_id]))
}

/**
 * Returns the kind of fault that made the answer, so that the answer says nothing about the request. The refusals of an
 * expired token and of a voucher that is not ready are true, so their faults are not returned.
 */
function faultOf({lostOffers}: RunningService, {var: {body, entry}}: RequestContext, fault?: ActiveFault) {
  if (fault?.kind === 'expire-token' || fault?.kind === 'slow-voucher') return undefined
  const isBooking = lostOffers.size > 0 && entry.operation === 'reservations.create'
  if (fault === undefined && isBooking && lostOffers.has(bookingIn(body).offer_id)) return 'lose-offer'
  return fault?.kind
}

/** Returns the ids in the body of a booking, empty for any other body. */
function bookingIn(body: Uint8Array) {
  const json = parse(body)
  const {offer_id, client_reference_id} = isObject(json) ? json : {}
  return {offer_id: String(offer_id ?? ''), client_reference_id: String(client_reference_id ?? '')}
}

/** Resolves when `signal` is aborted or after `milliseconds` (default: 24 days, the maximum of a timer). */
async function until(signal: AbortSignal, milliseconds = 2 ** 31 - 1): Promise<void> {
  await sleep(milliseconds, undefined, {signal}).catch(() => undefined)
}

/**
 * The handler of each operation. Handlers are synchronous, so that two calls are never interleaved. They throw a
 * Refusal.
 */
export type Handlers = {readonly [Name in SandboxOperation]: (call: Call<BodyOf<Name>>) => Answer}

export interface Call<Body = unknown> {
  readonly service: Service
  /** The client that the token belongs to. Undefined for the OAuth endpoints, which take no token. */
  readonly client: Client
  /**
   * The origin of links, `http://127.0.0.1:PORT`. It is never stored, because a restarted sandbox may have another
   * port.
   */
  readonly origin: string
  readonly now: number
  readonly parameters: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  readonly body: Body
}

/** Returns the handler of the route for an operation. */
export function operation(name: SandboxOperation, handler: (call: Call) => Answer): Handle {
  const {scope} = OPERATIONS[name]
  const {body: schema, isBodyOptional, isIdempotent, status = 200} = OPERATION_DETAILS[name]
  const answerTo = async (service: RunningService, context: RequestContext, pause: Pause) => {
    const {origin, requestId, body: bytes} = context.var
    const {req} = context
    const client = scope && authorize(service, req.header('authorization'), scope)
    const json = schema && parseJson(bytes, req.header('content-type'), isBodyOptional)
    const work = () => {
      const answer = handler({
        service,
        origin,
        parameters: req.param() as Record<string, string>,
        query: new URL(req.url).searchParams,
        body: schema && validate(schema, json),
        now: service.clock.now(),
        // The client is read again, because its balance may have changed during the pause.
        client: (client && findClient(service.database, client.client_id)) as Client,
      })
      return {...answer, status}
    }
    if (isIdempotent && client) {
      const header = req.header('idempotency-key') ?? ''
      const canonical = canonicalJson(json)
      context.set('booking', {json, canonical})
      const use = {clientId: client.client_id, header, canonical, requestId}
      const answer: Answer = await runOnce(service, use, pause, work)
      // The stored answer has the payment link as a path, so that it can be replayed at another port.
      const {data} = answer.json as {data?: Reservation}
      return data ? {...answer, json: {data: withOrigin(data, origin)}} : answer
    }
    await pause()
    return work()
  }
  return (service, context) => {
    context.var.entry.client_id = senderOf(service, context)
    return underFaults(service, name, context, async pause => {
      const answer = await answerTo(service, context, pause)
      if (answer.dropAfterCommit) throw new ConnectionDrop()
      const text = JSON.stringify(answer.json)
      context.var.entry.answer = keptAnswer(text)
      return jsonResponse(text, answer)
    })
  }
}

/**
 * Returns the id of the client for the log: the owner of a valid token, else the client that the body names, if it
 * exists. Returns null if there is neither.
 */
function senderOf({database, clock}: RunningService, {req, var: {entry}}: RequestContext): string | null {
  const token = bearerIn(req.header('authorization'))
  const stored = token === undefined ? undefined : findToken(database, token, clock.now())
  if (typeof stored === 'object') return stored.client_id
  const named = isObject(entry.body) ? entry.body.client_id : undefined
  return typeof named === 'string' ? (findClient(database, named)?.client_id ?? null) : null
}

/** Returns the token of an Authorization header, or undefined. */
export function bearerIn(authorization = ''): string | undefined {
  return /^Bearer ([\x21-\x7e]+)$/i.exec(authorization.trim())?.[1]
}

/**
 * Returns the client that the token belongs to. Throws the Refusal `token_invalid`, `token_expired` or
 * `insufficient_scope`.
 */
function authorize(service: RunningService, authorization: string | undefined, scope: Scope): Client {
  const token = bearerIn(authorization)
  if (!token) {
    throw new Refusal('token_invalid', 'the bearer token is missing', {}, {'WWW-Authenticate': 'Bearer'})
  }
  const stored = findToken(service.database, token, service.clock.now())
  if (stored === 'expired') throw unauthorized('token_expired', 'the access token has expired')
  const client = stored && findClient(service.database, stored.client_id)
  if (!client) throw unauthorized('token_invalid', 'the access token is unknown or was revoked')
  if (stored.scopes.split(' ').includes(scope)) return client
  const challenge = `Bearer error="insufficient_scope", scope="${scope}"`
  const message = `the access token lacks the scope ${scope}`
  throw new Refusal('insufficient_scope', message, {scope}, {'WWW-Authenticate': challenge})
}

function unauthorized(code: 'token_invalid' | 'token_expired', message: string): Refusal {
  const challenge = `Bearer error="invalid_token", error_description="${message}"`
  return new Refusal(code, message, {}, {'WWW-Authenticate': challenge})
}

/**
 * Statuses of refusals that are stored under the key. Requests with another refusal (400, 401, 403, 429, 5xx) had no
 * effect, so their key can be used again.
 */
const KEPT_REFUSALS = [402, 404, 409, 410]

type Pause = () => Promise<void>
type KeptAnswer = {readonly body_hash: string; readonly status: number; readonly body: string}

interface KeyUse {
  readonly clientId: string
  /** The value of the Idempotency-Key header. */
  readonly header: string
  /** The body as canonical JSON. */
  readonly canonical: string
  readonly requestId: string
}

/**
 * Runs `work` once for each Idempotency-Key (§4.4). A repeat gets the stored answer; the interface does not show what
 * happens to it. The first request calls `pause`, then `work`, whose changes are committed together with the answer. If
 * `work` refuses, its changes are undone and only the refusal is stored. Throws what `work` throws, and the Refusals
 * `idempotency_key_missing`, `idempotency_key_invalid`, `idempotency_key_reused` and `idempotency_in_progress`.
 */
async function runOnce(service: RunningService, use: KeyUse, pause: Pause, work: () => Answer) {
  const {clientId, canonical, requestId} = use
  const {database, clock, runningKeys} = service
  const key = use.header.trim()
  if (key === '') {
    throw new Refusal('idempotency_key_missing', 'Idempotency-Key is missing; send one, for example a UUID')
  }
  const isTooLong = key.length > MOST_KEY_LENGTH
  if (isTooLong || !/^[\x21-\x7e]+$/.test(key)) {
    const tooLong = `${key.length} characters; at most ${MOST_KEY_LENGTH}`
    const rule = isTooLong ? tooLong : 'only visible ASCII characters, without spaces'
    throw new Refusal('idempotency_key_invalid', `invalid Idempotency-Key: ${rule}; for example a UUID`)
  }

  const hash = createHash('sha256').update(canonical).digest('hex')
  const name = JSON.stringify([clientId, key])
  const running = runningKeys.get(name)
  const find = 'SELECT * FROM idempotency_keys WHERE client_id = ? AND key = ? AND created_at > ?'
  const kept = database.get<KeptAnswer>(find, clientId, key, clock.now() - KEY_RETENTION_SECONDS)
  const earlier = running ?? kept?.body_hash
  if (earlier !== undefined && earlier !== hash) {
    throw new Refusal('idempotency_key_reused', 'this Idempotency-Key was used with a different body')
  }
  if (running !== undefined) {
    const message = 'the first request with this Idempotency-Key is still running'
    throw new Refusal('idempotency_in_progress', message)
  }
  const replayed = {'Idempotent-Replayed': 'true'}
  if (kept) return {status: kept.status, json: JSON.parse(kept.body), headers: replayed}

  const insert = `INSERT OR REPLACE INTO idempotency_keys (client_id, key, body_hash, status, body, created_at)
    VALUES (?, ?, ?, ?, ?, ?)`
  const keep = (answer: Answer) =>
    database.run(insert, clientId, key, hash, answer.status, JSON.stringify(answer.json), clock.now())
  runningKeys.set(name, hash)
  try {
    await pause()
    return database.transaction(() => {
      const answer = work()
      keep(answer)
      return answer
    })
  } catch (error) {
    if (error instanceof Refusal && KEPT_REFUSALS.includes(error.status)) keep(error.toAnswer(requestId))
    throw error
  } finally {
    runningKeys.delete(name)
  }
}
