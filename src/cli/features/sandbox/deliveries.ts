/** The local sandbox's deliveries, as `sandbox deliveries` prints them. */
import {type Column, columnsOf, type Result} from '../../terminal/result.js'

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
