/** Hotel search and offers (§2.2, §2.3, §4.3). */
import {z} from 'zod'
import {dayNumber} from './dates.js'
import {BOARDS, type BoardCode} from './identifiers.js'
import {MOST_PERSONS, MOST_ROOMS, OFFER_VALIDITY_SECONDS, OLDEST_CHILD} from './limits.js'
import {
  about,
  accountCharge,
  amount,
  amountField,
  calendarDate,
  cityOfPlace,
  countryCode,
  currencyCode,
  destination,
  from,
  ours,
  textField,
  timeField,
  timestamp,
  wholeField,
} from './records.js'

const adults = about('Number of adults', 1)
const childrenAges = about('Age of each child at check-in', [])

const room = z.strictObject({
  adults: z.int().min(1, 'a room needs at least one adult').max(MOST_PERSONS).meta(adults),
  children_ages: z.array(z.int().min(0).max(OLDEST_CHILD)).max(MOST_PERSONS).meta(childrenAges),
})

/** The dates and the nationality of a search, which its offers and reservations repeat. */
export const stay = {
  check_in: calendarDate.meta(about('Day of arrival, a calendar date at the hotel', '2030-07-10')),
  check_out: calendarDate.meta(about('Day of departure, a calendar date at the hotel', '2030-07-13')),
  client_nationality: countryCode.meta(about('Nationality of the guests, ISO 3166-1 alpha-2', 'TR')),
}
export const nights = wholeField('Number of nights', 3)

export const searchRequest = z
  .strictObject({
    destination,
    check_in: stay.check_in,
    check_out: stay.check_out,
    rooms: z
      .array(room)
      .min(1)
      .max(MOST_ROOMS)
      .meta(about('The guests of each room', [{adults: 1, children_ages: []}])),
    client_nationality: stay.client_nationality,
    currency: currencyCode,
  })
  .refine(
    search => {
      const from = dayNumber(search.check_in)
      const to = dayNumber(search.check_out)
      // calendarDate already reports a date that does not exist.
      return from === undefined || to === undefined || from < to
    },
    {path: ['check_out'], message: 'must be after check_in'},
  )
  .meta({id: 'HotelSearchRequest', ...from('§2.2', 'What to search offers for; limits on numbers are ours')})

const coordinates = {
  latitude: z.number().meta(about('Degrees north', 41.0082)),
  longitude: z.number().meta(about('Degrees east', 28.9784)),
}
const timezone = textField('IANA time zone', 'Europe/Istanbul')

export const city = z
  .object({
    id: cityOfPlace.shape.id,
    type: destination.shape.type,
    name: cityOfPlace.shape.name,
    country_code: countryCode,
    ...coordinates,
    timezone,
  })
  .meta({id: 'City', ...ours('A destination')})

export const hotelSummary = z
  .object({
    hotel_id: wholeField('Identifier of the hotel', 1010007),
    name: textField('Name of the hotel', 'Yakamoz Suites'),
    stars: z.int().min(1).max(5).meta(about('Official category', 4)),
    address: textField('Street and district', 'Divan Yolu Caddesi No: 12, Fatih'),
    city: cityOfPlace,
    country_code: countryCode,
    ...coordinates,
  })
  .meta({id: 'HotelSummary', ...ours('The hotel of an offer')})

export const hotel = hotelSummary
  .extend({
    description: textField('The hotel in a sentence', 'Yakamoz Suites is a 4-star hotel in Istanbul.'),
    phone: textField('Telephone number', '+90 850 641 9476'),
    timezone,
    check_in_from: textField('hotel-local time, HH:MM', '14:00'),
    check_out_until: textField('hotel-local time, HH:MM', '12:00'),
    facilities: z.array(z.string()).meta(about('What the hotel has', ['Free Wi-Fi', 'Bar'])),
  })
  .meta({id: 'Hotel', ...ours('A hotel in full')})

const dueAtProperty = z
  .object({
    description: textField('What it is for', 'Local visitor fee'),
    amount: amount.meta({examples: ['144.00']}),
    currency: currencyCode.meta({examples: ['TRY']}),
  })
  .meta({id: 'DueAtProperty', ...ours('A charge the guest pays at the hotel; not part of the total')})

