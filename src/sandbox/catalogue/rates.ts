/** The kinds of room, and what a stay costs before tax, in euro cents. Factors are percentages. */
import {addDays, dayNumber} from '../../contract/dates.js'
import type {Room} from '../../contract/hotels.js'
import type {BoardCode, Season} from './cities.js'
import {hash} from './draw.js'

export interface RoomKind {
  readonly name: string
  /** Guests of two years and older. */
  readonly sleeps: number
  /** Price in percent of a standard room. */
  readonly level: number
  readonly fromStars: number
}

const KINDS: readonly RoomKind[] = [
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

/** A double room for one ordinary night, by stars. */
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

/** Euro cents of one ordinary night in all rooms: multiply by a night's percentage for that night. */
export function nightCents(parts: {
  readonly stars: number
  /** City level × hotel level × room level, each a percentage. */
  readonly levels: readonly number[]
  readonly rooms: readonly Room[]
  readonly board: BoardCode
}): number {
  const apply = (cents: number, percent: number) => Math.round((cents * percent) / 100)
  const double = parts.levels.reduce(apply, ROOM_CENTS[parts.stars] ?? 0)
  const percent = parts.rooms.reduce((sum, room) => sum + roomPercent(room, parts.board), 0)
  return apply(double, percent)
}

/** Percent of a double room: fewer adults pay a little less, each further one adds a bed, children by age. */
function roomPercent(room: Room, board: BoardCode): number {
  const beds = room.adults === 1 ? 82 : 100 + (room.adults - 2) * 34
  const children = room.children_ages.reduce((sum, age) => sum + childBedPercent(age), 0)
  const mealGuests =
    room.adults * 100 + room.children_ages.reduce((sum, age) => sum + childMealPercent(age), 0)
  return beds + children + Math.round((BOARD_PERCENT[board] * mealGuests) / 100)
}

/** Under two free, then a cot or an extra bed that costs more with age. */
function childBedPercent(age: number): number {
  if (age < 2) return 0
  if (age < 7) return 8
  return age < 13 ? 17 : 30
}

function childMealPercent(age: number): number {
  if (age < 2) return 0
  return age < 13 ? 50 : 100
}

/** Percent by the guests' nationality: residents pay a residents' rate, every market its own a few points apart. */
export function marketPercent(nationality: string, hotelCountry: string): number {
  return nationality === hotelCountry ? 88 : 97 + (hash(`market/${nationality}`) % 9)
}
