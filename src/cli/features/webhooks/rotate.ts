/**
 * Implements `webhooks rotate`: creates a second subscription next to the first one, or calls the service's own
 * operation if the profile has its path. Until the rotation is finished, both secrets are stored, so that receivers
 * accept both, and nothing is deleted.
 */
import {join} from 'node:path'
import * as Flags from '@oclif/core/flags'
import type {InferredFlags} from '@oclif/core/interfaces'
import type {FoundDelivery} from '../../../api/operations/webhooks.js'
import {isoTime, systemClock} from '../../../contract/dates.js'
import {Failure, requireFailure, usage} from '../../../contract/failure.js'
import {parseUrl, sanitizeLine} from '../../../contract/foreign-text.js'
import type {SubscriptionRequest} from '../../../contract/webhooks.js'
import {TOKENS_NAME} from '../../../state/file-names.js'
import type {SigningSecret} from '../../../state/secret-store.js'
import type {State} from '../../../state/state.js'
import {checkNewFile} from '../../input/files.js'
import {checkedFlag} from '../../input/flags.js'
import type {Connection} from '../../session/connect.js'
import {dryRun} from '../../session/dry-run.js'
import {namedPathOf} from '../../session/own-paths.js'
import {profileName, type Target, type TargetFlags} from '../../session/resolve.js'
import {counted} from '../../terminal/dates-and-amounts.js'
import {type Result, single} from '../../terminal/result.js'
import {
  type CreationFlags,
  createAndKeep,
  deleteAndForget,
  type KeptSubscription,
  keepSecret,
  requireStorage,
} from './subscriptions.js'

export const rotateFlags = {
  finish: Flags.boolean({
    summary: 'end the rotation: delete the old subscription and forget its secret',
    exclusive: ['again', 'secret-file'],
  }),
  'secret-file': checkedFlag(checkNewFile)({
    helpValue: 'FILE',
    summary: 'also write the new signing secret to a new file that only you can read',
  }),
  again: Flags.boolean({
    summary: 'rotate even if another subscription may be left from an earlier attempt',
  }),
  yes: Flags.boolean({summary: 'delete the old subscription at a live service without asking'}),
  'dry-run': Flags.boolean({summary: 'print the request and send nothing'}),
}

export type RotateFlags = TargetFlags & InferredFlags<typeof rotateFlags>

/** A rotation that was started and not finished. Both ids are equal if the service itself replaced the secret. */
interface Rotation {
  readonly oldId: string
  readonly newId: string
  /** In Unix seconds. */
  readonly startedAt: number
}

/**
 * Returns the open rotation of the subscription `id`, which may be the old or the new one; undefined if there is none.
 */
function openRotation(state: State, profile: string, id: string): Rotation | undefined {
  const stored = state.secrets.listSigningSecrets(profile)
  const found = stored.find(({subscription_id, replaces, earlier_secret: earlier}) => {
    if (subscription_id === id) return replaces !== undefined || earlier !== undefined
    return replaces === id
  })
  if (found === undefined) return undefined
  const {subscription_id: newId, replaces: oldId = newId, stored_at: startedAt} = found
  return {oldId, newId, startedAt}
}

/**
 * Throws a usage error if a rotation of the subscription is open, because another rotation would add a third secret.
 */
export function refuseOpenRotation(state: State, profile: string, id: string): void {
  const open = openRotation(state, profile, id)
  if (open === undefined) return
  const {oldId, newId, startedAt} = open
  const what =
    oldId === newId ? `the secret of ${shown(id)}` : `${shown(oldId)}, which ${shown(newId)} replaces,`
  const message = `the rotation of ${what} was started at ${isoTime(startedAt)} and is not finished; nothing was sent`
  const hint = `once your program checks with the new secret: bookctl webhooks rotate ${shown(id)} --finish`
  throw usage('rotation_open', message, hint)
}

/** Reports whether the profile has the path of the service's own operation for a rotation. */
export function hasOwnRotation(target: Target, state: State): boolean {
  return namedPathOf('subscriptions.rotate', target, state) !== undefined
}

/** The subscription to create next to the first one, and what must be known before the request is sent. */
export interface SecondSubscription {
  readonly wanted: SubscriptionRequest
  readonly subscribedSince: number | undefined
  /**
   * Whether a subscription may be created although the outcome of an earlier creation is unknown: the service lists no
   * other subscription.
   */
  readonly isFirst: boolean
}

