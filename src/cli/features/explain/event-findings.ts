/**
 * Finds problems with the events of a reservation: events that were due and did not come, were refused, are pending, or
 * were given up. Which events are missing is judged as by `webhooks events missing`; here are the details.
 */
import {isoTime} from '../../../contract/dates.js'
import {
  type DeliveryState,
  type DueEvidence,
  type DueVerdict,
  eventName,
  type JudgedEvent,
  judgeDue,
  type SentDeliveries,
} from '../due-events/judgement.js'
import {dueOf} from './course.js'
import type {Delivery, OwnSubscription, Receiving, ReservationFacts} from './facts.js'
import type {Finding} from './finding.js'
import {isSameService} from './from-service.js'

/** Statuses with which a receiver refuses a request. It answers 401 if the signature is invalid (§6.3). */
const REFUSING: ReadonlySet<number | null> = new Set([401, 403])

/** An event that was not received, with its deliveries as a local sandbox reports them. */
interface Absent {
  readonly event: Omit<JudgedEvent, 'reservation_ref'>
  readonly eventId: string | null
  readonly deliveries: readonly Delivery[]
  readonly verdict: DueVerdict
}

export function eventFindings(facts: ReservationFacts, receiving: Receiving): Finding[] {
  const absent = absentEvents(facts, receiving)
  return [
    ...absent.flatMap(each => findingOf(each, facts, receiving)),
    ...noSubscription(absent, facts, receiving),
    ...forwards(facts),
  ]
}

/** Says for which events it is unknown whether they came, and why. */
export function unjudgedEvents(facts: ReservationFacts, receiving: Receiving): string[] {
  const name = facts.reference ?? 'it'
  return absentEvents(facts, receiving).flatMap(({event: {type}, verdict}) => {
    if (verdict.kind === 'unjudged') return [`whether ${type} of ${name} came: ${verdict.why}`]
    if (verdict.kind !== 'missing' || verdict.isReceivedHere) return []
    const ids = verdict.subscriptionIds.join(', ')
    return [`whether ${type} of ${name} came: nothing that was sent to ${ids} is stored here`]
  })
}

/**
 * Returns the events that were not received: those that a local sandbox has sent or will send, and others that are due.
 */
function absentEvents(facts: ReservationFacts, receiving: Receiving): Absent[] {
  const {reference, events, deliveries = []} = facts
  const due = dueOf(facts)
  const stored = new Set(events.map(({eventId}) => eventId))
  const sentIds = new Set(deliveries.map(({eventId}) => eventId).filter(eventId => !stored.has(eventId)))
  const known = new Set([...events.map(({type}) => type), ...deliveries.map(({type}) => type)])
  const judge = (event: Absent['event'], ofEvent: readonly Delivery[]) =>
    judgeDue({reservation_ref: reference ?? '', ...event}, evidenceFor(event, ofEvent, facts, receiving))
  const sent = [...sentIds].flatMap((eventId): Absent[] => {
    const ofEvent = deliveries.filter(each => each.eventId === eventId)
    const [first] = ofEvent
    if (first === undefined) return []
    const {type, attempts} = first
    const at = attempts[0]?.at
    const event = due.find(each => each.type === type) ?? {
      type,
      due_at: at === undefined ? null : isoTime(at),
    }
    return [{event, eventId, deliveries: ofEvent, verdict: judge(event, ofEvent)}]
  })
  const others = due
    .filter(({type}) => !known.has(type))
    .map((event): Absent => ({event, eventId: null, deliveries: [], verdict: judge(event, [])}))
  return [...sent, ...others]
}

function evidenceFor(
  event: Absent['event'],
  deliveries: readonly Delivery[],
  facts: ReservationFacts,
  receiving: Receiving,
): DueEvidence {
  const {reference, sent, now} = facts
  const subscriptions = receiving.subscriptions.filter(each => belongsTo(each, facts))
  const name = eventName({type: event.type, reservation_ref: reference ?? ''})
  const states = deliveries.map(({subscriptionId, status, attempts}): DeliveryState => {
    const lastTriedAt = attempts.at(-1)?.at
    const isDelivered = status === 'DELIVERED'
    return {subscriptionId, isPending: status === 'PENDING', isDelivered, lastTriedAt}
  })
  const ofSandbox: SentDeliveries = {
    byName: new Map([[name, states]]),
    firstTo: sent?.firstTo ?? new Map(),
  }
  const {prunedBefore} = receiving
  return {subscriptions, sent: facts.deliveries === undefined ? sent : ofSandbox, prunedBefore, now}
}

