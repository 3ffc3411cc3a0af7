/**
 * The destinations. Cities, time zones, streets and sights (cities.json) are real. The hotels and tours generated from
 * them are not.
 */
import type {City} from '../../contract/hotels.js'
import type {BoardCode} from '../../contract/identifiers.js'
import PLACES_JSON from './cities.json' with {type: 'json'}
import HOTEL_COUNTRIES from './hotel-countries.json' with {type: 'json'}

export type Season = 'city' | 'beach' | 'winter_sun' | 'southern'

/** A city, with the data from which its hotels and tours are generated. */
export interface Place extends Omit<City, 'type'> {
  readonly country_code: keyof typeof HOTEL_COUNTRIES
  /** Price level, as a percentage of the prices in prices.json. */
  readonly level: number
  readonly season: Season
  /** The codes of the boards (meal plans) on offer, the most common first. */
  readonly boards: readonly BoardCode[]
  /**
   * Selects the patterns for hotel names in hotel-words.json. `hotel_words` are the words that are inserted into the
   * patterns.
   */
  readonly hotel_names: string
  readonly hotel_words: readonly string[]
  /** Street names, with `#` in place of the house number. */
  readonly streets: readonly string[]
  readonly sights: readonly string[]
  /** The sea, river or lake of boat tours, with its article. */
  readonly water?: string
}

const PLACES = PLACES_JSON as readonly Place[]
const PLACE_BY_ID = new Map(PLACES.map(place => [place.id, place]))

export const CITIES = PLACES.map(({id, name, country_code, latitude, longitude, timezone}): City => {
  return {id, type: 'CITY', name, country_code, latitude, longitude, timezone}
})

export function findPlace(cityId: number): Place | undefined {
  return PLACE_BY_ID.get(cityId)
}

/**
 * Returns what the hotels of a country have in common. The values are invented but plausible. `tax_permille` is the tax
 * that is added to the base price. The city tax is paid at the hotel: each adult pays, per night and star,
 * `city_tax_per_star` minor units of the country's currency.
 */
export function rulesOf({country_code}: Place) {
  return HOTEL_COUNTRIES[country_code]
}
