/**
 * `webhooks events missing`: compares the reservations of the service with the events received, and names those that should have
 * come and did not. What cannot be judged is not called missing.
 */
import {eachReservation} from '../../../api/operations/reservations.js'
import {eachDelivery, type FoundSubscription, listSubscriptions} from '../../../api/operations/webhooks.js'
import {isoTime, systemClock, zonedInstantOf} from '../../../contract/dates.js'
import {type DueEvent, dueEvents} from '../../../contract/due-events.js'
import {subjectOf} from '../../../contract/events.js'
import {Failure} from '../../../contract/failure.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import {RETRY_SECONDS} from '../../../contract/limits.js'
import type {EventStore} from '../../../contract/stored-events.js'
import {parseBody} from '../../../webhooks/captures/records.js'
import type {Connection} from '../../session/connect.js'
import {counted} from '../../terminal/dates-and-amounts.js'
import {columnsOf, headLine, type Result} from '../../terminal/result.js'
import {courseOf} from '../reserve/course.js'

/** An event that a reservation should have caused. */
export interface OwedEvent extends DueEvent {
  readonly reservation_ref: string
}

export interface MissingEvents {
  /** The number of reservations that were compared. */
  readonly checked: number
  readonly missing: readonly OwedEvent[]
  /** Events that did not come yet and that the service may still send. */
  readonly pending: readonly OwedEvent[]
  readonly warnings: readonly string[]
}

interface Terms {
  readonly store: EventStore
  readonly profile: string
  /** Only reservations made since then, in Unix seconds. */
  readonly since: number | undefined
}

/**
 * Finds the missing events. Reservations and events are read page by page; only the names of what came stay in memory. Throws a
 * Failure.
 */
export async function findMissing(connection: Connection, {store, profile, since}: Terms) {
  const received = await readReceived(store)
  const subscriptions = await readSubscriptions(connection, profile, received.firstBySecret)
  const owed: OwedEvent[] = []
  let checked = 0
  const query = since === undefined ? {} : {created_from: isoTime(since)}
  for await (const page of eachReservation(connection.api, query)) {
    for (const found of page) {
      const course = courseOf(found)
      // A service may not know the filter.
      if (since !== undefined && course.madeAt !== null && course.madeAt < since) continue
      checked += 1
      const {reservation_ref} = found
      const due = dueEvents(course).map(event => ({reservation_ref, ...event}))
      owed.push(...due.filter(event => !received.names.has(nameOf(event))))
    }
  }
  const sent = owed.length === 0 ? undefined : await readSent(connection, subscriptions, owed)
  const prunedBefore = await store.prunedBefore()
  const judged = judge(owed, {subscriptions, sent, prunedBefore, now: systemClock.now()})
  const isEmpty = received.names.size === 0 && judged.missing.length > 0
  const warnings = [
    ...judged.warnings,
    ...(isEmpty ? ['no event about a reservation is stored here: is this where webhooks listen runs?'] : []),
    ...warningsAbout(subscriptions),
  ]
  return {checked, missing: judged.missing, pending: judged.pending, warnings} satisfies MissingEvents
}

const nameOf = ({type, reservation_ref}: Pick<OwedEvent, 'type' | 'reservation_ref'>) =>
  `${type} ${reservation_ref}`

const PAGE = 200

/** Reads the names of all events received about reservations, and when the first event was signed with each secret. */
async function readReceived(store: EventStore) {
  const names = new Set<string>()
  const firstBySecret = new Map<string, number>()
  let after = 0
  for (;;) {
    const page = await store.page({}, {after}, PAGE)
    for (const {type, body, secretName, receivedAt, sequence} of page) {
      const {reservationRef} = subjectOf(parseBody(body))
      if (reservationRef !== null) names.add(`${type} ${reservationRef}`)
      firstBySecret.set(secretName, Math.min(firstBySecret.get(secretName) ?? receivedAt, receivedAt))
      after = sequence
    }
    if (page.length < PAGE) return {names, firstBySecret}
  }
}

