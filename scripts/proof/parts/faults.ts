/**
 * The fault matrix: every command that makes a request against every fault of the wire, by the rules of test/proof/fault-rules.ts,
 * and every command that sends events against every fault of a receiver, by those of receiver-rules.ts.
 */
import {nameOf} from '../../../test/proof/fault-cell.js'
import {allCells, inTwos, openBench, runCells} from '../../../test/proof/matrix.js'
import {allReceiverCells, receiverName, runReceiverCell} from '../../../test/proof/receiver-cell.js'
import {startReceiverSide} from '../../../test/proof/receiver-side.js'
import type {Part, Tell} from '../part.js'

export const faults: Part = {
  title: 'Fault matrix',
  unit: 'cells',
  names: () => [...allCells().map(nameOf), ...allReceiverCells().map(receiverName)],
  async run(names, tell) {
    const bench = await openBench()
    try {
      const cells = allCells().filter(cell => names.has(nameOf(cell)))
      await runCells(bench, cells, ({name, cell, wrong}) => tell(name, {group: cell.row.command, wrong}))
      await runReceivers(names, bench.other.origin, tell)
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

async function runReceivers(names: ReadonlySet<string>, other: string, tell: Tell): Promise<void> {
  const side = await startReceiverSide()
  const cells = allReceiverCells().filter(cell => names.has(receiverName(cell)))
  await inTwos(cells, async cell => {
    const wrong = await runReceiverCell(side, other, cell).catch(error => [
      `the cell itself failed: ${error.stack}`,
    ])
    tell(receiverName(cell), {group: cell.sender, wrong})
  })
  side.close()
}
