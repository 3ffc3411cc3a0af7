/** Generates the tours of a city. They are invented, but always the same (§4.9 names tours but shows no record). */
import {dayNumber} from '../../contract/dates.js'
import {fromMinor} from '../../contract/money.js'
import type {Tour} from '../../contract/records.js'
import {findPlace, type Place} from './cities.js'
import {convert} from './countries-and-currencies.js'
import {drawFrom, pick} from './draw.js'
import KINDS from './tour-kinds.json' with {type: 'json'}

/**
 * A kind of tour. In its names and texts, `*` is replaced by the sight, the water or the city. The price of a tour is
 * `base_cents` per person plus `hourly_cents` per person and hour.
 */
type Kind = (typeof KINDS)['sight']

export function toursOf(cityId: number, currency: string): Tour[] {
  const place = findPlace(cityId)
  if (!place) return []
  const {sights, water, name} = place
  const kinds = [
    ...sights.map(what => ({kind: KINDS.sight, what})),
    ...(water === undefined ? [] : [{kind: KINDS.boat, what: water}]),
    ...KINDS.city.map(kind => ({kind, what: name})),
  ]
  return kinds.map(({kind, what}, index) => makeTour(place, index + 1, kind, what, currency))
}

export function findTour(tourId: string, currency: string): Tour | undefined {
  const city = Number(/^tour_(\d{3})_\d\d$/.exec(tourId)?.[1])
  return toursOf(city, currency).find(tour => tour.tour_id === tourId)
}

/** Reports whether the tour runs on `date`. About every third tour does not run on one day of the week. */
export function runsOn({tour_id}: Tour, date: string): boolean {
  const draw = drawFrom(`bookctl/rest/${tour_id}`)
  return draw(3) > 0 || (dayNumber(date) ?? 0) % 7 !== draw(7)
}

function makeTour(place: Place, number: number, kind: Kind, what: string, currency: string): Tour {
  const tour_id = `tour_${place.id}_${String(number).padStart(2, '0')}`
  const draw = drawFrom(`bookctl/tour/${tour_id}`)
  const name = pick(draw, kind.names).replace('*', what)
  const duration_minutes = pick(draw, kind.minutes)
  const ordinary = kind.base_cents + (kind.hourly_cents * duration_minutes) / 60
  // The price is 80 to 130 percent of the ordinary one, rounded to half euros.
  const cents = (ordinary * place.level * (80 + draw(51))) / 10_000
  const minor = convert(BigInt(Math.max(1, Math.round(cents / 50)) * 50), 'EUR', currency)
  const review_count = draw(8) === 0 ? 0 : 1 + draw(2400)
  return {
    tour_id,
    name,
    short_description: `${kind.about.replace('*', what)} Invented for the local sandbox.`,
    duration_minutes,
    price_from: {amount: fromMinor(minor, currency), currency},
    city: {id: place.id, name: place.name},
    country_code: place.country_code,
    rating: review_count === 0 ? null : (38 + draw(13)) / 10,
    review_count,
    tags: [...kind.tags],
  }
}
