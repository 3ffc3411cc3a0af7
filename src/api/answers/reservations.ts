/**
 * Reads the reservations in an answer of any shape, with their facts and links (§2.5, §2.6). A missing fact is null.
 */
import {parseUrl} from '../../contract/foreign-text.js'
import {
  breadthFirst,
  type Fields,
  fieldsOf,
  firstObject,
  inDocumentOrder,
  isObject,
  type JsonObject,
  type Node,
  outwards,
  own,
  snakeCase,
  textOf,
} from '../../contract/json.js'
import {compareAmounts} from '../../contract/money.js'
import {agreed, isSameCurrency, type MoneyReading, moneyIn, priceIn} from './amounts.js'
import {chargeOf} from './charges.js'
import {asWord, factIn, textIn} from './facts.js'
import {termsOf} from './terms-and-fees.js'
import {
  AMOUNT,
  BOOKING,
  DOCUMENT_KIND,
  ENVELOPES,
  FEE,
  LINK,
  OFFER,
  PAYMENT,
  RESERVATION,
  STATE,
  VOUCHER_LINK,
  VOUCHERS,
} from './vocabulary.js'

export type ReadReservation = NonNullable<ReturnType<typeof readReservation>>

/**
 * Returns the outermost object in an answer that has a `reservation_ref`, with its status and payment URL, or
 * undefined.
 */
export function readReservation(json: unknown) {
  for (const {value} of breadthFirst(json)) {
    const reservation_ref = referenceIn(value)
    if (reservation_ref === undefined) continue
    const status = textOf(own(value, 'status')) ?? null
    /** The URL where the customer pays (§2.5). */
    const payment_url = findPaymentUrl(value) ?? (value === json ? null : (findPaymentUrl(json) ?? null))
    return {reservation: value, reservation_ref, status, payment_url}
  }
  return undefined
}

function referenceIn(value: JsonObject): string | undefined {
  return textOf(own(value, 'reservation_ref'), own(value, 'reservationRef'))
}

/** A reservation and its position in the answer. */
export type PlacedReservation = ReturnType<typeof outermostOf>[number]

/** Returns each object with a reservation reference that is not inside another such object. */
export function outermostOf(json: unknown, walk = breadthFirst) {
  const isInside = ({parent}: Node) => parent !== undefined && referenceIn(parent.value) !== undefined
  return [...walk(json, isInside)].flatMap(node => {
    const found = referenceIn(node.value) === undefined ? undefined : readReservation(node.value)
    return found ? [{node, found}] : []
  })
}

/**
 * Returns the price of a reservation. Looks in the reservation, then in its parts, its payment and, if the answer has
 * no other reservation, the objects around it; the first place that states a price wins. Returns `unclear` if the
 * payment is higher than the price or in another currency, and null if no price is stated.
 */
export function priceOfReservation(reservation: JsonObject, json: unknown): MoneyReading | null {
  const placed = outermostOf(json)
  const {node} = placed.find(({found}) => found.reservation === reservation) ?? {}
  const own = priceIn(fieldsOf(reservation), RESERVATION.wholePrice, node)
  const paid = priceIn(fieldsOf(firstObject(fieldsOf(reservation).get('payment'))), AMOUNT, node)
  if (own !== null) {
    if (own === 'unclear' || paid === 'unclear' || paid === null) return own
    // A payment in another currency with an exchange rate is a charge, not a second price.
    if (chargeOf(reservation)?.currency === paid.currency && !isSameCurrency(own, paid)) return own
    // A payment may be the whole price or a part of it, such as a deposit.
    return isSameCurrency(own, paid) && compareAmounts(paid.amount, own.amount) <= 0 ? own : 'unclear'
  }
  const parts = Object.entries(reservation).flatMap(([name, part]) =>
    BOOKING.parts.test(snakeCase(name)) && isObject(part) ? [fieldsOf(part)] : [],
  )
  const around = placed.length === 1 ? outwards(node?.parent).map(({value}) => fieldsOf(value)) : []
  return (
    agreed(parts.flatMap(fields => priceIn(fields, RESERVATION.wholePrice, node) ?? [])) ??
    paid ??
    agreed(around.flatMap(fields => priceIn(fields, RESERVATION.priceAround) ?? []))
  )
}

