/** `bookctl hotels search` with answers of three sizes: found, remembered on this machine, and printed. */
import {join} from 'node:path'
import {BOOKCTL, type Case} from '../support/bench.js'
import {growth} from '../support/growth.js'
import {searchArguments, startService} from '../support/service.js'

export const searchGrowth: Case = {
  name: 'search-growth',
  async run(bench) {
    const {env, stop} = await startService(bench)
    const points = []
    for (const size of bench.size([1000, 10_000, 100_000], [100, 1000, 10_000])) {
      const runs = []
      for (let n = 0; n < 3; n++) {
        const fresh = {...env, BOOKCTL_CONFIG_DIR: join(bench.room(), 'config')}
        runs.push(
          await bench.nodeWithPeak([BOOKCTL, ...searchArguments(size), '--timeout', '60'], {env: fresh}),
        )
      }
      points.push({size, runs})
    }
    stop()
    const row = growth(
      'hotels search, offers in the answer',
      points.map(({size, runs}) => ({size, costs: runs.map(({milliseconds}) => milliseconds)})),
    )
    const peaks = points.map(({runs}) => Math.round(Math.max(...runs.map(({peakBytes}) => peakBytes)) / 1e6))
    return [{...row, remark: `${row.remark}; memory ${peaks.join(', ')} MB`}]
  },
}
