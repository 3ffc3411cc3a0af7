/**
 * Starting `bookctl hotels search`, with an answer of three offers, against an unbundled oclif command with what it is
 * built from at its top (references/search-oclif.mjs), as oclif's documentation teaches to write one; it does far less.
 */
import {join} from 'node:path'
import {type Bench, reference} from '../support/bench.js'
import {type Row, race} from '../support/figures.js'
import {searchArguments, startService} from '../support/service.js'

export async function searchStart(bench: Bench): Promise<Row[]> {
  const {env, stop} = await startService(bench)
  const argv = searchArguments(3)
  const plainEnv = {...env, TOKEN_DATABASE: join(bench.room(), 'tokens.db')}
  const row = await race(bench, {
    measured: '`bookctl hotels search`, three offers',
    against: 'an unbundled oclif command with undici, zod and libsql at the top',
    reach: {atMost: 0.5},
    times: 21,
    ours: () => bench.bookctl(argv, {env}),
    other: () => bench.node([reference('search-oclif.mjs'), ...argv], {env: plainEnv}),
  })
  stop()
  return [row]
}
