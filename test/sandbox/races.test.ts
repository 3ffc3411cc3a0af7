/** One offer becomes one reservation, however many ask at once. */
import {expect, test} from 'vitest'
import {ADULT, reservationRequest} from '../support/sandbox.js'
import {sandboxForEachTest} from './each-sandbox.js'

const {sandbox, client} = sandboxForEachTest({})

test.each([2, 30])('%i conversions of one offer at once: one reservation, one debit', async count => {
  const [offer] = await client.search()
  const answers = await Promise.all(Array.from({length: count}, () => client.convert(offer)))
  const made = answers.filter(answer => answer.status === 201)
  expect(made).toHaveLength(1)
  const refused = answers.filter(answer => answer.status !== 201)
  expect(new Set(refused.map(answer => answer.json.error.code))).toEqual(new Set(['offer_already_used']))
  expect(new Set(refused.map(answer => answer.json.error.reservation_ref))).toEqual(
    new Set([made[0]?.json.data.reservation_ref]),
  )
  const {balance} = await client.get('/account')
  expect(balance).toBe((100_000 - Number(offer.price.total)).toFixed(2))
})

test('the balance is spent once by two requests that ran side by side', async () => {
  const rooms = Array.from({length: 9}, () => ({adults: 4, children_ages: []}))
  const offers = await client.search({rooms, check_out: '2030-08-09'})
  const affordable = offers.filter(offer => Number(offer.price.total) < 100_000)
  const costly = affordable.sort((a, b) => Number(b.price.total) - Number(a.price.total)).slice(0, 2)
  const totals = costly.map(offer => Number(offer.price.total))
  // Either fits the balance, both do not.
  expect(totals.reduce((sum, total) => sum + total, 0)).toBeGreaterThan(100_000)
  const guests = Array.from({length: 36}, (_, index) => ({...ADULT, is_lead: index === 0}))
  await sandbox.fault({operation: 'reservations.create', kind: 'latency', latency_ms: 50, times: 2})
  const answers = await Promise.all(
    costly.map(({offer_id}) => client.reserve(reservationRequest(offer_id, {guests}))),
  )
  expect(answers.map(answer => answer.status).sort()).toEqual([201, 402])
})
