/**
 * The fault matrix: every command that makes a request against every fault of the wire, by the rules of test/proof/fault-rules.ts,
 * and every command that sends events against every fault of a receiver, by those of receiver-rules.ts.
 */
import {nameOf} from '../../../test/proof/fault-cell.js'
import type {Cell} from '../../../test/proof/fault-seen.js'
import {
  allCells,
  inBenches,
  inTwos,
  type MatrixBench,
  openBench,
  runCells,
} from '../../../test/proof/matrix.js'
import {allReceiverCells, receiverName, runReceiverCell} from '../../../test/proof/receiver-cell.js'
import {startReceiverSide} from '../../../test/proof/receiver-side.js'
import type {Part, Tell} from '../part.js'

export const faults: Part = {
  title: 'Fault matrix',
  unit: 'cells',
  names: () => [...allCells().map(nameOf), ...allReceiverCells().map(receiverName)],
  async run(names, tell) {
    const cells = allCells().filter(cell => names.has(nameOf(cell)))
    const command = (cell: Cell) => cell.row.command
    await inBenches(cells, command, openBench, async (bench, ofOne) => {
      await runCells(bench, ofOne, ({name, cell, wrong}) => tell(name, {group: command(cell), wrong}))
      tellHeard(bench, tell)
    })
    const bench = await openBench()
    await runReceivers(names, bench.other.origin, tell).finally(() => bench.close())
    tellHeard(bench, tell)
  },
}

/** No cell, but what all of them may have told a server that has no part in them. */
function tellHeard({other: {heard}}: MatrixBench, tell: Tell): void {
  if (heard.length === 0) return
  const wrong = heard.map(request => `it was told ${request}`)
  tell('what another server is told', {group: 'another server', count: 0, wrong})
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
