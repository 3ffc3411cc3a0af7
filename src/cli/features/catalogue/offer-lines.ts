/**
 * Describes an offer: on one line of a list, in a short form before it is chosen, and with all its terms. Also
 * describes whether cancelling is free.
 */
import type {Charge} from '../../../api/answers/charges.js'
import type {OfferTerms} from '../../../api/answers/terms-and-fees.js'
import {instantOf, zonedInstantOf} from '../../../contract/dates.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import {BOARDS, type BoardCode} from '../../../contract/identifiers.js'
import type {OfferFound} from '../../../contract/seen-offers.js'
import {moneyText, onItsOwnClock, onThreeClocks} from '../../terminal/dates-and-amounts.js'
import {fitTo} from '../../terminal/text.js'
import {priceText as knownPrice} from './filters.js'

const NOT_KNOWN = 'unknown: not in the answer'

export function termsIn(offer: Pick<OfferFound, 'details'> | undefined): Partial<OfferTerms> {
  return offer?.details?.terms ?? {}
}

const NAME_WIDTH = 26
/**
 * Maximum number of lines of terms in the short form. MANY is for the summary, in which only extremely long lists are
 * cut.
 */
const FEW = 3
const MANY = 30

/**
 * Formats an offer in columns of fixed width, 76 characters in all: price, hotel, board, and whether it can be
 * cancelled.
 */
export function offerLine(offer: OfferFound, now: number): string {
  const stars = offer.stars === null ? '' : ` ${offer.stars}*`
  const hotel = sanitizeLine(offer.hotel_name ?? 'unnamed hotel', 60)
  const name = `${fitTo(hotel, NAME_WIDTH - stars.length).trimEnd()}${stars}`
  const price = fitTo(sanitizeLine(priceText(offer), 20), 15)
  // Only the day is shown, because there is no room for the time.
  const day = (until: string) => onItsOwnClock(until).replace(/ .*/, '')
  return [
    price.trimEnd().padStart(price.length),
    fitTo(name, NAME_WIDTH),
    fitTo(sanitizeLine(offer.board ?? '-', 12), 5),
    sanitizeLine(cancellationText({offer}, now, day) ?? 'terms unknown', 26),
  ].join(' ')
}

export function priceText(offer: OfferFound): string {
  return knownPrice(offer) ?? 'price unknown'
}

/** Describes what the account is charged: `92.59 EUR at the rate 0.9259259259`. */
export function chargeText({rate, ...money}: Charge): string {
  return sanitizeLine(`${moneyText(money)}${rate === null ? '' : ` at the rate ${rate}`}`, 100)
}

interface Cancellable {
  readonly offer?: Pick<OfferFound, 'details'> | undefined
  /**
   * `created_at` is on the service's clock. If a fee already applied at that time, cancelling is not free, whatever the
   * clock of this machine says.
   */
  readonly reservation?: {readonly free_until: string | null; readonly created_at: string | null} | null
  readonly costsNow?: boolean
}

/**
 * Describes the cancellation terms, in the same words for an offer, its reservation and a cancellation. Returns null if
 * they are unknown. `now` is in Unix seconds. `show` formats the end of free cancellation if it is not in the past.
 */
export function cancellationText(
  {offer, reservation, costsNow}: Cancellable,
  now: number,
  show: (until: string) => string = onItsOwnClock,
): string | null {
  const {refundable, free_cancellation_until: stated} = offer?.details ?? {}
  const freeUntil = reservation?.free_until ?? stated ?? termsIn(offer).firstFee ?? null
  // This is checked first: an offer that is never refundable may give the time of the search as the end of free
  // cancellation, which may still be ahead on this machine's clock.
  if (refundable === false) return 'not refundable'
  if (freeUntil === null) return refundable ? 'refundable' : null
  const bookedAt = zonedInstantOf(reservation?.created_at ?? '') ?? Number.NEGATIVE_INFINITY
  // A time without a zone is in the past only once it is past in UTC−12.
  const end =
    zonedInstantOf(freeUntil) ?? (instantOf(`${freeUntil}Z`) ?? Number.POSITIVE_INFINITY) + 12 * 3600
  const isOver = costsNow || end <= Math.max(now, bookedAt)
  return isOver ? 'cancelling costs a fee' : `free until ${show(freeUntil)}`
}

