/** One offer in words: a line for the list, what to know before choosing it, its terms; and whether cancelling is free. */
import type {OfferTerms} from '../../../api/answers/terms-and-fees.js'
import {instantOf, zonedInstantOf} from '../../../contract/dates.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import {BOARDS, type BoardCode} from '../../../contract/identifiers.js'
import type {OfferFound} from '../../../contract/seen-offers.js'
import {moneyText, onItsOwnClock, onThreeClocks} from '../../terminal/dates-and-amounts.js'
import {fitTo} from '../../terminal/text.js'
import {priceText as knownPrice} from './filters.js'

const NOT_KNOWN = 'unknown: not in the answer'

/** Says whether the service did not send it or this machine did not store it. */
function notKnown({details, offer_id}: OfferFound): string {
  if (details?.terms) return NOT_KNOWN
  return `not stored here; see: bookctl hotels price ${sanitizeLine(offer_id, 128)}`
}

export function termsIn(offer: Pick<OfferFound, 'details'> | undefined): Partial<OfferTerms> {
  return offer?.details?.terms ?? {}
}

const NAME_WIDTH = 26
/** In the list; and in the summary, where only an endless answer is cut. */
const FEW = 3
const MANY = 30

/** Price, hotel, board, room and whether it can be cancelled, in columns that 76 characters hold. */
export function offerLine(offer: OfferFound, now: number): string {
  const stars = offer.stars === null ? '' : ` ${offer.stars}*`
  const hotel = sanitizeLine(offer.hotel_name ?? 'unnamed hotel', 60)
  const name = `${fitTo(hotel, NAME_WIDTH - stars.length).trimEnd()}${stars}`
  const price = fitTo(sanitizeLine(priceText(offer), 20), 15)
  // The day alone: there is no room for the hour.
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

interface Cancellable {
  readonly offer?: Pick<OfferFound, 'details'> | undefined
  /** `created_at`, on the service's clock: a fee that counted then leaves no free time, whatever the clock here says. */
  readonly reservation?: {readonly free_until: string | null; readonly created_at: string | null} | null
  readonly costsNow?: boolean
}

/**
 * The same words for an offer, for its reservation and before it is cancelled; null if unknown. `now`: Unix seconds; `show`:
 * the end of the free time, where it is not over.
 */
export function cancellationText(
  {offer, reservation, costsNow}: Cancellable,
  now: number,
  show: (until: string) => string = onItsOwnClock,
): string | null {
  const {refundable, free_cancellation_until: stated} = offer?.details ?? {}
  const freeUntil = reservation?.free_until ?? stated ?? termsIn(offer).firstFee ?? null
  // First: what is never free may name the moment of the search, which a service whose clock is ahead has not reached here.
  if (refundable === false) return 'not refundable'
  if (freeUntil === null) return refundable ? 'refundable' : null
  const bookedAt = zonedInstantOf(reservation?.created_at ?? '') ?? Number.NEGATIVE_INFINITY
  // Without a time zone it is over when it is over everywhere: where the last clocks are, 12 hours after UTC.
  const end =
    zonedInstantOf(freeUntil) ?? (instantOf(`${freeUntil}Z`) ?? Number.POSITIVE_INFINITY) + 12 * 3600
  const isOver = costsNow || end <= Math.max(now, bookedAt)
  return isOver ? 'cancelling costs a fee' : `free until ${show(freeUntil)}`
}

/** The main facts of an offer before choosing it, in few lines: a list is above it. */
export function offerGlance(offer: OfferFound, now: number): string {
  const {board, due, cancellation, policies} = termsInWords(offer, now, FEW)
  const [heading = '', ...clocks] = cancellation
  const room = sanitizeLine(offer.room_name ?? 'unnamed room', 40)
  return [
    `${room}, ${board}`,
    `Due at hotel: ${due.join('; ')}`,
    `Cancellation: ${heading}`,
    ...policies,
    // Last, because they are left out first where a terminal has no room.
    ...clocks.map(line => `Free until ${line}`),
  ].join('\n')
}

/** A row without a name continues the one above. */
export type Row = readonly [name: string, text: string]

/** What to know of an offer before it is reserved. */
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

/** The board, what is due at the hotel, until when cancelling is free, and what it costs; `most`: lines of a list. */
function termsInWords(offer: OfferFound, now: number, most: number) {
  const {dueAtProperty, policies = []} = termsIn(offer)
  const meals = BOARDS[offer.board?.toUpperCase() as BoardCode]?.toLowerCase()
  let due = dueAtProperty?.length === 0 ? ['nothing'] : [notKnown(offer)]
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
    cancellation: (free ?? notKnown(offer)).split('\n'),
    policies: atMost(policies, most, ({from, fee, currency}) => {
      const start = from === null ? '' : `from ${onItsOwnClock(from)} on `
      return sanitizeLine(`cancelling ${start}costs ${moneyText({amount: fee, currency})}`, 100)
    }),
  }
}

/** A line for each item; from `most` on, the number of those left out. */
function atMost<T>(items: readonly T[], most: number, line: (item: T) => string): string[] {
  const lines = items.slice(0, most).map(line)
  return items.length > most ? [...lines, `and ${items.length - most} more`] : lines
}
