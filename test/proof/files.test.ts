/**
 * Broken, hostile and foreign files, and disks that are full or may not be written, in short: each once, with the commands
 * that touch them in turn. `npm run proof` runs all with all.
 */
import {afterAll, beforeAll, expect, test} from 'vitest'
import {type FileBench, openFileBench} from './file-bench.js'
import {FORMS, nameOfFile, runFileCell, shortFileCells} from './file-cell.js'
import {DISKS, nameOfDisk, runDiskCell, shortDiskCells} from './file-disk-cell.js'
import {FILLED_CELLS, lacksFilling, nameOfFilled, runFilledCell} from './file-filled.js'
import {DATABASES} from './file-home.js'
import {inTwos} from './matrix.js'

let bench: FileBench
beforeAll(async () => {
  bench = await openFileBench()
})
afterAll(() => bench?.close())

test('there are at least twelve forms of config.json and of each database', () => {
  for (const name of ['config.json', ...DATABASES]) expect(FORMS[name]?.length).toBeGreaterThanOrEqual(12)
})

const missing = (places: readonly {lacks?: () => string | undefined}[]) =>
  [...new Set(places.flatMap(({lacks}) => lacks?.() ?? []))].map(why => `; left out: ${why}`).join('')

test(`what lies there is named, kept to the byte, private, and nobody else's is touched${missing(Object.values(FORMS).flat())}`, async () => {
  const failed: string[] = []
  const {template, side} = bench
  await inTwos(shortFileCells(), async cell => {
    const wrong = await runFileCell(template, side, cell).catch(itself)
    if (wrong.length > 0) failed.push([nameOfFile(cell), ...wrong].join('\n'))
  })
  expect(failed.join('\n\n')).toBe('')
})

test(`a disk that does not take what is written leaves the old state or the new one${missing(DISKS)}`, async () => {
  const failed: string[] = []
  const {template, side} = bench
  await inTwos(shortDiskCells(), async cell => {
    const wrong = await runDiskCell(template, side, cell).catch(itself)
    if (wrong.length > 0) failed.push([nameOfDisk(cell), ...wrong].join('\n'))
  })
  expect(failed.join('\n\n')).toBe('')
})

const filling = lacksFilling()

test.skipIf(filling !== undefined)(
  `what was done reaches the user though nothing more can be written${filling ? `; ${filling}` : ''}`,
  async () => {
    const failed: string[] = []
    const {template, side} = bench
    await inTwos(FILLED_CELLS, async cell => {
      const wrong = await runFilledCell(template, side, cell).catch(itself)
      if (wrong.length > 0) failed.push([nameOfFilled(cell), ...wrong].join('\n'))
    })
    expect(failed.join('\n\n')).toBe('')
  },
  600_000,
)

const itself = (error: Error) => [`the cell itself failed: ${error.stack}`]
