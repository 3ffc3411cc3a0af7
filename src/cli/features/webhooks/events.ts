/**
 * Implements `webhooks events`: lists, shows, exports, prunes and replays received events, and finds those of a
 * reservation.
 */
import {resolve} from 'node:path'
import process from 'node:process'
import * as Flags from '@oclif/core/flags'
import type {InferredFlags} from '@oclif/core/interfaces'
import {isoTime, systemClock} from '../../../contract/dates.js'
import {subjectOf} from '../../../contract/events.js'
import {Failure, usage} from '../../../contract/failure.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import {isSuccess} from '../../../contract/operations.js'
import type {EventFilter, EventForward, EventStore, StoredEvent} from '../../../contract/stored-events.js'
import type {State} from '../../../state/state.js'
import {bufferOf, captureRecord, parseBody} from '../../../webhooks/captures/records.js'
import {RECEIVED_AT_HEADER} from '../../../webhooks/captures/request.js'
import {
  createHandover,
  freshHeaders,
  type Handover,
  headersFor,
  signedAgain,
} from '../../../webhooks/forward/request.js'
import {targetLabel} from '../../../webhooks/forward/routes.js'
import {pairsOf} from '../../../webhooks/signature/headers.js'
import type {NamedSecret} from '../../../webhooks/signature/signature.js'
import {checkIdentifier, readDuration, readSince} from '../../input/checks.js'
import {checkedFlag, identifierFlag} from '../../input/flags.js'
import {dryRun} from '../../session/dry-run.js'
import {jsonText} from '../../terminal/json-text.js'
import type {OutputFlags} from '../../terminal/output.js'
import {columnsOf, listResult, type Result, single} from '../../terminal/result.js'
import {writePieces} from '../../terminal/streams.js'
import {resolveWebhookSecrets, type WebhookSecretFlags, webhookHeaderNames} from './secrets.js'
import {checkTarget, isLate, isRedirect, unansweredText} from './targets.js'

export const eventFilterFlags = {
  reservation: identifierFlag('reservation_ref')({
    helpValue: 'REF',
    summary: 'only events about this reservation',
  }),
  id: Flags.string({helpValue: 'EVENT_ID', multiple: true, summary: 'only these events (repeatable)'}),
  type: Flags.string({helpValue: 'TYPE', multiple: true, summary: 'only events of these types (repeatable)'}),
  since: checkedFlag(readSince)({
    helpValue: 'TIME|AGO',
    summary: 'received since a time, or in the last 30s, 10m, 2h, 1d',
  }),
}

export const pruneFlags = {
  // The unit is required, because removed events cannot be restored.
  'older-than': checkedFlag((field, text) => readDuration(field, text, true))({
    helpValue: 'AGE',
    exclusive: ['forwards-to'],
    summary: 'received longer ago than this: 30s, 10m, 2h, 7d',
  }),
  'forwards-to': checkedFlag(checkTarget)({
    helpValue: 'URL',
    summary: 'give up what is still to be forwarded to URL; without its query, any query counts',
  }),
}

/** Rows changed by one statement. A limit keeps transactions short. */
const CHANGED_AT_ONCE = 1000

export async function pruneEvents(store: EventStore, seconds: number): Promise<number> {
  // If there are no events, the database must not be created.
  if ((await store.page({}, {}, 1)).length === 0) return 0
  const time = systemClock.now() - seconds
  return inPortions(limit => store.prune(time, limit))
}

/**
 * Calls `change` until it changes fewer than its limit. `change` takes the limit and returns the number of changed
 * rows. Returns the sum.
 */
async function inPortions(change: (limit: number) => Promise<number>): Promise<number> {
  let changed = 0
  for (;;) {
    const count = await change(CHANGED_AT_ONCE)
    changed += count
    if (count < CHANGED_AT_ONCE) return changed
  }
}

/**
 * Gives up the pending forwards to `url`, and returns their number. A `url` without a query stands for all its queries.
 */
