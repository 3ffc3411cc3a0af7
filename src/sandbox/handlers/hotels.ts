/** POST /hotels/search (§4.3), GET /hotels/{hotel_id} and GET /hotels/offers/{offer_id} (ours). */
import {isoTime, nightsBetween} from '../../contract/dates.js'
import {type City, type SearchRequest, searchRequest} from '../../contract/hotels.js'
import {data} from '../base/answer.js'
import {invalidField, Refusal} from '../base/refusal.js'
import {operation, operationWithBody} from '../base/service.js'
import {countryList} from '../catalogue/countries.js'
import {findHotel} from '../catalogue/hotels.js'
import {buildOffers} from '../catalogue/pricing.js'
import {addSearch, findOffer} from '../store/offers.js'
import {checkDay, checkDestination, checkSoldIn} from './search-checks.js'

/** Ours. */
const MAX_NIGHTS = 30

export const searchHotels = operationWithBody(searchRequest, ({service, client, now, body}) => {
  const city = checkSearch(body, now)
  const drafts = buildOffers(body, {seed: service.seed, now, offers: service.offers})
  const {searchId, expiresAt, offers} = addSearch(service.database, client.client_id, body, drafts, now)
  const {id, name, country_code} = city
  return data({
    search_id: searchId,
    expires_at: isoTime(expiresAt),
    destination: {type: 'CITY', id, name, country_code},
    check_in: body.check_in,
    check_out: body.check_out,
    nights: nightsBetween(body.check_in, body.check_out),
    currency: body.currency,
    client_nationality: body.client_nationality,
    offers,
  })
})

export const showHotel = operation(({service, parameters}) => {
  const id = parameters.hotel_id ?? ''
  // Where a search finds so many offers, a city has at least as many hotels.
  const hotel = /^\d{1,9}$/.test(id) ? findHotel(Number(id), service.seed, service.offers) : undefined
  if (!hotel) throw new Refusal('hotel_not_found', 'there is no hotel with this id')
  return data(hotel)
})

/** The offer as it was found, while it can still be converted. */
export const showOffer = operation(({service, client, now, parameters}) => {
  const stored = findOffer(service.database, client.client_id, parameters.offer_id ?? '')
  if (!stored) throw new Refusal('offer_not_found', 'no search of yours has found this offer')
  if (stored.reservationRef !== null) {
    throw new Refusal('offer_already_used', 'this offer has become a reservation already', {
      members: {reservation_ref: stored.reservationRef},
    })
  }
  if (stored.expiresAt <= now) throw new Refusal('offer_expired', 'this offer has expired; search again')
  return data(stored.offer)
})

/** The city searched. Throws Refusal `validation_failed` naming the field the sandbox cannot search for. */
function checkSearch(search: SearchRequest, now: number): City {
  const city = checkDestination(search.destination)
  checkDay('check_in', search.check_in, city, now)
  if (nightsBetween(search.check_in, search.check_out) > MAX_NIGHTS) {
    throw invalidField('check_out', 'invalid_value', `must be at most ${MAX_NIGHTS} nights after check_in`)
  }
  if (!countryList().some(country => country.code === search.client_nationality)) {
    throw invalidField('client_nationality', 'unknown_value', 'is not a country of /content/countries')
  }
  checkSoldIn(search.currency)
  return city
}
