/** The search for leaks: every command with every debug switch against echoes and faults, and secrets typed at a terminal. */
import {openLeakBench} from '../../../test/proof/leak-bench.js'
import {leakName, runLeakCell} from '../../../test/proof/leak-cell.js'
import {allLeakCells} from '../../../test/proof/leak-plan.js'
import {runSpecialCell, SPECIAL_CELLS, specialName} from '../../../test/proof/leak-special.js'
import {inTwos} from '../../../test/proof/matrix.js'
import type {Part, Tell} from '../part.js'

export const leaks: Part = {
  title: 'Leaks',
  unit: 'cells',
  names: () => [...allLeakCells().map(leakName), ...SPECIAL_CELLS.map(specialName)],
  async run(names, tell) {
    const bench = await openLeakBench()
    const cells = allLeakCells().filter(cell => names.has(leakName(cell)))
    const special = SPECIAL_CELLS.filter(cell => names.has(specialName(cell)))
    try {
      await inTwos(cells, cell =>
        told(tell, leakName(cell), cell.row.command, () => runLeakCell(bench, cell)),
      )
      await inTwos(special, cell =>
        told(tell, specialName(cell), cell.group, () => runSpecialCell(bench, cell)),
      )
    } finally {
      await bench.close()
    }
  },
}

async function told(tell: Tell, name: string, group: string, run: () => ReturnType<typeof runLeakCell>) {
  const {wrong, canaries} = await run().catch(error => ({
    ...{wrong: [`the cell itself failed: ${error.stack}`], canaries: 0},
  }))
  tell(name, {group, wrong, more: {canaries}})
}
