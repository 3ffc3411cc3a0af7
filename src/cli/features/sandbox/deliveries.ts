/** The local sandbox's deliveries, as `sandbox deliveries` prints them. */
import {type Column, columnsOf, type Result, single} from '../../terminal/result.js'

type Row = Record<string, unknown>

const COLUMNS: readonly Column<Row>[] = [
  ...columnsOf<Row>(['delivery_id', 'subscription_id', 'event_id', 'type', 'status', 'next_attempt_at']),
  {name: 'attempts', value: delivery => attemptsOf(delivery).length},
  {name: 'last_status', value: delivery => attemptsOf(delivery).at(-1)?.status ?? null},
  {name: 'last_error', value: delivery => attemptsOf(delivery).at(-1)?.error ?? null},
]

export const DELIVERY_COLUMNS = COLUMNS.map(({name}) => name)

/** `data` is the control's answer; the document has every attempt. */
export function deliveryList(data: unknown): Result<Row> {
  const deliveries = (Array.isArray(data) ? data : []) as Row[]
  return {
    document: {deliveries},
    items: deliveries,
    columns: COLUMNS,
    shown: ['delivery_id', 'type', 'status', 'attempts', 'last_status', 'last_error', 'next_attempt_at'],
    whenEmpty: 'No deliveries yet.',
  }
}

function attemptsOf(delivery: Row): Row[] {
  return Array.isArray(delivery.attempts) ? (delivery.attempts as Row[]) : []
}

/** An event that was triggered: one row, and what a person should know when it did not arrive everywhere. */
export function triggered(answer: Row): {result: Result; note: string | undefined} {
  const event = answer.event as {id: string; type: string; data: Row}
  const deliveries = answer.deliveries as Row[]
  const delivered = deliveries.filter(({status}) => status === 'DELIVERED').length
  const row = {
    event_id: event.id,
    type: event.type,
    reservation_ref: event.data.reservation_ref,
    deliveries: deliveries.length,
    delivered,
  }
  const failed = `${deliveries.length - delivered} of ${deliveries.length} not delivered yet: bookctl sandbox deliveries`
  const none = `No active subscription to ${event.type}: bookctl webhooks create --url URL --event ${event.type}`
  const note = deliveries.length === 0 ? none : delivered < deliveries.length ? failed : undefined
  return {result: single({event, deliveries}, row, event.id), note}
}