/** Describes an offer in a few lines, to be shown below a list before it is chosen. */
export function offerGlance(offer: OfferFound, now: number): string {
  const {board, due, cancellation, policies} = termsInWords(offer, now, FEW)
  const [heading = '', ...clocks] = cancellation
  const room = sanitizeLine(offer.room_name ?? 'unnamed room', 40)
  return [
    `${room}, ${board}`,
    `Due at hotel: ${due.join('; ')}`,
    `Cancellation: ${heading}`,
    ...policies,
    // These lines are last, because a terminal without room drops the last lines.
    ...clocks.map(line => `Free until ${line}`),
  ].join('\n')
}

/** A row. If its name is empty, it continues the row above. */
export type Row = readonly [name: string, text: string]

/** Returns the rows that are shown before an offer is reserved. */
export function detailRows(offer: OfferFound | undefined, now: number): Row[] {
  if (!offer) return [['Hotel', 'unknown (the offer was not searched for on this machine)']]
  const stars = offer.stars === null ? '' : `, ${offer.stars} stars`
  const {roomsLeft} = termsIn(offer)
  const {board, due, cancellation, policies} = termsInWords(offer, now, MANY)
  const facts = {
    Hotel: [`${sanitizeLine(offer.hotel_name ?? 'unnamed', 200)}${stars}`],
    Room: [`${sanitizeLine(offer.room_name ?? 'unnamed', 100)}; board ${board}`],
    Price: [sanitizeLine(priceText(offer), 60)],
    'Due at hotel': due,
    Cancellation: [...cancellation, ...policies],
    'Rooms left': roomsLeft === undefined ? [] : [String(roomsLeft)],
  }
  return Object.entries(facts).flatMap(([name, lines]) =>
    lines.map((line, index): Row => [index === 0 ? name : '', line]),
  )
}

/**
 * Describes the board, what is due at the hotel, until when cancelling is free, and what it costs. Lists have at most
 * `most` items.
 */
function termsInWords(offer: OfferFound, now: number, most: number) {
  const {dueAtProperty, policies = []} = termsIn(offer)
  const meals = BOARDS[offer.board?.toUpperCase() as BoardCode]?.toLowerCase()
  // The text says whether the service did not send the term or this machine did not store it.
  const notKnown = offer.details?.terms
    ? NOT_KNOWN
    : `not stored here; see: bookctl hotels price ${sanitizeLine(offer.offer_id, 128)}`
  let due = dueAtProperty?.length === 0 ? ['nothing'] : [notKnown]
  if (dueAtProperty && dueAtProperty.length > 0)
    due = atMost(dueAtProperty, most, ({description, amount, currency}) => {
      const money = moneyText({amount, currency}) ?? ''
      return sanitizeLine(description === null ? money : `${money} (${description})`, 100)
    })
  const free = cancellationText({offer}, now, until => onThreeClocks(until).join('\n'))
  return {
    board:
      offer.board === null ? NOT_KNOWN : [sanitizeLine(offer.board, 60), meals].filter(Boolean).join(', '),
    due,
    cancellation: (free ?? notKnown).split('\n'),
    policies: atMost(policies, most, ({from, fee, currency}) => {
      const start = from === null ? '' : `from ${onItsOwnClock(from)} on `
      return sanitizeLine(`cancelling ${start}costs ${moneyText({amount: fee, currency})}`, 100)
    }),
  }
}

/** Returns a line for each item, at most `most`, and then a line with the number of the others. */
function atMost<T>(items: readonly T[], most: number, line: (item: T) => string): string[] {
  const lines = items.slice(0, most).map(line)
  return items.length > most ? [...lines, `and ${items.length - most} more`] : lines
}
