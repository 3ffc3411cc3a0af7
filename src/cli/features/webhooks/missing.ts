/**
 * Implements `webhooks events missing`: compares the reservations of the service with the received events, and names
 * the events that should have come and did not. Events that cannot be judged are not called missing.
 */
import {eachReservation} from '../../../api/operations/reservations.js'
import {listSubscriptions} from '../../../api/operations/webhooks.js'
import {isoTime, systemClock} from '../../../contract/dates.js'
import {dueEvents} from '../../../contract/due-events.js'
import {subjectOf} from '../../../contract/events.js'
import {Failure} from '../../../contract/failure.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import {RETRY_SECONDS} from '../../../contract/limits.js'
import type {EventStore} from '../../../contract/stored-events.js'
import {parseBody} from '../../../webhooks/captures/records.js'
import type {Connection} from '../../session/connect.js'
import {counted} from '../../terminal/dates-and-amounts.js'
import {columnsOf, headLine, type Result} from '../../terminal/result.js'
import {
  addToSpan,
  type DueEvidence,
  eventName,
  judgeDue,
  type NamedDueEvent,
  type ReceivedSpan,
  type SubscriptionHistory,
  subscriptionHistories,
} from '../due-events/judgement.js'
import {rememberedSubscriptions} from '../due-events/remembered.js'
import {readSent} from '../due-events/sent-deliveries.js'
import {courseOf} from '../reserve/course.js'

/** An event that a reservation should have caused. */
export type OwedEvent = NamedDueEvent

export interface MissingEvents {
  /** Number of reservations that were compared. */
  readonly checked: number
  readonly missing: readonly OwedEvent[]
  /** Events that have not come yet, and that the service may still send. */
  readonly pending: readonly OwedEvent[]
  readonly warnings: readonly string[]
}

interface Terms {
  readonly store: EventStore
  readonly profile: string
  /** Compares only reservations made since then, in Unix seconds; undefined for all. */
  readonly since: number | undefined
}

/**
 * Finds the missing events. Reads reservations and stored events page by page; only the names of the received events
 * stay in memory. Throws a Failure.
 */
export async function findMissing(connection: Connection, {store, profile, since}: Terms) {
  const received = await readReceived(store)
  const subscriptions = await readSubscriptions(connection, profile, received.bySecret)
  const owed: OwedEvent[] = []
  let checked = 0
  const query = since === undefined ? {} : {created_from: isoTime(since)}
  for await (const page of eachReservation(connection.api, query)) {
    for (const found of page) {
      const course = courseOf(found)
      // The service may ignore the `created_from` filter.
      if (since !== undefined && course.madeAt !== null && course.madeAt < since) continue
      checked += 1
      const {reservation_ref} = found
      const due = dueEvents(course).map(event => ({reservation_ref, ...event}))
      owed.push(...due.filter(event => !received.names.has(eventName(event))))
    }
  }
  const names = new Set(owed.map(eventName))
  const sent = owed.length === 0 ? undefined : await readSent(connection.api, subscriptions, names)
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

const PAGE = 200

/**
 * Returns the names of all received events about reservations, and for each secret the times of the first and the last
 * event signed with it.
 */
async function readReceived(store: EventStore) {
  const names = new Set<string>()
  const bySecret = new Map<string, ReceivedSpan>()
  let after = 0
  for (;;) {
    const page = await store.page({}, {after}, PAGE)
    for (const event of page) {
      const {reservationRef} = subjectOf(parseBody(event.body))
      if (reservationRef !== null)
        names.add(eventName({type: event.type ?? '', reservation_ref: reservationRef}))
      addToSpan(bySecret, event)
      after = event.sequence
    }
    if (page.length < PAGE) return {names, bySecret}
  }
}

/**
 * Returns the existing and earlier subscriptions of this client, from the service's list and from what this machine has
 * stored. Throws a Failure if the service lists none and none was created from this machine.
 */
async function readSubscriptions(
  {api, state, target}: Connection,
  profile: string,
  receivedBy: ReadonlyMap<string, ReceivedSpan>,
): Promise<SubscriptionHistory[]> {
  const remembered = rememberedSubscriptions(state, profile).filter(
    ({baseUrl}) => baseUrl === undefined || baseUrl === target.baseUrl,
  )
  const made = remembered.filter(({baseUrl, removal}) => baseUrl !== undefined && removal === undefined)
  const listed = await listSubscriptions(api).catch(error => {
    if (error instanceof Failure && error.kind !== 'interrupted' && made.length > 0) return undefined
    throw error
  })
  return subscriptionHistories(listed?.items, remembered, receivedBy)
}

/** Sorts the due events into missing ones, ones that may still come, and ones that cannot be judged. */
function judge(owed: readonly OwedEvent[], evidence: DueEvidence) {
  const missing: OwedEvent[] = []
  const pending: OwedEvent[] = []
  const unjudged = new Map<string, number>()
  const elsewhere = new Map<string, number>()
  const add = (counts: Map<string, number>, key: string) => counts.set(key, (counts.get(key) ?? 0) + 1)
  for (const event of owed) {
    const verdict = judgeDue(event, evidence)
    if (verdict.kind === 'missing') missing.push(event)
    if (verdict.kind === 'missing' && !verdict.isReceivedHere)
      add(elsewhere, verdict.subscriptionIds.join(', '))
    if (verdict.kind === 'pending') pending.push(event)
    if (verdict.kind === 'unjudged') add(unjudged, verdict.why)
  }
  const warnings = [
    ...[...unjudged].map(([why, count]) => `${counted(count, 'event')} cannot be judged: ${why}`),
    ...[...elsewhere].map(
      ([ids, count]) =>
        `${counted(count, 'event')} may have come elsewhere: nothing that was sent to ${sanitizeLine(ids, 200)} is stored here`,
    ),
  ]
  return {missing, pending, warnings}
}

function warningsAbout(subscriptions: readonly SubscriptionHistory[]): string[] {
  const passive = subscriptions.filter(({isPassive}) => isPassive)
  const none = 'the client has no webhook subscription, so the service sends no events'
  return [
    ...(subscriptions.every(({until}) => until !== null) ? [none] : []),
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

/** Maximum number of references in a line of advice. */
const MOST_ADVISED = 10

/**
 * Returns what to do about missing events, which the service does not send again, and about events that may still come.
 */
export function adviceOn({missing, pending}: MissingEvents): string[] {
  const references = [...new Set(missing.map(({reservation_ref}) => reservation_ref))]
  const few = references.slice(0, MOST_ADVISED).map(reference => sanitizeLine(reference, 64))
  const show =
    references.length > MOST_ADVISED
      ? 'bookctl webhooks events missing --quiet | sort -u | bookctl reservations show -'
      : `bookctl reservations show ${few.join(' ')}`
  const wait = `${counted(pending.length, 'event')} did not come yet, and may still: the service goes on trying for about ${Math.round(RETRY_SECONDS / 3600)} hours after an event is due.`
  return [
    ...(missing.length > 0 ? [`An event cannot be asked for again. What it was about: ${show}`] : []),
    ...(pending.length > 0 ? [wait] : []),
  ]
}
