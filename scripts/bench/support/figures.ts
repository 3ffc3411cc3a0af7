/** Measurements in the form of the report: a figure, the reference it is compared with, its limit, and the table. */
import {cpus} from 'node:os'
import process from 'node:process'
import {alternate, type Bench, type Run} from './bench.js'

export interface Figure {
  readonly median: number
  /** See `spread`; missing if there was only one measurement. */
  readonly spread?: number
  /** For example `ms`, `MB`, `a second`. */
  readonly unit: string
}

export interface Row {
  readonly measured: string
  readonly against?: string
  readonly ours: Figure
  readonly reference?: Figure
  /** Our figure divided by the reference, or our figure itself if the limit applies to it directly. */
  readonly value?: number
  /** The limit of the value. */
  readonly reach?: {readonly atMost: number} | {readonly atLeast: number}
  readonly remark?: string
}

/** Reports whether the value is within its limit; undefined if it has none. */
export function isReached({value, reach}: Row): boolean | undefined {
  if (value === undefined || reach === undefined) return undefined
  return 'atMost' in reach ? value <= reach.atMost : value >= reach.atLeast
}

export function figure(samples: readonly number[], unit: string): Figure {
  return {median: median(samples), ...(samples.length > 1 && {spread: spread(samples)}), unit}
}

/** Returns the row of two figures whose ratio has a limit. */
export function compared(row: Row & {readonly reference: Figure}): Row {
  return {...row, value: row.ours.median / row.reference.median}
}

/** The race is repeated if the spread is larger than this. */
const STEADY = 0.1
const MOST_ROUNDS = 3

export interface Race extends Pick<Row, 'measured' | 'against' | 'reach'> {
  ours(): Promise<Run>
  other(): Promise<Run>
  /** The smallest number of runs of each process; a quick bench makes fewer. */
  readonly times: number
}

/** Runs two processes in turn until the medians are steady. Returns the row of their milliseconds. */
export async function race(bench: Bench, {ours, other, times, ...row}: Race): Promise<Row> {
  const milliseconds = {ours: [] as number[], other: [] as number[]}
  for (let round = 0; round < bench.size(MOST_ROUNDS, 1); round++) {
    if (round > 0 && Object.values(milliseconds).every(samples => spread(samples) <= STEADY)) break
    const runs = await alternate(bench.size(times, Math.ceil(times / 10)), ours, other)
    for (const who of ['ours', 'other'] as const)
      milliseconds[who].push(...runs[who].map(run => run.milliseconds))
  }
  const reference = figure(milliseconds.other, 'ms')
  return compared({...row, ours: figure(milliseconds.ours, 'ms'), reference})
}

/** The largest exponent that counts as linear, allowing for scatter. */
const LINEAR = 1.1

export interface Point {
  readonly size: number
  /** Milliseconds of one or more runs. */
  readonly costs: readonly number[]
}

/** Returns the row that shows how cost grows with size. The aim is linear growth or less. */
export function growth(measured: string, points: readonly Point[]): Row {
  const medians = points.map(({size, costs}) => ({size, cost: median(costs), costs}))
  const steps = exponents(medians)
  const last = steps.at(-1) as number
  const times = medians.map(({size, cost, costs}) => {
    const scatter = costs.length > 1 ? ` ± ${Math.round(spread(costs) * 50)} %` : ''
    return `${size.toLocaleString('en')}: ${Number(cost.toPrecision(3))} ms${scatter}`
  })
  return {
    measured: `${measured}: exponent of its cost`,
    ours: figure([last], ''),
    value: last,
    reach: {atMost: LINEAR},
    remark: `${times.join(', ')}; exponents ${steps.map(step => step.toFixed(2)).join(', ')}`,
  }
}

/** Returns the value below which the fraction `part` (0 to 1) of `values` lie. */
export function percentile(values: Iterable<number>, part: number): number {
  const sorted = Float64Array.from(values).sort()
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}

/** Returns the middle value, or the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = Float64Array.from(values).sort()
  const middle = sorted.length >> 1
  if (sorted.length % 2 === 1) return sorted[middle] as number
  return ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2
}

/** Returns the width of the middle half of `values` as a fraction of the median: 0.05 means ± 2.5 %. */
export function spread(values: readonly number[]): number {
  return (percentile(values, 0.75) - percentile(values, 0.25)) / median(values)
}

/**
 * Returns the exponents e of cost ∝ size^e between neighbouring sizes: 1 is linear, 0 means no growth. The last one matters,
 * because a fixed cost, such as starting, makes the first ones small.
 */
export function exponents(points: readonly {readonly size: number; readonly cost: number}[]): number[] {
  return points.slice(1).map((point, n) => {
    const before = points[n] as {size: number; cost: number}
    return Math.log(point.cost / before.cost) / Math.log(point.size / before.size)
  })
}

const METHOD =
  'Medians, ± half the spread of the middle half; ours and the reference in turn, the first of each not counted. ' +
  'Both run in the same environment of PATH, HOME and TMPDIR: no NODE_OPTIONS, NODE_EXTRA_CA_CERTS, compile cache or proxy.'

/** Formats the rows as a Markdown table that ends with a newline. */
export function markdown(rows: readonly Row[], isQuick: boolean): string {
  const cores = cpus()
  const machine = `${cores.length} × ${cores[0]?.model.trim() || process.arch}`
  const head = `${new Date().toISOString().slice(0, 10)}, Node ${process.version}, ${machine}`
  const lines = [
    ['Measured', 'bookctl', 'Against', 'Reference', 'Ratio', 'Reach', '', 'Remarks'],
    ['---', '---:', '---', '---:', '---:', '---:', '---', '---'],
    ...rows.map(cellsOf),
  ].map(cells => `| ${cells.join(' | ')} |\n`)
  return `${head}${isQuick ? '; quick: small sizes, few runs' : ''}. ${METHOD}\n\n${lines.join('')}`
}

function cellsOf(row: Row): string[] {
  const {measured, against = '', ours, reference, value, reach, remark = ''} = row
  const reached = isReached(row)
  return [
    measured,
    textOf(ours),
    against,
    reference ? textOf(reference) : '',
    reference && value !== undefined ? value.toFixed(2) : '',
    reach ? ('atMost' in reach ? `≤ ${reach.atMost}` : `≥ ${reach.atLeast}`) : '',
    reached === undefined ? '' : reached ? '✓' : '✗',
    remark,
  ]
}

function textOf({median, spread, unit}: Figure): string {
  const digits = median >= 100 ? 0 : median >= 10 ? 1 : 2
  const scatter = spread === undefined ? '' : ` ± ${Math.round(spread * 50)} %`
  return `${median.toFixed(digits)} ${unit}`.trimEnd() + scatter
}
