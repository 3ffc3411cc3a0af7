/** The wizard's questions before a search, and how it understands the answers. */
import {afterEach, describe, expect, test, vi} from 'vitest'
import {readSearch} from '../../../../src/cli/features/catalogue/hotels.js'
import {askSearch, commandOf, findCities} from '../../../../src/cli/features/wizard/ask-search.js'
import {untilServed} from '../../../../src/cli/features/wizard/questions.js'
import {readComingDay, readDay, today} from '../../../../src/cli/input/dates.js'
import {matches} from '../../../../src/cli/input/match.js'
import {readCheckOut} from '../../../../src/cli/input/stay.js'
import type {Connection} from '../../../../src/cli/session/connect.js'
import type {Prompts} from '../../../../src/cli/terminal/prompts/prompts.js'
import {Failure} from '../../../../src/contract/failure.js'
import {apiOfSandbox} from '../../../support/answering.js'
import {thrownBy} from '../../../support/thrown.js'
import {type Line, said, scriptedPrompts} from './scripted-prompts.js'

const TODAY = '2030-05-01'
const room = (adults: number, ...children_ages: number[]) => ({adults, children_ages})
/** Asks with a service that answers as `api`, on a machine that remembers at most the latest search. */
const asking = (prompts: Prompts, api: unknown, latest?: object, isLoopback = true) => {
  const state = {writable: false, remembers: latest !== undefined, offers: {latest: async () => latest}}
  const connection = {api, state, target: {isLoopback, baseUrl: 'https://x/v1'}} as unknown as Connection
  return {prompts, connection, tell: () => {}, today: TODAY}
}

describe('names are found as they are typed', () => {
  test('every word typed must be there', () => {
    expect(matches('São Paulo BR', 'paulo sao')).toBe(true)
    expect(matches('São Paulo BR', 'paulo rio')).toBe(false)
  })

  test('a city City id, also one that is not listed', () => {
    const cities = [{id: 101, name: '\u001b[2JIstanbul', country_code: 'TR'}]
    expect(findCities(cities, '101').map(({value}) => value)).toEqual([101])
    expect(findCities(cities, '999').map(({value}) => value)).toEqual([999])
    expect(findCities(cities, 'ıst')[0]?.name).toBe('\\u001b[2JIstanbul, TR (101)')
  })
})

describe('dates', () => {
  test.each([
    ...said`2030-06-01 → 2030-06-01 | 1.6.2030 → 2030-06-01 | today → 2030-05-01 | Tomorrow → 2030-05-02
      +31 → 2030-06-01`,
  ])('%s', (typed, date) => {
    expect(readDay('--check-in', typed, TODAY)).toBe(date)
  })

  describe('a check-in in the past', () => {
    afterEach(() => void vi.useRealTimers())

    test('is refused from yesterday back', () => {
      vi.stubEnv('TZ', 'UTC')
      expect(readComingDay('--check-in', TODAY, TODAY)).toBe(TODAY)
      expect(thrownBy(() => readComingDay('--check-in', '2030-04-30', TODAY)).message).toMatch(
        /^--check-in: must not be in the past/,
      )
    })

    test('is accepted for yesterday only while it is yesterday in UTC, so west of here', () => {
      vi.stubEnv('TZ', 'Pacific/Auckland')
      vi.useFakeTimers({now: Date.parse('2030-04-30T20:00:00Z')})
      expect(today()).toBe(TODAY)
      expect(readComingDay('--check-in', '2030-04-30')).toBe('2030-04-30')
      expect(thrownBy(() => readComingDay('--check-in', '2030-04-29'))).toBeInstanceOf(Failure)
      vi.setSystemTime(Date.parse('2030-05-01T03:00:00Z'))
      expect(thrownBy(() => readComingDay('--check-in', '2030-04-30'))).toBeInstanceOf(Failure)
    })
  })

  test('the departure can be a date or a number of nights', () => {
    const leaving = (typed: string, checkIn = '2030-06-01') =>
      readCheckOut('--check-out', typed, checkIn, TODAY)
    for (const typed of ['+3', '4.6.2030', '+3 ']) expect(leaving(typed)).toBe('2030-06-04')
    expect(leaving('3')).toBe('2030-06-04')
    expect(leaving('2030-06-02')).toBe('2030-06-02')
    for (const typed of ['0', '366', '2030-06-01'])
      expect(thrownBy(() => leaving(typed))).toBeInstanceOf(Failure)
    expect(thrownBy(() => leaving('9', '9999-12-30'))).toBeInstanceOf(Failure)
  })

  test('a stay that is longer than one can be meant is refused, with its nights', () => {
    const leaving = (typed: string) => readCheckOut('', typed, '2026-11-24', '2026-11-24')
    expect(leaving('24.11.2027')).toBe('2027-11-24')
    expect(thrownBy(() => leaving('25.11.2027')).message).toContain('is 366 nights')
    expect(thrownBy(() => leaving('01.06.2030')).message).toBe(
      'must be at most 365 nights after the check-in; 2026-11-24 to 2030-06-01 is 1,285 nights',
    )
  })
})

