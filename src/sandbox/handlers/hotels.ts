/** POST /hotels/search (§4.3), GET /hotels/{hotel_id} and GET /hotels/offers/{offer_id} (ours). */
import {nightsBetween} from '../../contract/dates.js'
import {type City, type SearchRequest, searchRequest} from '../../contract/hotels.js'
import {findCity} from '../catalogue/cities.js'
import {countryList} from '../catalogue/content.js'
import {isSoldIn} from '../catalogue/currencies.js'
import {findHotel} from '../catalogue/hotels.js'
import {buildOffers} from '../catalogue/pricing.js'
import {isoTime} from '../clock.js'
import {data} from '../http/answer.js'
import {localDate} from '../local-time.js'
import {invalidField, Refusal} from '../refusal.js'
import {operation, operationWithBody} from '../service.js'
import {addSearch, findOffer} from '../store/offers.js'

/** Ours. */
const MAX_NIGHTS = 30
/** Ours: how many days ahead of today a stay may begin; ten years, so that dates in examples and tests stay good. */
const MAX_DAYS_AHEAD = 3650

export const searchHotels = operationWithBody(searchRequest, ({service, client, now, body}) => {
  const city = checkSearch(body, now)
  const drafts = buildOffers(body, {seed: service.seed, now})
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
  const hotel = /^\d{1,9}$/.test(id) ? findHotel(Number(id), service.seed) : undefined
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
  const city = findCity(search.destination.id)
  if (!city) throw invalidField('destination.id', 'unknown_value', 'is not a destination of /content/cities')
  const ahead = nightsBetween(localDate(now, city.timezone), search.check_in)
  if (ahead < 0) throw invalidField('check_in', 'invalid_value', 'must not be in the past')
  if (ahead > MAX_DAYS_AHEAD) {
    throw invalidField('check_in', 'invalid_value', `must be at most ${MAX_DAYS_AHEAD} days ahead`)
  }
  if (nightsBetween(search.check_in, search.check_out) > MAX_NIGHTS) {
    throw invalidField('check_out', 'invalid_value', `must be at most ${MAX_NIGHTS} nights after check_in`)
  }
  if (!countryList().some(country => country.code === search.client_nationality)) {
    throw invalidField('client_nationality', 'unknown_value', 'is not a country of /content/countries')
  }
  if (!isSoldIn(search.currency)) {
    throw invalidField('currency', 'unknown_value', 'is not a currency of /content/currencies')
  }
  return city
}
