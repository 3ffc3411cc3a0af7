/** The destinations. Cities, zones, streets and sights (cities.json) are real; the hotels and tours made from them are invented. */
import type {City} from '../../contract/hotels.js'
import type {BoardCode} from '../../contract/identifiers.js'
import PLACES_JSON from './cities.json' with {type: 'json'}
import HOTEL_COUNTRIES from './hotel-countries.json' with {type: 'json'}

export type Season = 'city' | 'beach' | 'winter_sun' | 'southern'

/** A city, and what its hotels and tours are made from. */
export interface Place extends Omit<City, 'type'> {
  readonly country_code: keyof typeof HOTEL_COUNTRIES
  /** Price level in percent of the table in prices.json. */
  readonly level: number
  readonly season: Season
  /** The most usual first. */
  readonly boards: readonly BoardCode[]
  /** Which patterns its hotels are named by, with the words that are put into them. */
  readonly hotel_names: string
  readonly hotel_words: readonly string[]
  /** `#` is the house number. */
  readonly streets: readonly string[]
  readonly sights: readonly string[]
  /** What boats go on, with its article. */
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
 * What the hotels of a country share, invented but of a plausible size. The tax is in tenths of a percent on top of the base; the
 * city tax is paid at the hotel for each adult and night, in minor units of the currency times the stars.
 */
export function rulesOf({country_code}: Place) {
  return HOTEL_COUNTRIES[country_code]
}
