/** `webhooks events list|show`: the received events (events.db). */
import * as Flags from '@oclif/core/flags'
import type {InferredFlags} from '@oclif/core/interfaces'
import {instantOf, isoTime} from '../../../contract/dates.js'
import {Failure} from '../../../contract/failure.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import type {EventFilter, EventStore, StoredEvent} from '../../../contract/stored-events.js'
import {captureRecord, pairsOf} from '../../../webhooks/receive/capture-record.js'
import {checkIdentifier, invalid, readDuration} from '../../input/checks.js'
import {checkedFlag, durationFlag} from '../../input/flags.js'
import {systemClock} from '../../session/clock.js'
import {listResult, type Result, single} from '../../terminal/result.js'

export const eventFilterFlags = {
  id: Flags.string({helpValue: 'EVENT_ID', multiple: true, summary: 'only these events (repeatable)'}),
  type: Flags.string({helpValue: 'TYPE', multiple: true, summary: 'only events of these types (repeatable)'}),
  since: checkedFlag((field, text) => readSince(field, text, systemClock.now()))({
    helpValue: 'TIME|AGO',
    summary: 'received since a time, or in the last 30s, 10m, 2h, 1d',
  }),
}

export const pruneFlags = {
  'older-than': durationFlag({
    helpValue: 'AGE',
    required: true,
    summary: 'received longer ago than this: 30s, 10m, 2h, 7d',
  }),
}

/** Rows a statement: no transaction is long. */
const PRUNED_AT_ONCE = 1000

/** Removes events older than `seconds`, a part at a time; returns their number. */
export async function pruneEvents(store: EventStore, seconds: number): Promise<number> {
  // Where there are none, no file is made for them.
  if ((await store.page({}, {}, 1)).length === 0) return 0
  const time = systemClock.now() - seconds
  let removed = 0
  for (let some = PRUNED_AT_ONCE; some === PRUNED_AT_ONCE; removed += some)
    some = await store.prune(time, PRUNED_AT_ONCE)
  return removed
}

/** `since`: Unix seconds. */
type EventFilterFlags = Partial<InferredFlags<typeof eventFilterFlags>>

const PLAIN_COLUMNS = ['event_id', 'event_type', 'received_at', 'profile', 'secret', 'bytes'] as const
export const EVENT_LIST_COLUMNS = [...PLAIN_COLUMNS, 'forwards']

const PAGE = 200

/** The filter of the flags. Throws usage. */
export async function eventFilter(
  {id, type, since}: EventFilterFlags,
  store: EventStore,
): Promise<EventFilter> {
  for (const one of id ?? []) await newestWith(store, '--id', one)
  return {...(id ? {ids: id} : {}), ...(type ? {types: type} : {}), ...(since === undefined ? {} : {since})}
}

/** Unix seconds of a time such as 2030-06-01T12:00:00Z, or of how long ago. Throws usage. */
function readSince(field: string, text: string, now: number): number {
  if (/^\d{4}-\d\d-\d\d([T ]|$)/.test(text)) {
    const time = instantOf(text)
    if (time !== undefined) return time
    throw invalid(field, 'must be a valid time', text)
  }
  return now - readDuration(field, text)
}

/** Events that match, oldest first, a page at a time: waiting for each alone would take a tenth longer. */
export async function* oldestPages(store: EventStore, filter: EventFilter): AsyncGenerator<StoredEvent[]> {
  for (let after: number | undefined = 0; after !== undefined; ) {
    const page: StoredEvent[] = await store.page(filter, {after}, PAGE)
    yield page
    after = page.at(-1)?.sequence
  }
}

async function rowOf(store: EventStore, event: StoredEvent) {
  return {
    event_id: event.eventId,
    event_type: event.type,
    received_at: isoTime(event.receivedAt),
    profile: event.profile,
    secret: event.secretName,
    bytes: event.body.length,
    forwards: await store.forwardsOf(event.sequence),
  }
}

type Row = Awaited<ReturnType<typeof rowOf>>

/** The events that match, newest first, `limit` at most; read page by page. */
export async function eventList(store: EventStore, filter: EventFilter, limit: number): Promise<Result<Row>> {
  const events: Row[] = []
  for (let from = {}; events.length < limit; ) {
    const page = await store.page(filter, from, Math.min(PAGE, limit - events.length))
    if (page.length === 0) break
    for (const event of page) events.push(await rowOf(store, event))
    from = {before: page.at(-1)?.sequence}
  }
  const {columns, ...list} = listResult({events}, events, PLAIN_COLUMNS)
  return {
    ...list,
    columns: [...columns, {name: 'forwards', value: ({forwards}) => forwards.map(({state}) => state)}],
    shown: ['event_id', 'event_type', 'received_at', 'bytes', 'forwards'],
    whenEmpty: 'No events match.',
  }
}

/** The newest event `id`. Throws usage naming `field` for what is neither known nor an event id. */
async function newestWith(store: EventStore, field: string, id: string): Promise<StoredEvent | undefined> {
  const [event] = await store.page({ids: [id]}, {}, 1)
  if (event === undefined) checkIdentifier('event_id', field, id)
  return event
}

/** The event `id`, the newest when several profiles have it. Throws Failure. */
export async function findEvent(store: EventStore, id: string): Promise<StoredEvent> {
  const event = await newestWith(store, 'EVENT_ID', id)
  if (event) return event
  throw new Failure('usage', `event ${sanitizeLine(id, 60)} not found among those received`, {
    code: 'event_not_found',
    hint: 'list them: bookctl webhooks events list',
  })
}

export async function eventDetails(store: EventStore, event: StoredEvent): Promise<Result> {
  const {body_base64, headers, event: parsed} = recordOf(event)
  const {bytes: _, ...row} = await rowOf(store, event)
  const document = {...row, headers, body_base64, event: parsed}
  return {...single({event: document}, document, row.event_id), text: requestText(event)}
}

/** The request as it came: head, empty line, body; made safe to print. */
function requestText({rawHeaders, body}: StoredEvent): string {
  const head = pairsOf(rawHeaders).map(([name, value]) => sanitizeLine(`${name}: ${value}`))
  const text = Buffer.from(body).toString('utf8')
  return [...head, '', ...text.split('\n').map(line => sanitizeLine(line)), ''].join('\n')
}

/** The event as a record of a capture; the time of its answer is not stored. */
export function recordOf({receivedAt, rawHeaders, body}: StoredEvent) {
  return captureRecord({reason: 'ok', duplicate: false, receivedAt, ackMilliseconds: null, rawHeaders, body})
}
