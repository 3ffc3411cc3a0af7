/** Gathers the facts about a subject from all sources, and sorts what happened by time. */
import type {ReadReservation} from '../../../api/answers/reservations.js'
import {EVENT_ID_PREFIX} from '../../../contract/identifiers.js'
import {isUnresolved, type JournalEntry} from '../../../contract/journal.js'
import type {SeenOffer} from '../../../contract/seen-offers.js'
import {eventName} from '../due-events/judgement.js'
import {dueOf, stateOfFacts} from './course.js'
import {doublesOf} from './doubles.js'
import {belongsTo} from './event-findings.js'
import type {
  Asked,
  Delivery,
  Facts,
  Moment,
  Receiving,
  RequestFact,
  ReservationFacts,
  ServiceAnswer,
} from './facts.js'
import {eventMoments, readEvents} from './from-events.js'
import {entryMoments, offerMoments} from './from-journal.js'
import {isAbout, type Names, requestMoment, tellingAmong} from './from-requests.js'
import {deliveryMoments} from './from-sandbox.js'
import {isSameService, recordMoments} from './from-service.js'
import {receivingFor} from './receiving.js'
import {
  clientReferencesOf,
  type Resolved,
  resolveHere,
  resolveThere,
  type Sources,
  unknownSubject,
} from './subject.js'

/** Maximum number of reservations that are explained at once: the newest ones. */
const MOST_RESERVATIONS = 20

/**
 * Returns the facts about `what`. Throws a usage error `unknown_subject` if nothing is known about it, or a
 * StorageError.
 */
export async function gather(what: string, sources: Sources, systemNow: number): Promise<Facts> {
  const {sandboxes} = sources
  // The logs are read before this command adds its own requests to them.
  const logs = await Promise.all(sandboxes.map(sandbox => sandbox.requests()))
  const resolved = (await resolveHere(what, sources)) ?? (await resolveThere(what, sources))
  if (resolved === undefined) throw unknownSubject(what, await askedOf(sources))
  const now = await nowOf(sources, systemNow)
  const places = await placesOf(resolved, sources)
  const reservations: ReservationFacts[] = []
  for (const place of places.slice(0, MOST_RESERVATIONS))
    reservations.push(await reservationFacts(place, sources, now))
  if (what.startsWith(EVENT_ID_PREFIX) && resolved.reservationRefs.length === 0)
    reservations.push(await eventAlone(what, sources, now))
  const receiving = await receivingFor(typesOf(reservations), sources)
  const entries = uniqueEntries(resolved, reservations)
  const recorded = [...sources.history, ...logs.flatMap(log => log ?? [])]
  const requests = requestsAbout(resolved, {entries, reservations}, recorded)
  const moments = [
    ...uniqueOffers(resolved, reservations).flatMap(offerMoments),
    ...(await attemptsOf(entries, sources)).flatMap(entryMoments),
    ...requests.map(requestMoment),
    ...reservations.flatMap(momentsOf),
  ]
  moments.sort((left, right) => left.at - right.at)
  const judged: ReservationFacts[] = []
  for (const each of reservations) {
    const refusals = refusalsOf(each, requests)
    judged.push({...each, refusals, sent: await sentOf(each, receiving, sources)})
  }
  return {
    subject: {kind: resolved.kind, id: what},
    reservations: judged,
    receiving,
    moments,
    requests: resolved.requests,
    asked: await askedOf(sources),
  }
}

/** Returns the types of the events that are due or were sent. */
function typesOf(reservations: readonly ReservationFacts[]): string[] {
  const events = reservations.flatMap(facts => [...dueOf(facts), ...(facts.deliveries ?? [])])
  return [...new Set(events.map(({type}) => type))]
}

async function askedOf({service, sandboxes}: Pick<Sources, 'service' | 'sandboxes'>): Promise<Asked[]> {
  return [
    {source: 'journal', where: 'the journal', problem: null},
    {source: 'offers', where: 'the offers seen', problem: null},
    {source: 'events', where: 'the received events', problem: null},
    {source: 'requests', where: 'the requests kept on this machine', problem: null},
    ...sandboxes.map(
      ({origin}): Asked => ({source: 'sandbox', where: `the local sandbox at ${origin}`, problem: null}),
    ),
    ...(await service.asked()),
  ]
}

/** A reservation, or an attempt to make one, that the subject leads to. */
interface Place {
  readonly reference: string | null
  readonly entry: JournalEntry | undefined
  /**
   * The reservations that the service lists under the client reference. Undefined if it was not asked or did not
   * answer.
   */
  readonly listed: readonly ReadReservation[] | undefined
}

