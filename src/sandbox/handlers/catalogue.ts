/** POST /hotels/search (§4.3), and ours: hotels, offers, tours, and the reference data of /content. */
import {nightsBetween} from '../../contract/dates.js'
import {data, invalidField, notFound} from '../base/answers.js'
import {usableOffer} from '../booking/convert.js'
import {CITIES, findPlace, type Place} from '../catalogue/cities.js'
import {countryList, currencyList, isSoldIn} from '../catalogue/countries-and-currencies.js'
import {findHotel} from '../catalogue/hotels.js'
import {findTour, runsOn, toursOf} from '../catalogue/tours.js'
import {localTime} from '../catalogue/zones.js'
import type {Call, Handlers} from '../http/perform.js'
import {pageOf, readPaging} from '../store/lists.js'
import {addSearch} from '../store/offers.js'

const MOST_NIGHTS = 30
/** Ten years, so that dates in examples and tests stay valid. */
const MOST_DAYS_AHEAD = 3650

/** Reference data never changes, so the place in the list is the cursor. */
function referenceData(list: () => readonly unknown[]) {
  return ({query}: Call) => {
    const {limit, after} = readPaging(query)
    const all = list()
    const start = after ?? 0
    const end = start + limit
    return pageOf({items: all.slice(start, end), next: end < all.length ? end : null}, limit)
  }
}

export const CATALOGUE = {
  'hotels.search': ({service, client, now, body}) => {
    const {check_in, check_out, currency, client_nationality} = body
    const nights = nightsBetween(check_in, check_out)
    const city = checkDestination(body.destination)
    checkDay('check_in', check_in, city, now)
    if (nights > MOST_NIGHTS) {
      const problem = `must be at most ${MOST_NIGHTS} nights after check_in`
      throw invalidField('check_out', 'invalid_value', problem)
    }
    if (!countryList().some(country => country.code === client_nationality)) {
      throw invalidField('client_nationality', 'unknown_value', 'is not a country of /content/countries')
    }
    checkSoldIn(currency)
    const {id, name, country_code} = city
    const limit = service.offers
    const {search_id, expires_at, offers} = addSearch(service.database, client.client_id, body, {now, limit})
    const destination = {type: 'CITY', id, name, country_code}
    const criteria = {destination, check_in, check_out, nights, currency, client_nationality}
    return data({search_id, expires_at, ...criteria, offers})
  },

  'hotels.show': ({service, parameters}) => {
    const id = parameters.hotel_id ?? ''
    const hotel = /^\d{1,9}$/.test(id) ? findHotel(Number(id), service.offers) : undefined
    if (!hotel) throw notFound('hotel', id)
    return data(hotel)
  },

  /** The offer as it was found, while it can still be converted. */
  'hotels.price': call => data(usableOffer(call, call.parameters.offer_id ?? '').offer),

  /** All tours of the city in one page; with a date, those that run on it. */
  'tours.search': ({now, body}) => {
    const {date, currency} = body
    const city = checkDestination(body.destination)
    if (date !== undefined) checkDay('date', date, city, now)
    checkSoldIn(currency)
    const tours = toursOf(city.id, currency)
    const found = date === undefined ? tours : tours.filter(tour => runsOn(tour, date))
    return pageOf({items: found, next: null}, tours.length)
  },

  /** Priced in the currency of the client's account, since the request names none. */
  'tours.show': ({client, parameters}) => {
    const id = parameters.tour_id ?? ''
    const tour = findTour(id, client.currency)
    if (!tour) throw notFound('tour', id)
    return data(tour)
  },

  'content.countries': referenceData(countryList),
  'content.currencies': referenceData(currencyList),
  'content.cities': referenceData(() => CITIES),
} satisfies Partial<Handlers>

function checkDestination({id}: {readonly id: number}): Place {
  const city = findPlace(id)
  if (!city) throw invalidField('destination.id', 'unknown_value', 'is not a destination of /content/cities')
  return city
}

/** `date` is a day in the city; `now` is Unix seconds. */
function checkDay(field: string, date: string, city: Place, now: number): void {
  const today = localTime(now, city.timezone).slice(0, 10)
  const ahead = nightsBetween(today, date)
  const past = `must not be in the past: by the sandbox's clock it is ${today} (bookctl sandbox clock)`
  if (ahead < 0) throw invalidField(field, 'invalid_value', past)
  if (ahead > MOST_DAYS_AHEAD) {
    throw invalidField(field, 'invalid_value', `must be at most ${MOST_DAYS_AHEAD} days ahead`)
  }
}

function checkSoldIn(currency: string): void {
  if (isSoldIn(currency)) return
  throw invalidField('currency', 'unknown_value', 'is not a currency of /content/currencies')
}
