/** What the wizard asks before a search, and how it understands what people type. */
import {describe, expect, test} from 'vitest'
import type {Api} from '../../../src/api/api.js'
import {readSearch} from '../../../src/cli/input/search.js'
import {findCities} from '../../../src/cli/wizard/ask-city.js'
import {askSearch} from '../../../src/cli/wizard/ask-search.js'
import {commandOf} from '../../../src/cli/wizard/complete-search.js'
import {readCheckIn, readCheckOut, readDay, withWeekday} from '../../../src/cli/wizard/dates.js'
import {fold, matches} from '../../../src/cli/wizard/fold.js'
import {Failure} from '../../../src/contract/failure.js'
import {apiOfSandbox} from '../../support/answering.js'
import {type Line, scriptedPrompts} from '../../support/scripted-prompts.js'
import {thrownBy} from '../../support/thrown.js'

const TODAY = '2030-05-01'

describe('names are found as they are typed', () => {
  test.each([
    ['İstanbul', 'istanbul'],
    ['ISTANBUL', 'istanbul'],
    ['ıstanbul', 'istanbul'],
    ['Köln', 'koln'],
    ['Straße', 'strasse'],
    ['Kraków', 'krakow'],
    ['Łódź', 'lodz'],
  ])('%s as %s', (name, folded) => {
    expect(fold(name)).toBe(folded)
  })

  test('every word typed must be there', () => {
    expect(matches('São Paulo BR', 'paulo sao')).toBe(true)
    expect(matches('São Paulo BR', 'paulo rio')).toBe(false)
  })

  test('a city by its number, also one that is not listed', () => {
    const cities = [{id: 101, name: '\u001b[2JIstanbul', country: 'TR'}]
    expect(findCities(cities, '101').map(({value}) => value)).toEqual(['101'])
    expect(findCities(cities, '999').map(({value}) => value)).toEqual(['999'])
    expect(findCities(cities, 'ıst')[0]?.name).toBe('\\u001b[2JIstanbul, TR (101)')
  })
})

describe('dates', () => {
  test.each([
    ['2030-06-01', '2030-06-01'],
    ['1.6.2030', '2030-06-01'],
    ['today', '2030-05-01'],
    ['Tomorrow', '2030-05-02'],
    ['+31', '2030-06-01'],
  ])('%s', (typed, date) => {
    expect(readDay(typed, TODAY)).toBe(date)
  })

  test.each(['2030-02-30', '31.4.2030', '01/06/2030', 'soon', '+'])('%s is no date', typed => {
    expect(thrownBy(() => readDay(typed, TODAY))).toBeInstanceOf(Failure)
  })

  test('check-in may be yesterday, where the hotel still has it, and not earlier', () => {
    expect(readCheckIn('2030-04-30', TODAY)).toBe('2030-04-30')
    expect(thrownBy(() => readCheckIn('2030-04-29', TODAY))).toBeInstanceOf(Failure)
  })

  test('leaving as a date or as nights', () => {
    expect(readCheckOut('3', '2030-06-01', TODAY)).toBe('2030-06-04')
    expect(readCheckOut('2030-06-02', '2030-06-01', TODAY)).toBe('2030-06-02')
    for (const typed of ['0', '366', '2030-06-01']) {
      expect(thrownBy(() => readCheckOut(typed, '2030-06-01', TODAY))).toBeInstanceOf(Failure)
    }
    expect(thrownBy(() => readCheckOut('9', '9999-12-30', TODAY))).toBeInstanceOf(Failure)
  })

  test('are shown back with their weekday', () => {
    expect(withWeekday('2030-06-01')).toBe('Sat 2030-06-01')
  })
})

const REST: readonly Line[] = [
  ['Check-in', '+31'],
  ['Check-out', '3'],
  ['How many rooms', '2'],
  ['Room 1: adults', '2'],
  ['Room 1: ages', '18'],
  ['Room 1: ages', '7 4'],
  ['Room 2: adults', '1'],
  ['Room 2: ages', ''],
  ['Nationality', 'turkiye'],
  ['Currency', 'euro'],
  ['Currency', 'eur'],
]
const REQUEST = {
  check_in: '2030-06-01',
  check_out: '2030-06-04',
  rooms: [
    {adults: 2, children_ages: [7, 4]},
    {adults: 1, children_ages: []},
  ],
  client_nationality: 'TR',
  currency: 'EUR',
}

test('everything, with the city by its name', async () => {
  const {api, sandbox} = await apiOfSandbox()
  const prompts = scriptedPrompts([['City', 'izmir'], ...REST])
  const flags = await askSearch({prompts, api: async () => api, today: TODAY}, {})
  sandbox.close()
  expect(await readSearch(flags)).toEqual({destination: {type: 'CITY', id: 103}, ...REQUEST})
  expect(prompts.left()).toBe(0)
  expect(prompts.log).toContain('hint: Sat 2030-06-01')
  expect(prompts.log).toContain('hint: 3 nights, leaving Tue 2030-06-04')
  expect(prompts.log).toContain('hint: 2 children, aged 7, 4')
  expect(prompts.log.filter(line => line.startsWith('refused: ')).length).toBe(2)
  expect(commandOf(flags)).toBe(
    'bookctl hotels search --city 103 --check-in 2030-06-01 --check-out 2030-06-04 --room 2:7,4 --room 1 --nationality TR --currency EUR',
  )
})

const failing = (error: Error) => async () =>
  ({call: async () => Promise.reject(error), exchange: async () => Promise.reject(error)}) as unknown as Api

test.each([
  new Failure('usage', 'not shown', {code: 'path_not_shown'}),
  new Failure('not_allowed', 'scope', {code: 'insufficient_scope', status: 403}),
  new Failure('refused', 'none', {code: 'not_found', status: 404}),
  new Failure('service_failed', 'strange', {code: 'not_understood'}),
])('the city by its number where the list cannot be had: $message', async error => {
  const prompts = scriptedPrompts([
    ['by its number', 'Istanbul'],
    ['by its number', '101'],
  ])
  const given = {'check-in': '2030-06-01', nights: '3', room: ['2'], nationality: 'TR', currency: 'EUR'}
  const flags = await askSearch({prompts, api: failing(error), today: TODAY}, given)
  expect(flags).toEqual({...given, city: '101'})
})

test.each([
  new Failure('unreachable', 'gone', {code: 'unreachable'}),
  new Failure('not_allowed', 'wrong secret', {code: 'invalid_client', status: 401}),
])('what no search could survive is said at once: $message', async error => {
  const asking = {prompts: scriptedPrompts([]), api: failing(error), today: TODAY}
  await expect(askSearch(asking, {})).rejects.toBe(error)
})

test('what was given is not asked again', async () => {
  const prompts = scriptedPrompts([['Check-out', '2']])
  const given = {city: '101', 'check-in': '2030-06-01', room: ['1'], nationality: 'DE', currency: 'USD'}
  const flags = await askSearch({prompts, api: failing(new Error('not asked')), today: TODAY}, given)
  expect(flags).toEqual({...given, 'check-out': '2030-06-03'})
})
