/** Instant payments: the page at which a customer pays, and the state of the reservation afterwards (§2.5, §3). */
import fc from 'fast-check'
import {beforeEach, expect, test} from 'vitest'
import type {Reservation} from '../../../src/contract/reservations.js'
import {type PaymentPageState, renderPaymentPage} from '../../../src/sandbox/pages/payment-and-voucher.js'
import {PAYMENT_PAGE_STYLE} from '../../../src/sandbox/pages/style.js'
import {sandboxForEachTest} from '../each-sandbox.js'
import {reservationRecord} from '../reservation-record.js'

const {sandbox, client} = sandboxForEachTest({})
// biome-ignore lint/suspicious/noExplicitAny: a reservation as it came
let pending: any

beforeEach(async () => {
  pending = await client.book({payment: {mode: 'instant'}})
})

const PAID_EVENTS = ['payment.captured', 'reservation.confirmed', 'voucher.ready']

async function current() {
  return await client.get(`/reservations/${pending.reservation_ref}`)
}

async function eventTypes(): Promise<string[]> {
  return (await sandbox.listed('events')).map(event => event.type)
}

function submit(result: string): Promise<Response> {
  const body = new URLSearchParams({result})
  return fetch(pending.payment.url, {method: 'POST', body, redirect: 'manual'})
}

const pageText = async (query = '') => (await fetch(pending.payment.url + query)).text()

test('an instant reservation waits for its payment and takes nothing from the balance', async () => {
  expect(pending).toMatchObject({
    status: 'PENDING_PAYMENT',
    payment: {mode: 'instant', status: 'PENDING', expires_at: '2030-06-01T12:15:00.000Z'},
    voucher: {status: 'PENDING'},
    confirmed_at: null,
  })
  expect(pending.payment.url).toMatch(new RegExp(`^${sandbox.origin}/pay/[\\w-]{43}$`))
  expect((await client.get('/account')).balance).toBe('100000.00')
  expect(await eventTypes()).toEqual([])
})

test('paying on the page confirms the reservation', async () => {
  const page = await fetch(pending.payment.url)
  expect(page.headers.get('content-type')).toMatch(/^text\/html/)
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
  expect(await page.text()).toContain('<form')
  const paid = await submit('paid')
  expect([paid.status, paid.headers.get('location')]).toEqual([303, new URL(pending.payment.url).pathname])
  const record = await current()
  expect(record).toMatchObject({status: 'CONFIRMED', payment: {status: 'PAID'}, voucher: {status: 'READY'}})
  expect(record.payment.url).toBeUndefined()
  expect(await eventTypes()).toEqual(PAID_EVENTS)
})

test('a failed payment may be tried again', async () => {
  await submit('failed')
  expect(await pageText()).toContain('role="alert">The payment was declined')
  expect(await current()).toMatchObject({
    status: 'PENDING_PAYMENT',
    payment: {status: 'FAILED', failure_code: 'card_declined', url: pending.payment.url},
  })
  await submit('paid')
  expect(await current()).toMatchObject({status: 'CONFIRMED', payment: {status: 'PAID', failure_code: null}})
  expect(await eventTypes()).toEqual(['payment.failed', ...PAID_EVENTS])
})

test('leaving changes nothing, and paying twice pays once', async () => {
  const left = await submit('left')
  expect(left.status).toBe(303)
  expect(await pageText('?result=left')).toContain('Not paid yet')
  expect(await current()).toMatchObject({status: 'PENDING_PAYMENT', payment: {status: 'PENDING'}})
  await submit('paid')
  expect((await submit('failed')).status).toBe(303)
  expect(await current()).toMatchObject({status: 'CONFIRMED', payment: {status: 'PAID'}})
})

test('an unpaid reservation expires after fifteen minutes, at that instant', async () => {
  await sandbox.advance(15 * 60 - 1)
  expect((await current()).status).toBe('PENDING_PAYMENT')
  await sandbox.advance(3600)
  const record = await current()
  expect(record).toMatchObject({
    status: 'EXPIRED',
    payment: {status: 'EXPIRED'},
    cancellation: {reason: 'payment_expired', cancelled_at: '2030-06-01T12:15:00.000Z', fee: '0.00'},
  })
  const [event] = await sandbox.listed('events')
  expect(event).toMatchObject({
    type: 'reservation.cancelled',
    created: '2030-06-01T12:15:00.000Z',
    data: {status: 'EXPIRED', reason: 'payment_expired', refund_amount: '0.00', currency: 'EUR'},
  })
  await submit('paid')
  expect((await current()).status).toBe('EXPIRED')
  const page = await pageText()
  expect(page).toContain('The time to pay is over')
  expect(page).not.toContain('<button')
})

test('refuses unknown addresses and unknown results', async () => {
  expect((await submit('refund')).status).toBe(400)
  for (const path of ['/pay/nothing', '/pay/nothing/more']) {
    const answer = await fetch(sandbox.origin + path)
    expect(answer.status).toBe(404)
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'")
    const page = await answer.text()
    expect(page).toContain('<h1>No payment found at this address</h1>')
    expect(page).toContain(PAYMENT_PAGE_STYLE)
  }
})

