/** What runs from the sources and what is built are one program: the same exit code, stdout and stderr for each line. */
import {mkdirSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {fileURLToPath} from 'node:url'
import {afterAll, expect, test} from 'vitest'
import {Home} from './support/bookctl.js'
import {EVENT, makeWebhookFiles, SIGNING_SECRET, signatureOf} from './support/webhook-files.js'

const DEV = fileURLToPath(new URL('../bin/dev.js', import.meta.url))
const T = 1_700_000_000

const home = new Home({BOOKCTL_WEBHOOK_SECRET: SIGNING_SECRET})
makeWebhookFiles(home.directory, T)
mkdirSync(home.configDirectory)
const profile = {base_url: 'http://127.0.0.1:1/v1', client_id: 'cid_1'}
writeFileSync(
  join(home.configDirectory, 'config.json'),
  JSON.stringify({current_profile: 'default', profiles: {default: profile}}),
)
afterAll(() => home.remove())

const VERIFY = ['webhooks', 'verify', 'body.bin', '--signature']

const LINES: readonly (readonly string[])[] = [
  ['--help'],
  ['version', '--verbose', '--json'],
  ['help', 'environment'],
  ['hotels', 'serch'],
  ['account', '--nonsense=x', '--format', 'xml', '--json'],
  ['webhooks', 'events', 'show', 'evt_x'],
  ['__complete', 'fish', 'profiles', ':'],
  [...VERIFY, signatureOf(EVENT, T), '--at', String(T)],
]

test.for(LINES.map(argv => ({argv, line: argv.join(' ')})))('bookctl $line', async ({argv}) => {
  expect(await home.run(argv, {script: DEV})).toEqual(await home.run(argv))
})
