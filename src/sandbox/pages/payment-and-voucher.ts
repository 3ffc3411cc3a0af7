/**
 * Pages at secret links: /pay/{token}, where a customer pays (§2.5, §3; the interface does not show its content), and
 * /vouchers/{token}.
 */

import {isoTime} from '../../contract/dates.js'
import {moneyText} from '../../contract/money.js'
import type {Reservation} from '../../contract/reservations.js'
import {counted, dateInWords, fullName, instantInUtc, occupancy} from '../base/wording.js'
import {expirePayments, settlePayment} from '../booking/pay-change-cancel.js'
import {findBookedHotel} from '../catalogue/hotels.js'
import {isFromBrowser, type RequestContext, type RunningService} from '../http/requests.js'
import {findClient} from '../store/clients.js'
import {findReservation} from '../store/reservations.js'
import {verifyVoucherLink} from '../store/sealed-ids-and-links.js'
import {renderVoucher} from '../voucher/content.js'
import {documentOf, facts, html, PAGE_HEADERS, type Piece, soft} from './components.js'
import WORDING from './payment-wording.json' with {type: 'json'}
import {PAYMENT_PAGE_STYLE} from './style.js'

export function showPaymentPage(service: RunningService, context: RequestContext): Response {
  const stored = findReservation(service.database, 'payment_token', context.req.param('token') ?? '')
  if (!stored) return context.html(UNKNOWN_PAYMENT, 404, PAGE_HEADERS)
  const {status, payment} = stored.record
  const open = context.req.query('result') === 'left' ? 'left' : 'payable'
  const states: Readonly<Record<string, PaymentPageState>> = {
    CONFIRMED: 'paid',
    EXPIRED: 'expired',
    CANCELLED: 'cancelled',
  }
  const unpaid = open === 'payable' && payment.status === 'FAILED' ? 'failed' : open
  return context.html(renderPaymentPage(stored.record, states[status] ?? unpaid), 200, PAGE_HEADERS)
}

/**
 * Applies the customer's choice if the payment is still pending, then redirects the browser to the page that shows the
 * result.
 */
export function submitPayment(service: RunningService, context: RequestContext): Response {
  // An open page may be submitted twice, or after the time to pay is over.
  expirePayments(service)
  const stored = findReservation(service.database, 'payment_token', context.req.param('token') ?? '')
  if (!stored) return context.html(UNKNOWN_PAYMENT, 404, PAGE_HEADERS)
  const result = new URLSearchParams(new TextDecoder().decode(context.var.body)).get('result')
  const {pathname} = new URL(context.req.url)
  if (result === 'left') return context.redirect(`${pathname}?result=left`, 303)
  if (result !== 'paid' && result !== 'failed') {
    return refuse(context, 400, 'Payment not changed', 'result must be paid, failed or left')
  }
  if (stored.record.status === 'PENDING_PAYMENT') settlePayment(service, stored, result)
  return context.redirect(pathname, 303)
}

export type PaymentPageState = keyof typeof WORDING

const UNKNOWN_PAYMENT = paymentPage('unknown')

function paymentPage(state: PaymentPageState, reference?: string, content?: Piece): string {
  return testPage(WORDING[state], 'No money moves, whatever you choose.', reference, content)
}

interface PageWords {
  readonly title: string
  readonly note?: string
  readonly tone?: string
}

/**
 * Renders a page at a secret link, marked TEST with the sentence `mark`. A note in the tone `bad` reports a failure, so screen
 * readers announce it.
 */
function testPage({title, note, tone}: PageWords, mark: string, reference?: string, content?: Piece): string {
  const role = tone === 'bad' ? 'alert' : 'status'
  const body = html`<header class="test">TEST mode: local sandbox. ${mark}</header>
<main>
<h1>${title}</h1>
${note && html`<p class="note ${tone}" role="${role}">${note}</p>`}
${content}
</main>`
  const titles = [title, ...(reference === undefined ? [] : [reference]), 'TEST']
  return documentOf(titles.join(' · '), PAYMENT_PAGE_STYLE, body)
}