/** Returns each reservation once, and each attempt that may have made one. */
async function placesOf({kind, entries, reservationRefs}: Resolved, sources: Sources): Promise<Place[]> {
  const {state, service} = sources
  const all = [...entries]
  for (const reference of reservationRefs) {
    if (all.some(({reservationRef}) => reservationRef === reference)) continue
    const named = await state.journal.list({named: reference})
    const booked = named.filter(each => each.reservationRef === reference)
    all.push(...(booked.length > 0 ? booked : await openAttemptsOf(reference, sources)))
  }
  const places: Place[] = []
  const add = (place: Place) => {
    const isKnown = place.reference !== null && places.some(each => each.reference === place.reference)
    if (!isKnown) places.push(place)
  }
  for (const entry of all) {
    const isOpen = isUnresolved(entry)
    const isAsked = isOpen && (await service.isOf(entry))
    const listed = isAsked ? await service.named(entry.clientReferenceId) : undefined
    // An attempt that made nothing is of interest only if the user asked about it.
    const isOfInterest = entry.reservationRef !== null || isOpen || kind !== 'reservation'
    if (isOfInterest) add({reference: entry.reservationRef, entry, listed})
    for (const {reservation_ref: reference} of listed ?? [])
      add({reference, entry: undefined, listed: undefined})
  }
  for (const reference of reservationRefs) add({reference, entry: undefined, listed: undefined})
  return places
}

/** Returns the attempts with an unknown outcome that have the reservation's client reference. */
async function openAttemptsOf(reference: string, {state, service}: Sources): Promise<JournalEntry[]> {
  const answer = await service.show(reference)
  const [clientReferenceId] = answer.kind === 'shown' ? clientReferencesOf([], [answer.found]) : []
  if (clientReferenceId === undefined) return []
  const attempts: JournalEntry[] = []
  for (const entry of await state.journal.list({named: clientReferenceId, unresolved: true}))
    if (entry.clientReferenceId === clientReferenceId && (await service.isOf(entry))) attempts.push(entry)
  return attempts
}

async function reservationFacts(
  {reference, entry, listed}: Place,
  sources: Sources,
  now: (baseUrl: string | undefined) => number,
): Promise<ReservationFacts> {
  const {state, events, service} = sources
  const offer = entry && (await state.offers.find(entry, entry.offerId))
  const received = reference === null ? [] : await readEvents(events, {reservation: reference})
  const isAsked = reference !== null && (entry === undefined || (await service.isOf(entry)))
  const answer: ServiceAnswer = isAsked ? await service.show(reference) : {kind: 'hidden'}
  const target = answer.kind === 'shown' ? await service.target() : undefined
  const client = entry ?? target
  const known = {service: answer, entry, events: received}
  const isConfirmed = stateOfFacts(known) === 'confirmed'
  const voucher =
    isAsked && isConfirmed && answer.kind !== 'absent' ? await service.voucher(reference) : 'unknown'
  const facts = {
    ...known,
    reference,
    client: client && {baseUrl: client.baseUrl, clientId: client.clientId},
    offer,
    voucher,
    listed,
    deliveries: reference === null ? undefined : await deliveriesOf(reference, client?.baseUrl, sources),
    sent: undefined,
    doubles: [],
    now: now(client?.baseUrl),
    refusals: [],
  } as const
  return {...facts, doubles: await doublesOf(facts, sources)}
}

/** Requests the deliveries from the service, if a due event did not come and is not known to be delivered. */
async function sentOf(facts: ReservationFacts, {subscriptions}: Receiving, {service}: Sources) {
  const {reference, client, events, deliveries = []} = facts
  if (reference === null || client === undefined || !(await service.isOf(client))) return undefined
  const known = new Set([...events, ...deliveries].map(({type}) => type))
  const absent = dueOf(facts).filter(({type}) => !known.has(type))
  const own = subscriptions.filter(each => belongsTo(each, facts))
  if (absent.length === 0 || own.length === 0) return undefined
  const names = absent.map(({type}) => eventName({type, reservation_ref: reference}))
  return service.sent(own, new Set(names))
}

/** Returns the facts about an event that names no reservation, such as a test event. */
async function eventAlone(
  id: string,
  sources: Sources,
  now: (baseUrl: string | undefined) => number,
): Promise<ReservationFacts> {
  const deliveries: Delivery[] = []
  for (const sandbox of sources.sandboxes) deliveries.push(...((await sandbox.deliveriesOfEvent(id)) ?? []))
  return {
    reference: null,
    client: undefined,
    entry: undefined,
    offer: undefined,
    service: {kind: 'hidden'},
    voucher: 'unknown',
    listed: undefined,
    events: await readEvents(sources.events, {ids: [id]}),
    deliveries: deliveries.length === 0 ? undefined : deliveries,
    sent: undefined,
    doubles: [],
    now: now(undefined),
    refusals: [],
  }
}