const REST = said`Check-in → +31 | Check-out → 3 | Number of rooms → 2 | Room 1: adults → 2
  Room 1: number of children → 2 | Room 1: ages of the 2 children → 18 4 | Room 1: ages of the 2 children → 7 4
  Room 2: adults → 1 | Room 2: number of children → | Nationality → turkiye | Currency → euro
  Currency → eur`
const REQUEST = {
  destination: {type: 'CITY', id: 103},
  check_in: '2030-06-01',
  check_out: '2030-06-04',
  rooms: [room(2, 7, 4), room(1)],
  client_nationality: 'TR',
  currency: 'EUR',
}

test('asks for everything, and for the city by name', async () => {
  const {api, sandbox} = await apiOfSandbox()
  const prompts = scriptedPrompts([['City', 'izmir'], ...REST])
  const flags = await askSearch(asking(prompts, api), {})
  sandbox.close()
  expect(readSearch(flags)).toEqual(REQUEST)
  expect(prompts.left()).toBe(0)
  for (const hint of ['Sat 2030-06-01', '3 nights, leaving Tue 2030-06-04', '2 children, aged 7, 4'])
    expect(prompts.log).toContain(`hint: ${hint}`)
  expect(prompts.log.filter(line => line.startsWith('refused: ')).length).toBe(2)
  expect(commandOf(flags)).toBe(
    'bookctl hotels search --city 103 --check-in 2030-06-01 --check-out 2030-06-04 --room 2:7,4 --room 1 --nationality TR --currency EUR',
  )
})

const failing = (error: Error) => ({
  call: () => Promise.reject(error),
  callForAnswer: () => Promise.reject(error),
})
const UNASKED = failing(new Error('not asked'))

test.each([
  [new Failure('usage', 'not shown', {code: 'path_not_shown'}), true, 'local sandbox'],
  [new Failure('service_failed', 'strange', {code: 'not_understood'}), false, 'the operator'],
])(
  'asks for the city id where no list is available, and says where it is: %s',
  async (error, isLoopback, where) => {
    const prompts = scriptedPrompts([...said`City id → Istanbul`, [where, '101']])
    const given = {'check-in': '2030-06-01', nights: 3, room: [room(2)], nationality: 'TR', currency: 'EUR'}
    const flags = await askSearch(asking(prompts, failing(error), undefined, isLoopback), given)
    expect(flags).toEqual({...given, city: 101})
  },
)

test.each([
  new Failure('unreachable', 'gone', {code: 'unreachable'}),
  new Failure('not_allowed', 'wrong secret', {code: 'invalid_client', status: 401}),
])('what no search could survive is said at once: $message', async error => {
  const again: Line[] = error.kind === 'unreachable' ? [['Try again?', 'no']] : []
  await expect(askSearch(asking(scriptedPrompts(again), failing(error)), {})).rejects.toBe(error)
})

