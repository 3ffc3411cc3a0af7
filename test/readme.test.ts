/**
 * Runs the commands of the README and then of the guides in docs/, every block in order, in one home. Placeholders (off_…, RSV-…)
 * are replaced from earlier output, as a reader would do.
 */
import {type ChildProcess, spawn} from 'node:child_process'
import {once} from 'node:events'
import {readFileSync} from 'node:fs'
import {join} from 'node:path'
import {afterAll, expect, test} from 'vitest'
import {findFreePort} from '../src/cli/features/sandbox/port.js'
import {Home} from './support/bookctl.js'
import {type ForwardTarget, startTarget} from './support/listening.js'
import {Shell} from './support/shell.js'
import {waitUntil} from './support/wait.js'
import {makeWebhookFiles, startReceiver} from './support/webhook-files.js'

const PAGES = ['README.md', 'docs/webhooks.md', 'docs/scripting.md', 'docs/sandbox.md']
  .map(page => readFileSync(new URL(`../${page}`, import.meta.url), 'utf8'))
  .join('\n')

/** The commands of all `sh` blocks, without comments and with continued lines joined. */
const COMMANDS = [...PAGES.matchAll(/^```sh\n(.*?)^```/gms)]
  .flatMap(([, block = '']) => block.replaceAll(/\\\n\s*/g, ' ').split('\n'))
  .map(line => line.replace(/\s+#.*$|^#.*$/, '').trim())
  // Commands that install the program or run the tests are left out.
  .filter(line => line !== '' && !/^npm /.test(line))

/** Commands that run until they are stopped. Each is ready when the pattern appears on stdout or stderr. */
const RUNNING = [
  [/^bookctl sandbox start/, /http:\/\/127/],
  [/^bookctl webhooks (listen|tap)/, /https?:\/\/127/],
] as const

const home = new Home()
const running: ChildProcess[] = []
const listeners: ChildProcess[] = []
let target: ForwardTarget | undefined
afterAll(async () => {
  for (const child of running.reverse()) await stop(child)
  await target?.close()
  home.remove()
})

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return
  const ended = once(child, 'close')
  child.kill('SIGTERM')
  await ended
}

async function start(command: string, env: Record<string, string>, isReady: RegExp): Promise<ChildProcess> {
  const child = spawn('bash', ['-c', `exec ${command}`], {cwd: home.directory, env})
  running.push(child)
  let printed = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', text => (printed += text))
  await waitUntil(() => isReady.test(printed) || child.exitCode !== null, `${command} to be ready`)
  expect(child.exitCode, `${command}: ${printed}`).toBe(null)
  return child
}

test('every command of the README and the guides works, in their order', async () => {
  expect(COMMANDS.length).toBeGreaterThan(8)
  const shell = new Shell(home)
  makeWebhookFiles(home.directory, Math.floor(Date.now() / 1000))
  const signingSecret = readFileSync(join(home.directory, 'signing-secret.txt'), 'utf8').trim()
  target = await startTarget(200)
  const receiver = await startReceiver()
  const port = String(await findFreePort())
  const ids = new Map<string, string>()
  for (const written of COMMANDS) {
    const command = written
      .replace(/\b(off_|RSV-|whsub_|evt_)…/g, (_, prefix) => ids.get(prefix) ?? `no ${prefix} yet`)
      .replace('http://127.0.0.1:4020/', `http://127.0.0.1:${port}/`)
      .replace(/^bookctl webhooks listen/, `$& --port ${port}`)
      .replaceAll('http://127.0.0.1:3000/hooks', written.includes('probe') ? receiver.url : target.url)
      // The example credentials are replaced by those of the sandbox.
      .replace(/^(bookctl login) .*/, '$1 --client-id cid_sandbox --client-secret-stdin <<< sk_test_sandbox')
    const ready = RUNNING.find(([pattern]) => pattern.test(command))?.[1]
    if (ready) {
      // As the page says, a listener is stopped before another one uses its port.
      const before = listeners.pop()
      if (before) await stop(before)
      const child = await start(command, shell.env, ready)
      if (command.includes('listen')) listeners.push(child)
      continue
    }
    const offline = /webhooks probe/.test(command) ? {BOOKCTL_WEBHOOK_SECRET: signingSecret} : {}
    const {exit, stdout, stderr} = await shell.type(command, offline)
    expect({command, exit, stderr}).toEqual({command, exit: 0, stderr})
    for (const [, id = '', prefix = ''] of stdout.matchAll(/\b((off_|RSV-|whsub_|evt_)[\w-]+)/g))
      if (!ids.has(prefix)) ids.set(prefix, id)
  }
})