export async function giveUpForwards(store: EventStore, url: string): Promise<number> {
  if ((await store.page({}, {}, 1)).length === 0) return 0
  const {pendingTargets} = await store.overview()
  const targets = pendingTargets.map(({target}) => target)
  let givenUp = 0
  for (const target of targets.filter(target => target === url || targetLabel(target) === url))
    givenUp += await inPortions(limit => store.giveUpForwards(target, limit))
  return givenUp
}

const PLAIN_COLUMNS = ['event_id', 'event_type', 'received_at', 'profile', 'secret'] as const
const SUBJECT_COLUMNS = ['reservation_ref', 'status'] as const
export const EVENT_LIST_COLUMNS = [...PLAIN_COLUMNS, 'bytes', 'forwards', ...SUBJECT_COLUMNS]

const PAGE = 200

/**
 * Returns the filter that the flags describe. Throws a usage error if --id is neither a stored event nor a well-formed
 * event id.
 */
export async function eventFilter(
  {id: ids, type: types, since, reservation}: Partial<InferredFlags<typeof eventFilterFlags>>,
  store: EventStore,
): Promise<EventFilter> {
  for (const id of ids ?? []) await newestWith(store, '--id', id)
  return {ids, types, since, reservation}
}

async function rowOf(store: EventStore, event: StoredEvent) {
  const {reservationRef, status} = subjectOf(parseBody(event.body))
  return {
    event_id: event.eventId,
    event_type: event.type,
    reservation_ref: reservationRef,
    status,
    received_at: isoTime(event.receivedAt),
    profile: event.profile,
    secret: event.secretName,
    bytes: event.body.length,
    forwards: (await store.forwardsOf(event.sequence)).map(withWords),
  }
}

export type Row = Awaited<ReturnType<typeof rowOf>>

function withWords<Sent extends Pick<EventForward, 'target' | 'error'>>(sent: Sent) {
  return {...sent, error: unansweredText(sent.error, sent.target)}
}

/** Returns the rows of at most `limit` matching events, newest first. Reads the events page by page. */
export async function eventRows(store: EventStore, filter: EventFilter, limit: number): Promise<Row[]> {
  const events: Row[] = []
  let before: number | undefined
  while (events.length < limit) {
    const page = await eventPage(store, filter, before, Math.min(PAGE, limit - events.length))
    if (page.rows.length === 0) break
    events.push(...page.rows)
    before = page.next
  }
  return events
}

/**
 * Returns the rows of at most `limit` matching events that were stored before the event with the sequence number `before`
 * (default: the newest), newest first. `next` is the `before` of the next page.
 */
export async function eventPage(
  store: EventStore,
  filter: EventFilter,
  before: number | undefined,
  limit: number,
) {
  const page = await store.page(filter, before === undefined ? {} : {before}, limit)
  const rows: Row[] = []
  for (const event of page) rows.push(await rowOf(store, event))
  return {rows, next: page.at(-1)?.sequence}
}

/** Lists events. */
export function eventList(events: readonly Row[], whenEmpty = 'No events match.'): Result<Row> {
  const list = listResult({events}, events, PLAIN_COLUMNS)
  const bytes = columnsOf<Row>(['bytes'], {isMinor: true})
  const states = ({forwards}: Row) => forwards.map(({state}) => state)
  return {
    ...list,
    columns: [
      ...list.columns,
      ...bytes,
      {name: 'forwards', value: states, wraps: true},
      ...columnsOf<Row>(SUBJECT_COLUMNS),
    ],
    // Scripts that read a pipe choose columns by position, so new columns come last.
    shown: ['event_id', 'event_type', 'received_at', 'bytes', 'forwards', ...SUBJECT_COLUMNS],
    whenEmpty,
  }
}

/**
 * Returns the newest event with this id; undefined if there is none. Throws a usage error that names `field` if `id` is
 * unknown and not a well-formed event id.
 */
async function newestWith(store: EventStore, field: string, id: string): Promise<StoredEvent | undefined> {
  const [event] = await store.page({ids: [id]}, {}, 1)
  if (event === undefined) checkIdentifier('event_id', field, id)
  return event
}

