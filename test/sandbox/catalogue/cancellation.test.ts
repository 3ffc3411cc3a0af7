/** Deadlines on the wall clock of a hotel, and the steps of a cancellation policy. */
import fc from 'fast-check'
import {describe, expect, it, test} from 'vitest'
import {policyMaker} from '../../../src/sandbox/catalogue/cancellation.js'
import {CITIES} from '../../../src/sandbox/catalogue/cities.js'
import {atWallClock, offsetsOf} from '../../../src/sandbox/catalogue/zones.js'

const seconds = (timestamp: string) => Date.parse(timestamp) / 1000
const EARLY = seconds('2030-06-01T12:00:00Z')
const TERMS = {freeUntilDays: 4, firstNight: 100n, total: 300n}
const FREE_UNTIL = '2030-07-06T18:00:00+03:00'
const EVE = '2030-07-09T18:00:00+03:00'
/** The steps of any policy with a fee for the first night. */
const BOTH = [`${FREE_UNTIL} 100`, `${EVE} 300`]
const ONE_NIGHT = {firstNight: 300n}

const policyOf = (change: object, now: number, checkIn = '2030-07-10', zone = 'Europe/Istanbul') => {
  const {steps, ...policy} = policyMaker(checkIn, zone, now)({...TERMS, ...change})
  return {...policy, steps: steps.map(({from, minor}) => `${from} ${minor}`)}
}

test.each<[how: string, now: number, change: object, freeUntil: string | null, steps: string[]]>([
  ['free until 18:00 at the hotel, then the first night, then all', EARLY, {}, FREE_UNTIL, BOTH],
  ['one step for a stay of one night', EARLY, ONE_NIGHT, FREE_UNTIL, [`${FREE_UNTIL} 300`]],
  ['free to the last second before the deadline', seconds(FREE_UNTIL) - 1, {}, FREE_UNTIL, BOTH],
  ['not free at it', seconds(FREE_UNTIL), {}, null, BOTH],
])('cancellation: %s', (_, now, change, freeUntil, steps) => {
  expect(policyOf(change, now)).toEqual({freeUntil, refundable: true, steps})
})

test.each<[how: string, now: number, change: object, from: string]>([
  ['everything at once when it is never free', EARLY, {freeUntilDays: null}, '2030-06-01T15:00:00+03:00'],
  ['only what still holds after the last deadline', seconds(EVE), {}, EVE],
])('cancellation: %s', (_, now, change, from) => {
  expect(policyOf(change, now)).toEqual({freeUntil: null, refundable: false, steps: [`${from} 300`]})
})

test('has its last step on the day of check-in when it is free until the day before', () => {
  const {steps} = policyOf({freeUntilDays: 1}, EARLY)
  expect(steps).toEqual([`${EVE} 100`, '2030-07-10T18:00:00+03:00 300'])
})

test('has deadlines at the same local time before and after the clocks change', () => {
  const {steps} = policyOf({}, seconds('2026-01-01T00:00:00Z'), '2026-03-30', 'Europe/Berlin')
  expect(steps).toEqual(['2026-03-26T18:00:00+01:00 100', '2026-03-29T18:00:00+02:00 300'])
})

const at = (date: string, time: string, zone: string) => atWallClock(date, time, offsetsOf(zone))

describe('a time on the wall clock of a hotel', () => {
  // The offsets and the dates of change were published for these zones, and are not computed here.
  it.each([
    ['2026-07-15', '18:00', 'Asia/Kathmandu', '2026-07-15T18:00:00+05:45'],
    // On the days of change, after the change.
    ['2026-03-29', '18:00', 'Europe/Berlin', '2026-03-29T18:00:00+02:00'],
    ['2026-10-25', '18:00', 'Europe/Berlin', '2026-10-25T18:00:00+01:00'],
    // On the same days, before the change.
    ['2026-03-29', '01:30', 'Europe/Berlin', '2026-03-29T01:30:00+01:00'],
    ['2026-10-25', '01:30', 'Europe/Berlin', '2026-10-25T01:30:00+02:00'],
  ])('%s %s in %s is %s', (date, time, zone, text) => {
    expect(at(date, time, zone)).toBe(text)
  })

  it('is the first of two when the clock is put back', () => {
    expect(at('2026-10-25', '02:30', 'Europe/Berlin')).toBe('2026-10-25T02:30:00+02:00')
    expect(at('2026-11-01', '01:30', 'America/New_York')).toBe('2026-11-01T01:30:00-04:00')
  })

  it('is an hour later if it is skipped when the clock is put forward', () => {
    expect(at('2026-03-29', '02:30', 'Europe/Berlin')).toBe('2026-03-29T03:30:00+02:00')
    expect(at('2026-03-08', '02:30', 'America/New_York')).toBe('2026-03-08T03:30:00-04:00')
  })

  it('shows 18:00 on that day in every zone of the catalogue on any day', () => {
    const zones = fc.constantFrom(...new Set(CITIES.map(city => city.timezone)))
    const days = fc.integer({min: 18_000, max: 33_000})
    fc.assert(
      fc.property(zones, days, (zone, day) => {
        const date = new Date(day * 86_400_000).toISOString().slice(0, 10)
        const shown = new Intl.DateTimeFormat('sv-SE', {
          timeZone: zone,
          dateStyle: 'short',
          timeStyle: 'medium',
        })
        const text = at(date, '18:00', zone)
        expect(shown.format(Date.parse(text))).toBe(`${date} 18:00:00`)
        expect(text.slice(0, 19)).toBe(`${date}T18:00:00`)
      }),
    )
  })
})
