/**
 * Plays deliveries repeated, late, overlapping and out of order. If an answer is wrong, plays parts of the series
 * again, to find a short one after which an answer is still wrong.
 */
import {type Draw, drawFrom} from '../catalogue/draw.js'
import type {Series, SeriesDelivery} from '../certify/drills.js'
import {groupBy} from '../certify/rule.js'
import type {SentDelivery} from './series.js'

const EVENTS = 8
/** Maximum number of places by which a delivery is late. */
const MOST_LATE = 6
/** One of this many deliveries is sent together with the one before. */
const OVERLAPPING = 3
const MOST_TOGETHER = 3

/** Returns the series of deliveries for a seed. It contains every event at least once. */
export function chaosSeries(seed: string): Series {
  const draw = drawFrom(`chaos ${seed}`)
  const places: {readonly event: number; readonly place: number}[] = []
  for (let event = 0; event < EVENTS; event += 1) {
    places.push({event, place: event + lateness(draw)})
    // Half of the events are sent a second time.
    if (draw(2) === 0) places.push({event, place: event + lateness(draw)})
  }
  places.sort((a, b) => a.place - b.place)
  const series: SeriesDelivery[][] = []
  for (const {event} of places) {
    const last = series.at(-1)
    if (last !== undefined && last.length < MOST_TOGETHER && draw(OVERLAPPING) === 0) last.push({event})
    else series.push([{event}])
  }
  return series
}

/** Returns by how many places a delivery is late. Half of the deliveries are not late. */
function lateness(draw: Draw): number {
  return draw(2) === 0 ? 0 : 1 + draw(MOST_LATE)
}

/** Plays a series up to the first group with a wrong answer, and returns the deliveries that were sent. */
export type Play = (series: Series) => Promise<readonly SentDelivery[]>

export interface ChaosLimits {
  /** Maximum number of times that the series or a part of it is played. */
  readonly mostPlays: number
  /** Reports whether the time for playing is over. */
  readonly isOver: () => boolean
}

/**
 * Plays the series and, if an answer was wrong, parts of it. Returns the number of plays, and the shortest part found
 * after which an answer was wrong (undefined if all answers were right). `isRepeatable` says whether an answer was
 * wrong again when the part was played again; it is undefined if there was no time for that. Unless it is true, the
 * part is the start of the series up to the first wrong answer.
 */
export async function findShortest(series: Series, play: Play, {mostPlays, isOver}: ChaosLimits) {
  let plays = 0
  /**
   * Plays `part` and returns the deliveries up to the wrong answer. Returns undefined if no answer was wrong, or if the
   * limits do not allow another play.
   */
  const playUntilWrong = async (part: Series) => {
    if (plays >= mostPlays || (plays > 0 && isOver())) return undefined
    plays += 1
    const sent = await play(part)
    return sent.some(({error}) => error !== null) ? sent : undefined
  }
  const found = await playUntilWrong(series)
  if (found === undefined) return {plays, shortest: undefined, isRepeatable: undefined}
  let shortest = await playUntilWrong(seriesOf(found))
  if (shortest === undefined) return {plays, shortest: found, isRepeatable: plays > 1 ? false : undefined}
  // Delta debugging: leaves out pieces as long as an answer stays wrong, then smaller pieces, down to single
  // deliveries.
  let size = Math.ceil(shortest.length / 2)
  while (size >= 1) {
    const before = shortest.length
    let start = 0
    while (start < shortest.length && shortest.length > size) {
      const rest = [...shortest.slice(0, start), ...shortest.slice(start + size)]
      const wrong = await playUntilWrong(seriesOf(rest))
      if (wrong === undefined) start += size
      else shortest = wrong
    }
    if (size > 1 || shortest.length === before) size = Math.floor(size / 2)
  }
  return {plays, shortest, isRepeatable: true}
}

/**
 * Returns the deliveries in `part` as a series. Deliveries that were sent together stay together, and events keep their
 * order.
 */
function seriesOf(part: readonly SentDelivery[]): Series {
  const events = [...new Set(part.map(({event}) => event))].sort((a, b) => a - b)
  const groups = groupBy(part, ({group}) => String(group))
  return [...groups.values()].map(together => together.map(({event}) => ({event: events.indexOf(event)})))
}
