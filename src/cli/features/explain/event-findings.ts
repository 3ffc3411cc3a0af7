/**
 * What stands out in the events of a reservation: those that were due and did not come, were refused, still wait, or were given up
 * to be forwarded. Where the service tells its deliveries, they decide. Elsewhere an event counts as missing only if a
 * subscription for it existed when it was due and its events are received here.
 */
import {instantOf} from '../../../contract/dates.js'
import type {DueEvent} from '../../../contract/due-events.js'
import {DELIVERY_DELAYS_SECONDS} from '../../../contract/limits.js'
import {courseOfFacts, dueOf} from './course.js'
import type {Delivery, KnownSubscription, Receiving, Reception, ReservationFacts} from './facts.js'
import type {Finding} from './finding.js'
import {isSameService} from './from-service.js'

/** How long the service goes on trying to deliver an event, with a minute for the answers (§6.4). */
const RETRY_SECONDS = DELIVERY_DELAYS_SECONDS.reduce((sum: number, delay) => sum + delay, 60)

/** Statuses with which a receiver refuses a request: §6.3 answers 401 to a signature that is not valid. */
const REFUSING: ReadonlySet<number | null> = new Set([401, 403])

export function eventFindings(facts: ReservationFacts, receiving: Receiving): Finding[] {
  const due = dueOf(facts)
  return [
    ...(facts.deliveries === undefined
      ? expectedEvents(due, facts, receiving)
      : deliveredEvents(facts.deliveries, facts, receiving)),
    ...noSubscription(due, facts, receiving),
    ...forwards(facts),
  ]
}

/** Looks at what the service delivered. An event that reached one subscription, or is stored here, is not missing. */
function deliveredEvents(
  deliveries: readonly Delivery[],
  facts: ReservationFacts,
  receiving: Receiving,
): Finding[] {
  const {reference, events} = facts
  const stored = new Set(events.map(({eventId}) => eventId))
  const missing = new Set(deliveries.map(({eventId}) => eventId).filter(eventId => !stored.has(eventId)))
  return [...missing].flatMap((eventId): Finding[] => {
    const ofEvent = deliveries.filter(each => each.eventId === eventId)
    const arrived = ofEvent.filter(({status}) => status === 'DELIVERED')
    const [worst] = arrived.length > 0 ? arrived.filter(each => wasKept(each, facts, receiving)) : ofEvent
    if (worst === undefined) return []
    const {type, status, attempts, nextAttemptAt: nextAt, subscriptionId} = worst
    const last = attempts.at(-1)
    const address = addressOf(subscriptionId, receiving)
    const tries = {address, firstAt: attempts[0]?.at ?? null, lastAt: last?.at ?? null}
    const details = {reference, type, eventId, attempts: attempts.length}
    const answer = {status: last?.status ?? null, error: last?.error ?? null, refusedHere: 0, ...tries}
    const dueAt = tries.firstAt
    if (status === 'DELIVERED')
      return [{code: 'event_missing', ...details, ...answer, dueAt, loss: 'not_kept'}]
    if (last && last.status !== null && REFUSING.has(last.status))
      return [{code: 'event_refused', ...details, address, at: last.at, status: last.status, nextAt}]
    if (status === 'PENDING')
      return [{code: 'delivery_pending', ...details, ...answer, dueAt, nextAt, target: null}]
    return [{code: 'event_missing', ...details, ...answer, dueAt, loss: 'given_up'}]
  })
}

function addressOf(id: string, {listed, known}: Receiving): string | null {
  const isIt = (each: {readonly id: string}) => each.id === id
  return listed?.find(isIt)?.url ?? known.find(isIt)?.url ?? null
}

/** Reports whether the events of a delivery's subscription were kept in this store when it arrived. */
function wasKept(
  {subscriptionId, attempts}: Delivery,
  facts: ReservationFacts,
  receiving: Receiving,
): boolean {
  const at = attempts.at(-1)?.at ?? 0
  if (mayBeRemoved(at, receiving)) return false
  const first = firstReception(receiving.receptions.filter(each => each.secretName === subscriptionId))
  return first !== undefined && first.receivedAt <= at && isOfClient(subscriptionId, facts, receiving)
}

function isOfClient(id: string, facts: ReservationFacts, {known}: Receiving): boolean {
  return known.some(each => each.id === id && belongsTo(each, facts))
}

