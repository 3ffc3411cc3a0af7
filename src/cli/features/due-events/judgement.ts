/**
 * Judges which events that reservations should have caused are missing. Both `explain` and `webhooks events missing`
 * use it, so that they never contradict each other. An event that cannot be judged gets a reason, and is not called
 * missing.
 */
import {zonedInstantOf} from '../../../contract/dates.js'
import type {DueEvent} from '../../../contract/due-events.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import {RETRY_SECONDS} from '../../../contract/limits.js'
import {subscriptionOfSecret} from '../../../state/secret-store.js'

/** When the first and the last event of a subscription were stored here, in Unix seconds of this machine. */
export interface ReceivedSpan {
  readonly first: number
  readonly last: number
}

/**
 * Extends the span of a subscription to include an event that was stored for it. `spans` are keyed by the name of the
 * secret.
 */
export function addToSpan(
  spans: Map<string, ReceivedSpan>,
  {secretName, receivedAt}: {readonly secretName: string; readonly receivedAt: number},
): void {
  const {first, last} = spans.get(secretName) ?? {first: receivedAt, last: receivedAt}
  spans.set(secretName, {first: Math.min(first, receivedAt), last: Math.max(last, receivedAt)})
}

/** A subscription that exists or existed, as far as this machine or the service knows. */
export interface SubscriptionHistory {
  readonly id: string
  /** The event types that are sent to the subscription, or null if unknown. */
  readonly types: readonly string[] | null
  /** The URL that receives the events, or null if unknown. */
  readonly url: string | null
  /** Whether the service has disabled the subscription, so that nothing is sent to its URL. */
  readonly isPassive: boolean
  /** The earliest time, in Unix seconds, at which the subscription is known to exist, or undefined if unknown. */
  readonly since: number | undefined
  /**
   * When the subscription was deleted, in Unix seconds. Null if it still exists, undefined if it was deleted at an
   * unknown time.
   */
  readonly until: number | null | undefined
  readonly received: ReceivedSpan | undefined
}

/** A delivery of the event that is being judged. */
export interface DeliveryState {
  readonly subscriptionId: string
  readonly isPending: boolean
  readonly isDelivered: boolean
  /** The last attempt, in Unix seconds of the service's clock. Undefined before the first attempt. */
  readonly lastTriedAt: number | undefined
}

/** What the service says about the deliveries to its subscriptions. */
export interface SentDeliveries {
  /** The deliveries of each event, by `eventName`. */
  readonly byName: ReadonlyMap<string, readonly DeliveryState[]>
  /**
   * When something was first sent to each subscription, in Unix seconds of the service's clock. Null if nothing was
   * sent.
   */
  readonly firstTo: ReadonlyMap<string, number | null>
}

export interface DueEvidence {
  readonly subscriptions: readonly SubscriptionHistory[]
  /** The deliveries of the service, or undefined if the service does not list them. */
  readonly sent: SentDeliveries | undefined
  /** The time before which stored events may have been removed, in Unix seconds, or null if none were. */
  readonly prunedBefore: number | null
  /** In Unix seconds. */
  readonly now: number
}

/**
 * The judgement on an event that was not received. `passiveId` is the id of a disabled subscription, if no enabled one
 * takes the event.
 */
export type DueVerdict =
  | {
      readonly kind: 'missing'
      /**
       * `taken`: the receiver answered with 2xx. `given_up`: the service gave up delivering. `not_sent`: the service
       * made no delivery. `never_came`: it is unknown what the service did.
       */
      readonly how: 'taken' | 'given_up' | 'not_sent' | 'never_came'
      /**
       * False if no event of the event's subscriptions is stored here, so that another program may have received the
       * event.
       */
      readonly isReceivedHere: boolean
      readonly passiveId: string | null
      readonly subscriptionIds: readonly string[]
    }
  | {readonly kind: 'pending'; readonly passiveId: string | null}
  /** No subscription took the event at that time. */
  | {readonly kind: 'not_due'}
  | {readonly kind: 'unjudged'; readonly why: string}

export interface NamedDueEvent extends DueEvent {
  readonly reservation_ref: string
}

/** An event to judge. Its type may be one that is not in §6.1. */
export type JudgedEvent = Omit<NamedDueEvent, 'type'> & {readonly type: string}

export const eventName = ({type, reservation_ref}: Pick<JudgedEvent, 'type' | 'reservation_ref'>) =>
  `${type} ${reservation_ref}`

const PRUNED = 'what was received then may have been removed (webhooks events prune)'
const UNDATED = 'the service does not say when they were due'
const UNKNOWN_START = 'since when they are subscribed is not known on this machine'

