import fc from 'fast-check'
import {describe, expect, it} from 'vitest'
import {type PaymentPageState, renderPaymentPage} from '../../src/sandbox/pages/payment.js'
import {reservationRecord} from '../support/reservation-record.js'

const STATES: PaymentPageState[] = ['payable', 'paid', 'failed', 'expired', 'cancelled', 'left']

function render(state: PaymentPageState = 'payable', changes: Parameters<typeof reservationRecord>[0] = {}) {
  return renderPaymentPage({
    reservation: reservationRecord({status: 'PENDING_PAYMENT', ...changes}),
    state,
    expiresAt: '2030-05-01T09:15:00Z',
    action: '/pay/token-of-the-page',
  })
}

describe('the payment page', () => {
  it.each(STATES)('is whole HTML without script, marked TEST, when %s', state => {
    const page = render(state)
    expect(page).toMatch(/^<!doctype html>\n<html lang="en">/)
    expect(page.trimEnd()).toMatch(/<\/html>$/)
    expect(page).not.toMatch(/<script|javascript:|\son\w+=|https?:/i)
    expect(page).toContain('TEST mode: local sandbox')
    expect(page.match(/<h1>/g)).toHaveLength(1)
  })

  it('shows what is paid, for what, and until when', () => {
    const page = render()
    const facts = [
      'EUR 1,730.08',
      'Şadırvan Konağı',
      '4 stars',
      'Sat, 1 June 2030',
      'Tue, 4 June 2030',
      '3 nights',
      '2 rooms, 4 adults, 1 child (7 years)',
      'Ayşe Öğüt',
      'RSV-7K3M9QX2AB',
      'PARTNER-2030-0042',
      '1 May 2030, 09:15 UTC',
    ]
    expect(facts.filter(fact => !page.includes(fact))).toEqual([])
  })

  it.each([
    ['payable', ['paid', 'failed', 'left']],
    ['failed', ['paid', 'failed', 'left']],
    ['left', ['paid', 'failed']],
    ['paid', []],
    ['expired', []],
    ['cancelled', []],
  ] as const)('offers, when %s, the results %j', (state, results) => {
    const page = render(state)
    const offered = Array.from(page.matchAll(/<button name="result" value="(\w+)">/g), ([, value]) => value)
    expect(offered).toEqual(results)
    expect(page.includes('<form method="post" action="/pay/token-of-the-page">')).toBe(results.length > 0)
  })

  it('adds a message', () => {
    const page = renderPaymentPage({
      reservation: reservationRecord(),
      state: 'payable',
      expiresAt: '2030-05-01T09:15:00Z',
      action: '/pay/x',
      message: 'Nearly <there>',
    })
    expect(page).toContain('Nearly &lt;there&gt;')
  })

  it('escapes everything that came from outside', () => {
    const marked = fc.string().map(text => `{{${text}}}<b title="x" title='y'>&`)
    fc.assert(
      fc.property(marked, hostile => {
        const record = reservationRecord()
        const page = render('payable', {
          client_reference_id: hostile,
          reservation_ref: hostile,
          contact: {...record.contact, name: hostile, surname: hostile},
          hotel: {...record.hotel, name: hostile, address: hostile},
        })
        expect(page).not.toContain('<b ')
        const tags = Array.from(page.matchAll(/<\/?([a-z0-9]+)/g), ([, tag]) => tag)
        const clean = Array.from(render().matchAll(/<\/?([a-z0-9]+)/g), ([, tag]) => tag)
        expect(tags).toEqual(clean)
      }),
    )
  })

  it('escapes where it is posted to', () => {
    const page = renderPaymentPage({
      reservation: reservationRecord(),
      state: 'payable',
      expiresAt: '2030-05-01T09:15:00Z',
      action: '/pay/"><img src=x>',
    })
    expect(page).toContain('action="/pay/&quot;&gt;&lt;img src=x&gt;"')
  })

  it('shuts names in, so that they cannot turn round what stands beside them', () => {
    const record = reservationRecord()
    const page = render('payable', {contact: {...record.contact, name: '\u202Eeman'}})
    expect(page).toContain('<bdi>\u202Eeman Öğüt</bdi>')
  })
})