/** Looks at which events should have come, where the service does not tell what it delivered. */
function expectedEvents(due: readonly DueEvent[], facts: ReservationFacts, receiving: Receiving): Finding[] {
  const {reference, events, now} = facts
  const came = new Set(events.map(({type}) => type))
  const {madeAt} = courseOfFacts(facts)
  return due.flatMap(({type, due_at}): Finding[] => {
    const dueAt = due_at === null ? madeAt : (instantOf(due_at) ?? madeAt)
    if (came.has(type) || dueAt === null || !isExpected(type, dueAt, facts, receiving)) return []
    const {refusedLastHour: refusedHere} = receiving
    const tries = {address: null, firstAt: null, lastAt: null}
    const unanswered = {attempts: 0, status: null, error: null, refusedHere, ...tries}
    const details = {reference, type, eventId: null, dueAt, ...unanswered}
    if (now < dueAt + RETRY_SECONDS)
      return [{code: 'delivery_pending', ...details, nextAt: null, target: null}]
    return [{code: 'event_missing', ...details, loss: 'never_came'}]
  })
}

/** Reports whether a subscription for the type existed at `dueAt`, and its events are received here. */
function isExpected(type: string, dueAt: number, facts: ReservationFacts, receiving: Receiving): boolean {
  const {known, listed, receptions} = receiving
  if (mayBeRemoved(dueAt, receiving)) return false
  return known.some(subscription => {
    const {id, types, storedAt} = subscription
    if (!belongsTo(subscription, facts)) return false
    const received = receptions.filter(({secretName}) => secretName === id)
    const first = firstReception(received)
    // The receiver may be another program, which keeps its events elsewhere.
    if (first === undefined) return false
    const isListed = listed === undefined || listed.some(each => each.id === id)
    const hasType = types === null ? received.some(each => each.type === type) : types.includes(type)
    return isListed && hasType && Math.min(storedAt, first.receivedAt) <= dueAt
  })
}

function mayBeRemoved(at: number, {prunedBefore}: Receiving): boolean {
  return prunedBefore !== null && at < prunedBefore
}

function firstReception(receptions: readonly Reception[]): Reception | undefined {
  const inOrder = [...receptions].sort((left, right) => left.receivedAt - right.receivedAt)
  return inOrder[0]
}

/** Reports whether a subscription is one of the client that made the reservation, as far as its profile says. */
function belongsTo({baseUrl, clientId}: KnownSubscription, {client}: ReservationFacts): boolean {
  if (client === undefined || baseUrl === null || !isSameService({baseUrl}, client)) return false
  return clientId === null || clientId === client.clientId
}

/** The types of due events that no subscription takes, as far as subscriptions are known. */
function noSubscription(due: readonly DueEvent[], facts: ReservationFacts, receiving: Receiving): Finding[] {
  const {reference, events, deliveries} = facts
  const came = new Set([...events.map(({type}) => type), ...(deliveries ?? []).map(({type}) => type)])
  const types = due.map(({type}) => type).filter(type => !came.has(type) && !isTaken(type, facts, receiving))
  if (types.length === 0) return []
  const listed = receiving.listed ?? []
  const isPassive = listed.some(
    ({types: of, isActive}) => !isActive && types.some(type => of?.includes(type)),
  )
  return [{code: 'no_subscription', reference, types, isPassive}]
}

function isTaken(type: string, facts: ReservationFacts, {known, listed, receptions}: Receiving): boolean {
  // The service made a delivery for each subscription that there was, so this event had none.
  if (facts.deliveries !== undefined) return false
  if (listed !== undefined)
    return listed.some(({types, isActive}) => isActive && (types === null || types.includes(type)))
  if (receptions.some(each => each.type === type)) return true
  return known.some(each => belongsTo(each, facts) && (each.types === null || each.types.includes(type)))
}

function forwards({reference, events}: ReservationFacts): Finding[] {
  return events.flatMap(({eventId, type, receivedAt, forwards: all}) =>
    all.flatMap(({state, target, attempts, status, error}): Finding[] => {
      const details = {reference, type: type ?? 'event', eventId, target, attempts, status, error}
      if (state === 'given_up') return [{code: 'forward_given_up', ...details}]
      if (state === 'done') return []
      const tries = {address: null, firstAt: null, lastAt: null}
      return [
        {code: 'delivery_pending', ...details, ...tries, dueAt: receivedAt, nextAt: null, refusedHere: 0},
      ]
    }),
  )
}
