/** One offer in words: a line for the list, and what a person wants to know before choosing it. */
import type {FoundOffer} from '../../api/hotels.js'
import {type Charge, type PolicyStep, termsOf} from '../../api/offer-terms.js'
import {sanitizeLine} from '../../contract/foreign-text.js'
import {asWritten, instantOf, onThreeClocks, type Reader} from './clocks.js'

/** What the list and the details show of an offer: the facts of a search, or as many as this machine remembers. */
export type ShownOffer = Pick<
  FoundOffer,
  'offer_id' | 'hotel_name' | 'stars' | 'room_name' | 'board' | 'price'
> &
  Partial<Pick<FoundOffer, 'refundable' | 'free_cancellation_until' | 'raw'>>

const NOT_KNOWN = 'not known: the answer does not say'
const NAME_WIDTH = 26
const MOST_REMARKS = 300
const MOST_STEPS = 3

/** Cuts or pads `text` to a width in columns of the terminal. */
export type Fit = (text: string, width: number) => string

export async function createFit(): Promise<Fit> {
  const {default: widthOf} = await import('string-width')
  return (text, width) => {
    if (widthOf(text) <= width) return text + ' '.repeat(width - widthOf(text))
    let cut = ''
    for (const letter of text) {
      if (widthOf(cut + letter) > width - 1) break
      cut += letter
    }
    return `${cut}…${' '.repeat(Math.max(0, width - 1 - widthOf(cut)))}`
  }
}

/** Price, hotel, board, room and whether it can be cancelled, in columns that 76 characters hold. */
export function offerLine(offer: ShownOffer, reader: Reader, fitted: Fit): string {
  const stars = offer.stars === null ? '' : ` ${offer.stars}*`
  const hotel = `${sanitizeLine(offer.hotel_name ?? 'hotel not named', 60)}`
  const name = `${fitted(hotel, NAME_WIDTH - stars.length).trimEnd()}${stars}`
  return [
    fitted(sanitizeLine(priceText(offer), 20), 15),
    fitted(name, NAME_WIDTH),
    fitted(sanitizeLine(offer.board ?? '-', 12), 5),
    sanitizeLine(cancelWord(offer, reader), 26),
  ].join(' ')
}

export function priceText({price}: ShownOffer): string {
  return price.total === null ? 'price unknown' : [price.total, price.currency].filter(Boolean).join(' ')
}

function cancelWord(offer: ShownOffer, {now}: Reader): string {
  const until = offer.free_cancellation_until
  const at = until ? instantOf(until) : undefined
  if (until && at !== undefined && at <= now) return 'free period is over'
  if (until) return `free until ${until.slice(0, 10)}`
  if (offer.refundable === false) return 'not refundable'
  return offer.refundable === true ? 'refundable' : 'terms unknown'
}

/** What matters of an offer before choosing it, in few lines: a list is above it. */
export function offerGlance(offer: ShownOffer, reader: Reader): string {
  const terms = termsOf(offer.raw ?? {})
  const [heading = '', ...clocks] = cancellation(offer, reader)
  const room = sanitizeLine(offer.room_name ?? 'room not named', 40)
  return [
    `${room}, ${boardText(offer.board)}`,
    `Due at hotel: ${dueText(terms.dueAtProperty)}`,
    `Cancellation: ${heading}`,
    ...clocks.map(line => `  ${line}`),
    ...policyLines(terms.policies),
  ].join('\n')
}

/** All that is known of an offer, as rows; a row without a name goes on with the one above. */
export function detailRows(offer: ShownOffer, reader: Reader): (readonly [name: string, text: string])[] {
  const terms = termsOf(offer.raw ?? {})
  const stars = offer.stars === null ? '' : `, ${offer.stars} stars`
  return [
    ['Hotel', `${sanitizeLine(offer.hotel_name ?? 'not named', 200)}${stars}`],
    ['Room', `${sanitizeLine(offer.room_name ?? 'not named', 100)}; board ${boardText(offer.board)}`],
    ['Price', sanitizeLine(priceText(offer), 60)],
    ['Due at hotel', dueText(terms.dueAtProperty)],
    ...spread('Cancellation', cancellation(offer, reader)),
    ...spread('', policyLines(terms.policies)),
    ...(terms.roomsLeft === undefined ? [] : [['Rooms left', String(terms.roomsLeft)] as const]),
    ...(terms.remarks === undefined ? [] : [['Remarks', sanitizeLine(terms.remarks, MOST_REMARKS)] as const]),
  ]
}

function spread(name: string, lines: readonly string[]): (readonly [string, string])[] {
  return lines.map((line, index) => [index === 0 ? name : '', line] as const)
}

const BOARDS: Readonly<Record<string, string>> = {
  RO: 'room only',
  BB: 'bed and breakfast',
  HB: 'half board',
  FB: 'full board',
  AI: 'all inclusive',
}

function boardText(board: string | null): string {
  if (board === null) return NOT_KNOWN
  const words = Object.hasOwn(BOARDS, board.toUpperCase()) ? `, ${BOARDS[board.toUpperCase()]}` : ''
  return `${sanitizeLine(board, 60)}${words}`
}

function dueText(due: readonly Charge[] | undefined): string {
  if (due === undefined) return NOT_KNOWN
  if (due.length === 0) return 'nothing'
  const texts = due.map(({description, amount, currency}) => {
    const money = [amount, currency].filter(Boolean).join(' ')
    return description === null ? money : `${money} (${description})`
  })
  return sanitizeLine(texts.join('; '), 60)
}

function cancellation(offer: ShownOffer, reader: Reader): string[] {
  const until = offer.free_cancellation_until
  if (until) {
    const at = instantOf(until)
    const over = at !== undefined && at <= reader.now
    const [first = '', ...others] = onThreeClocks(until, reader)
    return [`${over ? 'the free period is OVER; it ended' : 'free until'} ${first}`, ...others]
  }
  if (offer.refundable === false) return ['NOT refundable: cancelling gives no money back']
  if (offer.refundable === true) return ['refundable; the answer names no deadline']
  return [NOT_KNOWN]
}

function policyLines(policies: readonly PolicyStep[] | undefined): string[] {
  return (policies ?? []).slice(0, MOST_STEPS).map(({from, fee, currency}) => {
    const money = [fee, currency].filter(Boolean).join(' ')
    return sanitizeLine(`cancelling ${from === null ? '' : `from ${asWritten(from)} on `}costs ${money}`, 100)
  })
}