/**
 * Returns the deliveries that the local sandbox at `baseUrl` made, or undefined if the service is not a local sandbox.
 */
async function deliveriesOf(reference: string, baseUrl: string | undefined, {sandboxes}: Sources) {
  for (const sandbox of sandboxes) {
    if (baseUrl !== undefined && !isAt(sandbox.origin, baseUrl)) continue
    const found = await sandbox.deliveriesOf(reference)
    // Without a base URL, a sandbox that does not know the reservation may be the wrong one.
    if (found !== undefined && (baseUrl !== undefined || found.length > 0)) return found
  }
  return undefined
}

function isAt(origin: string, baseUrl: string): boolean {
  return isSameService({baseUrl: origin}, {baseUrl: new URL(baseUrl).origin})
}

/** Returns a function that returns the time of each service. The clock of a local sandbox may have been moved. */
async function nowOf(
  {sandboxes}: Sources,
  systemNow: number,
): Promise<(baseUrl: string | undefined) => number> {
  const clocks = await Promise.all(sandboxes.map(async ({origin, now}) => ({origin, now: await now()})))
  return baseUrl => {
    const found = clocks.find(({origin}) => baseUrl !== undefined && isAt(origin, baseUrl))
    return found?.now ?? systemNow
  }
}

/** Returns the requests that belong to the subject, from this machine and from sandboxes. */
function requestsAbout(
  resolved: Resolved,
  {entries, reservations}: Pick<Resolved, 'entries'> & Pick<Facts, 'reservations'>,
  requests: readonly RequestFact[],
): RequestFact[] {
  const records = reservations.flatMap(({service}) => (service.kind === 'shown' ? [service.found] : []))
  const names: Names = {
    reservationRefs: new Set(reservations.flatMap(({reference}) => reference ?? [])),
    clientReferenceIds: new Set(clientReferencesOf(entries, records)),
    offerIds: new Set([
      ...entries.map(({offerId}) => offerId),
      ...resolved.offers.map(({offer_id}) => offer_id),
    ]),
    idempotencyKeys: new Set(entries.map(({idempotencyKey}) => idempotencyKey)),
  }
  const about = tellingAmong(requests).filter(request => isAbout(request, names))
  const isAskedFor = (request: RequestFact) =>
    resolved.requests.some(
      ({requestId, source}) => requestId === request.requestId && source === request.source,
    )
  return [...resolved.requests, ...about.filter(request => !isAskedFor(request))]
}

/** Returns the error codes with which the service refused to make the reservation. */
function refusalsOf({entry}: ReservationFacts, requests: readonly RequestFact[]): string[] {
  if (entry === undefined || entry.reservationRef !== null) return []
  const own = requests.filter(({idempotencyKey}) => idempotencyKey === entry.idempotencyKey)
  return [...new Set(own.flatMap(({errorCode}) => errorCode ?? []))]
}

/** Returns the entries, and other attempts of the same clients with the same client references. */
async function attemptsOf(entries: readonly JournalEntry[], {state}: Sources): Promise<JournalEntry[]> {
  const attempts = new Map(entries.map(entry => [entry.id, entry]))
  for (const {clientReferenceId, ...client} of entries) {
    const named = await state.journal.list({client, named: clientReferenceId})
    for (const other of named)
      if (other.clientReferenceId === clientReferenceId) attempts.set(other.id, other)
  }
  return [...attempts.values()]
}

function uniqueEntries({entries}: Resolved, reservations: readonly ReservationFacts[]): JournalEntry[] {
  const all = [...entries, ...reservations.flatMap(({entry}) => entry ?? [])]
  return [...new Map(all.map(entry => [entry.id, entry])).values()]
}

function uniqueOffers({offers}: Resolved, reservations: readonly ReservationFacts[]): SeenOffer[] {
  const all = [...offers, ...reservations.flatMap(({offer}) => offer ?? [])]
  return [...new Map(all.map(offer => [offer.offer_id, offer])).values()]
}

function momentsOf({service, events, deliveries, reference}: ReservationFacts): Moment[] {
  return [
    ...(service.kind === 'shown' ? recordMoments(service.found) : []),
    ...(deliveries ?? []).flatMap(deliveryMoments),
    ...events.flatMap(event => eventMoments(event, reference)),
  ]
}
