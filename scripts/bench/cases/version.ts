/** `bookctl --version`, the least bookctl does, against the least Node does. */
import type {Case} from '../support/bench.js'
import {race} from '../support/race.js'

export const version: Case = {
  name: 'version',
  async run(bench) {
    return [
      await race(bench, {
        measured: '`bookctl --version`',
        against: '`node -e 0`',
        reach: {atMost: 1.3},
        times: 31,
        ours: () => bench.bookctl(['--version']),
        other: () => bench.node(['-e', '0']),
      }),
    ]
  },
}
