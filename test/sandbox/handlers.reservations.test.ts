/** Listing, changing and cancelling reservations (§4.9). The interface names these operations without showing them. */
import {expect, test} from 'vitest'
import {ADULT, CONTACT, TEST_START} from '../support/sandbox.js'
import {refusalOf, sandboxForEachTest} from './each-sandbox.js'

const {sandbox, client} = sandboxForEachTest()

/** Moves the clock, and gives the client a new token. */
async function advance(seconds: number): Promise<void> {
  await sandbox.advance(seconds)
  Object.assign(client, await sandbox.client())
}

const balance = async () => (await client.get('/account')).balance

test('lists the client’s own reservations, newest first, in pages', async () => {
  const made = [await client.book(), await client.book(), await client.book()]
  const first = await client.call('GET', '/reservations?limit=2')
  expect(first.json.data).toEqual([made[2], made[1]])
  const second = await client.call('GET', `/reservations?limit=2&after=${first.json.meta.after}`)
  expect(second.json.data).toEqual([made[0]])
  expect(second.json.meta).toEqual({limit: 2, after: null, before: null})
  const other = await (await sandbox.client('_poor')).call('GET', '/reservations')
  expect(other.json.data).toEqual([])
})

test('filters the list by reference, status and time', async () => {
  const one = await client.book({client_reference_id: 'A-1'})
  await sandbox.advance(600)
  await client.book({payment: {mode: 'instant'}})
  const refs = async (query: string) =>
    (await client.get(`/reservations?${query}`)).map(
      (r: {client_reference_id: string}) => r.client_reference_id,
    )
  expect(await refs('client_reference_id=A-1')).toEqual(['A-1'])
  expect(await refs('status=CONFIRMED')).toEqual(['A-1'])
  expect(await refs(`created_to=${one.created_at}`)).toEqual([])
  expect(await refs('created_to=2030-06-01T12:05:00Z')).toEqual(['A-1'])
  expect(await refs(`created_from=${one.created_at}`)).toHaveLength(2)
  expect(await refs('created_from=2030-06-01&created_to=2030-06-01')).toHaveLength(2)
  expect(await refs('created_from=2030-06-02')).toEqual([])
})

test.each([
  'limit=0',
  'limit=201',
  'limit=x',
  'after=x',
  'status=DONE',
  'created_from=yesterday',
  'created_from=2026-02-30',
  'created_from=2026-02-30T10:00:00Z',
  'created_to=2029-02-29T10:00:00%2B03:00',
])('refuses a list with %s', async query => {
  const answer = await client.call('GET', `/reservations?${query}`)
  expect(await refusalOf(answer)).toBe('400 validation_failed')
  expect(answer.json.error.details[0].field).toBe(query.split('=')[0])
})

test('another client’s reservation is not found', async () => {
  const {reservation_ref} = await client.book()
  const other = await sandbox.client('_poor')
  for (const [method, path] of [
    ['GET', ''],
    ['GET', '/voucher'],
    ['GET', '/cancellation-quote'],
    ['POST', '/cancel'],
  ] as const) {
    expect(await refusalOf(other.call(method, `/reservations/${reservation_ref}${path}`))).toBe(
      '404 reservation_not_found',
    )
  }
})

test('an update changes guests and contact and records what changed', async () => {
  const record = await client.book()
  const guests = [{...record.guests[0], name: 'Zeynep'}, record.guests[1]]
  const change = {contact: {email: 'new@example.com'}, guests}
  const answer = await client.call('PATCH', `/reservations/${record.reservation_ref}`, change)
  expect(answer.json.data).toMatchObject({contact: {...CONTACT, email: 'new@example.com'}, guests})
  const changes = [
    {field: 'contact.email', old: CONTACT.email, new: 'new@example.com'},
    {field: 'guests[0].name', old: ADULT.name, new: 'Zeynep'},
  ]
  const events = await sandbox.listed('events')
  expect(events.at(-1)).toMatchObject({type: 'reservation.updated', data: {changes}})
})

test('an update keeps the rules of a booking, and sends no event when nothing changed', async () => {
  const record = await client.book()
  const path = `/reservations/${record.reservation_ref}`
  expect(await refusalOf(client.call('PATCH', path, {guests: [record.guests[0]]}))).toBe(
    '400 guest_count_mismatch',
  )
  expect(await refusalOf(client.call('PATCH', path, {price: {total: '1.00'}}))).toBe('400 validation_failed')
  const same = await client.call('PATCH', path, {contact: CONTACT})
  expect(same.json.data).toEqual(record)
  const events = await sandbox.listed('events')
  expect(events.map((event: {type: string}) => event.type)).not.toContain('reservation.updated')
})

