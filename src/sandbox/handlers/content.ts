/** GET /content/countries, /content/currencies and /content/cities (ours). */
import {CITIES} from '../catalogue/cities.js'
import {countryList, currencyList} from '../catalogue/content.js'
import {type Answer, page} from '../http/answer.js'
import {operation} from '../service.js'

export const listCountries = operation(() => whole(countryList()))
export const listCurrencies = operation(() => whole(currencyList()))
export const listCities = operation(() => whole(CITIES))

/** Constant data comes on one page. */
function whole(values: readonly unknown[]): Answer {
  return page(values, {limit: values.length, after: null})
}
