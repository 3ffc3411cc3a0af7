/** A reservation that has to be paid: where to pay, what became of the payment, and whether waiting can help. */
import {isLoopbackHost} from '../../../api/http/loopback.js'
import {resumeCommand} from '../../../api/reserve/failures.js'
import type {ReserveOutcome} from '../../../api/reserve/outcome.js'
import {failedPaymentIn} from '../../../api/reserve/payment-state.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'

/** Outcomes that waiting does not change. */
const FINAL = new Set(['confirmed', 'cancelled', 'canceled', 'expired', 'refused', 'failed'])

/** Whether waiting would not change it. */
export function isFinal({outcome, reservation_ref}: ReserveOutcome): boolean {
  return FINAL.has(outcome) || reservation_ref === null
}

/** The payment address, when it is one a person may be sent to: https, or http on this machine. */
export function paymentAddress(outcome: ReserveOutcome): string | undefined {
  if (outcome.payment_url === null || FINAL.has(outcome.outcome)) return undefined
  if (!URL.canParse(outcome.payment_url)) return undefined
  const url = new URL(outcome.payment_url)
  if (url.username || url.password) return undefined
  const isOwnHttp = url.protocol === 'http:' && isLoopbackHost(url.hostname)
  return url.protocol === 'https:' || isOwnHttp ? url.href : undefined
}

/** What a reservation waits for, as far as waiting can help. */
export type Awaited = 'payment' | 'confirmation' | 'nothing'

/** Words of a state that passes by itself. */
const PASSING = /pend|process|progress|request|wait|hold|accept|review|queue|confirming/

/**
 * What to wait for: a payment only where an address says where to make it, a confirmation only in a state that passes
 * by itself; a word we do not know may be the last one.
 */
export function awaited(outcome: ReserveOutcome): Awaited {
  if (isFinal(outcome)) return 'nothing'
  if (paymentAddress(outcome) !== undefined) return 'payment'
  return !lacksAddress(outcome) && PASSING.test(outcome.outcome) ? 'confirmation' : 'nothing'
}

/** Words of a state in which it is still to be paid. */
const TO_BE_PAID =
  /(pend|wait|requir|need|due|open|to)[a-z]*[ _-]?pay|pay[a-z]*[ _-](pend|due|requir|open|need|wait)|unpaid|not[ _-]?paid/

/** Whether it has to be paid and there is no address that a person may be sent to. */
export function lacksAddress(outcome: ReserveOutcome): boolean {
  if (isFinal(outcome) || paymentAddress(outcome) !== undefined) return false
  return outcome.payment_url !== null || TO_BE_PAID.test(outcome.outcome)
}

/** Says so, and how to go on. */
export function lacksAddressText(outcome: ReserveOutcome): string[] {
  const {payment_url, client_reference_id} = outcome
  const named = payment_url === null ? '' : `: ${sanitizeLine(originOf(payment_url), 200)}`
  return [
    `Warning: the service named no payment address that a person may be sent to (https, without user name)${named}`,
    `Ask its operator where to pay; then: ${resumeCommand(client_reference_id)} --wait`,
  ]
}

/** Without path, query or user name, which may hold a secret. */
function originOf(address: string): string {
  return URL.canParse(address) ? `${new URL(address).protocol}//${new URL(address).host}` : 'no address'
}

/**
 * The address as a QR code of block characters, for a telephone's camera; undefined when it is too long for one, or
 * the code is wider than `columns`.
 */
export async function qrCode(address: string, columns: number): Promise<string | undefined> {
  const {renderUnicodeCompact} = await import('uqr')
  try {
    const code = renderUnicodeCompact(address, {border: 2})
    return code.split('\n').every(line => line.length <= columns) ? code : undefined
  } catch {
    return undefined
  }
}

/** What a person should know of a payment that did not go through; undefined where there is nothing to say. */
export function paymentNote(outcome: ReserveOutcome): string | undefined {
  const payment = failedPaymentIn(outcome.reservation ?? {})
  if (payment === undefined || outcome.outcome === 'confirmed') return undefined
  const {kind, reason, until} = payment
  const [why, end] = [reason, until].map(text => (text === null ? '' : sanitizeLine(text, 64)))
  if (kind === 'expired') return `the time to pay has ended${end === '' ? '' : ` (${end})`}`
  const words = `the payment was ${kind}${why === '' ? '' : ` (${why})`}`
  const mayBeTried = kind === 'declined' && end !== '' && !isFinal(outcome)
  return mayBeTried ? `${words}; it can be tried again until ${end}` : words
}