/**
 * Plans the second subscription, with the URL and events of the first one. These come from the service's list or, if
 * that is not available, from the record of the creation on this machine. Throws a Failure if neither has them. Without
 * `again`, also throws a Failure if the list has another subscription for the URL whose secret is not stored here.
 */
export async function planSecond(
  {api, state}: Connection,
  profile: string,
  id: string,
  again = false,
): Promise<SecondSubscription> {
  const {listSubscriptions} = await import('../../../api/operations/webhooks.js')
  const answered = await listSubscriptions(api).catch(requireFailure)
  const listed = answered instanceof Failure ? undefined : answered
  const stored = state.secrets.listSigningSecrets(profile)
  const kept = stored.find(each => each.subscription_id === id)
  const found = listed?.items.find(each => each.id === id)
  if (listed?.isComplete && found === undefined) {
    const hint = 'list them: bookctl webhooks list'
    throw new Failure('refused', `subscription ${shown(id)} not found`, {
      code: 'subscription_not_found',
      hint,
    })
  }
  const url = found?.url ?? kept?.subscribed?.url
  const events = found?.events ?? kept?.subscribed?.events
  if (url === undefined || events === undefined) {
    if (answered instanceof Failure && answered.details.code !== 'path_not_shown') throw answered
    const message = `the address and events of ${shown(id)} are not known: the service does not list them, and it was not created from this machine`
    const hint = 'create the second subscription yourself: bookctl webhooks create --url URL --event TYPE'
    throw usage('subscription_not_known', message, hint)
  }
  const sameUrl = (other: string | null) => parseUrl(other ?? '')?.href === parseUrl(url)?.href
  const others = (listed?.items ?? []).filter(other => other.id !== id && sameUrl(other.url))
  const left = others.find(other => !stored.some(each => each.subscription_id === other.id))
  if (left !== undefined && !again) {
    const message = `the subscription ${shown(left.id)} sends to this address too, and its secret is not stored here: it may be left over from a rotation that was interrupted; nothing was sent`
    const hint = `delete it and rotate again: bookctl webhooks delete ${shown(left.id)}; if it is in use, add --again`
    throw usage('second_subscription', message, hint)
  }
  return {
    wanted: {url, events: [...events]},
    subscribedSince: kept?.subscribed_since,
    isFirst: listed?.isComplete === true && others.length === 0,
  }
}

/** Creates the second subscription, as `webhooks create` does, and stores which one it replaces. Throws a Failure. */
export async function createSecond(
  connection: Connection,
  id: string,
  {wanted, subscribedSince, isFirst}: SecondSubscription,
  flags: CreationFlags,
): Promise<KeptSubscription> {
  const again = flags.again || isFirst
  const rotation = {replaces: id, subscribed_since: subscribedSince}
  const kept = await createAndKeep(connection, wanted, {...flags, again}, rotation)
  const [row = {}] = kept.result.items
  return {...kept, result: single({...kept.result.document, replaces: id}, {...row, replaces: id}, kept.id)}
}

/**
 * Requests a new secret from the service, and stores it next to the old one. If storing fails, `problem` says why.
 * Throws a Failure, of kind `outcome_unknown` if the service may have replaced the secret; another rotation then
 * replaces it once more.
 */
export async function rotateByService(
  {api, state, clock}: Connection,
  id: string,
  flags: CreationFlags,
): Promise<KeptSubscription> {
  const profile = profileName(flags, state)
  requireStorage(state, profile)
  const before = state.secrets.listSigningSecrets(profile).find(each => each.subscription_id === id)
  const {rotateSecret} = await import('../../../api/operations/webhooks.js')
  const secret = await rotateSecret(api, id)
  const kept: SigningSecret = {
    ...(before ?? {subscription_id: id, profile}),
    secret,
    stored_at: clock.now(),
    earlier_secret: before?.secret,
  }
  const {places, problem, warnings} = await keepSecret(state, kept, flags['secret-file'])
  const {url = null, events = null} = before?.subscribed ?? {}
  const row = {id, url, events, secret, ...places, replaces: id}
  const result = single({...row, subscription: {id, url, events, secret}}, row, id)
  return {id, stored_in: places.stored_in, result, problem, warnings}
}

