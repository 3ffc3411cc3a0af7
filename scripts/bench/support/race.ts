/** How long two processes take to run, in turn and often enough that the medians are steady. */
import {alternate, type Bench, type Run} from './bench.js'
import {compared, figure, type Row} from './figures.js'
import {spread} from './statistics.js'

/** Where the middle half of the runs lies further apart than this part of the median, as many are added. */
const STEADY = 0.1
const MOST_ROUNDS = 3

export interface Race extends Pick<Row, 'measured' | 'against' | 'reach'> {
  ours(): Promise<Run>
  other(): Promise<Run>
  /** How often each runs at least; less in a quick run. */
  readonly times: number
}

/** The row of both, in milliseconds. */
export async function race(bench: Bench, {ours, other, times, ...row}: Race): Promise<Row> {
  const milliseconds = {ours: [] as number[], other: [] as number[]}
  const isSteady = () => Object.values(milliseconds).every(samples => spread(samples) <= STEADY)
  for (let round = 0; round < bench.size(MOST_ROUNDS, 1); round++) {
    if (round > 0 && isSteady()) break
    const runs = await alternate(bench.size(times, Math.ceil(times / 6)), ours, other)
    for (const who of ['ours', 'other'] as const)
      milliseconds[who].push(...runs[who].map(run => run.milliseconds))
  }
  return compared({
    ...row,
    ours: figure(milliseconds.ours, 'ms'),
    reference: figure(milliseconds.other, 'ms'),
  })
}