function findingOf(
  {event, eventId, deliveries, verdict}: Absent,
  {reference}: ReservationFacts,
  receiving: Receiving,
): Finding[] {
  if (verdict.kind !== 'missing' && verdict.kind !== 'pending') return []
  const {type} = event
  const {passiveId} = verdict
  const shown = deliveryToShow(deliveries, verdict)
  const {attempts = [], nextAttemptAt: nextAt = null, subscriptionId} = shown ?? {}
  const last = attempts.at(-1)
  const dueAt = attempts[0]?.at ?? (event.due_at === null ? null : Date.parse(event.due_at) / 1000)
  const address = receiving.subscriptions.find(({id}) => id === subscriptionId)?.url ?? null
  const refusedHere = shown === undefined ? receiving.refusedLastHour : 0
  const details = {reference, type, eventId, passiveId, address}
  const tries = {
    attempts: attempts.length,
    status: last?.status ?? null,
    error: last?.error ?? null,
    firstAt: attempts[0]?.at ?? null,
    lastAt: last?.at ?? null,
    refusedHere,
  }
  const isTaken = verdict.kind === 'missing' && verdict.how === 'taken'
  if (!isTaken && last && last.status !== null && REFUSING.has(last.status)) {
    const {status, at} = last
    return [{code: 'event_refused', ...details, attempts: attempts.length, at, status, nextAt}]
  }
  if (verdict.kind === 'pending')
    return [{code: 'delivery_pending', ...details, ...tries, dueAt, nextAt, target: null}]
  if (!verdict.isReceivedHere) return []
  const loss = verdict.how === 'taken' ? 'not_kept' : verdict.how
  return [{code: 'event_missing', ...details, ...tries, dueAt, loss}]
}

/** Returns the delivery that the verdict is about: preferably one that was refused, else the one with most attempts. */
function deliveryToShow(deliveries: readonly Delivery[], verdict: DueVerdict): Delivery | undefined {
  const isOfVerdict = ({status}: Delivery) => {
    if (verdict.kind === 'pending') return status === 'PENDING'
    return verdict.kind === 'missing' && verdict.how === 'taken' ? status === 'DELIVERED' : true
  }
  const isRefused = ({attempts}: Delivery) => REFUSING.has(attempts.at(-1)?.status ?? null)
  const about = deliveries.filter(isOfVerdict)
  const byAttempts = about.toSorted((left, right) => right.attempts.length - left.attempts.length)
  return byAttempts.find(isRefused) ?? byAttempts[0]
}

/** Reports whether a subscription belongs to the client that made the reservation, according to its profile. */
export function belongsTo(
  {baseUrl, clientId}: Pick<OwnSubscription, 'baseUrl' | 'clientId'>,
  {client}: Pick<ReservationFacts, 'client'>,
): boolean {
  if (client === undefined || baseUrl === null || !isSameService({baseUrl}, client)) return false
  return clientId === null || clientId === client.clientId
}

/** Returns the finding that lists the types of due events for which no subscription is known, or an empty list. */
function noSubscription(absent: readonly Absent[], facts: ReservationFacts, receiving: Receiving): Finding[] {
  const {reference} = facts
  const unreported = absent.filter(({deliveries, verdict}) => {
    const isReported = verdict.kind === 'pending' || (verdict.kind === 'missing' && verdict.isReceivedHere)
    return deliveries.length === 0 && !isReported
  })
  const types = unreported.map(({event}) => event.type).filter(type => !isTaken(type, facts, receiving))
  if (types.length === 0) return []
  const passive = receiving.subscriptions.find(
    ({types: of, isPassive}) => isPassive && types.some(type => of?.includes(type)),
  )
  return [{code: 'no_subscription', reference, types, passiveId: passive?.id ?? null}]
}

function isTaken(type: string, facts: ReservationFacts, receiving: Receiving): boolean {
  const {subscriptions, isListed, receivedTypes} = receiving
  // The sandbox makes a delivery for each subscription, so there was none for this event.
  if (facts.deliveries !== undefined) return false
  if (!isListed && receivedTypes.includes(type)) return true
  return subscriptions.some(each => {
    const {types, isPassive, until} = each
    const isOn = belongsTo(each, facts) && !isPassive && until === null
    return isOn && (types === null || types.includes(type))
  })
}

function forwards({reference, events}: ReservationFacts): Finding[] {
  return events.flatMap(({eventId, type, receivedAt, forwards: all}) =>
    all.flatMap(({state, target, attempts, status, error}): Finding[] => {
      const details = {reference, type: type ?? 'event', eventId, target, attempts, status, error}
      if (state === 'given_up') return [{code: 'forward_given_up', ...details}]
      if (state === 'done') return []
      const tries = {address: null, firstAt: null, lastAt: null, nextAt: null, refusedHere: 0}
      return [{code: 'delivery_pending', ...details, ...tries, dueAt: receivedAt, passiveId: null}]
    }),
  )
}