/** Returns the event with this id, the newest if several profiles have it. Throws a Failure if there is none. */
export async function findEvent(store: EventStore, id: string): Promise<StoredEvent> {
  const event = await newestWith(store, 'EVENT_ID', id)
  if (event) return event
  throw new Failure('usage', `event ${sanitizeLine(id, 60)} not found among those received`, {
    code: 'event_not_found',
    hint: 'list them: bookctl webhooks events list',
  })
}

/**
 * Returns an event with its headers and body. The text form is the request as received, without control characters:
 * headers, empty line, body. Its last header is the time of receipt, which `webhooks verify --at received` reads.
 */
export async function eventDetails(store: EventStore, event: StoredEvent): Promise<Result> {
  const {body_base64, headers, event: parsed} = recordOf(event)
  const {bytes: _, ...row} = await rowOf(store, event)
  const document = {...row, headers, body_base64, event: parsed}
  const pairs = [...pairsOf(event.rawHeaders), [RECEIVED_AT_HEADER, row.received_at]]
  const head = pairs.map(([name, value]) => `${name}: ${value}`)
  const body = Buffer.from(event.body).toString('utf8').split('\n')
  // Only at a terminal, the body is followed by a line break.
  const end = process.stdout.isTTY ? [''] : []
  const text = [...head, '', ...body, ...end].map(line => sanitizeLine(line)).join('\n')
  return {...single({event: document}, document, row.event_id), text}
}

/** Returns the event as a record of a capture. `ack_ms` is null, because the response time is not stored. */
function recordOf({receivedAt, rawHeaders, body}: StoredEvent) {
  return captureRecord({reason: 'ok', duplicate: false, receivedAt, ackMilliseconds: null, rawHeaders, body})
}

/**
 * Writes the matching events to stdout, oldest first, as lines or as one JSON document. Throws a usage error for flags
 * that need rows.
 */
export async function printEvents(store: EventStore, filter: EventFilter, flags: OutputFlags): Promise<void> {
  const {json, format, query, columns} = flags
  const refused = [
    format !== undefined && !['ndjson', 'json'].includes(format) && `--format ${format}`,
    query !== undefined && '--query',
    columns !== undefined && '--columns',
  ]
  const flag = refused.find(Boolean)
  if (flag) {
    const hint = 'use webhooks events list for rows, or pipe the capture to jq'
    throw usage('invalid_input', `${flag} cannot be used with a capture on standard output`, hint)
  }
  await writePieces(captureOf(store, filter, json || format === 'json'))
}

/**
 * Writes the matching events to a new file, completely or not at all, and returns their number. Throws a StorageError.
 */
export async function exportEvents(store: EventStore, filter: EventFilter, path: string): Promise<number> {
  const {writeWholeFile} = await import('../../../storage/files.js')
  const exported = {count: 0}
  await writeWholeFile(resolve(path), captureOf(store, filter, false, exported), {existing: 'create'})
  return exported.count
}

/** Length up to which records are joined before a write, because a write for each record would take longer. */
const PIECE_CHARACTERS = 256 * 1024

/**
 * Yields the events as a capture, oldest first: with `asDocument` as one JSON document, otherwise one record per line.
 */
async function* captureOf(
  store: EventStore,
  filter: EventFilter,
  asDocument: boolean,
  exported = {count: 0},
): AsyncGenerator<Uint8Array> {
  let text = asDocument ? '{"records": [\n' : ''
  let after = 0
  for (;;) {
    // Reads whole pages, because waiting for each event takes a tenth longer.
    const page = await store.page(filter, {after}, PAGE)
    if (page.length === 0) break
    for (const event of page) {
      const separator = asDocument && exported.count > 0 ? ',\n' : ''
      text += `${separator}${jsonText(recordOf(event))}\n`
      exported.count += 1
      after = event.sequence
      if (text.length > PIECE_CHARACTERS) {
        yield Buffer.from(text)
        text = ''
      }
    }
  }
  yield Buffer.from(asDocument ? `${text}]}\n` : text)
}

