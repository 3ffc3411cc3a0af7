/** Finding a city by its name, among those known on this machine or in the list of the service. */
import {describe, expect, test} from 'vitest'
import {cityNumber, readCity, wrongCity} from '../../../../src/cli/features/catalogue/city-search.js'
import {Failure} from '../../../../src/contract/failure.js'
import type {KnownCity} from '../../../../src/state/seen-store.js'
import {apiOfSandbox} from '../../../support/answering.js'
import {rejectionOf} from '../../../support/thrown.js'

const VALENCIAS = [
  {id: 1, name: 'Valencia', country_code: 'ES'},
  {id: 2, name: 'València', country_code: 'VE'},
]

test('a name that several cities have is refused with the candidates', async () => {
  const {message, details} = await rejectionOf(cityNumber('valencia', VALENCIAS))
  expect(message).toBe('--city: several cities have this name: Valencia, ES (1); València, VE (2)')
  expect(details.hint).toBe('give the id, or add the country')
})

test.each([
  'Valencia, ES',
  'valencia es',
  'Valencia (Spain)',
  'Valencia, España',
  'Valencia, ES (1)',
  'valencia (1)',
])('with its country or id it is one: %s', async typed => expect(await cityNumber(typed, VALENCIAS)).toBe(1))

test('a name mistyped is refused with the nearest ones', async () => {
  const cities = [
    {id: 101, name: 'İstanbul', country_code: 'TR'},
    {id: 7, name: 'Paris', country_code: 'FR'},
  ]
  for (const typed of ['istnbul', 'istan', 'Istanbul, GR']) {
    const {details, kind} = await rejectionOf(cityNumber(typed, cities))
    expect([kind, details.hint]).toEqual(['usage', 'did you mean İstanbul, TR (101)?'])
  }
  expect((await rejectionOf(cityNumber('zzzzzzzz', cities))).details.hint ?? '').not.toContain('did you mean')
})

test('without any list the id is asked for', async () => {
  expect((await rejectionOf(cityNumber('Dubai', []))).message).toContain('must be an id here')
})

describe('a name is looked up', () => {
  const openWith = async (known: readonly KnownCity[]) => {
    const {api, sandbox} = await apiOfSandbox()
    const remembered: KnownCity[] = [...known]
    const cities = {
      list: () => remembered,
      remember: (_: unknown, found: readonly KnownCity[]) => void remembered.push(...found),
    }
    const naming = {api, target: {baseUrl: 'https://x/v1'}, state: {writable: true, cities}}
    const read = (typed: string) => readCity(typed, async () => naming as never)
    return {read, remembered, sandbox}
  }

  test('in the list of the service, which is then stored', async () => {
    const {read, remembered, sandbox} = await openWith([])
    expect(await read('ıstanbul')).toBe(101)
    expect(remembered.length).toBeGreaterThan(3)
    await expect(read('Atlantis')).rejects.toMatchObject({kind: 'usage'})
    sandbox.close()
  })

  test.each([
    ['invalid_scope', 400],
    ['insufficient_scope', 403],
  ])('among those known here where the client lacks the scope (%s)', async (code, status) => {
    const api = {
      call: () => Promise.reject(new Failure('not_allowed', 'not allowed', {code, status})),
    }
    const cities = {list: () => VALENCIAS}
    const naming = {api, target: {baseUrl: 'https://x/v1'}, state: {writable: true, cities}}
    expect(await readCity('valencia es', async () => naming as never)).toBe(1)
  })

  test('only on this machine, to report it with other mistakes', async () => {
    const state = (...names: string[]) =>
      ({
        writable: true,
        cities: {list: () => names.map((name, id) => ({id, name, country_code: null}))},
      }) as never
    const wrong = async (typed: string | number, ...names: string[]) =>
      (await wrongCity(typed, state(...names), 'https://x/v1')).map(({message}) => message)
    expect(await wrong('Dubia', 'Dubai')).toEqual([expect.stringContaining('--city: must be the name')])
    for (const none of [wrong('Dubai', 'Dubai'), wrong('Dubai'), wrong(301, 'Dubai')])
      expect(await none).toEqual([])
  })

  test('first among the stored cities, without a request', async () => {
    const {read, remembered, sandbox} = await openWith([{id: 9, name: 'Istanbul', country_code: 'TR'}])
    expect(await read('ISTANBUL')).toBe(9)
    expect(remembered.length).toBe(1)
    sandbox.close()
  })
})
