/**
 * The commands of the README and then of the guides in docs/, every block in order, in one home. What they leave open
 * (off_…, RSV-…) comes from what was printed before, as a reader would take it.
 */

import {type ChildProcess, execFile, spawn} from 'node:child_process'
import {once} from 'node:events'
import {chmodSync, mkdirSync, readFileSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {fileURLToPath} from 'node:url'
import {promisify} from 'node:util'
import {afterAll, expect, test} from 'vitest'
import {findFreePort} from '../src/cli/features/sandbox/free-port.js'
import {Home} from './support/bookctl.js'
import {type ForwardTarget, startTarget} from './support/listening.js'
import {waitUntil} from './support/wait.js'
import {makeWebhookFiles, startReceiver} from './support/webhook-files.js'

const ENTRY = fileURLToPath(new URL('../bin/run.js', import.meta.url))
const PAGES = ['README.md', 'docs/webhooks.md', 'docs/scripting.md', 'docs/sandbox.md']
  .map(page => readFileSync(new URL(`../${page}`, import.meta.url), 'utf8'))
  .join('\n')

/** The commands of all `sh` blocks, without comments, continued lines as one. */
const COMMANDS = [...PAGES.matchAll(/^```sh\n(.*?)^```/gms)]
  .flatMap(([, block = '']) => block.replaceAll(/\\\n\s*/g, ' ').split('\n'))
  .map(line => line.replace(/\s+#.*$|^#.*$/, '').trim())
  // Installing, and the tests themselves, are what runs this.
  .filter(line => line !== '' && !/^npm /.test(line))

/** They run until they are stopped; ready when this is on stdout or stderr. */
const RUNNING = [
  [/^bookctl sandbox start/, /http:\/\/127/],
  [/^bookctl webhooks listen/, /https?:\/\/127/],
] as const

const home = new Home()
const running: ChildProcess[] = []
let target: ForwardTarget | undefined
afterAll(async () => {
  for (const child of running.reverse()) {
    if (child.exitCode !== null) continue
    const ended = once(child, 'close')
    child.kill('SIGTERM')
    await ended
  }
  await target?.close()
  home.remove()
})

async function start(command: string, env: NodeJS.ProcessEnv, isReady: RegExp): Promise<void> {
  const child = spawn('bash', ['-c', `[ -f env.sh ] && . ./env.sh; exec ${command}`], {
    cwd: home.directory,
    env,
  })
  running.push(child)
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', text => (said += text))
  await waitUntil(() => isReady.test(said) || child.exitCode !== null, `${command} to be ready`)
  expect(child.exitCode, `${command}: ${said}`).toBe(null)
}

test('every command of the README and the guides works, in their order', async () => {
  expect(COMMANDS.length).toBeGreaterThan(8)
  const bin = join(home.directory, 'bin')
  mkdirSync(bin)
  writeFileSync(join(bin, 'bookctl'), `#!/bin/sh\nexec '${process.execPath}' '${ENTRY}' "$@"\n`)
  chmodSync(join(bin, 'bookctl'), 0o755)
  makeWebhookFiles(home.directory, Math.floor(Date.now() / 1000))
  writeFileSync(join(home.directory, 'captured.http'), readFileSync(join(home.directory, 'request.http')))
  const signingSecret = readFileSync(join(home.directory, 'signing-secret.txt'), 'utf8').trim()
  target = await startTarget(200)
  const receiver = await startReceiver()
  const ports = String(await findFreePort())
  const inherited = Object.entries(process.env).filter(([name]) => !/^(BOOKCTL_|NODE_|VITEST)/.test(name))
  const env = {
    ...Object.fromEntries(inherited),
    ...{HOME: home.directory, BOOKCTL_CONFIG_DIR: home.configDirectory, CI: '1'},
    PATH: `${bin}:${process.env.PATH}`,
  }
  const ids = new Map<string, string>()
  for (const written of COMMANDS) {
    const command = written
      .replace(/\b(off_|RSV-|whsub_|evt_)…/g, (_, prefix) => ids.get(prefix) ?? `no ${prefix} yet`)
      .replaceAll('8443', ports)
      .replaceAll('http://127.0.0.1:3000/hooks', written.includes('probe') ? receiver.url : target.url)
      // The credentials one was given, at a service there is.
      .replace(/^(bookctl login) .*/, '$1 --client-id cid_sandbox --client-secret-stdin <<< sk_test_sandbox')
    const ready = RUNNING.find(([pattern]) => pattern.test(command))?.[1]
    if (ready) {
      await start(command, env, ready)
      continue
    }
    // What an eval exported holds for the commands after it.
    const script = `set -eo pipefail; [ -f env.sh ] && . ./env.sh; ${command}\nexport -p > env.sh`
    const offline = /webhooks (verify|probe)/.test(command) ? {BOOKCTL_WEBHOOK_SECRET: signingSecret} : {}
    const {stdout} = await promisify(execFile)('bash', ['-c', script], {
      cwd: home.directory,
      env: {...env, ...offline},
    })
    for (const [, id = '', prefix = ''] of stdout.matchAll(/\b((off_|RSV-|whsub_|evt_)[\w-]+)/g))
      if (!ids.has(prefix)) ids.set(prefix, id)
  }
})
