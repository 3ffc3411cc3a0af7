/** What becomes of a delivery after an attempt (§6.4). */
import {DELIVERY_ATTEMPTS, DELIVERY_DELAYS_SECONDS} from '../../contract/limits.js'

export type DeliveryStatus = 'PENDING' | 'DELIVERED' | 'ABANDONED'

export interface NextStep {
  readonly status: DeliveryStatus
  /** Unix seconds of the sandbox's clock. */
  readonly nextAttemptAt: number | null
  /** Whether the subscription is put to rest: once, by the last attempt of the schedule. */
  readonly makesPassive: boolean
}

/**
 * The step after attempt number `n`, made at `at`, of a delivery that was `status` before. One that was delivered or
 * abandoned has done with the schedule: an attempt of it was ordered by hand, and a failure changes nothing.
 */
export function stepAfter(
  {n, at, status}: {n: number; at: number; status: DeliveryStatus},
  delivered: boolean,
): NextStep {
  if (delivered) return {status: 'DELIVERED', nextAttemptAt: null, makesPassive: false}
  if (status !== 'PENDING') return {status, nextAttemptAt: null, makesPassive: false}
  const delay = n < DELIVERY_ATTEMPTS ? DELIVERY_DELAYS_SECONDS[n] : undefined
  if (delay === undefined) return {status: 'ABANDONED', nextAttemptAt: null, makesPassive: true}
  return {status: 'PENDING', nextAttemptAt: at + delay, makesPassive: false}
}