test('a browser is shown a page where a result or a voucher link is refused, a program gets one line of text', async () => {
  const {reservation_ref} = await client.book({})
  const {url} = (await client.get(`/reservations/${reservation_ref}/voucher`)).voucher
  const refund = {method: 'POST', body: new URLSearchParams({result: 'refund'})}
  await expectRefusal(pending.payment.url, 400, 'result must be paid, failed or left', refund)
  await expectRefusal(`${url}x`, 403, 'This voucher link is not valid.')
  await client.call('POST', `/reservations/${reservation_ref}/cancel`, {})
  await expectRefusal(url, 410, 'The reservation of this voucher is no longer confirmed.')
  await sandbox.advance(3601)
  await expectRefusal(url, 410, 'This voucher link has expired; ask for a new one.')
})

async function expectRefusal(
  url: string,
  status: number,
  text: string,
  request: RequestInit = {},
): Promise<void> {
  const plain = await fetch(url, request)
  expect([plain.status, plain.headers.get('content-type'), await plain.text()]).toEqual([
    status,
    'text/plain; charset=UTF-8',
    text,
  ])
  const shown = await fetch(url, {...request, headers: {Accept: 'text/html,application/xhtml+xml,*/*;q=0.8'}})
  expect([shown.status, shown.headers.get('content-type')]).toEqual([status, 'text/html; charset=UTF-8'])
  expect(shown.headers.get('content-security-policy')).toContain("default-src 'none'")
  const page = await shown.text()
  expect(page).toContain(`role="alert">${text}</p>`)
  expect(page).toContain(PAYMENT_PAGE_STYLE)
}

test('the control API settles the payment, and answers with the reservation', async () => {
  const path = `/_sandbox/payments/${pending.reservation_ref}`
  const paid = await sandbox.control('POST', path, {result: 'paid'})
  expect([paid.status, paid.json.data]).toEqual([200, await current()])
  expect(paid.json.data.status).toBe('CONFIRMED')
})

function render(state: PaymentPageState = 'payable', changes: Partial<Reservation> = {}) {
  const {payment} = reservationRecord()
  const instant = {...payment, expires_at: '2030-05-01T09:15:00Z'}
  return renderPaymentPage(
    reservationRecord({status: 'PENDING_PAYMENT', payment: instant, ...changes}),
    state,
  )
}

test.each([
  ['payable', ['paid', 'failed', 'left']],
  ['failed', ['paid', 'failed', 'left']],
  ['left', ['paid', 'failed']],
  ['paid', []],
  ['expired', []],
  ['cancelled', []],
] as const)(
  'the page is whole HTML without script, marked TEST, and offers when %s the results %j',
  (state, results) => {
    const page = render(state)
    expect(page).toMatch(/^<!doctype html>\n<html lang="en">/)
    expect(page.trimEnd()).toMatch(/<\/html>$/)
    expect(page).not.toMatch(/<script|javascript:|\son\w+=|https?:/i)
    expect(page).toContain('TEST mode: local sandbox')
    expect(page.match(/<h1>/g)).toHaveLength(1)
    const offered = Array.from(page.matchAll(/<button name="result" value="(\w+)">/g), ([, value]) => value)
    expect(offered).toEqual(results)
    expect(page.includes('<form method="post">')).toBe(results.length > 0)
  },
)

test('the page shows what is paid, for what, and until when', () => {
  const page = render()
  const facts =
    '1730.08 EUR|Şadırvan Konağı|4 stars|Sat, 1 June 2030|Tue, 4 June 2030|3 nights|1 May 2030, 09:15 UTC|' +
    '2 rooms, 4 adults, 1 child (7 years)|Ayşe Öğüt|RSV-7K3M9QX2AB|PARTNER-2030-0042'
  expect(facts.split('|').filter(fact => !page.includes(fact))).toEqual([])
})

test('the page escapes everything that came from outside', () => {
  const tagsOf = (page: string) => Array.from(page.matchAll(/<\/?([a-z0-9]+)/g), ([, tag]) => tag)
  const clean = tagsOf(render())
  const marked = fc.string().map(text => `{{${text}}}<b title="x" title='y'>&`)
  fc.assert(
    fc.property(marked, hostile => {
      const {contact, hotel} = reservationRecord()
      const page = render('payable', {
        client_reference_id: hostile,
        reservation_ref: hostile,
        contact: {...contact, name: hostile, surname: hostile},
        hotel: {...hotel, name: hostile, address: hostile},
      })
      expect(page).not.toContain('<b ')
      expect(tagsOf(page)).toEqual(clean)
    }),
  )
})

test('the page isolates names, so that they cannot reorder the text around them', () => {
  const {contact} = reservationRecord()
  const page = render('payable', {contact: {...contact, name: '\u202Eeman'}})
  expect(page).toContain('<bdi>\u202Eeman Öğüt</bdi>')
})