const price = z
  .object({
    total: amountField('Whole price, a decimal amount', '403.20'),
    currency: currencyCode,
    base: amountField('Price without taxes, a decimal amount', '360.00'),
    taxes: amountField('Taxes in the price, a decimal amount', '43.20'),
    due_at_property: z.array(dueAtProperty).meta({description: 'Charges that the guest pays at the hotel'}),
  })
  .meta({id: 'Price', ...ours('Price of the whole offer: all rooms, all nights')})

const cancellationPolicy = z
  .object({
    from: timeField('From when on the fee is due', '2030-07-09T18:00:00+03:00'),
    amount: amount.meta({examples: ['403.20']}),
    currency: currencyCode,
  })
  .meta({id: 'CancellationPolicy', ...ours('The fee of cancelling from this instant on')})

export const paymentMode = z.enum(['account', 'instant'])

const offerRoom = z.object({
  room_name: textField('Kind of room', 'Standard Room'),
  adults: z.int().meta(adults),
  children_ages: z.array(z.int()).meta(childrenAges),
  board: z
    .object({
      code: z.enum(Object.keys(BOARDS) as BoardCode[]).meta(about('Code of the meals', 'BB')),
      name: textField('The meals in words', 'Bed and breakfast'),
    })
    .meta(about('Meals', {code: 'BB', name: 'Bed and breakfast'})),
})

const expiresAt = timeField('When it stops being valid, ISO 8601 with offset', '2030-06-01T12:15:00Z')
export const offerId = about(
  `Identifier of an offer, valid for ${OFFER_VALIDITY_SECONDS / 60} minutes`,
  'off_Xq3nV0rL8sYd2mKp6tWz1A',
)

/** The fields that an offer and its reservation share. */
export const sold = {
  hotel: hotelSummary.meta({description: 'The hotel'}),
  rooms: z.array(offerRoom).meta({description: 'The rooms, one for each that was searched'}),
  price: price.meta({description: 'What it costs, all rooms and nights together'}),
  cancellation_policies: z
    .array(cancellationPolicy)
    .meta({description: 'Fees of cancelling, the earliest first'}),
  remarks: z
    .string()
    .nullable()
    .meta(about('What the hotel says', 'Check-in from 14:00, check-out until 12:00.')),
}

export const offer = z
  .object({
    offer_id: z.string().meta(offerId),
    expires_at: expiresAt,
    hotel: sold.hotel,
    rooms: sold.rooms,
    price: sold.price,
    refundable: z.boolean().meta(about('Whether cancelling can give anything back', true)),
    free_cancellation_until: timestamp
      .nullable()
      .meta(about('Until when cancelling is free; null: never', '2030-07-09T18:00:00+03:00')),
    cancellation_policies: sold.cancellation_policies,
    rooms_left: z.int().nullable().meta(about('How many are left; null: not known', null)),
    payment_modes: z.array(paymentMode).meta(about('How it can be paid', ['account', 'instant'])),
    remarks: sold.remarks,
    account_charge: accountCharge.optional().meta({
      description:
        "What the account is charged if it pays, in its own currency; the price itself at the rate 1 if that is the price's",
    }),
  })
  .meta({id: 'Offer', ...from('§2.3', 'One sellable result of a search; every field but offer_id is ours')})

export const searchResult = z
  .object({
    search_id: textField('Identifier of the search', 'srch_9dKfQ2m'),
    expires_at: expiresAt,
    destination: city
      .pick({type: true, id: true, name: true, country_code: true})
      .extend({id: z.int().meta(destination.shape.id.meta() ?? {})})
      .meta(about('Where to', {type: 'CITY', id: 101, name: 'Istanbul', country_code: 'TR'})),
    check_in: stay.check_in,
    check_out: stay.check_out,
    nights,
    currency: currencyCode,
    client_nationality: stay.client_nationality,
    offers: z.array(offer).meta({description: 'The offers found'}),
  })
  .meta({id: 'HotelSearchResult', ...ours('The offers found and what was searched')})

export type PaymentMode = z.infer<typeof paymentMode>
export type Room = z.infer<typeof room>
export type SearchRequest = z.infer<typeof searchRequest>
export type City = z.infer<typeof city>
export type Hotel = z.infer<typeof hotel>
export type Offer = z.infer<typeof offer>
