/** The search for leaks: every command with every debug switch against echoes and faults, and secrets typed at a terminal. */
import {openLeakBench} from '../../../test/proof/leak-bench.js'
import {type LeakBench, leakName, runLeakCell} from '../../../test/proof/leak-cell.js'
import {allLeakCells} from '../../../test/proof/leak-plan.js'
import {runSpecialCell, SPECIAL_CELLS, specialName} from '../../../test/proof/leak-special.js'
import {inBenches, inTwos} from '../../../test/proof/matrix.js'
import type {Part, Tell} from '../part.js'

export const leaks: Part = {
  title: 'Leaks',
  unit: 'cells',
  names: () => [...allLeakCells().map(leakName), ...SPECIAL_CELLS.map(specialName)],
  async run(names, tell) {
    const cells = [
      ...allLeakCells().map(cell => ({
        ...{name: leakName(cell), group: cell.row.command},
        run: (bench: LeakBench) => runLeakCell(bench, cell),
      })),
      ...SPECIAL_CELLS.map(cell => ({
        ...{name: specialName(cell), group: cell.group},
        run: (bench: LeakBench) => runSpecialCell(bench, cell),
      })),
    ].filter(({name}) => names.has(name))
    await inBenches(
      cells,
      ({group}) => group,
      openLeakBench,
      (bench, ofOne) => inTwos(ofOne, ({name, group, run}) => told(tell, name, group, () => run(bench))),
    )
  },
}

async function told(tell: Tell, name: string, group: string, run: () => ReturnType<typeof runLeakCell>) {
  const {wrong, canaries} = await run().catch(error => ({
    ...{wrong: [`the cell itself failed: ${error.stack}`], canaries: 0},
  }))
  tell(name, {
    group,
    wrong,
    more: {canaries, 'leaks found': wrong.filter(text => text.includes(' shows: ')).length},
  })
}
