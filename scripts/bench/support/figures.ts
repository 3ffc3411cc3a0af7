/** A measurement as it is reported: ours, what it is held against, and the reach it should have. */
import {median, spread} from './statistics.js'

export interface Figure {
  readonly median: number
  /** See `spread`; absent where there was one measurement. */
  readonly spread?: number
  /** For example `ms`, `MB`, `a second`. */
  readonly unit: string
  /** The most memory the process held, in bytes. */
  readonly peakBytes?: number | undefined
}

/** What a ratio or a value may be at most, or must be at least. */
type Reach = {readonly atMost: number} | {readonly atLeast: number}

export interface Row {
  readonly measured: string
  readonly against: string
  readonly ours: Figure
  readonly reference?: Figure
  /** Ours divided by the reference; or, of a value with a reach of its own, the value itself. */
  readonly value?: number
  readonly reach?: Reach
  readonly remark?: string
}

/** Whether the reach was reached; undefined where there is none. */
export function isReached({value, reach}: Row): boolean | undefined {
  if (value === undefined || reach === undefined) return undefined
  return 'atMost' in reach ? value <= reach.atMost : value >= reach.atLeast
}

export function figure(samples: readonly number[], unit: string, peakBytes?: number): Figure {
  const several = samples.length > 1 ? {spread: spread(samples)} : {}
  return {median: median(samples), ...several, unit, peakBytes}
}

/** The row of two figures whose ratio has a reach. */
export function compared(row: Omit<Row, 'value'> & {readonly reference: Figure}): Row {
  return {...row, value: row.ours.median / row.reference.median}
}
