/** Finds other bookings that look like the same trip: those that were tried here, and those that the service lists. */
import {isEnded} from '../../../api/answers/reservations.js'
import {tripOfEntry} from '../../../api/reserve/trip-key.js'
import {isUnresolved} from '../../../contract/journal.js'
import {summaryOf} from './booking-summary.js'
import {hasEnded, stateOfFacts} from './course.js'
import type {Double, ReservationFacts, ServiceAnswer} from './facts.js'
import {readEvents} from './from-events.js'
import {clientReferencesOf, type Sources} from './subject.js'

type Undoubled = Omit<ReservationFacts, 'doubles'>

/**
 * Returns other bookings of the same client that look like the same trip: those that were tried here, and those that
 * the service lists.
 */
export async function doublesOf(facts: Undoubled, sources: Sources): Promise<Double[]> {
  const {entry, service: answer, listed, now} = facts
  const isOpen = entry !== undefined && isUnresolved(entry)
  const isNothing = entry !== undefined && entry.reservationRef === null && (!isOpen || listed?.length === 0)
  if (isNothing || isOver(facts)) return []
  const doubles = new Map<string, Double>()
  const add = (double: Double) => {
    const key = double.reservationRef ?? `attempt ${double.clientReferenceId}`
    if (!doubles.has(key)) doubles.set(key, double)
  }
  for (const double of await doublesHere(facts, sources)) add(double)
  const there = answer.kind === 'shown' ? await sources.service.sameTripAs(answer.found) : []
  for (const found of there) {
    if (isEnded(found.status)) continue
    const [clientReferenceId = null] = clientReferencesOf([], [found])
    const known = {service: {kind: 'shown', found}, entry: undefined, events: [], offer: undefined} as const
    const summary = summaryOf(known, now)
    const reservationRef = found.reservation_ref
    add({reservationRef, clientReferenceId, at: null, isCertain: true, summary})
  }
  doubles.delete(facts.reference ?? '')
  return [...doubles.values()]
}

/**
 * Reports whether the booking has ended, or may have ended: if it was unpaid when it was last seen, it may have
 * expired.
 */
function isOver(facts: Pick<ReservationFacts, 'service' | 'entry' | 'events'>): boolean {
  const isUnpaid = /pending|payment|unpaid/.test(stateOfFacts(facts) ?? '')
  return hasEnded(facts) || (facts.service.kind === 'hidden' && isUnpaid)
}

async function doublesHere(
  {entry, offer, now}: Pick<ReservationFacts, 'entry' | 'offer' | 'now'>,
  {state, events, service}: Sources,
): Promise<Double[]> {
  const guests = entry?.trip?.guests
  const trip = entry && tripOfEntry(entry, offer)
  if (entry === undefined || !guests || trip === undefined) return []
  const doubles: Double[] = []
  for (const other of await state.journal.list({client: entry, guests})) {
    const {reservationRef, clientReferenceId, createdAt} = other
    if (other.id === entry.id || clientReferenceId === entry.clientReferenceId) continue
    const offerOfOther = await state.offers.find(other, other.offerId)
    if (tripOfEntry(other, offerOfOther) !== trip) continue
    const mayAsk = await service.isOf(other)
    if (reservationRef !== null) {
      const answer: ServiceAnswer = mayAsk ? await service.show(reservationRef) : {kind: 'hidden'}
      const known = {
        service: answer,
        entry: other,
        offer: offerOfOther,
        events: await readEvents(events, {reservation: reservationRef}),
      }
      if (answer.kind === 'absent' || isOver(known)) continue
      const summary = summaryOf(known, now)
      doubles.push({reservationRef, clientReferenceId, at: createdAt, isCertain: true, summary})
    } else if (isUnresolved(other)) {
      const listed = mayAsk ? await service.named(clientReferenceId) : undefined
      const live = listed?.find(({status}) => !isEnded(status))
      if (listed !== undefined && live === undefined) continue
      const reference = live?.reservation_ref ?? null
      const answer: ServiceAnswer = live ? {kind: 'shown', found: live} : {kind: 'hidden'}
      const known = {service: answer, entry: other, events: [], offer: offerOfOther}
      doubles.push({
        reservationRef: reference,
        clientReferenceId,
        at: createdAt,
        isCertain: live !== undefined,
        summary: live ? summaryOf(known, now) : null,
      })
    }
  }
  return doubles
}
