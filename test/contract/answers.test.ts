/**
 * The local sandbox answers what the description says: every answer is valid by its schema, and holds nothing the
 * contract does not know.
 */
import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import type {z} from 'zod'
import {OPERATION_DETAILS} from '../../src/contract/operation-details.js'
import type {OperationName} from '../../src/contract/operations.js'
import {answerPointer, described, schemaCheck} from '../support/description.js'
import {
  CONTACT,
  type JsonAnswer,
  reservationRequest,
  type SandboxClient,
  searchRequest,
  startSandbox,
  type TestSandbox,
} from '../support/sandbox.js'

const {faults} = schemaCheck()
let sandbox: TestSandbox
let client: SandboxClient

beforeAll(async () => {
  sandbox = await startSandbox({inProcess: true})
  client = await sandbox.client()
})
afterAll(() => sandbox.close())

/** The operations of which a success was checked. */
const succeeded = new Set<OperationName>()

/** Checks one answer by the description and by the contract. */
function check(name: OperationName, answer: JsonAnswer): void {
  expect(Object.keys(described(name).responses)).toContain(String(answer.status))
  expect(faults(answerPointer(name, answer.status), answer.json)).toEqual([])
  expect(answer.headers.get('x-request-id')).toBeTruthy()
  if (answer.status >= 300) return
  const {answer: schema, isList, status = 200} = OPERATION_DETAILS[name]
  expect(answer.status).toBe(status)
  succeeded.add(name)
  const records: unknown[] = isList ? answer.json.data : [answer.json.data]
  // Parsing drops what a schema does not know, so an equal result means that nothing was unknown.
  for (const record of records) expect((schema as z.ZodType).parse(record)).toEqual(record)
  expect(Object.keys(answer.json).sort()).toEqual(isList ? ['data', 'meta'] : ['data'])
}

async function reserve(mode: 'account' | 'instant' = 'account'): Promise<JsonAnswer> {
  const [offer] = await client.search()
  return client.reserve(reservationRequest(offer.offer_id, {payment: {mode}}))
}

async function reservedRef(mode?: 'account' | 'instant'): Promise<string> {
  return (await reserve(mode)).json.data.reservation_ref
}

describe('answers', () => {
  it('of the token endpoints', async () => {
    const credentials = {client_id: 'cid_sandbox', client_secret: 'sk_test_sandbox'}
    const token = {grant_type: 'client_credentials', ...credentials, scope: 'hotels:read'}
    check('token.create', await client.call('POST', '/oauth/token', token))
    check('token.revoke', await client.call('POST', '/oauth/revoke', {token: 'unknown'}))
    check('token.create', await client.call('POST', '/oauth/token', {...token, client_secret: 'wrong'}))
    check('token.create', await client.call('POST', '/oauth/token', {...token, scope: 'nothing'}))
  })

  it('of a search, its hotel and its offer, for parties and currencies of all kinds', async () => {
    const [family, single] = [
      {adults: 2, children_ages: [1, 7]},
      {adults: 1, children_ages: []},
    ]
    const far = {currency: 'KWD', destination: {type: 'CITY', id: 303}}
    for (const change of [{}, {currency: 'JPY', rooms: [family, single]}, far]) {
      const found = await client.call('POST', '/hotels/search', searchRequest(change))
      check('hotels.search', found)
      const [offer] = found.json.data.offers
      check('hotels.show', await client.call('GET', `/hotels/${offer.hotel.hotel_id}`))
      check('hotels.price', await client.call('GET', `/hotels/offers/${offer.offer_id}`))
    }
  })

  it('of reservations, from the first answer to the cancellation', async () => {
    const made = await reserve()
    check('reservations.create', made)
    check('reservations.create', await reserve('instant'))
    const path = `/reservations/${made.json.data.reservation_ref}`
    check('reservations.show', await client.call('GET', path))
    check('voucher.show', await client.call('GET', `${path}/voucher`))
    check('reservations.update', await client.call('PATCH', path, {contact: {email: 'new@example.com'}}))
    check('reservations.quote', await client.call('GET', `${path}/cancellation-quote`))
    check('reservations.cancel', await client.call('POST', `${path}/cancel`))
    check('reservations.cancel', await client.call('POST', `${path}/cancel`))
    check('reservations.show', await client.call('GET', path))
  })

  it('of reservations in every state of payment', async () => {
    const failed = await reservedRef('instant')
    await sandbox.control('POST', `/_sandbox/payments/${failed}`, {result: 'failed'})
    check('reservations.show', await client.call('GET', `/reservations/${failed}`))
    const paid = await reservedRef('instant')
    await sandbox.control('POST', `/_sandbox/payments/${paid}`, {result: 'paid'})
    check('reservations.show', await client.call('GET', `/reservations/${paid}`))
    check('reservations.list', await client.call('GET', '/reservations?limit=2'))
    check('reservations.list', await client.call('GET', '/reservations?status=CONFIRMED'))
  })

  it('of the account and the reference data', async () => {
    check('account.show', await client.call('GET', '/account'))
    check('content.countries', await client.call('GET', '/content/countries'))
    check('content.currencies', await client.call('GET', '/content/currencies'))
    check('content.cities', await client.call('GET', '/content/cities'))
  })

  it('of tours', async () => {
    const wanted = {destination: {type: 'CITY', id: 403}, currency: 'JPY', date: '2030-07-10'}
    const found = await client.call('POST', '/tours/search', wanted)
    check('tours.search', found)
    check('tours.show', await client.call('GET', `/tours/${found.json.data[0].tour_id}`))
    check('tours.show', await client.call('GET', '/tours/tour_000_00'))
  })

  it('of webhook subscriptions', async () => {
    const wanted = {url: 'https://example.com/hook', events: ['voucher.ready']}
    const made = await client.call('POST', '/webhooks/subscriptions', wanted)
    check('subscriptions.create', made)
    const path = `/webhooks/subscriptions/${made.json.data.id}`
    check('subscriptions.test', await client.call('POST', `${path}/test`))
    check('subscriptions.list', await client.call('GET', '/webhooks/subscriptions'))
    check('subscriptions.show', await client.call('GET', path))
    check('subscriptions.update', await client.call('PATCH', path, {is_active: false}))
    check('subscriptions.deliveries', await client.call('GET', `${path}/deliveries`))
    check('subscriptions.delete', await client.call('DELETE', path))
    check('subscriptions.show', await client.call('GET', path))
    const plain = {...wanted, url: 'http://a.b'}
    check('subscriptions.create', await client.call('POST', '/webhooks/subscriptions', plain))
  })
})

