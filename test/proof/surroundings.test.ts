/** Locales, homes and modes of others' machines, each once, without the demo; `npm run proof -- --only Everywhere` tries the installed tarball on every Node. */
import {fileURLToPath} from 'node:url'
import {afterAll, beforeAll, expect, test} from 'vitest'
import {type LocalSandbox, startLocalSandbox} from '../support/local-sandbox.js'
import {lacksOtherUser} from '../support/other-user.js'
import {inTwos} from './matrix.js'
import {SandboxSide} from './sandbox-side.js'
import {possibleSurroundings, type Surroundings, tryOut, type World} from './surroundings.js'

const installed = {
  node: process.execPath,
  script: fileURLToPath(new URL('../../bin/run.js', import.meta.url)),
}
const [ordinary, ...others] = possibleSurroundings()
let sandbox: LocalSandbox
let world: World

beforeAll(async () => {
  sandbox = await startLocalSandbox()
  const reference = await new SandboxSide(sandbox.baseUrl).reservation('account')
  world = {service: sandbox.env, reference, expected: new Map(), isWhole: false}
  // What the others are held against.
  expect(await tryOut(installed, ordinary as Surroundings, world)).toEqual([])
  expect([...world.expected.values()].filter(text => text === '')).toEqual([])
})
afterAll(async () => void (await sandbox.stop()))

async function tryAll(surroundings: readonly Surroundings[]): Promise<string> {
  const wrong: string[] = []
  await inTwos(surroundings, async each => {
    for (const text of await tryOut(installed, each, world)) wrong.push(`${each.name}: ${text}`)
  })
  return wrong.join('\n')
}

test('what a user does first works everywhere, or says what to do', async () => {
  expect(await tryAll(others.filter(({asOtherUser}) => !asOtherUser))).toBe('')
})

const lacks = lacksOtherUser(installed.node, installed.script)

test.skipIf(lacks !== undefined)(
  `so does it for another user${lacks ? `; ${lacks}` : ''}`,
  async () => {
    expect(await tryAll(others.filter(({asOtherUser}) => asOtherUser))).toBe('')
  },
  180_000,
)
