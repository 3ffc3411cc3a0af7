/** One request of the API from its route to its answer: fault, bearer token (§5.2, §5.6) and scope, key, body, operation. */
import {setTimeout as sleep} from 'node:timers/promises'
import {type BodyOf, OPERATION_DETAILS} from '../../contract/operation-details.js'
import {OPERATIONS, type OperationName, type Scope} from '../../contract/operations.js'
import type {Reservation} from '../../contract/reservations.js'
import {type Answer, ConnectionDrop, Refusal} from '../base/answers.js'
import type {Service} from '../base/service.js'
import {type Client, findClient, findToken} from '../store/clients.js'
import {withOrigin} from '../store/reservations.js'
import {parseJson, validate} from './body.js'
import {faultInstead, giveBackFault, takeFault} from './faults.js'
import {keyUse, type Pause, runOnce} from './idempotency.js'
import type {Handle, RequestContext, RunningService} from './requests.js'

/** Runs `work` under the fault injected into `operation`, if any. `work` calls `pause` where a latency has its effect. */
export async function underFaults(
  service: RunningService,
  operation: string,
  context: RequestContext,
  work: (pause: Pause) => Promise<Response>,
): Promise<Response> {
  context.var.entry.operation = operation
  const fault = takeFault(service.faults, operation)
  const instead = faultInstead(fault)
  if (instead) return instead
  context.set('isTruncated', fault?.kind === 'truncate')
  const milliseconds = service.latencyMilliseconds + (fault?.kind === 'latency' ? (fault.latency_ms ?? 0) : 0)
  const pause = async () => {
    if (milliseconds > 0) await until(service.closing, milliseconds)
  }
  if (!fault?.kind.startsWith('commit-then-')) return work(pause)
  const response = await work(pause).catch(error => {
    if (!(error instanceof ConnectionDrop)) giveBackFault(service.faults, fault)
    throw error
  })
  if (!response.ok) {
    // A refusal that is replayed commits nothing, as it did the first time.
    giveBackFault(service.faults, fault)
    return response
  }
  if (fault.kind === 'commit-then-hang') {
    await until(AbortSignal.any([context.req.raw.signal, service.closing]))
  }
  throw new ConnectionDrop()
}

/** Until `signal`, or for `milliseconds` (default: 24 days, the longest there is). */
async function until(signal: AbortSignal, milliseconds = 2 ** 31 - 1): Promise<void> {
  await sleep(milliseconds, undefined, {signal}).catch(() => undefined)
}

/** What each operation does. All are synchronous, so two calls never interleave. They throw Refusal. */
export type Handlers = {readonly [Name in OperationName]: (call: Call<BodyOf<Name>>) => Answer}

export interface Call<Body = unknown> {
  readonly service: Service
  /** Whose token it is. Missing at the OAuth endpoints, which take none. */
  readonly client: Client
  /** `http://127.0.0.1:PORT`, for links. Never stored: a restarted sandbox may have another port. */
  readonly origin: string
  readonly now: number
  readonly parameters: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  readonly body: Body
}

/** The route of an operation. */
export function operation(name: OperationName, handler: (call: Call) => Answer): Handle {
  const {scope} = OPERATIONS[name]
  const {body: schema, isBodyOptional, isIdempotent, status = 200} = OPERATION_DETAILS[name]
  const answerTo = async (service: RunningService, context: RequestContext, pause: Pause) => {
    const {origin, requestId, body: bytes} = context.var
    const {req} = context
    const client = scope && authorize(service, req.header('authorization') ?? '', scope)
    const json = schema && parseJson(bytes, req.header('content-type'), isBodyOptional)
    const work = () => {
      const answer = handler({
        service,
        origin,
        parameters: req.param() as Record<string, string>,
        query: new URL(req.url).searchParams,
        body: schema && validate(schema, json),
        now: service.clock.now(),
        // Read again, because the balance may have changed during the pause.
        client: (client && findClient(service.database, client.client_id)) as Client,
      })
      return {...answer, status}
    }
    if (isIdempotent && client) {
      const use = keyUse(client.client_id, req.header('idempotency-key') ?? '', json, requestId)
      const answer = await runOnce(service, use, pause, work)
      // What is kept of a new reservation has the link as a path.
      const {data} = answer.json as {data?: Reservation}
      return data ? {...answer, json: {data: withOrigin(data, origin)}} : answer
    }
    await pause()
    return work()
  }
  return (service, context) =>
    underFaults(service, name, context, async pause => {
      const answer = await answerTo(service, context, pause)
      if (answer.dropAfterCommit) throw new ConnectionDrop()
      return Response.json(answer.json, answer)
    })
}

/** The client whose token this is. Throws Refusal: `token_invalid`, `token_expired`, `insufficient_scope`. */
function authorize(service: RunningService, authorization: string, scope: Scope): Client {
  const token = /^Bearer ([\x21-\x7e]+)$/i.exec(authorization.trim())?.[1]
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
