/** `webhooks events replay`: sends received events to an address again, unchanged or signed again. */
import {type Failure, usage} from '../../../contract/failure.js'
import type {StoredEvent} from '../../../contract/stored-events.js'
import {createHandover, type HandoverResult} from '../../../webhooks/forward/request.js'
import {signedAgain} from '../../../webhooks/forward/resign.js'
import type {WebhookHeaderNames} from '../../../webhooks/signature/headers.js'
import type {NamedSecret} from '../../../webhooks/signature/signature.js'
import {listResult} from '../../terminal/result.js'
import {isLate} from './listen-forwards.js'

export const REPLAY_COLUMNS = ['event_id', 'target', 'status', 'ms', 'late', 'error'] as const

export interface ReplayParts {
  readonly target: string
  /** Signs each event again, with the secret it came with if that is still stored; without it, events are unchanged. */
  readonly resign?: {
    readonly secrets: readonly NamedSecret[]
    readonly headerNames: WebhookHeaderNames
    /** Unix seconds. */
    readonly clock: () => number
  }
  readonly trusted: readonly string[] | undefined
  readonly timeoutSeconds: number
}

/** Sends each event once, one after the other. Never throws for what the target answers. */
export async function replayEvents(
  events: readonly StoredEvent[],
  parts: ReplayParts,
): Promise<HandoverResult[]> {
  const {target, trusted, timeoutSeconds} = parts
  const handover = createHandover({trusted, timeoutMilliseconds: timeoutSeconds * 1000})
  const results: HandoverResult[] = []
  for (const event of events)
    results.push(await handover.send(target, replayedHeaders(event, parts), event.body))
  handover.close()
  return results
}

/** The headers of the new request, as names and values in turn. Throws usage when there is no secret to sign with. */
export function replayedHeaders(
  event: StoredEvent,
  {resign}: Pick<ReplayParts, 'resign'>,
): readonly string[] {
  if (!resign) return event.rawHeaders
  const {secrets, headerNames, clock} = resign
  const named = secrets.find(({name}) => name === event.secretName) ?? secrets[0]
  if (!named) throw usage('no_webhook_secret', 'no signing secret to sign with')
  return signedAgain(event, named, {headerName: headerNames.signature, now: clock()})
}

export function replayResult(
  events: readonly StoredEvent[],
  results: readonly HandoverResult[],
  target: string,
) {
  const replayed = events.map((event, n) => {
    const {status = null, milliseconds = 0, error = null} = results[n] ?? {}
    return {event_id: event.eventId, target, status, ms: milliseconds, late: isLate(milliseconds), error}
  })
  return listResult({replayed}, replayed, REPLAY_COLUMNS)
}

/** The kind of the first answer that was not 2xx; undefined when all were. */
export function replayFailure(results: readonly HandoverResult[]): Failure['kind'] | undefined {
  const bad = results.find(({status}) => status === null || status < 200 || status > 299)
  if (!bad) return undefined
  if (bad.status === null) return 'unreachable'
  if (bad.status === 401 || bad.status === 403) return 'not_allowed'
  return bad.status < 500 && bad.status >= 400 ? 'refused' : 'service_failed'
}
