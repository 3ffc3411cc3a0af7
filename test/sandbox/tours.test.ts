/** Tour search and detail as the local sandbox serves them. */
import {expect, it} from 'vitest'
import {sandboxForEachTest} from './each-sandbox.js'

const {client} = sandboxForEachTest()

const search = (change: object = {}) =>
  client.call('POST', '/tours/search', {destination: {type: 'CITY', id: 101}, currency: 'EUR', ...change})

it('leaves out the tours that rest on the day asked for', async () => {
  const all = (await search()).json.data.length
  const days = Array.from({length: 7}, (_, day) => `2030-07-${10 + day}`)
  const counts = await Promise.all(days.map(async date => (await search({date})).json.data.length))
  expect(Math.min(...counts)).toBeLessThan(all)
  expect(Math.min(...counts)).toBeGreaterThan(7)
})

it.each([
  [{destination: {type: 'CITY', id: 999}}, 'destination.id'],
  [{currency: 'XTS'}, 'currency'],
  [{date: '2020-01-01'}, 'date'],
  [{date: '2030-02-30'}, 'date'],
])('refuses %j', async (change, field) => {
  const {status, json} = await search(change)
  expect([status, json.error.code, json.error.details[0].field]).toEqual([400, 'validation_failed', field])
})

it('knows no other tour', async () => {
  expect((await client.call('GET', '/tours/tour_101_99')).json.error.code).toBe('tour_not_found')
})
