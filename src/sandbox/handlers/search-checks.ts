/** What searches for hotels and for tours are checked for alike. Each throws Refusal `validation_failed`. */
import {nightsBetween} from '../../contract/dates.js'
import type {City} from '../../contract/hotels.js'
import {invalidField} from '../base/refusal.js'
import {findCity} from '../catalogue/cities.js'
import {isSoldIn} from '../catalogue/currencies.js'
import {localDate} from '../catalogue/zones.js'

/** Ours: how many days ahead of today may be searched; ten years, so that dates in examples and tests stay good. */
const MAX_DAYS_AHEAD = 3650

export function checkDestination({id}: {readonly id: number}): City {
  const city = findCity(id)
  if (!city) throw invalidField('destination.id', 'unknown_value', 'is not a destination of /content/cities')
  return city
}

/** `date` is a day in the city; `now` is Unix seconds. */
export function checkDay(field: string, date: string, city: City, now: number): void {
  const ahead = nightsBetween(localDate(now, city.timezone), date)
  if (ahead < 0) throw invalidField(field, 'invalid_value', 'must not be in the past')
  if (ahead > MAX_DAYS_AHEAD) {
    throw invalidField(field, 'invalid_value', `must be at most ${MAX_DAYS_AHEAD} days ahead`)
  }
}

export function checkSoldIn(currency: string): void {
  if (isSoldIn(currency)) return
  throw invalidField('currency', 'unknown_value', 'is not a currency of /content/currencies')
}
