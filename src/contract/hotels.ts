/** Hotel search and offers (§2.2, §2.3, §4.3). */
import {z} from 'zod'
import {dayNumber} from './dates.js'
import {BOARDS, type BoardCode} from './identifiers.js'
import {
  amount,
  calendarDate,
  countryCode,
  currencyCode,
  destination,
  from,
  ours,
  timestamp,
} from './records.js'

const room = z.strictObject({
  adults: z.int().min(1, 'a room needs at least one adult').max(9),
  children_ages: z.array(z.int().min(0).max(17)).max(9),
})

export const searchRequest = z
  .strictObject({
    destination,
    check_in: calendarDate,
    check_out: calendarDate,
    rooms: z.array(room).min(1).max(9),
    client_nationality: countryCode,
    currency: currencyCode,
  })
  .refine(isInOrder, {path: ['check_out'], message: 'must be after check_in'})
  .meta({id: 'HotelSearchRequest', ...from('§2.2', 'What to search offers for; limits on numbers are ours')})

/** A date that does not exist has a message of its own. */
function isInOrder(search: {check_in: string; check_out: string}): boolean {
  const [from, to] = [dayNumber(search.check_in), dayNumber(search.check_out)]
  return from === undefined || to === undefined || from < to
}

export const city = z
  .object({
    id: z.int(),
    type: z.literal('CITY'),
    name: z.string(),
    country_code: countryCode,
    latitude: z.number(),
    longitude: z.number(),
    timezone: z.string().meta({description: 'IANA time zone'}),
  })
  .meta({id: 'City', ...ours('A destination')})

export const hotelSummary = z
  .object({
    hotel_id: z.int(),
    name: z.string(),
    stars: z.int().min(1).max(5),
    address: z.string(),
    city: z.object({id: z.int(), name: z.string()}),
    country_code: countryCode,
    latitude: z.number(),
    longitude: z.number(),
  })
  .meta({id: 'HotelSummary', ...ours('The hotel of an offer')})

export const hotel = hotelSummary
  .extend({
    description: z.string(),
    phone: z.string(),
    timezone: z.string(),
    check_in_from: z.string().meta({description: 'hotel-local time, HH:MM'}),
    check_out_until: z.string().meta({description: 'hotel-local time, HH:MM'}),
    facilities: z.array(z.string()),
  })
  .meta({id: 'Hotel', ...ours('A hotel in full')})

const dueAtProperty = z
  .object({description: z.string(), amount, currency: currencyCode})
  .meta({id: 'DueAtProperty', ...ours('A charge the guest pays at the hotel; not part of the total')})

export const price = z
  .object({
    total: amount,
    currency: currencyCode,
    base: amount,
    taxes: amount,
    due_at_property: z.array(dueAtProperty),
  })
  .meta({id: 'Price', ...ours('Price of the whole offer: all rooms, all nights')})

export const cancellationPolicy = z
  .object({from: timestamp, amount, currency: currencyCode})
  .meta({id: 'CancellationPolicy', ...ours('The fee of cancelling from this instant on')})

export const paymentMode = z.enum(['account', 'instant'])

export const offerRoom = z.object({
  room_name: z.string(),
  adults: z.int(),
  children_ages: z.array(z.int()),
  board: z.object({code: z.enum(Object.keys(BOARDS) as BoardCode[]), name: z.string()}),
})

export const offer = z
  .object({
    offer_id: z.string(),
    expires_at: timestamp,
    hotel: hotelSummary,
    rooms: z.array(offerRoom),
    price,
    refundable: z.boolean(),
    free_cancellation_until: timestamp.nullable(),
    cancellation_policies: z.array(cancellationPolicy),
    rooms_left: z.int().nullable(),
    payment_modes: z.array(paymentMode),
    remarks: z.string().nullable(),
  })
  .meta({id: 'Offer', ...from('§2.3', 'One sellable result of a search; every field but offer_id is ours')})

export const searchResult = z
  .object({
    search_id: z.string(),
    expires_at: timestamp,
    destination: city.pick({type: true, id: true, name: true, country_code: true}),
    check_in: calendarDate,
    check_out: calendarDate,
    nights: z.int(),
    currency: currencyCode,
    client_nationality: countryCode,
    offers: z.array(offer),
  })
  .meta({id: 'HotelSearchResult', ...ours('The offers found and what was searched')})

export type PaymentMode = z.infer<typeof paymentMode>
export type Room = z.infer<typeof room>
export type SearchRequest = z.infer<typeof searchRequest>
export type City = z.infer<typeof city>
export type Hotel = z.infer<typeof hotel>
export type Price = z.infer<typeof price>
export type Offer = z.infer<typeof offer>
