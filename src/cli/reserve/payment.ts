/** After a reservation that has to be paid: where to pay, and waiting until it is. */
import {isLoopbackHost} from '../../api/loopback.js'
import type {ReserveOutcome} from '../../api/reserve.js'
import {repeatHint, resumeCommand} from '../../api/reserve-failures.js'
import {Failure} from '../../contract/failure.js'
import {sanitizeLine} from '../../contract/foreign-text.js'
import type {Connection} from '../connect.js'
import {noteOutcome} from './noted.js'

/** Ours. */
const FIRST_LOOK_SECONDS = 1
const LONGEST_PAUSE_SECONDS = 5
/** Outcomes that waiting does not change. */
const FINAL = new Set(['confirmed', 'cancelled', 'expired', 'refused', 'failed'])

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

/**
 * Waits until the reservation's voucher can be downloaded (§4.5), which is when it is CONFIRMED (§3), and returns the
 * reservation as confirmed. No other path shows a reservation's state, and none is guessed. A service that fails or is
 * away is waited for. Throws Failure `pending` when time runs out.
 */
export async function waitUntilConfirmed(
  connection: Connection,
  outcome: ReserveOutcome,
  seconds: number,
  warn: (text: string) => void,
): Promise<ReserveOutcome> {
  const reference = outcome.reservation_ref
  if (outcome.outcome === 'confirmed' || reference === null) return outcome
  if (FINAL.has(outcome.outcome)) throw neverConfirmed(outcome, reference)
  const {api, clock, state} = connection
  const deadline = clock.now() + seconds
  for (let pause = FIRST_LOOK_SECONDS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_SECONDS)) {
    if (await looksConfirmed(connection, reference, deadline - clock.now())) break
    const left = deadline - clock.now()
    if (left <= 0) throw stillPending(outcome, reference, state.writable)
    await api.clock.sleep(Math.min(pause, left) * 1000)
  }
  noteOutcome(connection, reference, 'confirmed', warn)
  const reservation = {...outcome.reservation, status: 'CONFIRMED'}
  return {...outcome, outcome: 'confirmed', reservation}
}

/** One look that takes no longer than there is to wait, though a second in any case. */
async function looksConfirmed(connection: Connection, reference: string, left: number): Promise<boolean> {
  const {isVoucherReady} = await import('../../api/vouchers.js')
  const timeoutSeconds = Math.min(connection.timeoutSeconds, Math.max(1, left))
  return isVoucherReady(connection.api, reference, timeoutSeconds).catch(error => {
    // How a service says "not confirmed yet" is not shown (§4.5): only missing rights end the wait.
    const passing =
      error instanceof Failure && ['refused', 'service_failed', 'unreachable'].includes(error.kind)
    if (passing) return false
    throw error
  })
}

function neverConfirmed(outcome: ReserveOutcome, reference: string): Failure {
  const {reservation, idempotency_key, client_reference_id, attempts} = outcome
  const message = `reservation ${sanitizeLine(reference, 64)} is ${sanitizeLine(outcome.outcome)}, and will not be confirmed`
  return new Failure('refused', message, {
    code: 'not_confirmed',
    hint: 'choose an offer again: bookctl hotels search',
    result: {outcome: outcome.outcome, reservation, idempotency_key, client_reference_id, attempts},
  })
}

function stillPending(outcome: ReserveOutcome, reference: string, journalKept: boolean): Failure {
  const {reservation, idempotency_key, client_reference_id, attempts} = outcome
  const name = sanitizeLine(reference, 64)
  const entry = {clientReferenceId: client_reference_id, idempotencyKey: idempotency_key}
  return new Failure('pending', `reservation ${name} is still ${sanitizeLine(outcome.outcome)}`, {
    code: 'payment_pending',
    hint: journalKept ? `wait again with: ${resumeCommand(client_reference_id)} --wait` : repeatHint(entry),
    result: {outcome: outcome.outcome, reservation, idempotency_key, client_reference_id, attempts},
  })
}