test('what was given is not asked again', async () => {
  const prompts = scriptedPrompts([['Check-out', '2']])
  const given = {city: 101, 'check-in': '2030-06-01', room: [room(1)], nationality: 'DE', currency: 'USD'}
  const flags = await askSearch(asking(prompts, UNASKED), given)
  expect(flags).toEqual({...given, 'check-out': '2030-06-03'})
})

test('ages are refused in the words of the question', async () => {
  const prompts = scriptedPrompts([
    ...said`Number of rooms → 1 | Adults → 2 | Number of children → 10 | Number of children → 2
      Ages of the 2 children → 4, 18 | Ages → four | Ages → 4 | Ages → 1 2 3 | Ages → 4, 17`,
  ])
  const given = {city: 1, 'check-in': '2030-06-01', nights: 1, nationality: 'TR', currency: 'EUR'}
  const {room: rooms} = await askSearch(asking(prompts, UNASKED), given)
  expect(rooms).toEqual([room(2, 4, 17)])
  const [, ...refusals] = prompts.log.filter(line => line.startsWith('refused'))
  expect(refusals[0]).toBe('refused: children are 0 to 17 years old; count 18 as an adult')
  expect(refusals.slice(2)).toEqual(['refused: must be 2 ages, not 1', 'refused: must be 2 ages, not 3'])
  expect(refusals.join()).not.toMatch(/--|ADULTS|2:/)
})

test('a lone 0 means no children; only an age asked for can be that of a baby', async () => {
  const given = {city: 1, 'check-in': '2030-06-01', nights: 1, nationality: 'TR', currency: 'EUR'}
  const search = async (script: Line[]) =>
    (await askSearch(asking(scriptedPrompts(script), UNASKED), {...given})).room
  const rooms = said`Number of rooms → 1 | Adults → 2`
  expect(await search([...rooms, ...said`Number of children → 0`])).toEqual([room(2)])
  expect(await search([...rooms, ...said`Number of children → 1 | Age of the child → 0`])).toEqual([
    room(2, 0),
  ])
})

test('a check-in too far from --check-out is refused when it is typed', async () => {
  const prompts = scriptedPrompts(said`Check-in → 2026-11-24 | Check-in → 2030-05-30`)
  const given = {city: 1, 'check-out': '01.06.2030', room: [room(1)], nationality: 'TR', currency: 'EUR'}
  vi.useFakeTimers({now: Date.parse('2026-11-01T12:00:00Z')})
  const flags = await askSearch({...asking(prompts, UNASKED), today: '2026-11-01'}, given).finally(
    vi.useRealTimers,
  )
  expect(flags).toMatchObject({'check-in': '2030-05-30', 'check-out': '01.06.2030'})
  expect(prompts.log.join()).toContain('2026-11-24 to 2030-06-01 is 1,285 nights')
})

test('those of the latest search are offered first, then the settings, and an empty line takes the first', async () => {
  const last = {nationality: 'DE', currency: 'CHF'}
  const preferred = {nationality: 'FR', currency: 'USD'}
  const italian = {nationality: 'IT', currency: null}
  for (const [latest, expected] of [
    [last, last],
    [undefined, preferred],
    [italian, {...italian, currency: 'USD'}],
  ]) {
    const prompts = scriptedPrompts(said`Nationality → | Currency →`)
    const given = {city: 1, 'check-in': '2030-06-01', nights: 1, room: [room(1)]}
    const flags = await askSearch({...asking(prompts, UNASKED, latest), preferred}, given)
    expect(flags).toMatchObject(expected as object)
    if (latest === last) expect(prompts.log.slice(1, 3)).toEqual(['Germany (DE)', 'France (FR)'])
  }
})

test('does not offer to repeat a refused request', async () => {
  const refused = new Failure('refused', 'no', {code: 'validation_failed', status: 400})
  const parts = {prompts: scriptedPrompts([]), tell: () => {}}
  await expect(untilServed(parts, () => Promise.reject(refused))).rejects.toBe(refused)
})
