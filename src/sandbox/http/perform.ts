/** One request of the API from its route to its answer: fault, bearer token (§5.2, §5.6) and scope, key, body, operation. */
import {setTimeout as sleep} from 'node:timers/promises'
import type {Context} from 'hono'
import {OPERATIONS, type OperationName} from '../../contract/operations.js'
import type {Reservation} from '../../contract/reservations.js'
import type {Scope} from '../../contract/scopes.js'
import {type Answer, ConnectionDrop, Refusal, toResponse} from '../base/answers.js'
import {type Client, findClient, findToken} from '../store/clients.js'
import {withOrigin} from '../store/reservations.js'
import {parseJson, validate} from './body.js'
import {faultAfter, faultInstead, strikesAfterCommit} from './faults.js'
import {claim, type KeyUse, keyUse, replay, runOnce} from './idempotency.js'
import type {ClientCall, Handler, RunningService} from './operation.js'
import type {RequestState} from './requests.js'

type RequestContext = Context<RequestState>
type Pause = () => Promise<void>

/** Runs `work` under the fault injected into `operation`, if any. `work` calls `pause` where a latency has its effect. */
export async function underFaults(
  service: RunningService,
  operation: string,
  context: RequestContext,
  work: (pause: Pause) => Promise<Response>,
): Promise<Response> {
  const fault = service.faults.take(operation)
  const instead = faultInstead(fault)
  if (instead) return instead
  context.set('isTruncated', fault?.kind === 'truncate')
  const goneAway = AbortSignal.any([context.req.raw.signal, service.closing])
  const milliseconds = service.latencyMilliseconds + (fault?.kind === 'latency' ? (fault.latency_ms ?? 0) : 0)
  const pause = async () => {
    if (milliseconds > 0)
      await sleep(milliseconds, undefined, {signal: service.closing}).catch(() => undefined)
  }
  if (!fault || !strikesAfterCommit(fault)) return faultAfter(fault, await work(pause), goneAway)
  const response = await work(pause).catch(error => {
    if (!(error instanceof ConnectionDrop)) service.faults.giveBack(fault)
    throw error
  })
  // A refusal that is replayed commits nothing, as it did the first time.
  if (response.ok) return faultAfter(fault, response, goneAway)
  service.faults.giveBack(fault)
  return response
}

export function perform(
  service: RunningService,
  name: OperationName,
  handler: Handler,
  context: RequestContext,
): Promise<Response> {
  return underFaults(service, name, context, async pause => {
    const answer = await answerOf(service, name, handler, context, pause)
    if (answer.dropAfterCommit) throw new ConnectionDrop()
    return toResponse(answer)
  })
}

async function answerOf(
  service: RunningService,
  name: OperationName,
  handler: Handler,
  context: RequestContext,
  pause: Pause,
): Promise<Answer> {
  const {scope} = OPERATIONS[name]
  const client = scope ? authorize(service, context.req.header('authorization') ?? null, scope) : undefined
  const json = handler.schema
    ? parseJson(context.var.body, context.req.header('content-type'), handler.bodyOptional)
    : undefined
  const call = (body: unknown): ClientCall<unknown> => ({
    service,
    origin: context.var.origin,
    now: service.clock.now(),
    parameters: context.req.param() as Record<string, string>,
    query: new URL(context.req.url).searchParams,
    body,
    // Read again, because the balance may have changed during the pause.
    client: (client && findClient(service.database, client.client_id)) as ClientCall['client'],
  })
  const body = () => (handler.schema ? validate(handler.schema, json) : undefined)
  if (handler.idempotent && client) {
    const use = keyUse(client.client_id, context.req.header('idempotency-key') ?? null, json)
    const answer = await once(service, use, context.var.requestId, pause, body, checked =>
      handler.run(call(checked)),
    )
    return answerWithOrigin(answer, context.var.origin)
  }
  const checked = body()
  await pause()
  return handler.run(call(checked))
}

/** The kept answer of the key, or the operation's own, kept. */
async function once(
  service: RunningService,
  use: KeyUse,
  requestId: string,
  pause: Pause,
  check: () => unknown,
  run: (body: unknown) => Answer,
): Promise<Answer> {
  const earlier = replay(service, use)
  if (earlier) return earlier
  const body = check()
  const release = claim(service, use)
  try {
    await pause()
    return runOnce(service, use, requestId, () => run(body))
  } finally {
    release()
  }
}

/** The answer to a new reservation: what is kept under its Idempotency-Key has the link as a path. */
function answerWithOrigin(answer: Answer, origin: string): Answer {
  const {data} = answer.json as {data?: Reservation}
  return data ? {...answer, json: {data: withOrigin(data, origin)}} : answer
}

/** The client whose token this is. Throws Refusal: `token_invalid`, `token_expired`, `insufficient_scope`. */
function authorize(service: RunningService, authorization: string | null, scope: Scope): Client {
  const token = /^Bearer ([\x21-\x7e]+)$/i.exec(authorization?.trim() ?? '')?.[1]
  if (!token) {
    throw new Refusal('token_invalid', 'the bearer token is missing', {
      headers: {'WWW-Authenticate': 'Bearer'},
    })
  }
  const stored = findToken(service.database, token)
  const client = stored && findClient(service.database, stored.client_id)
  if (!client) throw unauthorized('token_invalid', 'the access token is unknown or was revoked')
  if (stored.expires_at <= service.clock.now()) {
    throw unauthorized('token_expired', 'the access token has expired')
  }
  if (!stored.scopes.split(' ').includes(scope)) throw scopeMissing(scope)
  return client
}

function unauthorized(code: 'token_invalid' | 'token_expired', message: string): Refusal {
  return new Refusal(code, message, {
    headers: {'WWW-Authenticate': `Bearer error="invalid_token", error_description="${message}"`},
  })
}

function scopeMissing(scope: Scope): Refusal {
  return new Refusal('insufficient_scope', `the access token lacks the scope ${scope}`, {
    members: {scope},
    headers: {'WWW-Authenticate': `Bearer error="insufficient_scope", scope="${scope}"`},
  })
}
