/** One hotel, and the price of an offer now beside the one this machine saw. */
import {HOTEL} from '../../../api/answers/vocabulary.js'
import type {FoundHotel, PricedOffer} from '../../../api/operations/hotels.js'
import {isoTime} from '../../../contract/dates.js'
import {compareAmounts, isAmount} from '../../../contract/money.js'
import type {SeenOffer} from '../../../contract/seen-offers.js'
import type {Client} from '../../../contract/token-cache.js'
import type {Connection} from '../../session/connect.js'
import {type Column, columnsOf, type Result} from '../../terminal/result.js'
import {priceText} from './filters.js'
import {OFFER_COLUMNS, remember} from './hotel-search.js'

export const HOTEL_COLUMNS = columnsOf<FoundHotel>(Object.keys(HOTEL) as (keyof typeof HOTEL)[])

export async function show({api}: Connection, hotelId: string): Promise<Result<FoundHotel>> {
  const {showHotel} = await import('../../../api/operations/hotels.js')
  const hotel = await showHotel(api, hotelId)
  const document = {hotel: hotel.raw}
  return {document, items: [hotel], columns: HOTEL_COLUMNS, id: () => hotelId, single: true}
}

type Comparison = ReturnType<typeof compare>

export const PRICE_COLUMNS: readonly Column<Comparison>[] = [
  ...OFFER_COLUMNS.map(({name, value}) => ({name, value: ({offer}: Comparison) => value(offer)})),
  ...columnsOf<Comparison>(['changed']),
  {name: 'price_seen', value: ({seen}) => seen && priceText(seen)},
  ...columnsOf<Comparison>(['valid_seconds']),
]

/** Asks the price, and remembers a new one for `reserve`. Throws Failure. */
export async function price(
  connection: Pick<Connection, 'api' | 'state' | 'clock'> & {readonly target: Client},
  offerId: string,
): Promise<Result<Comparison>> {
  const {priceOffer} = await import('../../../api/operations/hotels.js')
  const {api, state, target, clock} = connection
  const client = {baseUrl: target.baseUrl, clientId: target.clientId}
  const seen = state.remembers ? await state.offers.find(client, offerId) : undefined
  const offer = await priceOffer(api, offerId)
  const comparison = compare(offer, seen, clock.now())
  // An answer without a currency means that of the search.
  const currency = offer.price.currency ?? seen?.currency ?? null
  const isNew = seen !== undefined && comparison.changed === true
  const lost = isNew ? await remember(connection, [{...seen, total: offer.price.total, currency}]) : {}
  return {
    ...lost,
    document: comparison,
    items: [comparison],
    columns: PRICE_COLUMNS,
    shown: [
      ...['offer_id', 'hotel_name', 'room_name', 'board', 'price', 'price_seen', 'changed'],
      ...['free_cancellation_until', 'valid_seconds'],
    ],
    id: () => offerId,
    single: true,
  }
}

/** `valid_seconds`: while the offer can still be reserved; null, as `changed`, when unknown. `now`: Unix seconds. */
function compare(offer: PricedOffer, seen: SeenOffer | undefined, now: number) {
  const ends = [
    ...(offer.expires_at === null ? [] : [Date.parse(offer.expires_at) / 1000]),
    ...(seen ? [seen.expires_at] : []),
  ]
  return {
    offer,
    changed: seen ? differ(offer.price, seen) : null,
    seen: seen ? {total: seen.total, currency: seen.currency, searched_at: isoTime(seen.searched_at)} : null,
    valid_seconds: ends.length === 0 ? null : Math.max(0, Math.floor(Math.min(...ends) - now)),
  }
}

function differ(now: PricedOffer['price'], seen: SeenOffer): boolean | null {
  if (now.total === null || seen.total === null || !isAmount(now.total) || !isAmount(seen.total)) return null
  const other = now.currency !== null && seen.currency !== null && now.currency !== seen.currency
  return other || compareAmounts(now.total, seen.total) !== 0
}