/** Returns the same reservations as `outermostOf`, but in document order. */
export function outermostReservations(json: unknown): ReadReservation[] {
  return outermostOf(json, inDocumentOrder).map(({found}) => found)
}

/**
 * Returns the facts that show the progress of a reservation. This is much faster than `factsOfReservation`, because no
 * amounts are read. Times are as the service wrote them.
 */
export function progressOf({reservation}: Pick<ReadReservation, 'reservation'>) {
  const fields = fieldsOf(reservation)
  const inside = (name: string) => fieldsOf(firstObject(fields.get(name)))
  const cancelledAt = RESERVATION.cancelledAt
  return {
    payment: textIn(inside('payment'), STATE) ?? textIn(fields, PAYMENT.state),
    payment_mode: textIn(inside('payment'), PAYMENT.mode),
    paid_at: textIn(inside('payment'), PAYMENT.paidAt),
    voucher: textIn(inside('voucher'), STATE),
    created_at: textIn(fields, RESERVATION.createdAt),
    updated_at: textIn(fields, RESERVATION.updatedAt),
    confirmed_at: textIn(fields, RESERVATION.confirmedAt),
    cancelled_at: textIn(fields, cancelledAt) ?? textIn(inside('cancellation'), cancelledAt),
  }
}

/** Returns the facts of a reservation. Dates and times are as the service wrote them. */
export function factsOfReservation({reservation}: Pick<ReadReservation, 'reservation'>) {
  const fields = fieldsOf(reservation)
  const inside = (name: string) => fieldsOf(firstObject(fields.get(name)))
  const progress = progressOf({reservation})
  const hotel = fields.get('hotel')
  const contact = RESERVATION.reachedBy.map(name => textIn(inside('contact'), [name]))
  const list = RESERVATION.guests.map(name => fields.get(name)).find(isList) ?? []
  const guests = list.map(guest => fieldsOf(firstObject(guest)))
  /** The given name and family name of each guest. */
  const names = guests.map(guest => {
    const words = [textIn(guest, RESERVATION.firstName), textIn(guest, RESERVATION.surname)]
    return words.filter(Boolean).join(' ')
  })
  const lead = guests.findIndex(guest => guest.get('is_lead') === true)
  const rooms = RESERVATION.rooms.map(name => fields.get(name)).find(isList) ?? [fields.get('room')]
  /** The name and board of each room: `Standard Room, RO`. */
  const roomTexts = rooms.map(item => {
    const room = fieldsOf(firstObject(item))
    const board = fieldsOf(firstObject(room.get('board')))
    const name = textIn(room, [...OFFER.roomName, ...OFFER.roomText])
    const words = [name, textIn(board, OFFER.ofBoard) ?? textIn(room, OFFER.board)]
    return words.filter(Boolean).join(', ')
  })
  const price = priceIn(fields, RESERVATION.wholePrice)
  return {
    client_reference_id: textIn(fields, RESERVATION.clientReference),
    hotel:
      textIn(fields, RESERVATION.hotelName) ??
      textIn(inside('hotel'), RESERVATION.ofHotel) ??
      (typeof hotel === 'string' && hotel.trim() !== '' ? hotel : null),
    check_in: textIn(fields, RESERVATION.checkIn),
    check_out: textIn(fields, RESERVATION.checkOut),
    price: price === 'unclear' ? null : price,
    rooms: roomTexts.filter(Boolean).join('; ') || textIn(fields, RESERVATION.roomName),
    payment: progress.payment,
    payment_mode: progress.payment_mode,
    /** What the account was charged, with the rate. */
    charged: chargeOf(reservation),
    /** The time until which the reservation can be paid. */
    pay_until: textIn(inside('payment'), PAYMENT.until),
    /** The reason why the payment failed. */
    payment_reason: textIn(inside('payment'), PAYMENT.reason),
    voucher: progress.voucher,
    lead_guest: names[Math.max(lead, 0)] || null,
    guests: names.filter(Boolean).join(', ') || null,
    guest_count: guests.length || null,
    /** Name, e-mail address and telephone number. */
    contact: contact.filter(Boolean).join(' ') || null,
    created_at: progress.created_at,
    updated_at: progress.updated_at,
    /** The time from which cancelling is not free. */
    free_until: textIn(fields, RESERVATION.freeUntil) ?? termsOf(reservation).firstFee ?? null,
    /** The fee that the cancellation cost. */
    fee: moneyIn(inside('cancellation'), FEE.ofCancellation),
  }
}

