/**
 * Every request refuses texts that stores or terminals would change, or that people never write (the interface shows no sizes in
 * §8).
 */

import {randomUUID} from 'node:crypto'
import {expect, test} from 'vitest'
import {ADULT, CONTACT, reservationRequest} from '../../support/sandbox.js'
import {refusalOf, sandboxForEachTest} from '../each-sandbox.js'

const {sandbox, client} = sandboxForEachTest()

type Ask = (text: string) => ReturnType<typeof client.call>

const guest = (change: object) => ({guests: [{...ADULT, ...change}, ADULT]})
const reserve = (change: Record<string, unknown>) => client.reserve(reservationRequest('off_1', change))
const patch = (change: object) => client.call('PATCH', '/reservations/RSV-0123456789', change)
const token = (change: object) =>
  client.call('POST', '/oauth/token', {
    grant_type: 'client_credentials',
    client_id: 'x',
    client_secret: 'x',
    scope: '',
    ...change,
  })
const subscribe = (change: object) =>
  client.call('POST', '/webhooks/subscriptions', {
    url: 'https://a.example/',
    events: ['voucher.ready'],
    ...change,
  })

const FIELDS: [field: string, ask: Ask][] = [
  ['client_reference_id', text => reserve({client_reference_id: text})],
  ['contact.name', text => reserve({contact: {...CONTACT, name: text}})],
  ['contact.surname', text => reserve({contact: {...CONTACT, surname: text}})],
  ['contact.email', text => reserve({contact: {...CONTACT, email: `${text}@example.com`}})],
  ['contact.phone_number', text => reserve({contact: {...CONTACT, phone_number: text}})],
  ['guests[0].name', text => reserve(guest({name: text}))],
  ['guests[0].surname', text => reserve(guest({surname: text}))],
  ['guests[0].type', text => reserve(guest({type: text}))],
  ['guests[0].gender', text => reserve(guest({gender: text}))],
  ['guests[0].identity.type', text => reserve(guest({identity: {type: text, number: '1'}}))],
  ['guests[0].identity.number', text => reserve(guest({identity: {type: 'PASSPORT', number: text}}))],
  ['contact.name', text => patch({contact: {name: text}})],
  ['guests[0].surname', text => patch(guest({surname: text}))],
  ['reason', text => client.call('POST', '/reservations/RSV-0123456789/cancel', {reason: text})],
  ['url', text => subscribe({url: `https://a.example/${text}`})],
  ['events[0]', text => subscribe({events: [text]})],
  [
    'url',
    text => client.call('PATCH', '/webhooks/subscriptions/whsub_1', {url: `https://a.example/${text}`}),
  ],
  ['client_id', text => token({client_id: text})],
  ['client_secret', text => token({client_secret: text})],
  ['scope', text => token({scope: text})],
  ['token', text => client.call('POST', '/oauth/revoke', {token: text})],
  ['type', text => sandbox.control('POST', '/_sandbox/trigger', {type: text})],
  [
    'reservation_ref',
    text => sandbox.control('POST', '/_sandbox/trigger', {type: 'voucher.ready', reservation_ref: text}),
  ],
]

test.each(FIELDS)(
  '%s is refused with a control character, half of a pair, or 100,000 letters',
  async (field, ask) => {
    for (const text of ['Ay\0se', 'Ay\u001bse', 'Ay\u009bse', 'Ayse\n', 'Ay\ud800se', 'A'.repeat(100_000)]) {
      const {status, json} = await ask(text)
      expect([status, json.error?.code], JSON.stringify(text.slice(0, 9))).toEqual([400, 'validation_failed'])
      expect(json.error.details).toMatchObject([{field}])
      expect(JSON.stringify(json).length).toBeLessThan(2000)
    }
  },
)

test('a name of 255 letters of any kind is taken', async () => {
  for (const letter of ['A', 'ş', '東', '😀']) {
    const {status, json} = await reserve(guest({name: letter.repeat(255)}))
    expect([status, json.error.code]).toEqual([404, 'offer_not_found'])
    expect((await reserve(guest({name: letter.repeat(256)}))).status).toBe(400)
  }
})

/** Returns the request for a new offer, and a key for it. */
async function wanted(change: Record<string, unknown> = {}) {
  const [offer] = await client.search()
  return {body: reservationRequest(offer.offer_id, change), key: randomUUID()}
}

