/** What the proof leans on: nothing that it starts outlives it or is waited for in vain, and a stack trace is known as one. */
import {spawn} from 'node:child_process'
import {once} from 'node:events'
import {rmSync} from 'node:fs'
import {join} from 'node:path'
import {fileURLToPath} from 'node:url'
import {expect, onTestFinished, test} from 'vitest'
import {Home} from '../support/bookctl.js'
import {hasStack} from '../support/stack.js'
import {waitUntil} from '../support/wait.js'

test('a command that does not end is killed, whatever it started', async () => {
  const home = new Home()
  onTestFinished(() => home.remove())
  const before = ['sh', '-c', 'echo begun; sleep 30 & echo $! >&2; wait', '--']
  const {exit, stderr} = await home.run([], {before, limitMilliseconds: 1000})
  expect(exit).toBe('SIGKILL')
  process.kill(Number(stderr))
})

test('a sandbox ends with the process that started it, however that ends', async () => {
  const module = new URL('../support/local-sandbox.ts', import.meta.url).href
  const script = `const {startLocalSandbox} = await import(${JSON.stringify(module)})
    const {home} = await startLocalSandbox()
    console.log(home.directory)`
  const root = fileURLToPath(new URL('../..', import.meta.url))
  const argv = ['--import', 'tsx', '--input-type=module', '-e', script]
  const parent = spawn(process.execPath, argv, {cwd: root, stdio: ['ignore', 'pipe', 'inherit']})
  onTestFinished(() => void parent.kill('SIGKILL'))
  const [line] = await once(parent.stdout, 'data')
  const home = new Home()
  onTestFinished(() => home.remove())
  const directory = String(line).trim()
  onTestFinished(() => rmSync(directory, {recursive: true, force: true}))
  const kept = {BOOKCTL_CONFIG_DIR: join(directory, 'config')}
  const clock = async () => (await home.run(['sandbox', 'clock'], {env: kept})).exit
  expect(await clock()).toBe(0)
  parent.kill('SIGKILL')
  await waitUntil(async () => (await clock()) !== 0, 'the sandbox to end')
})

test('a stack trace is known by its places, and nothing else is', () => {
  for (const text of [
    'Error: x\n    at f (file:///p/bookctl/dist/chunks/a.js:12:5)',
    '{"message":"x\\n    at async node:internal/main:95:5"}',
    'file:///p/bookctl/dist/chunks/a.js:12\nthrow x',
  ])
    expect([text, hasStack(text)]).toEqual([text, true])
  for (const text of [
    '  at 12:30 (local time)',
    'looks at https://example.com:8443/v1',
    'dist/manifest.json',
  ])
    expect([text, hasStack(text)]).toEqual([text, false])
})
