/** Faults of the local sandbox, as the commands `sandbox fault …` take and print them. */
import {columnsOf, type Result} from '../../terminal/result.js'

type Row = Record<string, unknown>

export const FAULT_COLUMNS = [
  ...['kind', 'operation', 'times', 'left', 'status', 'retry_after', 'code', 'latency_ms'],
]

/** `data` is the control's answer. */
export function faultList(data: unknown): Result<Row> {
  const faults = data as Row[]
  return {
    document: {faults},
    items: faults,
    columns: columnsOf<Row>(FAULT_COLUMNS),
    whenEmpty: 'No active faults.',
  }
}
