/** The search for leaks in short: every command, every debug switch and every echo at least once; `npm run proof -- --only leak` has all. */
import {readFileSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {afterAll, beforeAll, expect, test} from 'vitest'
import {Home} from '../support/bookctl.js'
import {type LocalSandbox, startLocalSandbox} from '../support/local-sandbox.js'
import {makeWebhookFiles, SIGNING_SECRET} from '../support/webhook-files.js'
import {Canaries, filesIn} from './canaries.js'
import {ECHOES} from './echo-service.js'
import {leakName, runLeakCell, runWatched, SWITCHES, shortLeakCells} from './leak-cell.js'
import {RESULTS, STORES} from './leak-rules.js'
import {inTwos} from './matrix.js'
import {ROWS} from './rows.js'
import {SandboxSide} from './sandbox-side.js'
import {ELSEWHERE, SILENT} from './silent.js'

const manifest = JSON.parse(readFileSync(new URL('../../dist/manifest.json', import.meta.url), 'utf8'))
const ALL = SWITCHES.at(-1) as (typeof SWITCHES)[number]

let sandbox: LocalSandbox
let side: SandboxSide
beforeAll(async () => {
  sandbox = await startLocalSandbox()
  side = new SandboxSide(sandbox.baseUrl)
})
afterAll(() => sandbox.stop())

test('every command is searched for leaks, and what may be shown is of a command that there is', () => {
  const listed = [...new Set(ROWS.map(({command}) => command)), ...Object.keys(SILENT), ...ELSEWHERE]
  expect(listed.sort()).toEqual(Object.keys(manifest.commands).sort())
  expect(Object.keys(RESULTS).filter(id => !manifest.commands[id])).toEqual([])
})

test('every row, every switch and every echo has its turn in the short form', () => {
  const cells = shortLeakCells()
  expect(new Set(cells.map(({row}) => row)).size).toBe(ROWS.length)
  expect(new Set(cells.map(cell => cell.with)).size).toBe(SWITCHES.length)
  expect(new Set(cells.map(({echo}) => echo)).size).toBe(ECHOES.length)
})

test('a canary is found however it is written, and only then', () => {
  const canaries = new Canaries()
  canaries.harvest('{"data":{"access_token":"tok/en+12345"}}')
  for (const text of ['tok/en+12345', 'tok%2Fen%2B12345', Buffer.from('id:tok/en+12345x').toString('base64')])
    expect(canaries.seenIn(`a ${text} b`)).toEqual(['access token'])
  expect(canaries.seenIn('tok/en')).toEqual([])
  expect(canaries.seenIn('tok/en+12345', ['access token'])).toEqual([])
})

test('no secret is where it was not asked for, whatever the service echoes', async () => {
  const failed: string[] = []
  await inTwos(shortLeakCells(), async cell => {
    const wrong = await runLeakCell(side, cell)
    if (wrong.length > 0) failed.push([leakName(cell), ...wrong].join('\n'))
  })
  expect(failed.join('\n\n')).toBe('')
}, 120_000)

test('commands that ask the service nothing show none of what they know', async () => {
  const home = new Home({BOOKCTL_CLIENT_ID: 'cid_sandbox', BOOKCTL_CLIENT_SECRET: 'sk_test_sandbox'})
  const files = makeWebhookFiles(home.directory, Math.floor(Date.now() / 1000))
  writeFileSync(join(home.directory, 'signing.txt'), `${SIGNING_SECRET}\n`)
  const canaries = new Canaries()
  canaries.harvest(SIGNING_SECRET)
  const env = {...ALL.env, BOOKCTL_WEBHOOK_SECRET: files.BOOKCTL_WEBHOOK_SECRET ?? ''}
  const wrong: string[] = []
  await inTwos(Object.entries(SILENT), async ([id, argv]) => {
    const {stdout, stderr, processes} = await runWatched(home, [...argv, '-vv', '--print-curl'], env)
    for (const kind of canaries.seenIn(stdout + stderr + processes)) wrong.push(`${id} shows: ${kind}`)
  })
  for (const {name, text} of filesIn(home.directory)) {
    const allowed = STORES.filter(({file}) => file.test(name)).flatMap(({kinds}) => kinds)
    const isInput = name === 'signing-secret.txt'
    for (const kind of isInput ? [] : canaries.seenIn(text, allowed)) wrong.push(`${name} shows: ${kind}`)
  }
  expect(wrong).toEqual([])
  home.remove()
})