interface Subscription extends Pick<FoundSubscription, 'id'> {
  readonly events: readonly string[]
  readonly isPassive: boolean
  /** Since when it is known to exist, in Unix seconds. */
  readonly since: number | undefined
}

/**
 * Returns the subscriptions of the client, from the service's list or, where that is not available, those created from this
 * machine. Throws a Failure if neither is known.
 */
async function readSubscriptions(
  {api, state, target}: Connection,
  profile: string,
  firstBySecret: ReadonlyMap<string, number>,
): Promise<Subscription[]> {
  const stored = state.secrets.listSigningSecrets(profile)
  const made = stored.filter(({subscribed}) => subscribed?.baseUrl === target.baseUrl)
  const sinceOf = (id: string) => {
    const kept = stored.find(({subscription_id}) => subscription_id === id)
    const times = [kept?.subscribed_since ?? kept?.stored_at, firstBySecret.get(id)]
    const known = times.filter(time => time !== undefined)
    return known.length === 0 ? undefined : Math.min(...known)
  }
  const listed = await listSubscriptions(api).catch(error => {
    if (error instanceof Failure && error.kind !== 'interrupted' && made.length > 0) return undefined
    throw error
  })
  if (listed === undefined) {
    return made.map(({subscription_id: id, subscribed}) => {
      return {id, events: subscribed?.events ?? [], isPassive: false, since: sinceOf(id)}
    })
  }
  return listed.items.map(({id, events, is_active}) => {
    const kept = made.find(({subscription_id}) => subscription_id === id)?.subscribed?.events
    return {id, events: events ?? kept ?? [], isPassive: is_active === false, since: sinceOf(id)}
  })
}

/** What the service says of its deliveries. */
interface Sent {
  /** The owed events that it sent or will send, by name. */
  readonly byName: ReadonlyMap<string, {readonly isPending: boolean; readonly isDelivered: boolean}>
  /** When the first event was sent to each subscription, in Unix seconds of the service's clock. */
  readonly firstTo: ReadonlyMap<string, number>
}

/**
 * Reads which of the owed events the service sent, where it lists its deliveries: the local sandbox does, and another service
 * whose path the profile names. Returns undefined where it does not.
 */
async function readSent(
  {api}: Connection,
  subscriptions: readonly Subscription[],
  owed: readonly OwedEvent[],
): Promise<Sent | undefined> {
  const names = new Set(owed.map(nameOf))
  const byName = new Map<string, {isPending: boolean; isDelivered: boolean}>()
  const firstTo = new Map<string, number>()
  try {
    for (const {id} of subscriptions) {
      for await (const page of eachDelivery(api, id)) {
        for (const {type, reservationRef, isPending, isDelivered, triedAt} of page) {
          const at = triedAt === null ? undefined : zonedInstantOf(triedAt)
          if (at !== undefined) firstTo.set(id, Math.min(firstTo.get(id) ?? at, at))
          const name = `${type} ${reservationRef}`
          if (!names.has(name)) continue
          const before = byName.get(name)
          byName.set(name, {
            isPending: isPending || before?.isPending === true,
            isDelivered: isDelivered || before?.isDelivered === true,
          })
        }
      }
    }
  } catch (error) {
    if (error instanceof Failure && error.kind !== 'interrupted') return undefined
    throw error
  }
  return {byName, firstTo}
}

interface Evidence {
  readonly subscriptions: readonly Subscription[]
  readonly sent: Sent | undefined
  readonly prunedBefore: number | null
  readonly now: number
}

/** Sorts out the owed events that are missing, those that may still come, and those that cannot be judged. */
function judge(owed: readonly OwedEvent[], evidence: Evidence) {
  const missing: OwedEvent[] = []
  const pending: OwedEvent[] = []
  const unjudged = new Map<string, number>()
  for (const event of owed) {
    const verdict = judgeOne(event, evidence)
    if (verdict === 'missing') missing.push(event)
    else if (verdict === 'pending') pending.push(event)
    else if (verdict !== 'not due') unjudged.set(verdict, (unjudged.get(verdict) ?? 0) + 1)
  }
  const warnings = [...unjudged].map(([why, count]) => `${counted(count, 'event')} cannot be judged: ${why}`)
  return {missing, pending, warnings}
}

