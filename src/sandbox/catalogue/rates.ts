/** The kinds of room, and what a stay costs before tax, in euro cents. Factors are percentages. */
import {addDays, dayNumber} from '../../contract/dates.js'
import type {Room} from '../../contract/hotels.js'
import type {BoardCode} from '../../contract/identifiers.js'
import type {Season} from './cities.js'
import {hash} from './draw.js'

export type RoomKind = (typeof KINDS)[number]

/** `sleeps`: guests of two years and older; `level`: percent of a standard room. */
const KINDS = [
  {name: 'Standard Room', sleeps: 2, level: 100, fromStars: 1},
  {name: 'Superior Room', sleeps: 3, level: 114, fromStars: 3},
  {name: 'Deluxe Room, City or Garden View', sleeps: 3, level: 132, fromStars: 4},
  {name: 'Family Room', sleeps: 5, level: 122, fromStars: 1},
  {name: 'Junior Suite', sleeps: 4, level: 158, fromStars: 4},
  {name: 'Connecting Family Rooms', sleeps: 18, level: 135, fromStars: 1},
]

/** The kinds that every room of the search fits in, cheapest first and never empty. All rooms are of one kind. */
export function roomKindsFor(rooms: readonly Room[], stars: number): readonly RoomKind[] {
  const guests = rooms.map(room => room.adults + room.children_ages.filter(age => age >= 2).length)
  const largest = Math.max(...guests)
  const fitting = KINDS.filter(kind => kind.sleeps >= largest && kind.fromStars <= stars)
  // A party of two is not offered the connecting rooms, as long as anything smaller fits.
  const snug = fitting.filter(kind => kind.sleeps < 18)
  return snug.length > 0 ? snug : fitting
}

const ROOM_CENTS = [0, 2600, 4200, 6600, 10_400, 18_800] as const

const SEASONS: Readonly<Record<Season, readonly number[]>> = {
  city: [82, 84, 95, 108, 115, 112, 104, 100, 114, 110, 92, 104],
  beach: [62, 62, 70, 88, 108, 132, 158, 165, 126, 98, 68, 66],
  winter_sun: [124, 122, 118, 104, 88, 74, 70, 72, 84, 102, 120, 132],
  southern: [138, 126, 112, 100, 88, 78, 82, 84, 94, 104, 116, 142],
}

/** Percent by weekday, Sunday first. Resorts and cities fill at the weekend; hotels of business on working days. */
const LEISURE_WEEK = [98, 94, 94, 96, 102, 118, 120] as const
const BUSINESS_WEEK = [88, 104, 110, 110, 106, 94, 90] as const

/** Percent of the room's price for each guest and night that the meals add. */
const BOARD_PERCENT: Readonly<Record<BoardCode, number>> = {RO: 0, BB: 7, HB: 17, FB: 26, AI: 40}

/** The percentage of the first night, and the sum of all. */
export function nightFactors(season: Season, business: boolean, checkIn: string, nights: number) {
  const week = business ? BUSINESS_WEEK : LEISURE_WEEK
  const factors = Array.from({length: nights}, (_, index) => {
    const date = addDays(checkIn, index)
    const month = SEASONS[season][Number(date.slice(5, 7)) - 1] ?? 100
    const weekday = week[((((dayNumber(date) ?? 0) + 4) % 7) + 7) % 7] ?? 100
    return Math.round((month * weekday) / 100)
  })
  return {first: factors[0] ?? 0, sum: factors.reduce((sum, factor) => sum + factor, 0)}
}

/** Euro cents of one ordinary night in all rooms; the levels, and later the night's own, are percentages. */
export function nightCents(
  stars: number,
  levels: readonly number[],
  rooms: readonly Room[],
  board: BoardCode,
): number {
  const apply = (cents: number, percent: number) => Math.round((cents * percent) / 100)
  const double = levels.reduce(apply, ROOM_CENTS[stars] ?? 0)
  return apply(
    double,
    rooms.reduce((sum, room) => sum + roomPercent(room, board), 0),
  )
}

/** Percent of a double room: fewer adults pay a little less, each further one adds a bed, children by age. */
function roomPercent({adults, children_ages}: Room, board: BoardCode): number {
  const children = children_ages.map(childPercent)
  const beds = children.reduce((sum, {bed}) => sum + bed, adults === 1 ? 82 : 100 + (adults - 2) * 34)
  const meals = children.reduce((sum, {meal}) => sum + meal, adults * 100)
  return beds + Math.round((BOARD_PERCENT[board] * meals) / 100)
}

function childPercent(age: number): {bed: number; meal: number} {
  if (age < 2) return {bed: 0, meal: 0}
  if (age < 7) return {bed: 8, meal: 50}
  return age < 13 ? {bed: 17, meal: 50} : {bed: 30, meal: 100}
}

/** Percent by the guests' nationality: residents pay a residents' rate, every market its own a few points apart. */
export function marketPercent(nationality: string, hotelCountry: string): number {
  return nationality === hotelCountry ? 88 : 97 + (hash(`market/${nationality}`) % 9)
}
