/** The search for leaks: every command with every debug switch against every answer that echoes what it was sent. */
import {allLeakCells, leakName, runLeakCell} from '../../../test/proof/leak-cell.js'
import {inTwos} from '../../../test/proof/matrix.js'
import {SandboxSide} from '../../../test/proof/sandbox-side.js'
import {startLocalSandbox} from '../../../test/support/local-sandbox.js'
import type {Part} from '../part.js'

export const leaks: Part = {
  title: 'Leaks',
  unit: 'cells',
  names: () => allLeakCells().map(leakName),
  async run(names, tell) {
    const sandbox = await startLocalSandbox()
    const side = new SandboxSide(sandbox.baseUrl)
    try {
      await inTwos(
        allLeakCells().filter(cell => names.has(leakName(cell))),
        async cell => {
          const wrong = await runLeakCell(side, cell).catch(error => [
            `the cell itself failed: ${error.stack}`,
          ])
          tell(leakName(cell), {group: cell.row.command, wrong})
        },
      )
    } finally {
      await sandbox.stop()
    }
  },
}
