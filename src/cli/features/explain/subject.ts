/**
 * Finds out what a question is about: first in the journal and the stores of this machine, then at the service and the
 * local sandbox.
 */
import {factsOfReservation} from '../../../api/answers/reservations.js'
import {Failure} from '../../../contract/failure.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import {EVENT_ID_PREFIX, isIdentifier, OFFER_ID_PREFIX} from '../../../contract/identifiers.js'
import type {JournalEntry} from '../../../contract/journal.js'
import type {SeenOffer} from '../../../contract/seen-offers.js'
import type {EventStore} from '../../../contract/stored-events.js'
import type {Client} from '../../../contract/token-cache.js'
import type {State} from '../../../state/state.js'
import {type Asked, lookedIn, type RequestFact, type SubjectKind} from './facts.js'
import {reservationOfEvent} from './from-events.js'
import {referenceInPath} from './from-requests.js'
import type {SandboxView} from './from-sandbox.js'
import type {ServiceView} from './from-service.js'

/** What was found for the subject. */
export interface Resolved {
  readonly kind: SubjectKind
  readonly entries: readonly JournalEntry[]
  readonly reservationRefs: readonly string[]
  readonly offers: readonly (SeenOffer & Client)[]
  /** The requests that the user asked about, if any. */
  readonly requests: readonly RequestFact[]
}

/** Where facts are gathered from. */
export interface Sources {
  readonly state: State
  readonly events: EventStore
  /** The requests in the history of this machine. */
  readonly history: readonly RequestFact[]
  readonly service: ServiceView
  readonly sandboxes: readonly SandboxView[]
}

const NOTHING = {entries: [], reservationRefs: [], offers: [], requests: []}

/**
 * Returns what the stores of this machine and its shared store know as `what`, without asking the service, or
 * undefined.
 */
export async function resolveHere(
  what: string,
  {state, events, history}: Pick<Sources, 'state' | 'events' | 'history'>,
): Promise<Resolved | undefined> {
  if (what.startsWith(EVENT_ID_PREFIX)) {
    const reference = await reservationOfEvent(events, what)
    if (reference === undefined) return undefined
    return {...NOTHING, kind: 'event', reservationRefs: reference === null ? [] : [reference]}
  }
  const entries = await state.journal.list({named: what})
  if (what.startsWith(OFFER_ID_PREFIX)) {
    const offers = await state.offers.findAll(what)
    if (offers.length === 0 && entries.length === 0) return undefined
    return {...NOTHING, kind: 'offer', entries, offers}
  }
  const booked = entries.filter(({reservationRef}) => reservationRef === what)
  if (booked.length > 0) return {...NOTHING, kind: 'reservation', entries: booked, reservationRefs: [what]}
  const named = entries.filter(({clientReferenceId}) => clientReferenceId === what)
  if (named.length > 0) return {...NOTHING, kind: 'client_reference', entries: named}
  if (entries.length > 0) return {...NOTHING, kind: 'request', entries}
  if (isIdentifier('reservation_ref', what) && (await events.page({reservation: what}, {}, 1)).length > 0)
    return {...NOTHING, kind: 'reservation', reservationRefs: [what]}
  const requests = history.filter(({requestId, idempotencyKey}) => [requestId, idempotencyKey].includes(what))
  return requests.length === 0 ? undefined : resolveRequests(requests, state)
}

/**
 * Returns what the service or a local sandbox knows as `what`, or undefined if they know nothing or cannot be asked.
 */
export async function resolveThere(what: string, sources: Sources): Promise<Resolved | undefined> {
  const {state, service, sandboxes} = sources
  for (const sandbox of sandboxes) {
    if (what.startsWith(EVENT_ID_PREFIX)) {
      const [delivery] = (await sandbox.deliveriesOfEvent(what)) ?? []
      const reference = delivery?.reservationRef
      if (delivery) return {...NOTHING, kind: 'event', reservationRefs: reference ? [reference] : []}
      continue
    }
    const request = await sandbox.requestById(what)
    if (request) return resolveRequests([request], state)
    const about = (await sandbox.requests())?.filter(({offerId}) => offerId === what) ?? []
    if (about.length > 0) return {...(await resolveRequests(about, state)), kind: 'offer'}
  }
  if (what.startsWith(EVENT_ID_PREFIX) || what.startsWith(OFFER_ID_PREFIX)) return undefined
  if (isIdentifier('reservation_ref', what) && (await service.show(what)).kind === 'shown')
    return {...NOTHING, kind: 'reservation', reservationRefs: [what]}
  if (!isIdentifier('client_reference_id', what)) return undefined
  const listed = (await service.named(what)) ?? []
  if (listed.length === 0) return undefined
  const reservationRefs = listed.map(({reservation_ref}) => reservation_ref)
  return {...NOTHING, kind: 'client_reference', reservationRefs}
}

async function resolveRequests(requests: readonly RequestFact[], state: State): Promise<Resolved> {
  const references = requests.map(request => request.reservationRef ?? referenceInPath(request))
  const names = requests.flatMap(({idempotencyKey, clientReferenceId}) => [idempotencyKey, clientReferenceId])
  const entries: JournalEntry[] = []
  for (const name of new Set([...names, ...references])) {
    if (name === null) continue
    const found = await state.journal.list({named: name})
    entries.push(...found.filter(({id}) => entries.every(each => each.id !== id)))
  }
  const reservationRefs = [...new Set(references.filter(reference => reference !== null))]
  return {...NOTHING, kind: 'request', entries, reservationRefs, requests}
}

/** Returns the error for an unknown subject. It says what kinds of subjects were looked for, and where. */
export function unknownSubject(what: string, asked: readonly Asked[]): Failure {
  let kinds = 'a reservation, a client reference, a request id, an Idempotency-Key or a file'
  if (what.startsWith(EVENT_ID_PREFIX)) kinds = 'an event'
  if (what.startsWith(OFFER_ID_PREFIX)) kinds = 'an offer'
  const searched = asked.filter(({problem}) => problem === null).map(({where}) => where)
  const without = (failed: boolean) =>
    asked.flatMap(({where, problem, hasFailed = false}) =>
      problem === null || hasFailed !== failed ? [] : [`${where}: ${problem}`],
    )
  const notAsked = without(false)
  const failed = without(true)
  const places = [
    notAsked.length === 0 ? '' : `; not asked: ${notAsked.join('; ')}`,
    failed.length === 0 ? '' : `; not answered: ${failed.join('; ')}`,
  ].join('')
  const message = `nothing is known of ${JSON.stringify(sanitizeLine(what, 80))}: looked for ${kinds} in ${searched.join(', ')}${sanitizeLine(places, 400)}`
  const hint = 'check the spelling; bookctl journal and bookctl reservations list show what there is'
  return new Failure('usage', message, {code: 'unknown_subject', hint, result: {looked_in: lookedIn(asked)}})
}

/** Returns the client references of journal entries, and of records in the service's answers. */
export function clientReferencesOf(
  entries: readonly JournalEntry[],
  records: readonly {readonly reservation: Record<string, unknown>}[],
): string[] {
  const named = records.map(record => factsOfReservation(record).client_reference_id)
  return [
    ...new Set([...entries.map(entry => entry.clientReferenceId), ...named.filter(name => name !== null)]),
  ]
}
