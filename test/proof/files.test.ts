/**
 * Broken, hostile and foreign files in short: each form of each file once, each command that touches it in turn.
 * `npm run proof` runs every form with every command.
 */
import {afterAll, beforeAll, expect, test} from 'vitest'
import {type LocalSandbox, startLocalSandbox} from '../support/local-sandbox.js'
import {FORMS, nameOfFile, runFileCell, shortFileCells} from './file-cell.js'
import {DATABASES, makeTemplate, type Template} from './file-home.js'
import {inTwos} from './matrix.js'
import {SandboxSide} from './sandbox-side.js'

let sandbox: LocalSandbox
let template: Template
beforeAll(async () => {
  sandbox = await startLocalSandbox()
  template = await makeTemplate(sandbox)
})
afterAll(async () => {
  template?.remove()
  await sandbox.stop()
})

test('there are at least twelve forms of config.json and of each database', () => {
  for (const name of ['config.json', ...DATABASES]) expect(FORMS[name]?.length).toBeGreaterThanOrEqual(12)
})

const lacking = [
  ...new Set(Object.values(FORMS).flatMap(forms => forms.flatMap(({lacks}) => lacks?.() ?? []))),
]

test(`old or new, named, private, and nobody else's file touched${lacking.map(why => `; left out: ${why}`).join('')}`, async () => {
  const failed: string[] = []
  const side = new SandboxSide(sandbox.baseUrl)
  await inTwos(shortFileCells(), async cell => {
    const wrong = await runFileCell(template, side, cell).catch(error => [
      `the cell itself failed: ${error.stack}`,
    ])
    if (wrong.length > 0) failed.push([nameOfFile(cell), ...wrong].join('\n'))
  })
  expect(failed.join('\n\n')).toBe('')
}, 300_000)