export const REPLAY_COLUMNS = ['event_id', 'target', 'status', 'ms', 'late', 'error'] as const

export type Replayed = Awaited<ReturnType<typeof sendOnce>>

type Replay = Awaited<ReturnType<typeof planReplay>>

/**
 * Plans a replay. With --resign, each event is signed when it is sent, with its original secret if that is still
 * stored. `old` counts the events whose signature is too old for a target that checks the time. Throws a usage error if
 * an event or a secret is missing.
 */
export async function planReplay(
  ids: readonly string[],
  flags: WebhookSecretFlags & {readonly resign: boolean},
  state: State,
) {
  const events: StoredEvent[] = []
  for (const id of ids) events.push(await findEvent(await state.events(), id))
  const {signature} = webhookHeaderNames(flags, state)
  if (!flags.resign) {
    const isOld = (event: StoredEvent) => !freshHeaders(event, signature, [], systemClock.now())
    return {events, headersOf: ({rawHeaders}: StoredEvent) => rawHeaders, old: events.filter(isOld).length}
  }
  const secrets = await resolveWebhookSecrets(flags, state)
  const headersOf = (event: StoredEvent) => {
    const named = secrets.find(({name}) => name === event.secretName) ?? (secrets[0] as NamedSecret)
    return signedAgain(event, named, signature, systemClock.now())
  }
  return {events, headersOf, old: 0}
}

/** Describes the requests that would be sent, each with its body as bytes and as JSON. */
export function describeReplay({events, headersOf}: Replay, target: string): Result {
  const requests = events.map(event => ({
    method: 'POST',
    url: target,
    headers: Object.fromEntries(pairsOf(headersFor(new URL(target), headersOf(event), event.body.length))),
    body: parseBody(event.body) as object,
    body_base64: bufferOf(event.body).toString('base64'),
  }))
  return dryRun(requests)
}

/** Sends each event once, one after another. An error status or a missing answer is returned, never thrown. */
export async function replayEvents(
  {events, headersOf}: Replay,
  target: string,
  options: Parameters<typeof createHandover>[0],
) {
  const handover = createHandover(options)
  const replayed = []
  for (const event of events) replayed.push(await sendOnce(handover, target, event, headersOf(event)))
  handover.close()
  return replayed
}

/** Sends an event once. Returns the status of the target, or why there was no answer. */
export async function sendOnce(
  handover: Handover,
  target: string,
  {eventId, body}: Pick<StoredEvent, 'eventId' | 'body'>,
  headers: readonly string[],
) {
  const {status, milliseconds: ms, error} = await handover.send(target, headers, body)
  return withWords({event_id: eventId, target, status, ms, late: isLate(ms), error})
}

export function replayResult(replayed: readonly Replayed[]): Result<Replayed> {
  const refused = 'the signature may be too old (--resign) or of another secret'
  return {
    ...listResult({replayed}, replayed, REPLAY_COLUMNS),
    warning: meaningsOf(replayed, refused),
  }
}

/** Returns an explanation for each distinct bad answer. `refused` says why a signature may have been refused. */
export function meaningsOf(replayed: readonly Replayed[], refused: string): string[] {
  const meanings = replayed.map(({status}) => {
    if (isRedirect(status)) return `${status}: redirects are not followed; send to the address it leads to`
    if (status === 401 || status === 403)
      return `${status}: refused; ${refused} (compare: bookctl webhooks listen --print-secret)`
    return status !== null && status >= 500 ? `${status}: the target itself failed; see its log` : ''
  })
  return [...new Set(meanings)].filter(Boolean)
}

/** Returns the failure kind of the first answer other than 2xx; undefined if there is none. */
export function replayFailure(replayed: readonly Pick<Replayed, 'status'>[]): Failure['kind'] | undefined {
  const bad = replayed.find(answer => !isSuccess(answer))
  if (!bad) return undefined
  if (bad.status === null) return 'unreachable'
  if (bad.status === 401 || bad.status === 403) return 'not_allowed'
  return bad.status < 500 && bad.status >= 400 ? 'refused' : 'service_failed'
}
