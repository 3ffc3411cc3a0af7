/** What is packed runs alone: in any directory, of the bundled files, and touching neither network nor database. */
import {execFile} from 'node:child_process'
import {cpSync, mkdtempSync, readFileSync, realpathSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {fileURLToPath} from 'node:url'
import {afterAll, expect, test} from 'vitest'
import {EVENT, makeWebhookFiles, SIGNING_SECRET, signatureOf} from './support/webhook-files.js'

const root = fileURLToPath(new URL('..', import.meta.url))
const home = mkdtempSync(join(tmpdir(), 'bookctl with spaces ğ '))
const T = 1_700_000_000

/** The files of the package, and no package beside them. */
const {files, version} = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
for (const name of [...files, 'package.json']) cpSync(join(root, name), join(home, name), {recursive: true})
makeWebhookFiles(home, T)

afterAll(() => rmSync(home, {recursive: true}))

interface Ended {
  readonly exit: number
  readonly stdout: string
  readonly stderr: string
}

function run(script: string, argv: readonly string[], env: Record<string, string> = {}): Promise<Ended> {
  const {PATH} = process.env
  const own = {PATH, HOME: home, BOOKCTL_CONFIG_DIR: join(home, 'config'), ...env}
  return new Promise(resolve => {
    execFile(process.execPath, [script, ...argv], {cwd: home, env: own}, (error, stdout, stderr) =>
      resolve({exit: error ? Number(error.code) : 0, stdout, stderr}),
    )
  })
}

const packed = join(home, 'bin/run.js')
const offline = {
  NODE_OPTIONS: `--import ${new URL('offline-preload.mjs', import.meta.url).href}`,
  BOOKCTL_WEBHOOK_SECRET: SIGNING_SECRET,
}

test.each([
  [['--version'], version],
  [['version', '--verbose'], 'config_directory'],
  [['help'], 'START HERE'],
  [['hotels', 'search', '--help'], '--check-in'],
  [['autocomplete', 'bash'], 'complete -'],
  [['__complete', 'fish', 'hotels', 'price', ':'], ''],
  [['config', 'path'], 'config.json'],
  [['webhooks', 'verify', 'body.bin', '--signature', signatureOf(EVENT, T), '--at', String(T)], 'true'],
])('%j', async (argv, expected) => {
  const {exit, stdout, stderr} = await run(packed, argv, offline)
  expect({exit, stderr}).toEqual({exit: 0, stderr: ''})
  expect(stdout).toContain(expected)
})

test('what connects is refused by the check above, so it can fail', async () => {
  const address = {BOOKCTL_BASE_URL: 'http://127.0.0.1:9/partner-api/v1', BOOKCTL_NO_HISTORY: '1'}
  const credentials = {BOOKCTL_CLIENT_ID: 'cid_0123456789abcdef', BOOKCTL_CLIENT_SECRET: 'sk_test_0123456789'}
  const {exit, stderr} = await run(join(root, 'bin/run.js'), ['token'], {
    ...offline,
    ...address,
    ...credentials,
  })
  expect({exit, stderr}).toMatchObject({exit: 99, stderr: expect.stringContaining('opened a ')})
})

test('with BOOKCTL_DEBUG a stack names the sources and their lines; else there is none', async () => {
  const debugged = await run(packed, ['config', 'get'], {BOOKCTL_DEBUG: '1'})
  expect(debugged.stderr).toMatch(/src\/commands\/config\/get\.ts:\d+:\d+/)
  expect(debugged.stderr).toMatch(/src\/cli\/shell\/\w+\.ts:\d+:\d+/)
  expect(debugged.stderr).not.toContain('dist/')
  expect((await run(packed, ['config', 'get'])).stderr).not.toContain('.ts:')
})

test('where nothing is built yet it says how to, and no more', async () => {
  const clone = join(home, 'clone')
  cpSync(join(root, 'bin'), join(clone, 'bin'), {recursive: true})
  cpSync(join(root, 'package.json'), join(clone, 'package.json'))
  const stderr = `bookctl is not built yet: run npm ci in ${JSON.stringify(realpathSync(clone))}\n`
  expect(await run(join(clone, 'bin/run.js'), ['help'])).toEqual({exit: 1, stdout: '', stderr})
})

test('bin/dev.js runs the sources, with the same commands', async () => {
  const dev = join(root, 'bin/dev.js')
  expect(await run(dev, ['autocomplete', 'fish'])).toEqual(await run(packed, ['autocomplete', 'fish']))
})
