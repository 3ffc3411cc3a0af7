/**
 * The destinations. Cities, zones, streets and sights (cities.json) are real; the hotels and tours made from them are invented.
 */
import type {City} from '../../contract/hotels.js'
import type {BoardCode} from '../../contract/identifiers.js'
import DESCRIBED_CITIES from './cities.json' with {type: 'json'}
import NAME_PATTERNS from './hotel-names.json' with {type: 'json'}

export type Season = 'city' | 'beach' | 'winter_sun' | 'southern'

/** What the hotels and tours of a city are made from. */
export interface Place {
  /** Price level in percent of the table in search-offers.ts. */
  readonly level: number
  readonly season: Season
  /** The most usual first. */
  readonly boards: readonly BoardCode[]
  /** Of hotel names; `*` is one of `words`. */
  readonly patterns: readonly string[]
  readonly words: readonly string[]
  /** `#` is the house number. */
  readonly streets: readonly string[]
  readonly sights: readonly string[]
  /** What boats go on, with its article. */
  readonly water: string | undefined
}

type DescribedCity = (typeof DESCRIBED_CITIES)[number]

export const CITIES: readonly City[] = DESCRIBED_CITIES.map(cityOf)

const CITY_BY_ID = new Map(CITIES.map(city => [city.id, city]))
const PLACE_BY_ID = new Map(DESCRIBED_CITIES.map(described => [described.id, placeIn(described)]))

export function findCity(cityId: number): City | undefined {
  return CITY_BY_ID.get(cityId)
}

/** What the hotels and tours of the city are made from. Throws a RangeError if no city has the id. */
export function placeOf(cityId: number): Place {
  const place = PLACE_BY_ID.get(cityId)
  if (!place) throw new RangeError(`no city has the id ${cityId}`)
  return place
}

function cityOf({id, name, country_code, latitude, longitude, timezone}: DescribedCity): City {
  return {id, type: 'CITY', name, country_code, latitude, longitude, timezone}
}

function placeIn({
  level,
  season,
  boards,
  hotel_names,
  hotel_words,
  streets,
  sights,
  water,
}: DescribedCity): Place {
  return {
    level,
    season: season as Season,
    boards: boards as BoardCode[],
    patterns: NAME_PATTERNS[hotel_names as keyof typeof NAME_PATTERNS],
    words: hotel_words,
    streets,
    sights,
    water,
  }
}
