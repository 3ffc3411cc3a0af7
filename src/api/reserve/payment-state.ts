/** What a reservation says about its payment (§2.5 shows its url alone), where that is more than its status tells. */

import {fieldsOf, firstObject} from '../../contract/field-names.js'
import type {JsonObject} from '../../contract/json.js'
import {textIn} from '../answers/facts.js'
import {PAYMENT} from '../answers/vocabulary.js'

/** A payment that did not go through, although the reservation may still wait for one. */
export interface FailedPayment {
  readonly kind: 'declined' | 'expired' | 'cancelled'
  /** The service's code or words for why. */
  readonly reason: string | null
  /** Until when it may be tried, as the service wrote it. */
  readonly until: string | null
}

/** Words of a payment's state. */
const KINDS: readonly (readonly [FailedPayment['kind'], RegExp])[] = [
  ['declined', /fail|declin|reject|denied|refus/],
  ['expired', /expir|timed?[ _-]?out/],
  ['cancelled', /cancel|void|abort/],
]

/** The payment in `reservation`, in any shape, when it did not go through; undefined when it may still, or has. */
export function failedPaymentIn(reservation: JsonObject): FailedPayment | undefined {
  const fields = fieldsOf(reservation)
  const payment = fieldsOf(firstObject(fields.get('payment')) ?? {})
  const state = textIn(payment, ['status', 'state']) ?? textIn(fields, ['payment_status', 'payment_state'])
  const kind = KINDS.find(([, words]) => words.test(state?.toLowerCase() ?? ''))?.[0]
  if (kind === undefined) return undefined
  return {kind, reason: textIn(payment, PAYMENT.reason), until: textIn(payment, PAYMENT.until)}
}