/** Returns the open rotation to finish with `--finish`. Throws a usage error if there is none. */
export function requireOpenRotation(state: State, profile: string, id: string): Rotation {
  const open = openRotation(state, profile, id)
  if (open !== undefined) return open
  const removed = state.secrets.listRemovedSigningSecrets(profile).find(each => each.subscription_id === id)
  if (removed !== undefined) {
    const {removed_at, removed_by} = removed
    const message = `no rotation of ${shown(id)} is open: its secret was removed at ${isoTime(removed_at)} by ${sanitizeLine(removed_by, 60)}; nothing was sent`
    throw usage('no_rotation', message, 'see which subscriptions there are: bookctl webhooks list')
  }
  const message = `no rotation of ${shown(id)} has been started on this machine; nothing was sent`
  throw usage('no_rotation', message, `start one: bookctl webhooks rotate ${shown(id)}`)
}

/**
 * Reports whether finishing deletes the old subscription, which needs a request. Nothing is sent if the service itself
 * replaced the secret.
 */
export function deletesOld({oldId, newId}: Rotation): boolean {
  return oldId !== newId
}

/** Describes, for --dry-run, the end of a rotation for which no request is needed. */
export function describeForgetting({oldId}: Rotation, {directory}: State): Result {
  const what = `the earlier signing secret of ${shown(oldId)}`
  return dryRun([], [{file: join(directory, TOKENS_NAME), action: 'remove', what}])
}

/**
 * Returns a warning if events are still to be delivered to the old subscription and were not sent to the new one,
 * because they would be lost. Returns undefined if there are none, or if the service does not list its deliveries.
 */
export async function lossOf({api}: Connection, {oldId, newId}: Rotation): Promise<string | undefined> {
  const {eachDelivery} = await import('../../../api/operations/webhooks.js')
  const waiting = new Set<string>()
  const nameOf = ({type, reservationRef}: FoundDelivery) => `${type} ${reservationRef}`
  try {
    for await (const page of eachDelivery(api, oldId))
      for (const delivery of page) if (delivery.isPending) waiting.add(nameOf(delivery))
    if (waiting.size === 0) return undefined
    for await (const page of eachDelivery(api, newId))
      for (const delivery of page) waiting.delete(nameOf(delivery))
  } catch (error) {
    requireFailure(error)
    return undefined
  }
  if (waiting.size === 0) return undefined
  return `Warning: ${counted(waiting.size, 'event')} from before the rotation did not arrive yet and will not come once ${shown(oldId)} is deleted; which: bookctl webhooks events missing`
}

const FINISHED_BY = 'webhooks rotate --finish'

/**
 * Deletes the old subscription and its secret. A subscription that an earlier attempt has deleted is no error. Throws a
 * Failure.
 */
export async function finishRotation(connection: Connection, rotation: Rotation, flags: TargetFlags) {
  const {oldId, newId} = rotation
  const done = await deleteAndForget(connection, oldId, flags, {
    by: FINISHED_BY,
    unless: error => isGone(connection, oldId, error),
  })
  return {...done, replaced_by: newId}
}

/** Deletes the stored secret that the service itself has replaced. */
export function forgetEarlier(state: State, {oldId}: Rotation, flags: TargetFlags) {
  const name = {profile: profileName(flags, state), subscription_id: oldId}
  const removal = {removed_at: systemClock.now(), removed_by: FINISHED_BY}
  const secret_removed = state.secrets.removeEarlierSecret(name, removal)
  return {subscription_id: oldId, deleted: false, secret_removed, replaced_by: oldId}
}

/**
 * Reports whether the deletion failed because the subscription was deleted before: the service answers 404 or 410, and
 * does not list the subscription.
 */
async function isGone({api}: Connection, id: string, error: unknown): Promise<boolean> {
  if (!(error instanceof Failure) || ![404, 410].includes(error.details.status ?? 0)) return false
  const {listSubscriptions} = await import('../../../api/operations/webhooks.js')
  const listed = await listSubscriptions(api).catch(requireFailure)
  return listed instanceof Failure || !listed.items.some(each => each.id === id)
}

const shown = (id: string) => sanitizeLine(id, 100)