const PRUNED = 'what was received then may have been removed (webhooks events prune)'
const UNDATED = 'the service does not say when they were due'
const UNKNOWN_START = 'since when they are subscribed is not known on this machine'

/** Returns `missing`, `pending`, `not due` if nothing was subscribed to it then, or why it cannot be judged. */
function judgeOne({type, due_at, ...event}: OwedEvent, evidence: Evidence): string {
  const {subscriptions, sent, prunedBefore, now} = evidence
  const at = due_at === null ? undefined : zonedInstantOf(due_at)
  const delivery = sent?.byName.get(nameOf({type, ...event}))
  if (delivery?.isPending) return 'pending'
  // Its time on the service's clock cannot be compared with the clock by which events are removed.
  const mayBeGone = prunedBefore !== null && delivery?.isDelivered === true
  if (mayBeGone || (at !== undefined && prunedBefore !== null && at < prunedBefore)) return PRUNED
  if (delivery !== undefined) return 'missing'
  const listing = subscriptions.filter(({events}) => events.includes(type))
  if (listing.length === 0) return 'not due'
  if (at === undefined) return UNDATED
  const starts = listing.map(({id, since}) =>
    sent === undefined ? since : (sent.firstTo.get(id) ?? Number.POSITIVE_INFINITY),
  )
  if (!starts.some(start => start !== undefined && start <= at))
    return starts.includes(undefined) ? UNKNOWN_START : 'not due'
  return sent === undefined && at + RETRY_SECONDS > now ? 'pending' : 'missing'
}

function warningsAbout(subscriptions: readonly Subscription[]): string[] {
  const passive = subscriptions.filter(({isPassive}) => isPassive)
  const none = 'the client has no webhook subscription, so the service sends no events'
  return [
    ...(subscriptions.length === 0 ? [none] : []),
    ...passive.map(({id}) => {
      const name = sanitizeLine(id, 100)
      return `the subscription ${name} is passive, so nothing is sent to it: bookctl webhooks update ${name} --active`
    }),
  ]
}

export const MISSING_COLUMNS = ['reservation_ref', 'type', 'due_at'] as const

export function missingResult({checked, missing, pending, warnings}: MissingEvents): Result<OwedEvent> {
  const compared = counted(checked, 'reservation')
  return {
    document: {checked, missing, pending},
    items: missing,
    columns: columnsOf<OwedEvent>(MISSING_COLUMNS),
    lead: headLine(`${counted(missing.length, 'missing event')}, ${compared} compared`),
    whenEmpty: `No event is missing; ${compared} compared.`,
    warning: warnings.map(text => `Warning: ${text}`),
  }
}

/** The most references in a line of advice. */
const MOST_ADVISED = 10

/** Returns what to do about missing events, which the service cannot be asked for again, and about those that may still come. */
export function adviceOn({missing, pending}: MissingEvents): string[] {
  const references = [...new Set(missing.map(({reservation_ref}) => reservation_ref))]
  const few = references.slice(0, MOST_ADVISED).map(reference => sanitizeLine(reference, 64))
  const show =
    references.length > MOST_ADVISED
      ? 'bookctl webhooks events missing --quiet | sort -u | bookctl reservations show -'
      : `bookctl reservations show ${few.join(' ')}`
  const wait = `${counted(pending.length, 'event')} did not come yet, and may still: the service tries again for about ${Math.round(RETRY_SECONDS / 3600)} hours.`
  return [
    ...(missing.length > 0 ? [`An event cannot be asked for again. What it was about: ${show}`] : []),
    ...(pending.length > 0 ? [wait] : []),
  ]
}
