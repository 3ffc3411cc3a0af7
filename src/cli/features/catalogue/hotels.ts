/** One hotel, and the price of an offer now beside the one this machine saw. */
import {codeIn, numberIn, textIn} from '../../../api/answers/facts.js'
import type {PricedOffer} from '../../../api/operations/hotels.js'
import {isoTime} from '../../../contract/dates.js'
import {type Fields, fieldsOf, firstObject} from '../../../contract/field-names.js'
import {isObject, type JsonObject} from '../../../contract/json.js'
import {compareAmounts, isAmount} from '../../../contract/money.js'
import type {SeenOffer} from '../../../contract/seen-offers.js'
import type {Client} from '../../../contract/token-cache.js'
import type {Connection} from '../../session/connect.js'
import {type Column, columnsOf, type Result} from '../../terminal/result.js'
import {OFFER_COLUMNS} from './hotel-search.js'
import {priceText} from './narrow.js'

const fact = (name: string, read: (fields: ReturnType<typeof fieldsOf>) => unknown): Column<JsonObject> => ({
  name,
  value: hotel => read(fieldsOf(hotel)),
})

const ID = ['hotel_id', 'property_id', 'id', 'code']

export const HOTEL_COLUMNS: readonly Column<JsonObject>[] = [
  fact('hotel_id', fields => textIn(fields, ID)),
  fact('name', fields => textIn(fields, ['name', 'hotel_name', 'property_name', 'title'])),
  fact('stars', fields => numberIn(fields, ['stars', 'star_rating', 'category'])),
  fact('address', fields => textIn(fields, ['address', 'street', 'address_line'])),
  fact('city', fields => textIn(fields, ['city', 'city_name'])),
  fact('country_code', fields => codeIn(fields, ['country_code', 'country'])),
  fact('phone', fields => textIn(fields, ['phone', 'phone_number', 'telephone'])),
  fact('check_in_from', fields => textIn(fields, ['check_in_from', 'check_in_time', 'check_in', 'checkin'])),
  fact('check_out_until', all => textIn(all, ['check_out_until', 'check_out_time', 'check_out', 'checkout'])),
  fact('timezone', fields => textIn(fields, ['timezone', 'time_zone'])),
  fact('latitude', fields => coordinate(fields, ['latitude', 'lat'])),
  fact('longitude', fields => coordinate(fields, ['longitude', 'lon', 'lng', 'long'])),
  fact('facilities', fields => listText(fields.get('facilities') ?? fields.get('amenities'))),
  fact('description', fields => textIn(fields, ['description', 'short_description', 'about'])),
]

function coordinate(fields: Fields, names: readonly string[]): number | null {
  const places = ['location', 'coordinates', 'geo', 'geo_location', 'geolocation', 'position', 'address']
  const inside = places.map(place => firstObject(fields.get(place))).filter(isObject)
  return (
    [fields, ...inside.map(fieldsOf)].map(each => numberIn(each, names)).find(found => found !== null) ?? null
  )
}

function listText(value: unknown): string | null {
  if (!Array.isArray(value)) return null
  return value.flatMap(item => textIn(new Map([['item', item]]), ['item']) ?? []).join(', ')
}

export async function show({api}: Connection, hotelId: string): Promise<Result<JsonObject>> {
  const {showHotel} = await import('../../../api/operations/hotels.js')
  const hotel = await showHotel(api, hotelId)
  // An answer without an id is about the requested hotel.
  const row = textIn(fieldsOf(hotel), ID) === null ? {...hotel, hotel_id: hotelId} : hotel
  return {document: {hotel}, items: [row], columns: HOTEL_COLUMNS, id: () => hotelId, single: true}
}

type Comparison = ReturnType<typeof compare>

export const PRICE_COLUMNS: readonly Column<Comparison>[] = [
  ...OFFER_COLUMNS.map(({name, value}) => ({
    name,
    value: ({offer}: Comparison) => value({...offer, expires_at: offer.expires_at ?? ''}),
  })),
  ...columnsOf<Comparison>(['changed']),
  {name: 'price_seen', value: ({seen}) => seen && priceText(seen)},
  ...columnsOf<Comparison>(['valid_seconds']),
]

/** Asks the price, and remembers a new one for `reserve`. Throws Failure. */
export async function price(
  {api, state, target, clock}: Pick<Connection, 'api' | 'state' | 'clock'> & {readonly target: Client},
  offerId: string,
): Promise<Result<Comparison>> {
  const {priceOffer} = await import('../../../api/operations/hotels.js')
  const client = {baseUrl: target.baseUrl, clientId: target.clientId}
  const offer = await priceOffer(api, offerId)
  const seen = state.remembers ? await state.offers.find(client, offerId) : undefined
  const comparison = compare(offer, seen, clock.now())
  if (seen && comparison.changed) {
    // An answer without a currency means that of the search.
    const currency = offer.price.currency ?? seen.currency
    await state.offers.remember(client, [{...seen, total: offer.price.total, currency}], clock.now())
  }
  return {
    document: comparison,
    items: [comparison],
    columns: PRICE_COLUMNS,
    shown: [
      'offer_id',
      'hotel_name',
      'room_name',
      'board',
      'price',
      'price_seen',
      'changed',
      'free_cancellation_until',
      'valid_seconds',
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
