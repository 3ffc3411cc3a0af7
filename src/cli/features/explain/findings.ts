/**
 * Finds what is noteworthy in the facts. All functions are pure, and each finding has the details that its texts need.
 */
import {isSameMoney} from '../../../api/answers/amounts.js'
import {chargeOf, differsFrom} from '../../../api/answers/charges.js'
import {costsOfCancellation, factsOfReservation} from '../../../api/answers/reservations.js'
import {moneyOf} from '../../../api/reserve/outcome.js'
import {isUnresolved} from '../../../contract/journal.js'
import {bookedPrice} from '../reserve/booking.js'
import {summaryOf} from './booking-summary.js'
import {courseOfFacts, hasEnded, stateOfFacts} from './course.js'
import {eventFindings, unjudgedEvents} from './event-findings.js'
import {type Facts, type ReservationFacts, recordOf} from './facts.js'
import {type Finding, SEVERITIES} from './finding.js'
import {operationOf} from './from-requests.js'

/** Returns the findings, problems first. */
export function findingsIn({reservations, receiving}: Facts): Finding[] {
  const findings = reservations.flatMap(facts => [
    ...outcomeUnknown(facts),
    ...notFoundThere(facts),
    ...priceChanged(facts, reservations),
    ...likelyDoubles(facts),
    ...eventFindings(facts, receiving),
    ...voucherMissing(facts),
    ...chargedOtherwise(facts),
    ...cancelled(facts),
  ])
  const rank = ({code}: Finding) => (SEVERITIES[code] === 'problem' ? 0 : 1)
  return findings.sort((left, right) => rank(left) - rank(right))
}

/** Says what could not be judged, and why. */
export function unjudgedIn(facts: Facts): string[] {
  const {reservations, receiving, subject} = facts
  const unknown = hasUnknownReservation(facts)
    ? [`which reservation the request ${subject.id} was about: its answer is not kept`]
    : []
  return [...new Set([...unknown, ...reservations.flatMap(each => unjudgedEvents(each, receiving))])]
}

/**
 * Reports whether a request that the user asked about may have made an unknown reservation, because its answer was not
 * kept.
 */
export function hasUnknownReservation({requests, reservations}: Facts): boolean {
  if (reservations.length > 0) return false
  return requests.some(request => {
    const {status} = request
    return operationOf(request) === 'reservations.create' && (status === null || status < 400)
  })
}

function outcomeUnknown({reference, entry, listed}: ReservationFacts): Finding[] {
  if (entry === undefined || !isUnresolved(entry)) return []
  const {clientReferenceId, updatedAt: sentAt, outcome} = entry
  const found = listed?.map(({reservation_ref}) => reservation_ref) ?? null
  return [
    {
      code: 'outcome_unknown',
      reference,
      clientReferenceId,
      sentAt,
      found,
      isForgotten: outcome === 'forgotten',
    },
  ]
}

/**
 * Returns a finding if the reservation was made here, but the service says that this client has no such reservation.
 */
function notFoundThere({reference, entry, service}: ReservationFacts): Finding[] {
  if (reference === null || entry === undefined || service.kind !== 'absent') return []
  return [{code: 'not_found_there', reference, baseUrl: entry.baseUrl}]
}

function priceChanged(facts: ReservationFacts, all: readonly ReservationFacts[]): Finding[] {
  const {reference, entry, service, refusals} = facts
  const agreed = entry?.agreed ? moneyOf(entry.agreed) : null
  const clientReferenceId = entry?.clientReferenceId ?? null
  if (reference === null) {
    // The offer was refused because its price had changed. That no longer matters once the trip was booked at another
    // price.
    const isBooked = all.some(each => each.reference !== null)
    if (isBooked || !refusals.includes('price_changed')) return []
    return [{code: 'price_changed', reference, agreed, booked: null, clientReferenceId}]
  }
  // The price that the service shows now, and the price in its answer to the booking.
  const prices = [service.kind === 'shown' ? bookedPrice(service.found) : null, entry?.booked ?? null]
  const other = prices.find(price => price && agreed && !isSameMoney(agreed, moneyOf(price)))
  return other ? [{code: 'price_changed', reference, agreed, booked: moneyOf(other), clientReferenceId}] : []
}

function likelyDoubles(facts: ReservationFacts): Finding[] {
  const {reference, doubles, now} = facts
  const own = summaryOf(facts, now)
  return doubles.map(double => ({code: 'likely_double', reference, own, double}))
}

/** How many seconds after the confirmation a voucher may take. Not in the interface. */
const VOUCHER_SECONDS = 15 * 60

function voucherMissing(facts: ReservationFacts): Finding[] {
  const {reference, voucher, service, now} = facts
  if (reference === null || hasEnded(facts) || stateOfFacts(facts) !== 'confirmed') return []
  const {confirmedAt, isVoucherReady} = courseOfFacts(facts)
  const isLate = confirmedAt !== null && now - confirmedAt > VOUCHER_SECONDS
  const {voucher: state} = factsOfReservation({reservation: recordOf(facts)})
  // A voucher can be requested once the reservation is confirmed (§4.5).
  const isPending = voucher === 'unknown' && service.kind === 'shown' && state !== null && !isVoucherReady
  if (voucher === 'refused' || (isPending && isLate))
    return [{code: 'voucher_missing', reference, confirmedAt}]
  return []
}

function chargedOtherwise(facts: ReservationFacts): Finding[] {
  const {reference} = facts
  const record = recordOf(facts)
  const charge = chargeOf(record)
  const {price} = factsOfReservation({reservation: record})
  if (charge === null || !differsFrom(charge, price)) return []
  const {rate, ...charged} = charge
  return [{code: 'charged_in_other_currency', reference, price, charged, rate}]
}

function cancelled(facts: ReservationFacts): Finding[] {
  if (facts.reference === null || !hasEnded(facts)) return []
  return [
    {
      code: 'cancelled',
      reference: facts.reference,
      at: courseOfFacts(facts).cancelledAt,
      isExpired: stateOfFacts(facts) === 'expired',
      ...costsOfCancellation({reservation: recordOf(facts)}),
    },
  ]
}
