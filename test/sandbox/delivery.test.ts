/** The operation that causes an event of §6.1 sends it, and the event's data is as the OpenAPI description says. */
import {beforeEach, expect, test} from 'vitest'
import {EVENT_TYPE_NAMES} from '../../src/contract/events.js'
import {closing} from '../support/own.js'
import {CONTACT} from '../support/sandbox.js'
import {type Subscriber, startSubscriber} from '../support/subscriber.js'
import {sandboxForEachTest} from './each-sandbox.js'

const {sandbox, client} = sandboxForEachTest({allowHttpLoopback: true})
let subscriber: Subscriber

beforeEach(async () => {
  subscriber = closing(await startSubscriber())
  await client.call('POST', '/webhooks/subscriptions', {url: subscriber.origin, events: EVENT_TYPE_NAMES})
})

/** Returns the events that `cause` sends, by type. */
async function sentBy(cause: () => Promise<unknown>): Promise<Record<string, unknown>> {
  await sandbox.advance(0)
  const before = subscriber.received.length
  await cause()
  await sandbox.advance(0)
  const events = subscriber.received.slice(before).map(({body}) => JSON.parse(String(body)))
  return Object.fromEntries(events.map(({type, data}) => [type, data]))
}

const reserve = async (mode: string) => (await client.book({payment: {mode}})).reservation_ref
const pay = (ref: string, result: string) => sandbox.control('POST', `/_sandbox/payments/${ref}`, {result})
const always = {
  object: 'reservation',
  reservation_ref: expect.any(String),
  client_reference_id: expect.any(String),
}
const voucher = {
  url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/vouchers\//),
  expires_at: '2030-06-01T13:00:00.000Z',
}

test('a reservation from the balance sends its confirmation and its voucher', async () => {
  const sent = await sentBy(() => reserve('account'))
  expect(sent).toEqual({
    'reservation.confirmed': {...always, status: 'CONFIRMED'},
    'voucher.ready': {...always, status: 'CONFIRMED', voucher},
  })
  const {url} = (sent['voucher.ready'] as {voucher: {url: string}}).voucher
  expect((await fetch(url)).headers.get('content-type')).toBe('application/pdf')
})

test('an instant payment sends payment.failed, then payment.captured, confirmation and voucher', async () => {
  const ref = await reserve('instant')
  const money = {...always, amount: expect.stringMatching(/^\d+\.\d\d$/), currency: 'EUR'}
  expect(await sentBy(() => pay(ref, 'failed'))).toEqual({
    'payment.failed': {
      ...money,
      status: 'PENDING_PAYMENT',
      payment_status: 'FAILED',
      failure_code: 'card_declined',
    },
  })
  expect(await sentBy(() => pay(ref, 'paid'))).toEqual({
    'payment.captured': {...money, status: 'CONFIRMED', payment_status: 'PAID', failure_code: null},
    'reservation.confirmed': {...always, status: 'CONFIRMED'},
    'voucher.ready': {...always, status: 'CONFIRMED', voucher},
  })
})

test('a change sends what changed, and a cancellation what it cost', async () => {
  const ref = await reserve('account')
  const email = 'new@example.com'
  const changes = [{field: 'contact.email', old: CONTACT.email, new: email}]
  const change = () => client.call('PATCH', `/reservations/${ref}`, {contact: {email}})
  expect(await sentBy(change)).toEqual({'reservation.updated': {...always, status: 'CONFIRMED', changes}})
  expect(await sentBy(() => client.call('POST', `/reservations/${ref}/cancel`, {}))).toEqual({
    'reservation.cancelled': {
      ...always,
      status: 'CANCELLED',
      currency: 'EUR',
      reason: expect.any(String),
      fee: expect.any(String),
      refund_amount: expect.any(String),
    },
  })
})
