/** Converting an offer: what is checked, in which order, and what changes (§2.4, §3, §4.4). */
import {expect, test} from 'vitest'
import {toMinor} from '../../../src/contract/money.js'
import {reservation} from '../../../src/contract/reservations.js'
import {accountCharge} from '../../../src/sandbox/catalogue/countries-and-currencies.js'
import {ADULT, reservationRequest, searchRequest} from '../../support/sandbox.js'
import {refusalOf, sandboxForEachTest} from '../each-sandbox.js'

const {sandbox, client} = sandboxForEachTest()

const LEAD = ADULT
const SECOND = {...ADULT, is_lead: false}

async function reserveWith(change: Record<string, unknown>, search: Record<string, unknown> = {}) {
  const [offer] = await client.search(search)
  return client.convert(offer, change)
}

const events = () => sandbox.listed('events')

test('a reservation paid from the balance is confirmed at once, debited once, and has two events', async () => {
  const [offer] = await client.search()
  const made = await client.convert(offer)
  expect(made.status).toBe(201)
  const record = reservation.parse(made.json.data)
  expect(record).toMatchObject({status: 'CONFIRMED', payment: {status: 'PAID'}, nights: 3, live_mode: false})
  expect(record.payment.url).toBeUndefined()
  expect((await events()).map(event => event.type)).toEqual(['reservation.confirmed', 'voucher.ready'])
  const {balance} = await client.get('/account')
  expect(balance).toBe((100_000 - Number(offer.price.total)).toFixed(2))
})

test.each(['TRY', 'JPY', 'KWD'])(
  'an offer in %s charges an account in euro what its search and its price said, and the reservation says it',
  async currency => {
    const [offer] = await client.search({currency})
    const {account_charge: charge} = offer
    expect(charge).toEqual(accountCharge(offer.price.total, currency, 'EUR'))
    expect((await client.get(`/hotels/offers/${offer.offer_id}`)).account_charge).toEqual(charge)
    const made = await client.convert(offer)
    const {payment} = reservation.parse(made.json.data)
    expect(payment).toMatchObject({amount: offer.price.total, currency, charged: charge})
    const account = await client.get('/account')
    expect(account.currency).toBe('EUR')
    expect(toMinor(account.balance, 'EUR')).toBe(10_000_000n - toMinor(charge.amount, 'EUR'))
  },
)

test('nothing is charged in another currency if the offer is in the account’s, or the customer pays', async () => {
  const [euro] = await client.search()
  expect(euro.account_charge).toEqual({amount: euro.price.total, currency: 'EUR', rate: '1'})
  expect((await client.convert(euro)).json.data.payment).not.toHaveProperty('charged')
  const [dollar] = await client.search({currency: 'USD'})
  const pending = await client.convert(dollar, {payment: {mode: 'instant'}})
  expect(pending.json.data.payment).not.toHaveProperty('charged')
})

test('refuses an offer that is unknown, of another client, expired or used', async () => {
  expect(await refusalOf(client.reserve(reservationRequest('off_unknown')))).toBe('404 offer_not_found')
  const [offer, other, third] = await client.search()
  expect(await refusalOf((await sandbox.client('_poor')).convert(offer))).toBe('404 offer_not_found')
  const made = await client.convert(offer)
  const used = await client.convert(offer)
  expect(await refusalOf(used)).toBe('409 offer_already_used')
  expect(used.json.error.reservation_ref).toBe(made.json.data.reservation_ref)
  await sandbox.advance(15 * 60 - 1)
  expect((await client.convert(third)).status).toBe(201)
  await sandbox.advance(1)
  expect(await refusalOf(client.convert(other))).toBe('410 offer_expired')
})

test('refuses a client reference that the client has used', async () => {
  const [one, two] = await client.search()
  const made = await client.convert(one, {client_reference_id: 'R-1'})
  const twice = await client.convert(two, {client_reference_id: 'R-1'})
  expect(await refusalOf(twice)).toBe('409 duplicate_client_reference')
  expect(twice.json.error.reservation_ref).toBe(made.json.data.reservation_ref)
  expect((await client.call('GET', `/hotels/offers/${two.offer_id}`)).status).toBe(200)
})

test('changes nothing if the balance is too low', async () => {
  const poor = await sandbox.client('_poor')
  const [offer] = await poor.search()
  const refused = await poor.convert(offer)
  expect(await refusalOf(refused)).toBe('402 insufficient_balance')
  expect(refused.json.error).toMatchObject({needed: offer.price.total, available: '10.00', currency: 'EUR'})
  expect((await poor.call('GET', `/hotels/offers/${offer.offer_id}`)).status).toBe(200)
  expect(await events()).toEqual([])
})

