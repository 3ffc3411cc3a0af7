/** A reservation as printed, and its payment: where to pay, its state, whether waiting can help. */

import {factsOfReservation, type ReadReservation} from '../../../api/answers/reservations.js'
import type {OfferTerms} from '../../../api/answers/terms-and-fees.js'
import {resumeCommand} from '../../../api/reserve/failures.js'
import {isPriceChanged, type ReserveOutcome} from '../../../api/reserve/outcome.js'
import {instantOf, isCalendarDate} from '../../../contract/dates.js'
import {isEnded} from '../../../contract/events.js'
import {parseUrl, sanitizeLine} from '../../../contract/foreign-text.js'
import {isIdentifier} from '../../../contract/identifiers.js'
import type {Price} from '../../../contract/journal.js'
import {isLoopbackHost} from '../../../contract/loopback.js'
import type {SeenOffer} from '../../../contract/seen-offers.js'
import {moneyText, nightsText, onItsOwnClock} from '../../terminal/dates-and-amounts.js'
import {type Result, single} from '../../terminal/result.js'
import {cancellationText} from '../catalogue/offer-lines.js'

export function nameOf({reservation_ref, client_reference_id}: ReserveOutcome): string {
  return sanitizeLine(reservation_ref ?? `with the client reference ${client_reference_id}`, 128)
}

/** Whether waiting does not change the outcome. */
const isLast = (outcome: string) => outcome === 'confirmed' || isEnded(outcome)

export function isFinal({outcome, reservation_ref}: ReserveOutcome): boolean {
  return isLast(outcome) || reservation_ref === null
}

/** Whether it is paid, although it may not be confirmed yet. */
export function isPaid(outcome: Pick<ReserveOutcome, 'reservation'>): boolean {
  return paymentStateOf(outcome)?.kind === 'paid'
}

/** The payment address, when there is still to pay and it is one a person may be sent to: https, or http on this machine. */
export function paymentAddress(outcome: Pick<ReserveOutcome, 'outcome' | 'reservation' | 'payment_url'>) {
  if (outcome.payment_url === null || isLast(outcome.outcome) || isPaid(outcome)) return undefined
  const url = parseUrl(outcome.payment_url)
  if (url === undefined || url.username || url.password) return undefined
  const isOwnHttp = url.protocol === 'http:' && isLoopbackHost(url.hostname)
  return url.protocol === 'https:' || isOwnHttp ? url.href : undefined
}

export type Awaited = 'payment' | 'confirmation' | 'nothing'

/** Words of a state that passes by itself. */
const PASSING = /pend|process|progress|request|wait|hold|accept|review|queue|confirming/

/** A payment only where an address says where to make it, a confirmation only in a passing state. */
export function awaited(outcome: ReserveOutcome): Awaited {
  if (isFinal(outcome)) return 'nothing'
  if (isPaid(outcome)) return 'confirmation'
  if (paymentAddress(outcome) !== undefined) return 'payment'
  return !lacksAddress(outcome) && PASSING.test(outcome.outcome) ? 'confirmation' : 'nothing'
}

/** Words of a state in which it is still to be paid. */
const TO_BE_PAID =
  /(pend|wait|requir|need|due|open|to)[a-z]*[ _-]?pay|pay[a-z]*[ _-](pend|due|requir|open|need|wait)|unpaid|not[ _-]?paid/

/** Whether it has to be paid and there is no address that a person may be sent to. */
export function lacksAddress(outcome: ReserveOutcome): boolean {
  if (isFinal(outcome) || isPaid(outcome) || paymentAddress(outcome) !== undefined) return false
  return outcome.payment_url !== null || TO_BE_PAID.test(outcome.outcome)
}

export function lacksAddressText(outcome: ReserveOutcome): string[] {
  const {payment_url, client_reference_id} = outcome
  // Without path, query or user name, which may hold a secret.
  const url = parseUrl(payment_url ?? '')
  const origin = url ? `${url.protocol}//${url.host}` : 'no address'
  const named = payment_url === null ? '' : `: ${sanitizeLine(origin, 200)}`
  return [
    `Warning: the service gave no payment address that is safe to open (https, without credentials)${named}`,
    `Ask the operator where to pay, then run: ${resumeCommand(client_reference_id)} --wait`,
  ]
}

/** The address as a QR code of block characters; undefined when it is too long or wider than `columns`. */
export async function qrCode(address: string, columns: number): Promise<string | undefined> {
  const {renderUnicodeCompact} = await import('uqr')
  try {
    const code = renderUnicodeCompact(address, {border: 2})
    return code.split('\n').every(line => line.length <= columns) ? code : undefined
  } catch {
    return undefined
  }
}

const KINDS = [
  ['paid', /^(paid|captured|settled|succeeded|successful|completed|received)$/],
  ['declined', /fail|declin|reject|denied|refus/],
  ['expired', /expir|timed?[ _-]?out/],
  ['cancelled', /cancel|void|abort/],
] as const

/** The outcome of a payment attempt; `until`: when it may be tried again, as the service wrote it. */
export function paymentStateOf({reservation}: Pick<ReserveOutcome, 'reservation'>) {
  const {payment, payment_reason, pay_until} = factsOfReservation({reservation: reservation ?? {}})
  const kind = KINDS.find(([, words]) => words.test(payment?.trim().toLowerCase() ?? ''))?.[0]
  return kind && {kind, reason: payment_reason, until: pay_until}
}

