/** The tours of a city: invented, but always the same (§4.9 names tours; records are ours). */
import {dayNumber} from '../../contract/dates.js'
import type {City} from '../../contract/hotels.js'
import {fromMinor} from '../../contract/money.js'
import type {Tour} from '../../contract/records.js'
import {findCity, placeOf} from './cities.js'
import {convert} from './countries-and-currencies.js'
import {drawFrom, pick} from './draw.js'

type Kind = ReturnType<typeof readKind>

/** Names, description, tags, minutes, cents of a person and of an hour. `*`: the sight, the water, then the city. */
const KINDS = `
*: guided visit|* with a local guide|*: small-group tour|* for families / A licensed guide shows you * in a group of at most fifteen. / culture guided / 90 120 150 180 240 / 1200 1100
Cruise on *|Sunset cruise on *|Dinner cruise on * / A boat trip on *, with a drink on board. / boat family / 90 120 180 / 1500 1400
* on foot|* in an afternoon / A first walk through *. / walking guided / 150 180 / 500 600
* food and market walk|Tastes of * / Ten tastings at markets and old shops. / food walking / 180 210 / 2500 900
* by bicycle / A ride on quiet streets; bicycle and helmet are included. / active outdoor / 150 180 240 / 1500 700
* by night / The lit sights of * from a small bus. / evening guided / 120 180 / 1200 900
Cooking class in * / Cook four dishes of the region, and eat them. / food class / 180 240 / 3500 800
Photography walk in * / A photographer shows you light and corners. / walking class / 120 150 / 2000 900
Countryside around * / A day out of town by minibus, with lunch. / day-trip outdoor / 480 540 / 2500 700
`
const [SIGHT, BOAT, ...CITY_WIDE] = KINDS.trim().split('\n').map(readKind) as [Kind, Kind, ...Kind[]]

function readKind(line: string) {
  const [names = '', about = '', tags = '', minutes = '', cents = ''] = line.split(' / ')
  const numbers = (text: string) => text.split(' ').map(Number)
  const [base = 0, hourly = 0] = numbers(cents)
  return {names: names.split('|'), about, tags: tags.split(' '), minutes: numbers(minutes), base, hourly}
}

export function toursOf(cityId: number, currency: string): Tour[] {
  const city = findCity(cityId)
  if (!city) return []
  const {sights, water} = placeOf(city.id)
  const kinds = [
    ...sights.map((sight): [Kind, string] => [SIGHT, sight]),
    ...(water === undefined ? [] : [[BOAT, water] as [Kind, string]]),
    ...CITY_WIDE.map((kind): [Kind, string] => [kind, city.name]),
  ]
  return kinds.map((kind, index) => makeTour(city, index + 1, kind, currency))
}

export function findTour(tourId: string, currency: string): Tour | undefined {
  const city = Number(/^tour_(\d{3})_\d\d$/.exec(tourId)?.[1])
  return toursOf(city, currency).find(tour => tour.tour_id === tourId)
}

/** Every third tour or so does not run on one day of the week. */
export function runsOn({tour_id}: Tour, date: string): boolean {
  const draw = drawFrom(`bookctl/rest/${tour_id}`)
  return draw(3) > 0 || (dayNumber(date) ?? 0) % 7 !== draw(7)
}

function makeTour(city: City, number: number, [kind, what]: [Kind, string], currency: string): Tour {
  const tour_id = `tour_${city.id}_${String(number).padStart(2, '0')}`
  const draw = drawFrom(`bookctl/tour/${tour_id}`)
  const name = pick(draw, kind.names).replace('*', what)
  const duration_minutes = pick(draw, kind.minutes)
  // In whole half euros, from 80 to 130 percent.
  const cents =
    ((kind.base + (kind.hourly * duration_minutes) / 60) * placeOf(city.id).level * (80 + draw(51))) / 10_000
  const minor = convert(BigInt(Math.max(1, Math.round(cents / 50)) * 50), 'EUR', currency)
  const review_count = draw(8) === 0 ? 0 : 1 + draw(2400)
  return {
    tour_id,
    name,
    short_description: `${kind.about.replace('*', what)} Invented for the local sandbox.`,
    duration_minutes,
    price_from: {amount: fromMinor(minor, currency), currency},
    city: {id: city.id, name: city.name},
    country_code: city.country_code,
    rating: review_count === 0 ? null : (38 + draw(13)) / 10,
    review_count,
    tags: [...kind.tags],
  }
}
