/** Locales, homes and modes of others' machines, each once, without the demo; `npm run proof -- --only Everywhere` tries the installed tarball on every Node. */
import {fileURLToPath} from 'node:url'
import {expect, onTestFinished, test} from 'vitest'
import {startLocalSandbox} from '../support/local-sandbox.js'
import {inTwos} from './matrix.js'
import {SandboxSide} from './sandbox-side.js'
import {possibleSurroundings, tryOut} from './surroundings.js'

test('what a user does first works everywhere, or says what to do', async () => {
  const sandbox = await startLocalSandbox()
  onTestFinished(async () => void (await sandbox.stop()))
  const reference = await new SandboxSide(sandbox.baseUrl).reservation('account')
  const world = {service: sandbox.env, reference, expected: new Map<string, string>(), isWhole: false}
  const installed = {
    node: process.execPath,
    script: fileURLToPath(new URL('../../bin/run.js', import.meta.url)),
  }
  const [ordinary, ...others] = possibleSurroundings()
  const wrong: string[] = []
  const attempt = async (each: typeof ordinary) => {
    if (each) for (const text of await tryOut(installed, each, world)) wrong.push(`${each.name}: ${text}`)
  }
  await attempt(ordinary)
  expect([...world.expected.values()].filter(text => text === '')).toEqual([])
  await inTwos(others, attempt)
  expect(wrong.join('\n')).toBe('')
}, 180_000)