test('repeats the first answer for the same key and body, and changes nothing', async () => {
  const {body, key} = await wanted({payment: {mode: 'instant'}})
  const first = await client.reserve(body, key)
  await sandbox.control('POST', `/_sandbox/payments/${first.json.data.reservation_ref}`, {result: 'paid'})
  const spaced = JSON.stringify(Object.fromEntries(Object.entries(body).reverse()), null, 2)
  const again = await client.reserve(spaced, key)
  expect(first.headers.get('idempotent-replayed')).toBeNull()
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  expect([again.status, again.json]).toEqual([201, first.json])
  expect(again.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'))
})

test('refuses a key that is missing, invalid, or used with another body', async () => {
  const [one, two] = await client.search()
  expect(await refusalOf(client.call('POST', '/reservations/hotel', reservationRequest(one.offer_id)))).toBe(
    '400 idempotency_key_missing',
  )
  const wrong = [
    ['two words', 'visible ASCII'],
    ['\u00e9t\u00e9', 'visible ASCII'],
    ['x'.repeat(256), '256 characters; at most 255'],
  ] as const
  for (const [key, rule] of wrong) {
    const answer = await client.convert(one, undefined, key)
    expect(await refusalOf(answer)).toBe('400 idempotency_key_invalid')
    expect(answer.json.error.message).toContain(rule)
  }
  const key = randomUUID()
  await client.convert(one, undefined, key)
  expect(await refusalOf(client.convert(two, undefined, key))).toBe('422 idempotency_key_reused')
})

test('a key belongs to its client', async () => {
  const poor = await sandbox.client('_poor')
  const [mine] = await client.search()
  const [theirs] = await poor.search()
  const key = randomUUID()
  expect((await client.convert(mine, undefined, key)).status).toBe(201)
  const pending = reservationRequest(theirs.offer_id, {payment: {mode: 'instant'}})
  expect((await poor.reserve(pending, key)).status).toBe(201)
})

test('keeps a refusal of the service with its request id, and no wrong request', async () => {
  const [offer] = await client.search()
  const gone = reservationRequest(offer.offer_id, {client_reference_id: 'x-sold_out'})
  const key = randomUUID()
  const first = await client.reserve(gone, key)
  const again = await client.reserve(gone, key)
  expect([again.status, again.json]).toEqual([410, first.json])
  expect(again.headers.get('idempotent-replayed')).toBe('true')

  const other = randomUUID()
  const wrong = await client.convert(offer, {guests: []}, other)
  expect(wrong.status).toBe(400)
  const mismatch = await client.convert(offer, {client_nationality: 'DE'}, other)
  expect(mismatch.status).toBe(400)
  expect((await client.convert(offer, undefined, other)).status).toBe(201)
})

test('an injected failure leaves the key free', async () => {
  const {body, key} = await wanted()
  await sandbox.fault({operation: 'reservations.create', kind: 'status', status: 503})
  expect((await client.reserve(body, key)).status).toBe(503)
  const second = await client.reserve(body, key)
  expect([second.status, second.headers.get('idempotent-replayed')]).toEqual([201, null])
})

test('refuses a repeat while the first still runs, and another body at any time', async () => {
  const {body, key} = await wanted()
  await sandbox.fault({operation: 'reservations.create', kind: 'latency', latency_ms: 200})
  const first = client.reserve(body, key)
  // The log shows the first request as soon as it has arrived.
  const arrived = async () => await sandbox.listed('requests')
  while (!(await arrived()).some((r: {operation: string}) => r.operation === 'reservations.create'));
  await new Promise(resolve => setTimeout(resolve, 20))
  const running = await client.reserve(body, key)
  expect(await refusalOf(running)).toBe('409 idempotency_in_progress')
  expect(running.json.error.retryable).toBe(true)
  const other = await client.reserve((await wanted()).body, key)
  expect(other.json.error.code).toBe('idempotency_key_reused')
  expect((await first).status).toBe(201)
  expect((await client.reserve(body, key)).headers.get('idempotent-replayed')).toBe('true')
})

test('a kept answer is forgotten after 24 hours', async () => {
  const {body, key} = await wanted()
  await client.reserve(body, key)
  await sandbox.advance(24 * 3600 - 1)
  expect((await (await sandbox.client()).reserve(body, key)).status).toBe(201)
  await sandbox.advance(1)
  expect(await refusalOf((await sandbox.client()).reserve(body, key))).toBe('409 offer_already_used')
})
