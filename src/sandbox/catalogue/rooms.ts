/** The kinds of room a hotel sells, and which of them a party fits in (ours). */
import type {Room} from '../../contract/hotels.js'

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
  const largest = Math.max(
    ...rooms.map(room => room.adults + room.children_ages.filter(age => age >= 2).length),
  )
  const fitting = KINDS.filter(kind => kind.sleeps >= largest && kind.fromStars <= stars)
  // A party of two is not offered the connecting rooms, as long as anything smaller fits.
  const snug = fitting.filter(kind => kind.sleeps < 18)
  return snug.length > 0 ? snug : fitting
}
