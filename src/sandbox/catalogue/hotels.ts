/** Generates the hotels of a city. They are invented, but always the same (the interface shows no records). */
import type {Hotel} from '../../contract/hotels.js'
import {findPlace, type Place, rulesOf} from './cities.js'
import {drawFrom, hash, pick} from './draw.js'
import HOTEL_WORDS from './hotel-words.json' with {type: 'json'}

/** Hotel ids are `city × 10 000 + number`, so a city can have up to 9 999 hotels. */
const HOTELS_PER_CITY = 10_000

const STARS = [3, 3, 3, 4, 4, 4, 4, 5, 5, 2] as const
const KIND_BY_STARS = ['', 'simple', 'simple', 'comfortable', 'well-appointed', 'luxurious']

/**
 * Generates the 12 to 20 hotels of a city in the order of their ids. With `endless`, continues until there are no more
 * ids.
 */
export function* hotelsOf(place: Place, endless = false): Generator<Hotel> {
  const most = endless ? HOTELS_PER_CITY - 1 : hotelCount(place.id)
  for (let number = 1; number <= most; number++) yield makeHotel(place, number)
}

/**
 * Returns the hotel with this id, or undefined. `offers` is the number of offers per search; hotels that no search
 * would reach are not found.
 */
export function findHotel(hotelId: number, offers = 0): Hotel | undefined {
  const hotel = findBookedHotel(hotelId)
  const most = hotel ? Math.max(hotelCount(hotel.city.id), offers) : 0
  return hotelId % HOTELS_PER_CITY > most ? undefined : hotel
}

/**
 * Returns the hotel of a reservation, or undefined. It may be a hotel that searches no longer reach, because the
 * sandbox was restarted with fewer offers.
 */
export function findBookedHotel(hotelId: number): Hotel | undefined {
  const place = findPlace(Math.floor(hotelId / HOTELS_PER_CITY))
  const number = hotelId % HOTELS_PER_CITY
  return place && Number.isInteger(number) && number >= 1 ? makeHotel(place, number) : undefined
}

function hotelCount(cityId: number): number {
  return 12 + (hash(`bookctl/count/${cityId}`) % 9)
}

function makeHotel(place: Place, number: number): Hotel {
  const hotelId = place.id * HOTELS_PER_CITY + number
  const draw = drawFrom(`bookctl/hotel/${hotelId}`)
  const name = hotelName(place, number)
  const stars = pick(draw, STARS)
  const facilities = HOTEL_WORDS.facilities.filter(() => draw(10) < 3 + stars)
  if (stars === 5) facilities.push('Spa')
  if (place.season !== 'city' && stars > 3) facilities.push('Outdoor pool')
  const digits = () => String(draw(9000) + 1000)
  // Hotels are within about two kilometres of the centre. Coordinates are rounded to ten-thousandths of a degree.
  const nearby = (degrees: number) => (Math.round(degrees * 10_000) + draw(361) - 180) / 10_000
  const offers = facilities.slice(0, 4).join(', ').toLowerCase().replace('wi-fi', 'Wi-Fi')
  const kind = `a ${KIND_BY_STARS[stars]} ${stars}-star hotel in ${place.name}`
  return {
    hotel_id: hotelId,
    name,
    stars,
    address: pick(draw, place.streets).replace('#', String(1 + draw(180))),
    city: {id: place.id, name: place.name},
    country_code: place.country_code,
    latitude: nearby(place.latitude),
    longitude: nearby(place.longitude),
    description: `${name} is ${kind}${offers && ` with ${offers}`}. Invented for the local sandbox.`,
    phone: `${rulesOf(place).phone_prefix} ${digits().slice(1)} ${digits()}`,
    timezone: place.timezone,
    check_in_from: pick(draw, ['14:00', '14:00', '15:00', '13:00']),
    check_out_until: pick(draw, ['12:00', '11:00', '11:00', '10:00']),
    facilities,
  }
}

/**
 * Combines words and patterns in an order in which every pair is used once before a name repeats. A repeated name gets
 * a number.
 */
function hotelName({id, hotel_words: words, hotel_names}: Place, number: number): string {
  const patterns = HOTEL_WORDS.name_patterns[hotel_names as keyof typeof HOTEL_WORDS.name_patterns]
  const start = hash(`bookctl/names/${id}`)
  const column = (number - 1) % words.length
  const turn = Math.floor((number - 1) / words.length)
  const word = words[(start + column) % words.length] ?? ''
  const pattern = patterns[(start + column * 3 + turn) % patterns.length] ?? '*'
  const round = Math.floor(turn / patterns.length)
  return pattern.replace('*', word) + (round > 0 ? ` ${round + 1}` : '')
}
