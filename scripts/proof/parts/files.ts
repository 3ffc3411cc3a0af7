/**
 * Files: everything that may lie in the place of a file of ours against every command that touches it; and disks that are
 * full, limited or may not be written, against every command that writes.
 */
import {openFileBench} from '../../../test/proof/file-bench.js'
import {allFileCells, nameOfFile, runFileCell} from '../../../test/proof/file-cell.js'
import {allDiskCells, nameOfDisk, runDiskCell} from '../../../test/proof/file-disk-cell.js'
import {FILLED_CELLS, lacksFilling, nameOfFilled, runFilledCell} from '../../../test/proof/file-filled.js'
import type {Template} from '../../../test/proof/file-home.js'
import {inTwos} from '../../../test/proof/matrix.js'
import type {SandboxSide} from '../../../test/proof/sandbox-side.js'
import type {Part} from '../part.js'

interface NamedCell {
  readonly name: string
  readonly group: string
  readonly run: (template: Template, side: SandboxSide) => Promise<string[]>
}

const FORM_CELLS = allFileCells()
const DISK_CELLS = allDiskCells()

const CELLS: readonly NamedCell[] = [
  ...FORM_CELLS.filter(({form}) => form.lacks?.() === undefined).map(cell => ({
    ...{name: nameOfFile(cell), group: cell.file},
    run: (template: Template, side: SandboxSide) => runFileCell(template, side, cell),
  })),
  ...DISK_CELLS.filter(({disk}) => disk.lacks?.() === undefined).map(cell => ({
    ...{name: nameOfDisk(cell), group: cell.disk.group},
    run: (template: Template, side: SandboxSide) => runDiskCell(template, side, cell),
  })),
  ...(lacksFilling() ? [] : FILLED_CELLS).map(cell => ({
    ...{name: nameOfFilled(cell), group: 'full disks'},
    run: (template: Template, side: SandboxSide) => runFilledCell(template, side, cell),
  })),
]

/** Each form and disk that cannot be had here, once. */
function leftOut(): string[] {
  const lacks = [
    ...[...FORM_CELLS.map(({form}) => form), ...DISK_CELLS.map(({disk}) => disk)],
    {name: 'no room once it is answered', lacks: lacksFilling},
  ]
  return [
    ...new Set(lacks.flatMap(({name, lacks}) => (lacks?.() === undefined ? [] : `${name}: ${lacks()}`))),
  ]
}

export const files: Part = {
  title: 'Files',
  unit: 'cells',
  names: () => CELLS.map(({name}) => name),
  leftOut,
  async run(names, tell) {
    const {template, side, close} = await openFileBench()
    try {
      await inTwos(
        CELLS.filter(({name}) => names.has(name)),
        async ({name, group, run}) => {
          const wrong = await run(template, side).catch(error => [`the cell itself failed: ${error.stack}`])
          tell(name, {group, wrong})
        },
      )
    } finally {
      await close()
    }
  },
}