/** What to know of the payment of an unconfirmed reservation, if anything. `now`: Unix seconds. */
export function paymentNote(outcome: ReserveOutcome, now: number): string | undefined {
  const payment = paymentStateOf(outcome)
  if (payment === undefined || outcome.outcome === 'confirmed') return undefined
  if (payment.kind === 'paid')
    return isFinal(outcome) ? 'it was paid' : 'it is paid, and waits for confirmation'
  const {kind, reason, until} = payment
  const [why, end] = [reason, until].map(text => (text === null ? '' : sanitizeLine(text, 64)))
  const ended = `the time to pay has ended${end === '' ? '' : ` (${end})`}`
  if (kind === 'expired') return ended
  const words = `the payment was ${kind}${why === '' ? '' : ` (${why})`}`
  if (kind === 'cancelled' || until === null || isFinal(outcome)) return words
  const isOver = (instantOf(until) ?? Number.POSITIVE_INFINITY) <= now
  return `${words}; ${isOver ? ended : `it can be tried again until ${end}`}`
}

export const RESERVATION_COLUMNS = [
  ...(['outcome', 'reservation_ref', 'status', 'payment_url'] as const),
  ...(['client_reference_id', 'idempotency_key', 'attempts', 'agreed', 'price_changed'] as const),
]

/** `facts`: what a person at a terminal sees of it. */
export function reservationResult(booking: ReserveOutcome, facts?: Result['facts']): Result {
  const document = documentOf(booking)
  const {agreed} = document
  const shown = {...document, agreed: agreed && moneyText({amount: agreed.price, currency: agreed.currency})}
  const row = Object.fromEntries(RESERVATION_COLUMNS.map(name => [name, shown[name]]))
  return {...single(document, row, booking.reservation_ref), ...(facts && {facts})}
}

/** The JSON of a reservation that was made; `payment_url` is null where there is nothing to pay, as in its row. */
export function documentOf(booking: ReserveOutcome) {
  const {outcome, reservation_ref, status, reservation, idempotency_key, client_reference_id, attempts} =
    booking
  const payment_url = paymentAddress(booking) ?? null
  const names = {idempotency_key, client_reference_id, attempts}
  const agreement = {agreed: booking.agreed, price_changed: isPriceChanged(booking)}
  return {outcome, reservation_ref, status, payment_url, reservation, ...names, ...agreement}
}

/** That it was booked at another price or in another currency than agreed; undefined if it was not, or if that is not known. */
export function priceNote(booking: ReserveOutcome): string | undefined {
  const {agreed, booked} = booking
  if (!agreed || !booked || !isPriceChanged(booking)) return undefined
  const text = ({price, currency}: Price) => moneyText({amount: price, currency})
  return `reservation ${nameOf(booking)} costs ${text(booked)}, and ${text(agreed)} was agreed`
}

interface FactsParts {
  /** Unix seconds. */
  readonly now: number
  /** The offer it was made from: what the reservation itself does not say. */
  readonly seen?: SeenOffer | undefined
  /** Where to pay, if it has to be paid and the address is safe to open. */
  readonly payAt: string | undefined
}

/** Null if unknown. */
export function factsShown(
  found: Pick<ReadReservation, 'reservation' | 'reservation_ref' | 'status'>,
  parts: FactsParts,
) {
  const {seen, payAt, now} = parts
  const facts = factsOfReservation(found)
  const {status, reservation_ref: reference} = found
  const hasEnded = isEnded(status)
  const hasVoucher = status?.toUpperCase() === 'CONFIRMED' && isIdentifier('reservation_ref', reference)
  const [arrival, departure] = [facts.check_in ?? seen?.check_in, facts.check_out ?? seen?.check_out]
  const seenPrice = seen?.total ? {amount: seen.total, currency: seen.currency} : null
  const {free_cancellation_until: stated, terms, refundable} = seen?.details ?? {}
  const {firstFee}: Partial<OfferTerms> = terms ?? {}
  const freeUntil = facts.free_until ?? stated ?? firstFee ?? null
  const room = [seen?.room_name, seen?.board].filter(Boolean).join(', ')
  return {
    reservation: reference,
    status,
    'your reference': facts.client_reference_id,
    hotel: facts.hotel ?? seen?.hotel_name,
    rooms: facts.rooms ?? room,
    dates: arrival && departure ? datesText(arrival, departure) : (arrival ?? null),
    guests: facts.guests,
    price: moneyText(facts.price ?? seenPrice),
    payment: [facts.payment_mode, facts.payment].filter(Boolean).join(', '),
    'pay at': payAt,
    'pay by': payAt && facts.pay_until && onItsOwnClock(facts.pay_until),
    cancellation: hasEnded ? null : cancellationText({freeUntil, refundable, madeAt: facts.created_at}, now),
    'cancellation fee': moneyText(facts.fee),
    voucher: hasVoucher ? `bookctl voucher download ${reference}` : hasEnded ? null : facts.voucher,
  }
}

function datesText(arrival: string, departure: string): string {
  const isStay = isCalendarDate(arrival) && isCalendarDate(departure) && arrival < departure
  return `${arrival} to ${departure}${isStay ? `, ${nightsText(arrival, departure)}` : ''}`
}
