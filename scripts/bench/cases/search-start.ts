/**
 * Starting `bookctl hotels search`, with an answer of three offers, against an unbundled oclif command with what it is
 * built from at its top (references/search-oclif.mjs), as oclif's documentation teaches to write one; it does far less.
 * To see what bundling alone gives, also against our own sources as tsc emits them (support/unbundled.ts): those
 * load little as it is, so no reach is set there.
 */
import {join} from 'node:path'
import {type Case, type Run, reference} from '../support/bench.js'
import type {Row} from '../support/figures.js'
import {race} from '../support/race.js'
import {searchArguments, startService} from '../support/service.js'
import {writeUnbundled} from '../support/unbundled.js'

export const searchStart: Case = {
  name: 'search-start',
  async run(bench) {
    const {env, stop} = await startService(bench)
    const argv = searchArguments(3)
    const unbundled = await writeUnbundled(bench, argv, env)
    const plainEnv = {...env, TOKEN_DATABASE: join(bench.room(), 'tokens.db')}
    const against = (name: string, other: () => Promise<Run>, reach?: Row['reach']) =>
      race(bench, {
        measured: '`bookctl hotels search`, three offers',
        against: name,
        ...(reach && {reach}),
        times: 21,
        ours: () => bench.bookctl(argv, {env}),
        other,
      })
    const rows = [
      await against(
        'an unbundled oclif command with undici, zod and libsql at the top',
        () => bench.node([reference('search-oclif.mjs'), ...argv], {env: plainEnv}),
        {atMost: 0.5},
      ),
      await against('our own sources as tsc emits them, imports at the top', () =>
        bench.node([unbundled, ...argv], {env}),
      ),
    ]
    stop()
    return rows
  },
}
