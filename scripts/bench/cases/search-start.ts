/**
 * Starting `bookctl hotels search`, with an answer of three offers, against the same command unbundled with imports at
 * the top (support/unbundled.ts). For comparison also against the command as it is commonly written with oclif, undici,
 * zod and a database, all imported at the top (references/search-oclif.mjs), which does far less.
 */
import {join} from 'node:path'
import {alternate, type Case, type Run, reference} from '../support/bench.js'
import {compared, figure, type Row} from '../support/figures.js'
import {searchArguments, startService} from '../support/service.js'
import {writeUnbundled} from '../support/unbundled.js'

export const searchStart: Case = {
  name: 'search-start',
  async run(bench) {
    const {env, stop} = await startService(bench)
    const argv = searchArguments(3)
    const unbundled = await writeUnbundled(bench, argv, env)
    const plainEnv = {...env, TOKEN_DATABASE: join(bench.room(), 'tokens.db')}
    const times = bench.size(21, 3)
    const against = async (name: string, other: () => Promise<Run>): Promise<Row> => {
      const runs = await alternate(times, () => bench.bookctl(argv, {env}), other)
      const milliseconds = (of: readonly Run[]) => of.map(run => run.milliseconds)
      return compared({
        measured: '`bookctl hotels search`, three offers',
        against: name,
        ours: figure(milliseconds(runs.ours), 'ms'),
        reference: figure(milliseconds(runs.other), 'ms'),
      })
    }
    const same = await against('the same unbundled, imports at the top', () =>
      bench.node([unbundled, ...argv], {env}),
    )
    const plain = await against('a small oclif command with undici, zod, libsql at the top', () =>
      bench.node([reference('search-oclif.mjs'), ...argv], {env: plainEnv}),
    )
    stop()
    return [{...same, reach: {atMost: 0.5}}, plain]
  },
}