test('cancelling in time costs nothing and gives the money back', async () => {
  const record = await client.book({}, offer => offer.free_cancellation_until !== null)
  const path = `/reservations/${record.reservation_ref}`
  const quote = await client.call('GET', `${path}/cancellation-quote`)
  expect(quote.json.data).toMatchObject({fee: '0.00', refund_amount: record.price.total, currency: 'EUR'})
  const cancelled = await client.call('POST', `${path}/cancel`, {reason: 'plans changed'})
  expect(cancelled.json.data).toMatchObject({
    status: 'CANCELLED',
    payment: {status: 'REFUNDED'},
    cancellation: {reason: 'plans changed', fee: '0.00', refund_amount: record.price.total},
  })
  expect(await balance()).toBe('100000.00')
  expect(await refusalOf(client.call('POST', `${path}/cancel`))).toBe('409 already_cancelled')
  expect(await refusalOf(client.call('GET', `${path}/cancellation-quote`))).toBe('409 already_cancelled')
  expect(await refusalOf(client.call('PATCH', path, {contact: {name: 'X'}}))).toBe('409 not_updatable')
  expect(await refusalOf(client.call('GET', `${path}/voucher`))).toBe('409 reservation_not_confirmed')
})

test('after the deadline the fee of the policy in force is kept', async () => {
  const record = await client.book({}, offer => offer.cancellation_policies.length === 2)
  const [first] = record.cancellation_policies
  const after = Date.parse(first.from) / 1000 - TEST_START
  await advance(after)
  const cancelled = await client.call('POST', `/reservations/${record.reservation_ref}/cancel`, {})
  const refund = (Number(record.price.total) - Number(first.amount)).toFixed(2)
  expect(cancelled.json.data.cancellation).toMatchObject({fee: first.amount, refund_amount: refund})
  expect(await balance()).toBe((100_000 - Number(first.amount)).toFixed(2))
})

test('a rate without refund gives nothing back', async () => {
  const record = await client.book({}, offer => offer.refundable === false)
  const cancelled = await client.call('POST', `/reservations/${record.reservation_ref}/cancel`)
  expect(cancelled.json.data).toMatchObject({
    payment: {status: 'PAID'},
    cancellation: {fee: record.price.total, refund_amount: '0.00', reason: 'requested_by_partner'},
  })
  expect(await balance()).toBe((100_000 - Number(record.price.total)).toFixed(2))
})

test('cancelling an unpaid reservation costs nothing, and it can no longer be paid', async () => {
  const record = await client.book({payment: {mode: 'instant'}})
  const cancelled = await client.call('POST', `/reservations/${record.reservation_ref}/cancel`)
  expect(cancelled.json.data).toMatchObject({status: 'CANCELLED', cancellation: {refund_amount: '0.00'}})
  expect(cancelled.json.data.payment.url).toBeUndefined()
  const pay = await sandbox.control('POST', `/_sandbox/payments/${record.reservation_ref}`, {result: 'paid'})
  expect(await refusalOf(pay)).toBe('409 payment_not_pending')
})

test('from the hour of check-in at the hotel nothing can be cancelled or changed', async () => {
  const record = await client.book()
  // Check-in on 10 July in Istanbul (UTC+3) is between 13:00 and 15:00: 09:59Z is before it at every hotel, 12:00Z at none.
  const before = Date.parse('2030-07-10T09:59:00Z') / 1000 - TEST_START
  const path = `/reservations/${record.reservation_ref}`
  await advance(before)
  expect((await client.call('GET', `${path}/cancellation-quote`)).status).toBe(200)
  await advance(2 * 3600 + 60)
  expect(await refusalOf(client.call('POST', `${path}/cancel`))).toBe('409 not_cancellable')
  expect(await refusalOf(client.call('PATCH', path, {contact: {name: 'X'}}))).toBe('409 not_updatable')
})

/** Returns all records of a list, reading pages of `limit`. */
async function everyRecord(path: string, limit: number): Promise<Record<string, unknown>[]> {
  const records = []
  for (let after = ''; ; ) {
    const {json} = await client.call('GET', `${path}?limit=${limit}${after && `&after=${after}`}`)
    expect(json.data.length).toBeLessThanOrEqual(limit)
    records.push(...json.data)
    if (json.meta.after === null) return records
    after = json.meta.after
  }
}

test.each(['countries', 'currencies', 'cities'])('%s come in pages, each record once', async kind => {
  const path = `/content/${kind}`
  const one = (await client.call('GET', `${path}?limit=1`)).json
  expect(one).toMatchObject({meta: {limit: 1, before: null}})
  const [first, second] = await everyRecord(path, 7)
  expect(one.data).toEqual([first])
  expect(await client.get(`${path}?limit=1&after=${one.meta.after}`)).toEqual([second])
  const all = await everyRecord(path, 200)
  expect(await everyRecord(path, 7)).toEqual(all)
  expect(new Set(all.map(record => JSON.stringify(record))).size).toBe(all.length)
  expect((await client.call('GET', `${path}?limit=0`)).json.error.code).toBe('validation_failed')
})
