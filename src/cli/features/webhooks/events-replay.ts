/** `webhooks events replay`: sends received events to an address again, unchanged or signed again. */
import process from 'node:process'
import type {Failure} from '../../../contract/failure.js'
import type {StoredEvent} from '../../../contract/stored-events.js'
import type {State} from '../../../state/state.js'
import {createHandover} from '../../../webhooks/forward/request.js'
import {signedAgain} from '../../../webhooks/forward/resign.js'
import type {NamedSecret} from '../../../webhooks/signature/signature.js'
import {systemClock} from '../../session/clock.js'
import {listResult, type Result} from '../../terminal/result.js'
import {isLate} from './listen-forwards.js'
import {resolveWebhookSecrets, type WebhookSecretFlags, webhookHeaderNames} from './secrets.js'

export const REPLAY_COLUMNS = ['event_id', 'target', 'status', 'ms', 'late', 'error'] as const

type Replayed = Awaited<ReturnType<typeof replayEvents>>[number]

/** The headers to send an event with, as names and values in turn. */
export type HeadersOf = (event: StoredEvent) => readonly string[]

/** Signs each event again, with the secret it came with if that is still stored. Throws usage when there is none. */
export async function signingAgain(flags: WebhookSecretFlags, state: State): Promise<HeadersOf> {
  const secrets = await resolveWebhookSecrets(flags, process.env, state)
  const {signature: headerName} = webhookHeaderNames(flags, state)
  return event => {
    const named = secrets.find(({name}) => name === event.secretName) ?? (secrets[0] as NamedSecret)
    return signedAgain(event, named, headerName, systemClock.now())
  }
}

/** Sends each event once, one after the other. Never throws for what the target answers. */
export async function replayEvents(
  events: readonly StoredEvent[],
  headersOf: HeadersOf,
  target: string,
  options: Parameters<typeof createHandover>[0],
) {
  const handover = createHandover(options)
  const replayed = []
  for (const event of events) {
    const {status, milliseconds: ms, error} = await handover.send(target, headersOf(event), event.body)
    replayed.push({event_id: event.eventId, target, status, ms, late: isLate(ms), error})
  }
  handover.close()
  return replayed
}

export function replayResult(replayed: readonly Replayed[]): Result<Replayed> {
  return listResult({replayed}, replayed, REPLAY_COLUMNS)
}

/** The kind of the first answer that was not 2xx; undefined when all were. */
export function replayFailure(replayed: readonly Replayed[]): Failure['kind'] | undefined {
  const bad = replayed.find(({status}) => status === null || status < 200 || status > 299)
  if (!bad) return undefined
  if (bad.status === null) return 'unreachable'
  if (bad.status === 401 || bad.status === 403) return 'not_allowed'
  return bad.status < 500 && bad.status >= 400 ? 'refused' : 'service_failed'
}