it('every operation of the contract is served', () => {
  expect([...succeeded].sort()).toEqual(Object.keys(OPERATION_DETAILS).sort())
})

describe('refusals', () => {
  it('of wrong requests', async () => {
    check('hotels.search', await client.call('POST', '/hotels/search', '{broken'))
    const badDate = searchRequest({check_in: '2030-02-30'})
    check('hotels.search', await client.call('POST', '/hotels/search', badDate))
    check('hotels.show', await client.call('GET', '/hotels/999'))
    check('reservations.list', await client.call('GET', '/reservations?limit=0'))
    check('reservations.show', await client.call('GET', '/reservations/RSV-0000000000'))
  })

  it('of reservations', async () => {
    const [offer] = await client.search()
    const request = reservationRequest(offer.offer_id)
    const refused = [
      await client.call('POST', '/reservations/hotel', request),
      await client.reserve({...request, client_nationality: 'DE'}),
      await client.reserve({...request, guests: request.guests.slice(0, 1)}),
      await client.reserve({...request, contact: {...CONTACT, email: 'nobody'}}),
      await client.reserve({...request, offer_id: 'off_unknown'}),
    ]
    expect(refused.every(({status}) => status >= 400)).toBe(true)
    for (const answer of refused) check('reservations.create', answer)
    await client.reserve(request)
    check('reservations.create', await client.reserve({...request, client_reference_id: 'other'}))
    const poor = await sandbox.client('_poor')
    const [dear] = await poor.search()
    const unpaid = await poor.reserve(reservationRequest(dear.offer_id))
    expect(unpaid.status).toBe(402)
    check('reservations.create', unpaid)
  })

  it('of callers that may not', async () => {
    const reader = await sandbox.client('_readonly')
    check('reservations.create', await reader.reserve(reservationRequest('off_1')))
    check('account.show', await client.call('GET', '/account', undefined, {authorization: 'Bearer unknown'}))
    check('account.show', await client.call('GET', '/account', undefined, {authorization: ''}))
  })

  it.each([429, 500, 503, 504])('by fault, with status %d', async status => {
    await sandbox.fault({operation: 'account.show', kind: 'status', times: 1, status, retry_after: 1})
    const answer = await client.call('GET', '/account')
    expect(answer.status).toBe(status)
    check('account.show', answer)
  })
})