test.each([
  ['nationality_mismatch', {client_nationality: 'DE'}],
  ['guest_count_mismatch', {guests: [LEAD]}],
  ['guest_count_mismatch', {guests: [LEAD, {...SECOND, type: 'CHILD'}]}],
  ['guest_count_mismatch', {guests: [LEAD, {...SECOND, birth_date: '2020-01-01'}]}],
  ['invalid_identity_number', {guests: [LEAD, {...SECOND, identity: {type: 'TC', number: '10000000147'}}]}],
  ['validation_failed', {guests: [LEAD, LEAD]}],
  ['validation_failed', {guests: [SECOND, SECOND]}],
  ['validation_failed', {guests: [LEAD, {...SECOND, birth_date: '2031-01-01'}]}],
])('refuses with %s a booking with %o', async (code, change) => {
  const answer = await reserveWith(change)
  expect(await refusalOf(answer)).toBe(`${400} ${code}`)
  expect(answer.json.error.details[0].field).toMatch(/\w/)
})

test('the ages of children are those searched for, at check-in', async () => {
  const search = {rooms: [{adults: 1, children_ages: [4, 9]}]}
  const child = {...SECOND, type: 'CHILD', identity: undefined}
  const guests = (...births: (string | undefined)[]) => [
    LEAD,
    ...births.map(birth_date => ({...child, birth_date})),
  ]
  // Check-in is on 2030-07-10, the day before the child's birthday.
  const wrong = await reserveWith({guests: guests('2025-07-10', '2020-07-11')}, search)
  expect(await refusalOf(wrong)).toBe('400 guest_count_mismatch')
  expect(wrong.json.error.details[0].field).toBe('guests[1].birth_date')
  expect(await refusalOf(reserveWith({guests: guests('2020-07-11', '2020-07-11')}, search))).toBe(
    '400 guest_count_mismatch',
  )
  const right = await reserveWith({guests: guests('2020-07-11', '2025-07-11')}, search)
  expect(right.status).toBe(201)
  const unknown = await reserveWith({guests: guests(undefined, '2025-07-11')}, search)
  expect(unknown.status).toBe(201)
})

test('accepts passports, and the Turkish number 19090909018', async () => {
  const passport = {...LEAD, identity: {type: 'PASSPORT', number: 'U1234567'}}
  const turkish = {...SECOND, identity: {type: 'TC', number: '19090909018'}}
  expect((await reserveWith({guests: [passport, turkish]})).status).toBe(201)
})

test('a client reference chooses a scenario by its ending, and the offer stays usable', async () => {
  const [offer] = await client.search()
  expect(await refusalOf(client.convert(offer, {client_reference_id: 'a-sold_out'}))).toBe(
    '410 rooms_unavailable',
  )
  const dearer = await client.convert(offer, {client_reference_id: 'a-price_changed'})
  expect(await refusalOf(dearer)).toBe('409 price_changed')
  expect(dearer.json.error).toMatchObject({old: offer.price.total, currency: 'EUR'})
  expect(Number(dearer.json.error.new)).toBeGreaterThan(Number(offer.price.total))
  expect((await client.convert(offer)).status).toBe(201)
})

test.each([
  ['destination.id', {destination: {type: 'CITY', id: 999_999}}],
  ['check_in', {check_in: '2030-05-31'}],
  ['check_in', {check_in: '2041-06-01', check_out: '2041-06-02'}],
  ['check_out', {check_out: '2030-08-10'}],
  ['client_nationality', {client_nationality: 'ZZ'}],
  ['currency', {currency: 'ZZZ'}],
])('a search is refused on %s', async (field, change) => {
  const answer = await client.call('POST', '/hotels/search', searchRequest(change))
  expect(await refusalOf(answer)).toBe('400 validation_failed')
  expect(answer.json.error.details[0].field).toBe(field)
})

test('the first day that can be searched is today at the hotel', async () => {
  // 2030-06-01T22:30Z is 01:30 on 2 June in Istanbul.
  await sandbox.advance(10.5 * 3600)
  const later = await sandbox.client()
  const answer = (day: string) =>
    later.call('POST', '/hotels/search', searchRequest({check_in: day, check_out: '2030-06-05'}))
  expect((await answer('2030-06-01')).json.error.message).toContain('2030-06-02 (bookctl sandbox clock)')
  expect((await answer('2030-06-02')).status).toBe(200)
})

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
  // The balance is enough for either, but not for both.
  expect(totals.reduce((sum, total) => sum + total, 0)).toBeGreaterThan(100_000)
  const guests = Array.from({length: 36}, (_, index) => ({...ADULT, is_lead: index === 0}))
  await sandbox.fault({operation: 'reservations.create', kind: 'latency', latency_ms: 50, times: 2})
  const answers = await Promise.all(
    costly.map(({offer_id}) => client.reserve(reservationRequest(offer_id, {guests}))),
  )
  expect(answers.map(answer => answer.status).sort()).toEqual([201, 402])
})