/**
 * Returns the fee and the refund that a record states for its cancellation, or null for each that it does not state.
 */
export function costsOfCancellation({reservation}: Pick<ReadReservation, 'reservation'>) {
  const cancellation = fieldsOf(firstObject(fieldsOf(reservation).get('cancellation')))
  return {fee: moneyIn(cancellation, FEE.ofCancellation), refund: moneyIn(cancellation, FEE.refund)}
}

const isList = (value: unknown): value is unknown[] => Array.isArray(value) && value.length > 0

/** Returns the URL in a value, or undefined if the value is not a URL. */
type ReadLink = (value: unknown) => string | undefined

function findPaymentUrl(json: unknown): string | undefined {
  for (const {value} of breadthFirst(json)) {
    const fields = fieldsOf(value)
    const found =
      factIn(fields, PAYMENT.url, absolute) ??
      linkUnder(fields, PAYMENT.holders, [...LINK, 'payment_url'], absolute)
    if (found !== null) return found
  }
  return undefined
}

const MOST_ENVELOPES = 3

/**
 * Returns the absolute URL of the voucher, or undefined. A link that starts with `/` is resolved against the service's origin.
 */
export function findVoucherUrl(json: unknown, baseUrl: string): string | undefined {
  const {origin} = new URL(baseUrl)
  const read: ReadLink = value => absolute(value) ?? relative(value, origin)
  const names = [...LINK, ...VOUCHER_LINK]
  for (const {value} of breadthFirst(json)) {
    const fields = fieldsOf(value)
    const kinds = DOCUMENT_KIND.map(name => snakeCase(textOf(fields.get(name)) ?? ''))
    const isVoucher = kinds.some(kind => /^((hotel|reservation|booking)_)?voucher(_pdf)?$/.test(kind))
    const found =
      linkUnder(fields, VOUCHERS, names, read) ?? factIn(fields, isVoucher ? names : VOUCHER_LINK, read)
    if (found !== null) return found
  }
  // The answer is about the voucher, so a link outside any voucher field is also taken as the voucher's.
  let content = json
  for (let depth = 0; depth < MOST_ENVELOPES && isObject(content); depth++) {
    const fields = fieldsOf(content)
    content = ENVELOPES.map(name => fields.get(name)).find(value => value != null) ?? content
  }
  const record = firstObject(content)
  return (record ? factIn(fieldsOf(record), names, read) : read(content)) ?? undefined
}

/** Returns the link under one of `holders`: the value itself, or a link at any depth inside it. */
function linkUnder(fields: Fields, holders: readonly string[], names: readonly string[], read: ReadLink) {
  return factIn(fields, holders, holder => {
    const inner = [...breadthFirst(holder)].map(({value}) => factIn(fieldsOf(value), names, read))
    return read(holder) ?? inner.find(link => link !== null)
  })
}

function absolute(value: unknown): string | undefined {
  return typeof value === 'string' && /^https?:\/\//i.test(value) && parseUrl(value) ? value : undefined
}

/** Resolves a relative link. Returns undefined for a link to another origin, such as `//elsewhere/`. */
function relative(value: unknown, origin: string): string | undefined {
  const url = typeof value === 'string' && value.startsWith('/') ? parseUrl(value, origin) : undefined
  return url?.origin === origin ? url.href : undefined
}

/** Matches final states in which there is no booking, in all spellings, such as `REJECTED_BY_HOTEL`. */
const ENDED =
  /^((booking|reservation)_)?(fail(ed|ure)|error|reject(ed|ion)|refused|denied|declined|cancell?ed|expired|timed_out|void(ed)?)(_(by|with|without|for|due|after)_\w+)?$/

/** Reports whether a reservation with this status is not a booking, or is no longer one. */
export function isEnded(status: string | null | undefined): boolean {
  return ENDED.test(asWord(status))
}
