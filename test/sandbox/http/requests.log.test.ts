/** The log of requests: who sent them, what was answered, and no secret in any of it. */
import {expect, test} from 'vitest'
import {reservationRequest, startSandbox} from '../../support/sandbox.js'
import {sandboxForEachTest} from '../each-sandbox.js'

const {sandbox, client} = sandboxForEachTest({})
const logged = async () => (await sandbox.listed('requests')).at(-1)
const shown = async (id: string) => (await sandbox.control('GET', `/_sandbox/requests/${id}`)).json.data

test('names client, operation, status and time, and counts what is answered', async () => {
  await client.call('GET', '/account')
  const last = await logged()
  expect(last).toMatchObject({client_id: 'cid_sandbox', operation: 'account.show', status: 200})
  expect(last.ms).toBeGreaterThanOrEqual(0)
  const after = (await sandbox.control('GET', `/_sandbox/requests?after=${last.sequence}`)).json
  expect(after).toEqual({data: [], answered: last.sequence})
  await client.call('GET', '/reservations/RSV-none')
  const next = (await sandbox.control('GET', `/_sandbox/requests?after=${last.sequence}`)).json
  expect(next.data).toMatchObject([{operation: 'reservations.show', status: 404}])
  expect(next.answered).toBe(last.sequence + 1)
  for (const wrong of ['', '-1', 'x', '1.5'])
    expect((await sandbox.control('GET', `/_sandbox/requests?after=${wrong}`)).status).toBe(400)
})

test('names the client that asks for a token, also where a fault answers, and none that does not exist', async () => {
  await sandbox.client('_poor')
  expect(await logged()).toMatchObject({client_id: 'cid_sandbox_poor', operation: 'token.create'})
  await sandbox.fault({operation: 'account.show', kind: 'status', status: 503})
  await client.call('GET', '/account')
  expect(await logged()).toMatchObject({client_id: 'cid_sandbox', status: 503})
  await sandbox.control('POST', '/partner-api/v1/oauth/token', {client_id: 'sk_test_typed_here'})
  expect(await logged()).toMatchObject({client_id: null, status: 400})
})

test('shows an answer, also a refusal, and none that was cut', async () => {
  await client.call('GET', '/reservations/RSV-none')
  const refused = await shown((await logged()).request_id)
  expect(refused.answer.error).toMatchObject({code: 'reservation_not_found', request_id: refused.request_id})
  await sandbox.fault({operation: 'account.show', kind: 'commit-then-drop'})
  await client.call('GET', '/account').catch(() => {})
  expect(await shown((await logged()).request_id)).toMatchObject({status: null, answer: null})
  expect((await sandbox.control('GET', '/_sandbox/requests/req_none')).status).toBe(404)
  expect(await logged()).not.toHaveProperty('answer')
})

test('an answer that is too long leaves a note', async () => {
  const large = await startSandbox({offers: 200, inProcess: true})
  const searching = await large.client()
  await searching.search({})
  const last = (await large.listed('requests')).at(-1)
  const {json} = await large.control('GET', `/_sandbox/requests/${last.request_id}`)
  expect(json.data.answer).toBe('[longer than 16384 bytes]')
  await large.close()
})

test('contains no secret, token, link or identity number, wherever it was sent', async () => {
  const number = '10000000146'
  const [offer] = await client.search({})
  const request = reservationRequest(offer.offer_id, {
    payment: {mode: 'instant'},
    client_reference_id: `trip-${number}`,
  })
  const made = await client.call('POST', '/reservations/hotel', request, {'idempotency-key': `key-${number}`})
  expect(made.status).toBe(201)
  const {reservation_ref: ref, payment} = made.json.data
  const created = await client.call('POST', '/webhooks/subscriptions', {
    url: 'https://127.0.0.1:1/',
    events: ['voucher.ready'],
  })
  await client.call('GET', `/reservations?client_reference_id=trip-${number}`)
  await client.call('GET', `/reservations/${ref}`)
  await client.call('GET', '/reservations/sk_test_in_path')
  await client.call('PATCH', `/reservations/${ref}`, {note: Number(number), sk_live_as_key: 'whsec_in_text'})
  await sandbox.control('GET', new URL(payment.url).pathname)
  await client.call('POST', '/oauth/revoke', {token: client.token})
  const all = await sandbox.listed('requests')
  const whole = JSON.stringify([all, ...(await Promise.all(all.map(({request_id}) => shown(request_id))))])
  expect(whole).toContain(ref)
  const link = new URL(payment.url).pathname.split('/').at(-1) ?? ''
  expect(link.length).toBeGreaterThan(10)
  for (const secret of [
    number,
    client.token,
    created.json.data.secret,
    link,
    'sk_test_',
    'sk_live_',
    'whsec_in',
  ])
    expect(whole).not.toContain(secret)
})
