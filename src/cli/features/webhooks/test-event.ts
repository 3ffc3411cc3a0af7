/** Implements `webhooks test`: requests a test event and waits a few seconds for the receiver's answer. */
import type {LastAttempt} from '../../../api/operations/webhooks.js'
import type {Clock} from '../../../contract/dates.js'
import {Failure} from '../../../contract/failure.js'
import {ExactNumber} from '../../../contract/json.js'
import {WEBHOOK_RESPONSE_SECONDS} from '../../../contract/limits.js'
import {isSuccess} from '../../../contract/operations.js'
import type {Connection} from '../../session/connect.js'
import {type Result, single} from '../../terminal/result.js'

export const TEST_COLUMNS = [
  'subscription_id',
  'event_id',
  'delivery_id',
  'delivered',
  'status',
  'ms',
  'delivery_error',
  'answer',
] as const

/** How long to wait for a delivery. A receiver has 3 s to answer (§6.4). */
export const DELIVERY_WAIT_SECONDS = WEBHOOK_RESPONSE_SECONDS + 2
const ASK_AGAIN_MILLISECONDS = 250

/**
 * Requests a test event and follows its delivery. If the service does not report the delivery, `delivered` is null and
 * `delivery_unknown` says why. Throws a Failure, of kind `outcome_unknown` if the event may have been sent.
 */
export async function testSubscription({api, clock}: Connection, id: string): Promise<Result> {
  const {findLastAttempt, sendTestEvent} = await import('../../../api/operations/webhooks.js')
  const answer = await sendTestEvent(api, id)
  const values = plainValuesOf(answer, '')
  const idOf = (what: string) =>
    values[`${what}_id`] ?? values[`${what}.${what}_id`] ?? values[`${what}.id`] ?? null
  const eventId = idOf('event')
  const deliveryId = idOf('delivery')
  const outcome =
    eventId === null && deliveryId === null
      ? unknownDelivery('the service did not name the event')
      : await followDelivery(() => findLastAttempt(api, id, {eventId, deliveryId}), clock)
  const row = {subscription_id: id, event_id: eventId, delivery_id: deliveryId, ...outcome}
  const result = single({...row, answer}, {...row, answer}, id)
  const {status, ms, delivery_error: error, delivery_unknown: unknown} = outcome
  const time = ms === null ? '' : ` ${status === null ? 'after' : 'in'} ${ms} ms`
  const answered = `${status === null ? 'no answer' : `answered ${status}`}${time}`
  const receiver =
    unknown === undefined ? [answered, error].filter(Boolean).join(': ') : `not known: ${unknown}`
  return {...result, shown: TEST_COLUMNS.slice(0, -1), facts: {subscription: id, ...values, receiver}}
}

interface DeliveryOutcome extends Pick<LastAttempt, 'status' | 'ms'> {
  readonly delivered: boolean | null
  readonly attempted_at: string | null
  /** Why there was no answer, or why the answer was no success. */
  readonly delivery_error: string | null
  readonly delivery_unknown?: string
}

const unknownDelivery = (why: string): DeliveryOutcome => ({
  delivered: null,
  attempted_at: null,
  status: null,
  ms: null,
  delivery_error: null,
  delivery_unknown: why,
})

/**
 * Returns the outcome of the first delivery attempt; after a Failure, an unknown outcome. Throws only if the command is
 * stopped.
 */
async function followDelivery(
  find: () => Promise<LastAttempt | undefined>,
  clock: Clock,
): Promise<DeliveryOutcome> {
  const end = clock.now() + DELIVERY_WAIT_SECONDS
  try {
    for (;;) {
      const last = await find()
      if (last) {
        const {at, status, ms, error} = last
        return {delivered: isSuccess({status}), attempted_at: at, status, ms, delivery_error: error}
      }
      if (clock.now() >= end) return unknownDelivery(`not attempted within ${DELIVERY_WAIT_SECONDS} s`)
      await clock.sleep(ASK_AGAIN_MILLISECONDS)
    }
  } catch (error) {
    // The event was sent, so any other failure only means that its delivery is unknown.
    if (!(error instanceof Failure) || error.kind === 'interrupted') throw error
    return unknownDelivery(error.message)
  }
}

/** Flattens an object: `{event: {id: 1}}` becomes `{'event.id': '1'}`. */
function plainValuesOf(value: unknown, name: string): Record<string, string> {
  if (value === null || value === undefined) return {}
  if (typeof value !== 'object' || value instanceof ExactNumber) return {[name || 'answer']: String(value)}
  const inner = Object.entries(value).map(([key, each]) => plainValuesOf(each, name ? `${name}.${key}` : key))
  return Object.assign({}, ...inner)
}
