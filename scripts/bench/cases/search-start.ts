/**
 * Starting `bookctl hotels search`, with an answer of three offers, against an unbundled oclif command with what it is
 * built from at its top (references/search-oclif.mjs), as oclif's documentation teaches to write one; it does far less.
 * To see what bundling alone gives, also against our own sources as tsc emits them (support/unbundled.ts): those
 * load little as it is, so no limit is set there.
 */
import {join} from 'node:path'
import {type Bench, reference} from '../support/bench.js'
import {type Row, race} from '../support/figures.js'
import {searchArguments, startService} from '../support/service.js'
import {writeUnbundled} from '../support/unbundled.js'

export async function searchStart(bench: Bench): Promise<Row[]> {
  const {env, stop} = await startService(bench)
  const argv = searchArguments(3)
  const unbundled = await writeUnbundled(bench, argv, env)
  const plainEnv = {...env, TOKEN_DATABASE: join(bench.room(), 'tokens.db')}
  const ours = {
    ...{measured: '`bookctl hotels search`, three offers', times: 21},
    ours: () => bench.bookctl(argv, {env}),
  }
  const rows = [
    await race(bench, {
      ...ours,
      against: 'an unbundled oclif command with undici, zod and libsql at the top',
      other: () => bench.node([reference('search-oclif.mjs'), ...argv], {env: plainEnv}),
      reach: {atMost: 0.5},
    }),
    await race(bench, {
      ...ours,
      against: 'our own sources as tsc emits them, imports at the top',
      other: () => bench.node([unbundled, ...argv], {env}),
    }),
  ]
  stop()
  return rows
}
