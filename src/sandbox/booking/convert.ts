/**
 * Converts an offer into a reservation (§4.4, §3). Endings of the client reference select scenarios, such as a price
 * that has changed.
 */
import {isoTime, nightsBetween} from '../../contract/dates.js'
import type {ErrorCode} from '../../contract/error-codes.js'
import type {Offer} from '../../contract/hotels.js'
import {fromMinor, toMinor} from '../../contract/money.js'
import type {Reservation, ReservationRequest} from '../../contract/reservations.js'
import {ConnectionDrop, notFound, Refusal} from '../base/answers.js'
import {randomReservationRef, randomSecret} from '../base/random.js'
import type {Service} from '../base/service.js'
import {accountCharge} from '../catalogue/countries-and-currencies.js'
import type {Client} from '../store/clients.js'
import {addEntry} from '../store/ledger.js'
import {findOffer, type StoredOffer} from '../store/offers.js'
import {addReservation, findReservation} from '../store/reservations.js'
import {checkGuests, confirmed, recordConfirmation} from './pay-change-cancel.js'

const PAYMENT_VALIDITY_SECONDS = 15 * 60

type OfferCall = Pick<Call, 'service' | 'client' | 'now'>

interface Call {
  readonly service: Service
  readonly client: Client
  readonly body: ReservationRequest
  /** Unix seconds. */
  readonly now: number
}

/**
 * Converts the offer into a reservation and returns it. Must run in a transaction. Throws the Refusal of the first
 * check that fails.
 */
export function convertOffer(call: Call): Reservation {
  const {service, client, body, now} = call
  const {database} = service
  const {offer, criteria} = usableOffer(call, body.offer_id)
  const reference = body.client_reference_id
  const earlier = findReservation(database, 'client_reference_id', reference, client.client_id)
  if (earlier) {
    const {reservation_ref} = earlier.record
    const message = 'client_reference_id is already used by another reservation'
    throw new Refusal('duplicate_client_reference', message, {reservation_ref})
  }
  playScenario(call, offer)
  if (body.client_nationality !== criteria.client_nationality) {
    const message = `the offer was searched for ${criteria.client_nationality}`
    const details = [{field: 'client_nationality', code: 'nationality', message}]
    throw new Refusal('nationality_mismatch', message, {details})
  }
  const {check_in, check_out} = criteria
  checkGuests(body.guests, offer.rooms, check_in, now)

  const {hotel, rooms, price, cancellation_policies, remarks} = offer
  const at = isoTime(now)
  const draft = {
    ...body,
    reservation_ref: randomReservationRef(),
    status: 'PENDING_PAYMENT',
    hotel,
    rooms,
    check_in,
    check_out,
    nights: nightsBetween(check_in, check_out),
    price,
    cancellation_policies,
    remarks,
    hotel_confirmation_number: null,
    voucher: {status: 'PENDING'},
    cancellation: null,
    created_at: at,
    updated_at: at,
    confirmed_at: null,
    live_mode: false,
  } as const
  const {client_id: clientId} = client
  const due = {mode: body.payment.mode, amount: price.total, currency: price.currency, failure_code: null}
  if (due.mode === 'instant') {
    const token = randomSecret()
    const expires_at = isoTime(now + PAYMENT_VALIDITY_SECONDS)
    const payment = {...due, status: 'PENDING', url: `/pay/${token}`, expires_at, paid_at: null} as const
    const record: Reservation = {...draft, payment}
    addReservation(database, {clientId, record, debitedMinor: 0n}, token)
    return record
  }
  const {currency} = client
  const charge = accountCharge(price.total, price.currency, currency)
  const needed = toMinor(charge.amount, currency)
  const available = BigInt(client.balance_minor)
  if (needed > available) {
    const amounts = {needed: charge.amount, available: fromMinor(available, currency), currency}
    throw new Refusal('insufficient_balance', 'insufficient balance', amounts)
  }
  const charged = currency === price.currency ? {} : {charged: charge}
  const paid = {...due, status: 'PAID', expires_at: null, paid_at: at, ...charged} as const
  const record = confirmed({...draft, payment: paid}, now)
  const {reservation_ref: reservationRef} = record
  addEntry(database, clientId, {at: now, kind: 'booking', reservationRef, amountMinor: -needed})
  addReservation(database, {clientId, record, debitedMinor: needed})
  recordConfirmation(service, {clientId, record, now})
  return record
}

/** Messages for offers that an injected fault made unusable. */
const LOST: Partial<Record<ErrorCode, string>> = {
  rooms_unavailable: 'the rooms are no longer available; search again',
  offer_already_used: 'the offer is already booked',
}

/**
 * Returns the offer if it can be converted. Throws the Refusal `offer_not_found`, `offer_already_used` or
 * `offer_expired`, or the one that an injected fault set.
 */
export function usableOffer(call: OfferCall, offerId: string): StoredOffer {
  const {service, client, now} = call
  const used = findReservation(service.database, 'offer_id', offerId, client.client_id)
  if (used) {
    const {reservation_ref} = used.record
    throw new Refusal('offer_already_used', 'the offer is already booked', {reservation_ref})
  }
  const found = findOffer(service.database, client.client_id, offerId, now)
  if (!found) throw notFound('offer', offerId)
  const lost = service.lostOffers.get(offerId)
  if (lost) throw new Refusal(lost, LOST[lost] ?? 'injected fault')
  if (found.offer) return found
  const expired_at = isoTime(found.expiredAt)
  throw new Refusal('offer_expired', 'the offer has expired; search again', {expired_at})
}

/**
 * Throws the Refusal that the ending of the client reference selects. Nothing was changed yet. With `-unknown_soldout`,
 * the first request is dropped, and later ones are refused.
 */
function playScenario({service, client, body}: Call, {price: {total, currency}}: Offer): void {
  const reference = body.client_reference_id
  if (reference.endsWith('-price_changed')) {
    const dearer = fromMinor((toMinor(total, currency) * 110n + 50n) / 100n, currency)
    const prices = {old: total, new: dearer, currency}
    throw new Refusal('price_changed', 'the price has changed; search again', prices)
  }
  const {droppedReferences} = service
  const mine = JSON.stringify([client.client_id, reference])
  if (reference.endsWith('-unknown_soldout') && !droppedReferences.has(mine)) {
    droppedReferences.add(mine)
    throw new ConnectionDrop()
  }
  if (/-(sold_out|unknown_soldout)$/.test(reference))
    throw new Refusal('rooms_unavailable', 'the rooms are no longer available; search again')
}
