/** Files: everything that may lie in the place of a file of ours against every command that touches it. */
import {allFileCells, nameOfFile, runFileCell} from '../../../test/proof/file-cell.js'
import {makeTemplate} from '../../../test/proof/file-home.js'
import {inTwos} from '../../../test/proof/matrix.js'
import {SandboxSide} from '../../../test/proof/sandbox-side.js'
import {startLocalSandbox} from '../../../test/support/local-sandbox.js'
import type {Part} from '../part.js'

export const files: Part = {
  title: 'Files',
  unit: 'cells',
  names: () => allFileCells().map(nameOfFile),
  async run(names, tell) {
    const sandbox = await startLocalSandbox()
    const side = new SandboxSide(sandbox.baseUrl)
    const template = await makeTemplate(sandbox)
    try {
      await inTwos(
        allFileCells().filter(cell => names.has(nameOfFile(cell))),
        async cell => {
          const wrong = await runFileCell(template, side, cell).catch(error => [
            `the cell itself failed: ${error.stack}`,
          ])
          tell(nameOfFile(cell), {group: cell.file, wrong})
        },
      )
    } finally {
      template.remove()
      await sandbox.stop()
    }
  },
}
