/** `bookctl hotels search` with answers of three sizes: found, remembered on this machine, and printed. */
import {join} from 'node:path'
import {type Bench, BOOKCTL} from '../support/bench.js'
import {growth, type Row} from '../support/figures.js'
import {searchArguments, startService} from '../support/service.js'

export async function searchGrowth(bench: Bench): Promise<Row[]> {
  const {env, stop} = await startService(bench)
  const points = []
  const peaks = []
  for (const size of bench.size([1000, 10_000, 100_000], [100, 1000, 10_000])) {
    const runs = []
    for (let n = 0; n < 3; n++) {
      const fresh = {...env, BOOKCTL_CONFIG_DIR: join(bench.room(), 'config')}
      const argv = [BOOKCTL, ...searchArguments(size), '--timeout', '60']
      runs.push(await bench.nodeWithPeak(argv, {env: fresh}))
    }
    points.push({size, costs: runs.map(({milliseconds}) => milliseconds)})
    peaks.push(Math.round(Math.max(...runs.map(({megabytes}) => megabytes))))
  }
  stop()
  const row = growth('hotels search, offers in the answer', points)
  return [{...row, remark: `${row.remark}; memory ${peaks.join(', ')} MB`}]
}
