/** POST /tours/search and GET /tours/{tour_id} (ours). */
import {tourSearchRequest} from '../../contract/tours.js'
import {data, page} from '../base/answer.js'
import {Refusal} from '../base/refusal.js'
import {operation, operationWithBody} from '../base/service.js'
import {findTour, runsOn, toursOf} from '../catalogue/tours.js'
import {checkDay, checkDestination, checkSoldIn} from './search-checks.js'

/** All tours of the city in one page; with a date, those that run on it. */
export const searchTours = operationWithBody(tourSearchRequest, ({service: {seed}, now, body}) => {
  const {date, currency} = body
  const city = checkDestination(body.destination)
  if (date !== undefined) checkDay('date', date, city, now)
  checkSoldIn(currency)
  const tours = toursOf(city.id, currency, seed)
  const found = date === undefined ? tours : tours.filter(tour => runsOn(tour, date, seed))
  return page(found, {limit: tours.length, after: null})
})

/** Priced in the currency of the caller's account, since nothing else is asked. */
export const showTour = operation(({service, client, parameters}) => {
  const tour = findTour(parameters.tour_id ?? '', client.currency, service.seed)
  if (!tour) throw new Refusal('tour_not_found', 'there is no tour with this id')
  return data(tour)
})
