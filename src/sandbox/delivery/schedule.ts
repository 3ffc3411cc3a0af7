/** What becomes of a delivery after an attempt (§6.4). */
import {DELIVERY_ATTEMPTS, DELIVERY_DELAYS_SECONDS} from '../../contract/limits.js'

export interface NextStep {
  readonly status: 'PENDING' | 'DELIVERED' | 'ABANDONED'
  /** Unix seconds of the sandbox's clock. */
  readonly nextAttemptAt: number | null
  /** Whether the subscription is put to rest: once, by the last attempt of the schedule. */
  readonly makesPassive: boolean
}

/**
 * The step after attempt number `n`, made at `at`. An attempt beyond the eighth was ordered by hand: it changes
 * nothing for the subscription.
 */
export function stepAfter(n: number, at: number, delivered: boolean): NextStep {
  if (delivered) return {status: 'DELIVERED', nextAttemptAt: null, makesPassive: false}
  const delay = n < DELIVERY_ATTEMPTS ? DELIVERY_DELAYS_SECONDS[n] : undefined
  if (delay === undefined) {
    return {status: 'ABANDONED', nextAttemptAt: null, makesPassive: n === DELIVERY_ATTEMPTS}
  }
  return {status: 'PENDING', nextAttemptAt: at + delay, makesPassive: false}
}
