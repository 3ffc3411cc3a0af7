/** The series of a seed, and the search for the shortest part of it that a receiver answers wrong. */
import {expect, test} from 'vitest'
import type {Series} from '../../../src/sandbox/certify/drills.js'
import {chaosSeries, findShortest} from '../../../src/sandbox/delivery/chaos.js'

const SEEDS = Array.from({length: 200}, (_, n) => String(n))
const eventsOf = (series: Series) => series.flat().map(({event}) => event)

test('a seed has one series, in which every event comes, and all together show each kind of disorder', () => {
  expect(chaosSeries('7')).toEqual(chaosSeries('7'))
  expect(new Set(SEEDS.map(seed => JSON.stringify(chaosSeries(seed)))).size).toBe(SEEDS.length)
  const shown = SEEDS.map(seed => {
    const series = chaosSeries(seed)
    const events = eventsOf(series)
    expect(new Set(events).size).toBe(8)
    expect(series.every(group => group.length >= 1 && group.length <= 3)).toBe(true)
    return {
      doubled: events.length > 8,
      overlapping: series.some(group => group.length > 1),
      disordered: events.some((event, n) => events.slice(0, n).some(earlier => earlier > event)),
    }
  })
  for (const kind of ['doubled', 'overlapping', 'disordered'] as const) {
    expect(shown.filter(each => each[kind]).length).toBeGreaterThan(180)
  }
})

/** Plays to a receiver that answers a group wrong as `isWrong` says, given all groups up to it. */
function playTo(isWrong: (groups: readonly (readonly number[])[]) => boolean) {
  return async (series: Series) => {
    const sent = []
    for (const [group, deliveries] of series.entries()) {
      const groups = series.slice(0, group + 1).map(each => each.map(({event}) => event))
      const error = isWrong(groups) ? 'wrong' : null
      for (const {event} of deliveries) {
        const facts = {deliveryId: '', eventId: '', type: 'voucher.ready', created: 0} as const
        sent.push({...facts, event, group, status: 200, milliseconds: 1, error})
      }
      if (error !== null) break
    }
    return sent
  }
}

const NO_LIMIT = {mostPlays: 1000, isOver: () => false}

test('finds three deliveries that are wrong only one after the other', async () => {
  // The third delivery of events that fall in age, whatever comes in between.
  const isFalling = (groups: readonly (readonly number[])[]) => {
    const events = groups.flat()
    return events.some((first, a) =>
      events.some(
        (second, b) => a < b && events.some((third, c) => b < c && first > second && second > third),
      ),
    )
  }
  const found = await Promise.all(
    SEEDS.map(seed => findShortest(chaosSeries(seed), playTo(isFalling), NO_LIMIT)),
  )
  const wrong = found.flatMap(({shortest}) => (shortest ? [shortest.map(({event}) => event)] : []))
  expect(wrong.length).toBeGreaterThan(50)
  for (const events of wrong) expect(events).toEqual([2, 1, 0])
})

test('finds two deliveries that are wrong only at the same time', async () => {
  const overlaps = (groups: readonly (readonly number[])[]) => (groups.at(-1)?.length ?? 0) > 1
  const {shortest, isRepeatable} = await findShortest(chaosSeries('3'), playTo(overlaps), NO_LIMIT)
  expect(isRepeatable).toBe(true)
  expect(shortest).toHaveLength(2)
  expect(new Set(shortest?.map(({group}) => group)).size).toBe(1)
})

test('ends after the maximum number of plays or after the time limit, with the shortest part found so far', async () => {
  const isLate = (groups: readonly (readonly number[])[]) => groups.flat().length >= 6
  const few = await findShortest(chaosSeries('3'), playTo(isLate), {...NO_LIMIT, mostPlays: 4})
  expect(few.plays).toBe(4)
  expect(few.shortest?.length).toBeGreaterThanOrEqual(6)
  const over = await findShortest(chaosSeries('3'), playTo(isLate), {mostPlays: 1000, isOver: () => true})
  expect(over).toMatchObject({plays: 1, isRepeatable: undefined})
})
