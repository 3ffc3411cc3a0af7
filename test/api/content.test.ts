/** Reference data in every shape, page after page; and as the local sandbox has it. */
import {expect, test} from 'vitest'
import {listCities, listCountries, listCurrencies} from '../../src/api/operations/content.js'
import {apiAnswering} from '../support/answering.js'

const PLACE = {latitude: 41.01, longitude: 28.98, timezone: 'Europe/Istanbul'}
const ISTANBUL = {id: 101, name: 'İstanbul', country_code: 'TR', ...PLACE}

test.each([
  ['in data', {data: [ISTANBUL]}],
  ['bare', [ISTANBUL]],
  ['under any name', {result: {page: 1, destinations: [ISTANBUL]}}],
  ['by id', {data: {101: ISTANBUL}}],
  ['in other words', {cities: [{cityId: '101', cityName: 'İstanbul', country: {code: 'TR', name: 'x'}}]}],
])('a city %s', async (_, json) => {
  const {items} = await listCities(apiAnswering({json}).api)
  expect(items[0]).toMatchObject({id: 101, name: 'İstanbul', country_code: 'TR'})
})

test('what is not said is null, and raw is the record as it came', async () => {
  const odd = {id: 7, names: {tr: 'x'}, odd: {deep: [1]}}
  const unsaid = {name: null, country_code: null, latitude: null, longitude: null, timezone: null}
  const {items} = await listCities(apiAnswering({json: {data: [odd]}}).api)
  expect(items).toEqual([{id: 7, ...unsaid, raw: odd}])
})

test.each([
  [{data: [{code: 'EUR', name: 'Euro', minor_units: 2}]}, {code: 'EUR', name: 'Euro', minor_units: 2}],
  [{currencies: {EUR: {title: 'Euro', decimals: '2'}}}, {code: 'EUR', name: 'Euro', minor_units: 2}],
  [{data: {EUR: 'Euro', TRY: 'Lira'}}, {code: 'EUR', name: 'Euro', minor_units: null}],
  [{data: ['EUR', 'TRY']}, {code: 'EUR', name: null, minor_units: null}],
])('a currency in %j', async (json, expected) => {
  const {items} = await listCurrencies(apiAnswering({json}).api)
  expect(items[0]).toMatchObject(expected)
})

test('a country names its currency by code', async () => {
  const json = {
    data: [{iso2: 'TR', name: {en: 'Türkiye'}, dialCode: '+90', currency: {code: 'TRY', name: 'Lira'}}],
  }
  expect((await listCountries(apiAnswering({json}).api)).items).toMatchObject([
    {code: 'TR', name: 'Türkiye', phone_code: '+90', currency: 'TRY'},
  ])
})

test('pages are read to the last, each record once; a cursor that leads nowhere ends it', async () => {
  const page = (id: number, after: string | null) => ({json: {data: [{...ISTANBUL, id}], meta: {after}}})
  const {api, requests} = apiAnswering(page(1, 'a b'), page(2, 'c'), page(3, null))
  expect((await listCities(api)).items.map(({id}) => id)).toEqual([1, 2, 3])
  expect(requests.map(line => line.trim())).toEqual([
    'GET /v1/content/cities',
    'GET /v1/content/cities?after=a+b',
    'GET /v1/content/cities?after=c',
  ])
  const circle = apiAnswering(page(1, 'x'), page(1, 'y'))
  expect(await listCities(circle.api)).toMatchObject({items: [{id: 1}], isComplete: false})
  expect(circle.requests).toHaveLength(2)
})

const GERMAN = ['Köln', 'Bonn'].map((name, index) => ({id: index + 1, name}))
test.each([
  {cities: {TR: [{...ISTANBUL, country_code: undefined}], DE: GERMAN}},
  {data: {Türkiye: [ISTANBUL], Germany: GERMAN.map(city => ({...city, country: 'DE'}))}},
])('a list in groups is all of them: %j', async json => {
  const {items} = await listCities(apiAnswering({json}).api)
  expect(items.map(({id, country_code}) => [id, country_code])).toEqual([
    [101, 'TR'],
    [1, 'DE'],
    [2, 'DE'],
  ])
})
