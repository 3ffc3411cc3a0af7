/** Webhook subscriptions, and the deliveries that events create for them (§2.7, §4.7, §4.8, §6). */
import {expect, test} from 'vitest'
import {refusalOf, sandboxForEachTest} from './each-sandbox.js'

const {sandbox, client} = sandboxForEachTest()

const PATH = '/webhooks/subscriptions'
const WANTED = {url: 'https://partner.example/hooks', events: ['voucher.ready', 'reservation.cancelled']}

test('the secret is shown at creation and never again', async () => {
  const created = await client.call('POST', PATH, WANTED)
  expect(created.status).toBe(201)
  expect(created.json.data).toEqual({
    ...WANTED,
    id: expect.stringMatching(/^whsub_/),
    secret: expect.stringMatching(/^whsec_.{40,}/),
    is_active: true,
  })
  const {secret, ...shown} = created.json.data
  const one = await client.call('GET', `${PATH}/${shown.id}`)
  const all = await client.call('GET', PATH)
  expect([one.json.data, all.json.data]).toEqual([shown, [shown]])
  expect(JSON.stringify((await sandbox.control('GET', '/_sandbox/requests')).json)).not.toContain(secret)
})

test.each([
  [{...WANTED, url: 'http://partner.example/hooks'}, 'url_not_https'],
  [{...WANTED, url: 'http://127.0.0.1:1/hooks'}, 'url_not_https'],
  [{...WANTED, url: 'not an address'}, 'validation_failed'],
  [{...WANTED, url: 'https://user:pass@partner.example/'}, 'validation_failed'],
  [{...WANTED, events: ['reservation.exploded']}, 'validation_failed'],
])('%o is refused', async (body, code) => {
  const answer = await client.call('POST', PATH, body)
  expect(await refusalOf(answer)).toBe(`${400} ${code}`)
})

test('an address with characters that a URI cannot have is answered percent-encoded', async () => {
  const {status, json} = await client.call('POST', PATH, {...WANTED, url: 'https://bücher.example/a<b>c d'})
  const url = 'https://xn--bcher-kva.example/a%3Cb%3Ec%20d'
  expect({status, json}).toMatchObject({status: 201, json: {data: {url}}})
})

test('a subscription can be changed and deleted by its own client only', async () => {
  const {id} = (await client.call('POST', PATH, WANTED)).json.data
  const changed = await client.call('PATCH', `${PATH}/${id}`, {is_active: false, events: ['payment.failed']})
  expect(changed.json.data).toEqual({id, url: WANTED.url, events: ['payment.failed'], is_active: false})
  const poor = await sandbox.client('_poor')
  expect((await poor.call('GET', `${PATH}/${id}`)).json.error.code).toBe('subscription_not_found')
  expect((await client.call('DELETE', `${PATH}/${id}`)).status).toBe(200)
  expect((await client.call('GET', `${PATH}/${id}`)).json.error.code).toBe('subscription_not_found')
})

test('events become deliveries of the active subscriptions that list them', async () => {
  const mine = (await client.call('POST', PATH, WANTED)).json.data.id
  const passive = (await client.call('POST', PATH, WANTED)).json.data.id
  await client.call('PATCH', `${PATH}/${passive}`, {is_active: false})
  const foreign = await (await sandbox.client('_poor')).call('POST', PATH, WANTED)
  const [offer] = await client.search()
  const {reservation_ref} = (await client.convert(offer)).json.data
  const deliveries = await sandbox.listed('deliveries')
  const made = {
    subscription_id: mine,
    type: 'voucher.ready',
    status: 'PENDING',
    attempts: [],
    reservation_ref,
  }
  expect(deliveries).toEqual([expect.objectContaining(made)])
  const about = (reference: string) =>
    sandbox.control('GET', `/_sandbox/deliveries?reservation_ref=${reference}`)
  expect((await about(reservation_ref)).json.data).toEqual(deliveries)
  expect((await about('RSV-NONE')).json.data).toEqual([])
  expect(await client.get(`${PATH}/${mine}/deliveries`)).toEqual(deliveries)
  expect(deliveries[0].subscription_id).not.toBe(foreign.json.data.id)
})

test('a test event goes to its own subscription only and says that it is a test', async () => {
  const {id} = (await client.call('POST', PATH, WANTED)).json.data
  await client.call('POST', PATH, WANTED)
  const accepted = await client.call('POST', `${PATH}/${id}/test`)
  expect(accepted.status).toBe(202)
  const [event] = await sandbox.listed('events')
  expect(event).toMatchObject({id: accepted.json.data.event_id, type: 'voucher.ready', data: {test: true}})
  const deliveries = await sandbox.listed('deliveries')
  expect(deliveries).toHaveLength(1)
  expect(deliveries[0]).toMatchObject({delivery_id: accepted.json.data.delivery_id, subscription_id: id})
})