/** Judges an event that was not received. */
export function judgeDue(event: JudgedEvent, evidence: DueEvidence): DueVerdict {
  const {subscriptions, sent, prunedBefore, now} = evidence
  const at = event.due_at === null ? undefined : zonedInstantOf(event.due_at)
  const deliveries = sent?.byName.get(eventName(event)) ?? []
  const ofIds = (ids: readonly string[]) => subscriptions.filter(({id}) => ids.includes(id))
  const pending = deliveries.filter(({isPending}) => isPending)
  if (pending.length > 0)
    return {kind: 'pending', passiveId: passiveAmong(ofIds(pending.map(each => each.subscriptionId)))}
  const taken = deliveries.filter(({isDelivered}) => isDelivered)
  // The delivery's time on the service's clock cannot be compared with the clock by which events were removed.
  const mayBeRemoved = prunedBefore !== null && taken.length > 0
  if (mayBeRemoved || (at !== undefined && prunedBefore !== null && at < prunedBefore))
    return {kind: 'unjudged', why: PRUNED}
  if (taken.length > 0) {
    const isReceivedHere = taken.some(({subscriptionId, lastTriedAt}) => {
      const received = subscriptions.find(({id}) => id === subscriptionId)?.received
      return received !== undefined && (lastTriedAt === undefined || received.first <= lastTriedAt)
    })
    const subscriptionIds = taken.map(each => each.subscriptionId)
    return {kind: 'missing', how: 'taken', isReceivedHere, passiveId: null, subscriptionIds}
  }
  if (deliveries.length > 0) {
    const subscriptionIds = deliveries.map(each => each.subscriptionId)
    const passiveId = passiveAmong(ofIds(subscriptionIds))
    return {kind: 'missing', how: 'given_up', isReceivedHere: true, passiveId, subscriptionIds}
  }
  const taking = subscriptions.filter(({types}) => types === null || types.includes(event.type))
  if (taking.length === 0) return {kind: 'not_due'}
  if (at === undefined) return {kind: 'unjudged', why: UNDATED}
  const judged = taking.map(each => ({each, existed: existedAt(at, each, sent)}))
  const existing = judged.filter(({existed}) => existed === true).map(({each}) => each)
  if (existing.length === 0) {
    const why = judged.map(({existed}) => existed).find(existed => typeof existed === 'string')
    return why === undefined ? {kind: 'not_due'} : {kind: 'unjudged', why}
  }
  const passiveId = passiveAmong(existing)
  const isTried = existing.some(({until}) => until === null)
  if (sent === undefined && isTried && at + RETRY_SECONDS > now) return {kind: 'pending', passiveId}
  return {
    kind: 'missing',
    how: sent === undefined ? 'never_came' : 'not_sent',
    // What the service did not send cannot have been received by another program.
    isReceivedHere: sent !== undefined || existing.some(({received}) => received !== undefined),
    passiveId,
    subscriptionIds: existing.map(({id}) => id),
  }
}

function passiveAmong(subscriptions: readonly SubscriptionHistory[]): string | null {
  const isOn = subscriptions.some(({isPassive, until}) => !isPassive && until === null)
  const passive = subscriptions.find(({isPassive}) => isPassive)
  return isOn || passive === undefined ? null : passive.id
}

/** Reports whether the subscription existed at `at` and took the event. If that is unknown, returns the reason. */
function existedAt(
  at: number,
  {id, types, since, until, received}: SubscriptionHistory,
  sent: SentDeliveries | undefined,
): boolean | string {
  const name = sanitizeLine(id, 100)
  const firstSentAt = sent?.firstTo.get(id)
  // The times of the service's deliveries and of the events are on the same clock.
  if (firstSentAt === null) return false
  const start = firstSentAt ?? since
  const isOverBefore = typeof until === 'number' && until < at
  if (isOverBefore || (start !== undefined && start > at)) return false
  const mayHave = `the subscription ${name}, which is deleted, may have taken them`
  if (start === undefined) return until === null ? UNKNOWN_START : mayHave
  const isSeenLater = received !== undefined && received.last >= at
  if (until === undefined && !isSeenLater) return mayHave
  // Its deliveries are unknown, and this machine's clock may differ from the service's.
  if (sent !== undefined && firstSentAt === undefined) return until === null ? UNKNOWN_START : mayHave
  return types === null ? `which events the subscription ${name} takes is not known` : true
}

/** What this machine stores about a subscription: its secret, or that its secret was removed. */
export interface RememberedSubscription {
  readonly subscription_id: string
  readonly types: readonly string[] | undefined
  readonly url: string | undefined
  readonly since: number | undefined
  /** When the secret was removed (Unix seconds), and by which command. Undefined if the secret is still stored. */
  readonly removal: {readonly removed_at: number; readonly removed_by: string} | undefined
}

interface ListedSubscription {
  readonly id: string
  readonly events: readonly string[] | null
  readonly url: string | null
  readonly is_active: boolean | null
}

/** Matches the commands that delete a subscription together with its secret. */
const DELETING = /^webhooks (?:delete|rotate)/

/** Combines what the service lists (if it does), what this machine stores, and which events were received. */
export function subscriptionHistories(
  listed: readonly ListedSubscription[] | undefined,
  remembered: readonly RememberedSubscription[],
  receivedBy: ReadonlyMap<string, ReceivedSpan>,
): SubscriptionHistory[] {
  const ids = new Set([
    ...(listed ?? []).map(({id}) => id),
    ...remembered.map(({subscription_id}) => subscriptionOfSecret(subscription_id)),
  ])
  return [...ids].map((id): SubscriptionHistory => {
    const there = listed?.find(each => each.id === id)
    const known = remembered.find(each => each.subscription_id === id)
    const received = receivedBy.get(id)
    const starts = [known?.since, received?.first].filter(time => time !== undefined)
    const deletion = known?.removal && DELETING.test(known.removal.removed_by) ? known.removal : undefined
    const isThere = listed === undefined ? known?.removal === undefined : there !== undefined
    return {
      id,
      types: there?.events ?? known?.types ?? null,
      url: there?.url ?? known?.url ?? null,
      isPassive: there?.is_active === false,
      since: starts.length === 0 ? undefined : Math.min(...starts),
      until: isThere ? null : deletion?.removed_at,
      received,
    }
  })
}
