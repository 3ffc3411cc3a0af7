/** One request of the API from its route to its answer: fault, token, key, body, operation. */
import {setTimeout as sleep} from 'node:timers/promises'
import type {Context} from 'hono'
import {OPERATIONS, type OperationName} from '../../contract/operations.js'
import {type Answer, ConnectionDrop, toResponse} from '../base/answer.js'
import type {ClientCall, Handler, Service} from '../base/service.js'
import {answerWithOrigin} from '../links.js'
import {findClient} from '../store/clients.js'
import {authorize} from './authorize.js'
import {parseJson, validate} from './body.js'
import {faultAfter, faultInstead, strikesAfterCommit} from './faults.js'
import {claim, type KeyUse, keyUse, replay, runOnce} from './idempotency.js'
import type {RequestState} from './routing.js'

type RequestContext = Context<RequestState>
type Pause = () => Promise<void>

/** Runs `work` under the fault ordered for `operation`, if any. `work` pauses where a latency shall be felt. */
export async function underFaults(
  service: Service,
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
  // A refusal that was kept under an Idempotency-Key commits as little as it did the first time.
  if (response.ok) return faultAfter(fault, response, goneAway)
  service.faults.giveBack(fault)
  return response
}

export function perform(
  service: Service,
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
  service: Service,
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
    // Read again: the balance may have changed while the request paused.
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
  service: Service,
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
