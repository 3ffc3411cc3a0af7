import {expect, it} from 'vitest'
import {policyMaker} from '../../../src/sandbox/catalogue/search-offers.js'

const seconds = (timestamp: string) => Date.parse(timestamp) / 1000
const EARLY = seconds('2030-06-01T12:00:00Z')
const TERMS = {freeUntilDays: 4, firstNight: 100n, total: 300n}
const FREE_UNTIL = '2030-07-06T18:00:00+03:00'
const EVE = '2030-07-09T18:00:00+03:00'
/** Of any policy with a fee for the first night. */
const BOTH = [`${FREE_UNTIL} 100`, `${EVE} 300`]
const ONE_NIGHT = {firstNight: 300n}

const policyOf = (change: object, now: number, checkIn = '2030-07-10', zone = 'Europe/Istanbul') => {
  const {steps, ...policy} = policyMaker(checkIn, zone, now)({...TERMS, ...change})
  return {...policy, steps: steps.map(({from, minor}) => `${from} ${minor}`)}
}

it.each<[how: string, now: number, change: object, freeUntil: string | null, steps: string[]]>([
  ['free until 18:00 at the hotel, then the first night, then all', EARLY, {}, FREE_UNTIL, BOTH],
  ['one step for a stay of one night', EARLY, ONE_NIGHT, FREE_UNTIL, [`${FREE_UNTIL} 300`]],
  ['free to the last second before the deadline', seconds(FREE_UNTIL) - 1, {}, FREE_UNTIL, BOTH],
  ['not free at it', seconds(FREE_UNTIL), {}, null, BOTH],
])('cancellation: %s', (_, now, change, freeUntil, steps) => {
  expect(policyOf(change, now)).toEqual({freeUntil, refundable: true, steps})
})

it.each<[how: string, now: number, change: object, from: string]>([
  ['everything at once when it is never free', EARLY, {freeUntilDays: null}, '2030-06-01T15:00:00+03:00'],
  ['only what still holds after the last deadline', seconds(EVE), {}, EVE],
])('cancellation: %s', (_, now, change, from) => {
  expect(policyOf(change, now)).toEqual({freeUntil: null, refundable: false, steps: [`${from} 300`]})
})

it('has its last step on the day of check-in when it is free until the day before', () => {
  const {steps} = policyOf({freeUntilDays: 1}, EARLY)
  expect(steps).toEqual([`${EVE} 100`, '2030-07-10T18:00:00+03:00 300'])
})

it('keeps to the wall clock when the clocks change between the deadlines', () => {
  const {steps} = policyOf({}, seconds('2026-01-01T00:00:00Z'), '2026-03-30', 'Europe/Berlin')
  expect(steps).toEqual(['2026-03-26T18:00:00+01:00 100', '2026-03-29T18:00:00+02:00 300'])
})
