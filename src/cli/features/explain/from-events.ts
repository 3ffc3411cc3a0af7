/** Reads what was received about a reservation from the stored events, for the facts and the timeline. */
import {instantOf} from '../../../contract/dates.js'
import {isTestEvent, subjectOf} from '../../../contract/events.js'
import {isObject} from '../../../contract/json.js'
import type {EventFilter, EventForward, EventStore, StoredEvent} from '../../../contract/stored-events.js'
import {parseBody} from '../../../webhooks/captures/records.js'
import {counted} from '../../terminal/dates-and-amounts.js'
import type {Moment, ReceivedEvent, Reception} from './facts.js'
import {answerText, originOf} from './words.js'

const PAGE = 200
/** Maximum number of events that are read for one reservation. */
const MOST_EVENTS = 1000

/** Returns the matching events, oldest first and at most MOST_EVENTS. */
export async function readEvents(store: EventStore, filter: EventFilter): Promise<ReceivedEvent[]> {
  const events: ReceivedEvent[] = []
  let after = 0
  while (events.length < MOST_EVENTS) {
    const page = await store.page(filter, {after}, PAGE)
    for (const event of page) events.push(await receivedOf(store, event))
    const last = page.at(-1)
    if (last === undefined || page.length < PAGE) break
    after = last.sequence
  }
  return events
}

async function receivedOf(store: EventStore, event: StoredEvent): Promise<ReceivedEvent> {
  const body = parseBody(event.body)
  const created = isObject(body) && typeof body.created === 'string' ? instantOf(body.created) : undefined
  return {
    eventId: event.eventId,
    type: event.type,
    status: subjectOf(body).status,
    isTest: isTestEvent(body),
    receivedAt: event.receivedAt,
    createdAt: created ?? null,
    secretName: event.secretName,
    forwards: await store.forwardsOf(event.sequence),
  }
}

/**
 * Returns the reservation that the stored event names, or null if it names none. Returns undefined if no such event is
 * stored.
 */
export async function reservationOfEvent(store: EventStore, eventId: string) {
  const [event] = await store.page({ids: [eventId]}, {}, 1)
  if (event === undefined) return undefined
  const body = parseBody(event.body)
  return isTestEvent(body) ? null : subjectOf(body).reservationRef
}

/**
 * Returns events that show which subscriptions are received here, and since when: the oldest and newest events, and the
 * oldest ones of each of `types`. A subscription without an event among them counts as not received.
 */
export async function readReceptions(store: EventStore, types: readonly string[]): Promise<Reception[]> {
  const pages = [
    await store.page({}, {after: 0}, PAGE),
    await store.page({}, {}, PAGE),
    ...(await Promise.all(types.map(type => store.page({types: [type]}, {after: 0}, PAGE)))),
  ]
  return pages.flat().map(({secretName, type, receivedAt}) => ({secretName, type, receivedAt}))
}

export function eventMoments(event: ReceivedEvent, reference: string | null): Moment[] {
  const {eventId, type, status, isTest, receivedAt, secretName, forwards} = event
  const ids = {event_id: eventId, ...(reference !== null && {reservation_ref: reference})}
  const state = status === null ? '' : `, status ${status}`
  const test = isTest ? ' (a test event)' : ''
  const received = `${type ?? 'event'}${test} received and stored${state}, signed with the secret of ${secretName}`
  const moments = [received, ...forwards.map(forward => `${type ?? 'event'} ${forwardText(forward)}`)]
  // The store does not record when an event was forwarded, so the forwards are listed after the receipt.
  return moments.map(what => ({at: receivedAt, what, source: 'events', ...ids}))
}

const FORWARDED = {done: 'forwarded', pending: 'still to be forwarded', given_up: 'given up to forward'}

function forwardText({target, state, attempts, status, error}: EventForward): string {
  const times = counted(attempts, 'attempt')
  const answer = attempts === 0 ? '' : `, last ${answerText(status, error)}`
  return `${FORWARDED[state]} to ${originOf(target)} after ${times}${answer}`
}
