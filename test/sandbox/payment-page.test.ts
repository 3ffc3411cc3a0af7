/** The markup of the payment page: what it says in each state, and that nothing from outside can change it. */
import fc from 'fast-check'
import {expect, it} from 'vitest'
import type {Reservation} from '../../src/contract/reservations.js'
import {type PaymentPageState, renderPaymentPage} from '../../src/sandbox/pages/payment-and-voucher.js'
import {reservationRecord} from './reservation-record.js'

function render(state: PaymentPageState = 'payable', changes: Partial<Reservation> = {}) {
  const {payment} = reservationRecord()
  const instant = {...payment, expires_at: '2030-05-01T09:15:00Z'}
  return renderPaymentPage(
    reservationRecord({status: 'PENDING_PAYMENT', payment: instant, ...changes}),
    state,
  )
}

it.each([
  ['payable', ['paid', 'failed', 'left']],
  ['failed', ['paid', 'failed', 'left']],
  ['left', ['paid', 'failed']],
  ['paid', []],
  ['expired', []],
  ['cancelled', []],
] as const)(
  'is whole HTML without script, marked TEST, and offers when %s the results %j',
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

it('shows what is paid, for what, and until when', () => {
  const page = render()
  const facts =
    'EUR 1,730.08|Şadırvan Konağı|4 stars|Sat, 1 June 2030|Tue, 4 June 2030|3 nights|1 May 2030, 09:15 UTC|' +
    '2 rooms, 4 adults, 1 child (7 years)|Ayşe Öğüt|RSV-7K3M9QX2AB|PARTNER-2030-0042'
  expect(facts.split('|').filter(fact => !page.includes(fact))).toEqual([])
})

it('escapes everything that came from outside', () => {
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

it('isolates names, so that they cannot reorder the text beside them', () => {
  const {contact} = reservationRecord()
  const page = render('payable', {contact: {...contact, name: '\u202Eeman'}})
  expect(page).toContain('<bdi>\u202Eeman Öğüt</bdi>')
})
