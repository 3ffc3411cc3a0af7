/** The hotels of a city: invented, but always the same (records are ours). */
import type {City, Hotel} from '../../contract/hotels.js'
import {findCity, type Place, placeOf} from './cities.js'
import {COUNTRIES} from './countries-and-currencies.js'
import {type Draw, drawFrom, hash, pick} from './draw.js'

/** Hotel ids are `city × 10 000 + number`, so a city can have 9 999 hotels. */
const HOTELS_PER_CITY = 10_000

const STARS = [3, 3, 3, 4, 4, 4, 4, 5, 5, 2] as const
const FACILITIES = [
  'Free Wi-Fi',
  'Air conditioning',
  'Lift',
  'Bar',
  'Restaurant',
  'Parking',
  'Airport transfer',
  'Gym',
  'Laundry',
  'Roof terrace',
  'Step-free access',
  'Family rooms',
  'Garden',
  '24-hour reception',
]

/** The 12 to 20 hotels of a city, in the order of their ids; `endless`: more of their kind, as the numbering has room for. */
export function* hotelsOf(city: City, endless = false): Generator<Hotel> {
  const most = endless ? HOTELS_PER_CITY - 1 : hotelCount(city.id)
  for (let number = 1; number <= most; number++) yield makeHotel(city, number)
}

/** The hotel with this id; undefined where no search that finds `offers` offers can find it. */
export function findHotel(hotelId: number, offers = 0): Hotel | undefined {
  const hotel = findBookedHotel(hotelId)
  const most = hotel ? Math.max(hotelCount(hotel.city.id), offers) : 0
  return hotelId % HOTELS_PER_CITY > most ? undefined : hotel
}

/** The hotel of a reservation: it may be beyond those that searches find since the sandbox was started again. */
export function findBookedHotel(hotelId: number): Hotel | undefined {
  const city = findCity(Math.floor(hotelId / HOTELS_PER_CITY))
  const number = hotelId % HOTELS_PER_CITY
  return city && Number.isInteger(number) && number >= 1 ? makeHotel(city, number) : undefined
}

export function rulesOf({country_code}: City) {
  return COUNTRIES[country_code as keyof typeof COUNTRIES]
}

function hotelCount(cityId: number): number {
  return 12 + (hash(`bookctl/count/${cityId}`) % 9)
}

function makeHotel(city: City, number: number): Hotel {
  const hotelId = city.id * HOTELS_PER_CITY + number
  const draw = drawFrom(`bookctl/hotel/${hotelId}`)
  const place = placeOf(city.id)
  const name = hotelName(place, number, hash(`bookctl/names/${city.id}`))
  const stars = pick(draw, STARS)
  const facilities: string[] = FACILITIES.filter(() => draw(10) < 3 + stars)
  if (stars === 5) facilities.push('Spa')
  if (place.season !== 'city' && stars > 3) facilities.push('Outdoor pool')
  const digits = () => String(draw(9000) + 1000)
  return {
    hotel_id: hotelId,
    name,
    stars,
    address: pick(draw, place.streets).replace('#', String(1 + draw(180))),
    city: {id: city.id, name: city.name},
    country_code: city.country_code,
    latitude: nearby(city.latitude, draw),
    longitude: nearby(city.longitude, draw),
    description: describe(name, city.name, stars, facilities),
    phone: `${rulesOf(city).phonePrefix} ${digits().slice(1)} ${digits()}`,
    timezone: city.timezone,
    check_in_from: pick(draw, ['14:00', '14:00', '15:00', '13:00']),
    check_out_until: pick(draw, ['12:00', '11:00', '11:00', '10:00']),
    facilities,
  }
}

/** Words and patterns are walked so that no name returns before every pair is used; then names carry a number. */
function hotelName(place: Place, number: number, start: number): string {
  const {words, patterns} = place
  const column = (number - 1) % words.length
  const turn = Math.floor((number - 1) / words.length)
  const word = words[(start + column) % words.length] ?? ''
  const pattern = patterns[(start + column * 3 + turn) % patterns.length] ?? '*'
  const round = Math.floor(turn / patterns.length)
  return pattern.replace('*', word) + (round > 0 ? ` ${round + 1}` : '')
}

/** Within some two kilometres of the centre, in whole ten-thousandths of a degree. */
function nearby(degrees: number, draw: Draw): number {
  return (Math.round(degrees * 10_000) + draw(361) - 180) / 10_000
}

function describe(name: string, city: string, stars: number, facilities: readonly string[]): string {
  const kind = ['', 'simple', 'simple', 'comfortable', 'well-appointed', 'luxurious'][stars]
  const offers = facilities.slice(0, 4).join(', ').toLowerCase().replace('wi-fi', 'Wi-Fi')
  return `${name} is a ${kind} ${stars}-star hotel in ${city}${offers ? ` with ${offers}` : ''}. Invented for the local sandbox.`
}
