/** GET /content/countries, /content/currencies and /content/cities (ours). */

import {type Answer, page} from '../base/answer.js'
import {operation} from '../base/service.js'
import {CITIES} from '../catalogue/cities.js'
import {countryList} from '../catalogue/countries.js'
import {currencyList} from '../catalogue/currencies.js'
import {cursorOf, readPaging} from './paging.js'

export const listCountries = operation(({query}) => pageOf(countryList(), query))
export const listCurrencies = operation(({query}) => pageOf(currencyList(), query))
export const listCities = operation(({query}) => pageOf(CITIES, query))

/** Constant data stands still, so that its place in the list is the cursor. */
function pageOf(values: readonly unknown[], query: URLSearchParams): Answer {
  const {limit, after} = readPaging(query)
  const end = (after ?? 0) + limit
  return page(values.slice(after ?? 0, end), {limit, after: end < values.length ? cursorOf(end) : null})
}
