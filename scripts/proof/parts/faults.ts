/** The fault matrix: every command that makes a request against every fault of the wire, by the rules of test/proof/rules.ts. */
import {nameOf} from '../../../test/proof/cell.js'
import {allCells, openBench, runCells} from '../../../test/proof/matrix.js'
import type {Part} from '../part.js'

export const faults: Part = {
  title: 'Fault matrix',
  unit: 'cells',
  names: () => allCells().map(nameOf),
  async run(names, tell) {
    const bench = await openBench()
    try {
      const cells = allCells().filter(cell => names.has(nameOf(cell)))
      await runCells(bench, cells, ({name, cell, wrong}) => tell(name, {group: cell.row.command, wrong}))
      const {heard} = bench.other
      tell('what another server is told', {
        group: 'another server',
        wrong: heard.map(request => `it was told ${request}`),
      })
    } finally {
      await bench.close()
    }
  },
}
