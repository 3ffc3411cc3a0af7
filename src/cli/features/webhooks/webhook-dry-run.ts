/** `--dry-run` of `webhooks listen` and `webhooks events replay`: what they would send and change. */
import {existsSync} from 'node:fs'
import {join} from 'node:path'
import {EVENT_TYPE_NAMES} from '../../../contract/events.js'
import type {StoredEvent} from '../../../contract/stored-events.js'
import {EVENTS_NAME, LISTEN_CA_NAME, TOKENS_NAME} from '../../../state/file-names.js'
import type {State} from '../../../state/state.js'
import {headersFor} from '../../../webhooks/forward/request.js'
import {bufferOf, pairsOf, parseBody} from '../../../webhooks/receive/capture-record.js'
import {type DryChange, type DryRequest, describeCall, dryRun} from '../../session/dry-run.js'
import type {Target} from '../../session/target.js'
import type {Result} from '../../terminal/result.js'
import type {HeadersOf} from './events.js'
import type {ListenFlags, ListenPlan} from './listen-flags.js'

/** Each event as it would be sent: the signed bytes, and their JSON if it is an object. */
export function describeReplay(events: readonly StoredEvent[], headersOf: HeadersOf, target: string): Result {
  const requests = events.map(event => {
    const {body} = event
    const parsed = parseBody(body)
    return {
      method: 'POST',
      url: target,
      headers: Object.fromEntries(pairsOf(headersFor(new URL(target), headersOf(event), body.length))),
      ...(typeof parsed === 'object' && parsed !== null ? {body: parsed} : {}),
      body_base64: bufferOf(body).toString('base64'),
    }
  })
  return dryRun(requests)
}

/** Listening itself sends nothing; `--subscribe` does, to `target`; its test needs an id from the first answer. */
export function describeListening(
  plan: ListenPlan,
  flags: Pick<ListenFlags, 'tls' | 'capture'>,
  state: State,
  target: Target | undefined,
): Result {
  const change = (file: string, what: string): DryChange => ({
    file,
    action: existsSync(file) ? 'set' : 'create',
    what,
  })
  const inDirectory = (name: string, what: string) => change(join(state.directory, name), what)
  const changes = [
    ...(target ? [inDirectory(TOKENS_NAME, 'signing secret of the subscription')] : []),
    ...(flags.tls ? [inDirectory(LISTEN_CA_NAME, 'authority of its certificate, created when missing')] : []),
    inDirectory(EVENTS_NAME, 'events received'),
    ...(flags.capture === undefined ? [] : [change(flags.capture, 'requests received')]),
  ]
  return dryRun(target ? subscribing(plan, target, state) : [], changes)
}

function subscribing(plan: ListenPlan, target: Target, state: State): DryRequest[] {
  const body = {url: plan.publicUrl ?? '', events: [...(plan.types ?? EVENT_TYPE_NAMES)]}
  const parameters = {subscription_id: 'SUBSCRIPTION_ID'}
  return [
    describeCall('subscriptions.create', target, state, {body}),
    describeCall('subscriptions.test', target, state, {parameters}),
  ]
}
