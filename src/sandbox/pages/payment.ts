/** GET and POST /pay/{token}: what the customer sees at `payment.url` (§2.5, §3; the page is ours). */
import type {Context} from 'hono'
import type {Service} from '../base/service.js'
import {expirePayments, type PaymentResult, settlePayment} from '../booking/payment.js'
import type {RequestState} from '../http/routing.js'
import {findByPaymentToken, type StoredReservation} from '../store/reservations.js'
import {PAGE_HEADERS} from './headers.js'
import {renderPaymentPage} from './payment-page.js'

type PageContext = Context<RequestState>
type PageState = Parameters<typeof renderPaymentPage>[0]['state']

export function showPaymentPage(service: Service, context: PageContext): Response {
  const stored = findByPaymentToken(service.database, context.req.param('token') ?? '')
  if (!stored) return unknownPage(context)
  const {record} = stored
  const page = renderPaymentPage({
    reservation: record,
    state: stateOf(stored, context.req.query('result') === 'left'),
    expiresAt: record.payment.expires_at ?? record.updated_at,
    action: new URL(context.req.url).pathname,
  })
  return context.html(page, 200, PAGE_HEADERS)
}

/** Applies what the customer chose and sends the browser back to the page, which shows what became of it. */
export function submitPayment(service: Service, context: PageContext): Response {
  const stored = findByPaymentToken(service.database, context.req.param('token') ?? '')
  if (!stored) return unknownPage(context)
  const result = new URLSearchParams(new TextDecoder().decode(context.var.body)).get('result')
  if (result !== 'paid' && result !== 'failed' && result !== 'left') {
    return context.text('result must be paid, failed or left', 400)
  }
  if (result !== 'left') settleIfPending(service, context.req.param('token') ?? '', result)
  const {pathname} = new URL(context.req.url)
  return context.redirect(result === 'left' ? `${pathname}?result=left` : pathname, 303)
}

/** A page that was left open may be sent after the time to pay has run out, or twice: then nothing changes. */
function settleIfPending(service: Service, token: string, result: PaymentResult): void {
  expirePayments(service)
  const stored = findByPaymentToken(service.database, token)
  if (stored?.record.status === 'PENDING_PAYMENT') settlePayment(service, stored, result)
}

function stateOf({record}: StoredReservation, left: boolean): PageState {
  if (record.status === 'EXPIRED') return 'expired'
  if (record.status === 'CANCELLED') return 'cancelled'
  if (record.status === 'CONFIRMED') return 'paid'
  if (left) return 'left'
  return record.payment.status === 'FAILED' ? 'failed' : 'payable'
}

function unknownPage(context: PageContext): Response {
  return context.text('There is no payment at this address.', 404)
}