/** Answers a refusal: to a browser as a page with `title` and `message`, to a program as the `message` alone, in plain text. */
function refuse(context: RequestContext, status: 400 | 403 | 410, title: string, message: string): Response {
  if (!isFromBrowser(context)) return context.text(message, status)
  const page = testPage({title, note: message, tone: 'bad'}, 'No money moves.')
  return context.html(page, status, PAGE_HEADERS)
}

/**
 * Renders the payment page of a reservation. Everything that came from a request is escaped, and isolated so that it
 * cannot reorder the text around it.
 */
export function renderPaymentPage(reservation: Reservation, state: PaymentPageState): string {
  const {hotel, contact, nights, rooms, payment, check_in, check_out} = reservation
  const amount = moneyText(payment.amount, payment.currency)
  const end = payment.expires_at ?? reservation.updated_at
  const canPay = ['payable', 'failed', 'left'].includes(state)
  const day = (date: string) => html`<time datetime="${date}">${dateInWords(date)}</time>`
  const text = (value: string) => html`<bdi>${value}</bdi>`
  const stay = facts({
    Hotel: html`${text(hotel.name)} ${soft(counted(hotel.stars, 'star'))}<br>${text(`${hotel.address}, ${hotel.city.name}`)}`,
    'Check-in': day(check_in),
    'Check-out': html`${day(check_out)} ${soft(`(${counted(nights, 'night')})`)}`,
    Rooms: `${counted(rooms.length, 'room')}, ${occupancy(rooms)}`,
    'Booked for': text(fullName(contact)),
    Reservation: text(reservation.reservation_ref),
    'Partner reference': text(reservation.client_reference_id),
  })
  const choices = html`<form method="post">
<fieldset>
<legend>What does the test customer do?</legend>
<button name="result" value="paid">${state === 'failed' ? 'Try again: pay' : 'Pay'} ${amount}</button>
<button name="result" value="failed">Decline the payment</button>
${state !== 'left' && html`<button name="result" value="left">Leave without paying</button>`}
</fieldset>
</form>`
  const content = html`<p class="amount">${amount}</p>
${canPay && html`<p class="soft">Pay by <time datetime="${end}">${instantInUtc(end)}</time></p>`}
${stay}
${canPay && choices}`
  return paymentPage(state, reservation.reservation_ref, content)
}

const NO_VOUCHER = 'No voucher at this address'

/** Answers a signed link (§2.6) with the voucher as a PDF, without requiring Authorization. */
export async function downloadVoucher(service: RunningService, context: RequestContext): Promise<Response> {
  const now = service.clock.now()
  const link = verifyVoucherLink(service.database, context.req.param('token') ?? '', now)
  if (link === 'altered') return refuse(context, 403, NO_VOUCHER, 'This voucher link is not valid.')
  if (link === 'expired') {
    return refuse(context, 410, NO_VOUCHER, 'This voucher link has expired; ask for a new one.')
  }
  const stored = findReservation(service.database, 'reservation_ref', link.reservationRef)
  if (stored?.record.status !== 'CONFIRMED') {
    return refuse(context, 410, NO_VOUCHER, 'The reservation of this voucher is no longer confirmed.')
  }
  const pdf = await renderVoucher(stored.record, {
    hotel: findBookedHotel(stored.record.hotel.hotel_id),
    partnerName: findClient(service.database, stored.clientId)?.name ?? '',
    issuedAt: isoTime(now),
  })
  return new Response(new Uint8Array(pdf), {
    headers: {
      'Content-Type': 'application/pdf',
      'Content-Length': String(pdf.byteLength),
      'Content-Disposition': `inline; filename="voucher-${stored.record.reservation_ref}.pdf"`,
      'X-Content-Type-Options': 'nosniff',
    },
  })
}
