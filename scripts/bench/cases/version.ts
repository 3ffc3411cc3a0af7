/** `bookctl --version`, the least bookctl does, against the least Node does. */
import {alternate, type Case} from '../support/bench.js'
import {compared, figure} from '../support/figures.js'

export const version: Case = {
  name: 'version',
  async run(bench) {
    const {ours, other} = await alternate(
      bench.size(31, 5),
      () => bench.bookctl(['--version']),
      () => bench.node(['-e', '0']),
    )
    return [
      compared({
        measured: '`bookctl --version`',
        against: '`node -e 0`',
        ours: figure(
          ours.map(({milliseconds}) => milliseconds),
          'ms',
        ),
        reference: figure(
          other.map(({milliseconds}) => milliseconds),
          'ms',
        ),
        reach: {atMost: 1.3},
      }),
    ]
  },
}
