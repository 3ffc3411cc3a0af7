/** A partner checks webhooks that were captured: from files and from a pipe, offline, without a login. */
import {mkdirSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {afterAll, beforeAll, expect, test} from 'vitest'
import {openState} from '../../src/state/state.js'
import {Home} from '../support/bookctl.js'
import {atTerminal} from '../support/terminal.js'
import {captureLine, EVENT, makeWebhookFiles, SIGNING_SECRET, signatureOf} from '../support/webhook-files.js'

const T = 1_700_000_000
const SIGNATURE = signatureOf(EVENT, T)
const AT = ['--at', String(T)]
let home: Home

beforeAll(() => {
  home = new Home({BOOKCTL_WEBHOOK_SECRET: SIGNING_SECRET})
  makeWebhookFiles(home.directory, T)
})
afterAll(() => home.remove())

const verify = (argv: readonly string[], options = {}) => home.json(['webhooks', 'verify', ...argv], options)

test('one input gives one result, and nothing else', async () => {
  const {exit, result, stderr} = await verify(['--signature', SIGNATURE, '--at', '2023-11-14T22:15:20Z'], {
    stdin: EVENT,
  })
  expect(exit).toBe(0)
  expect(result).toEqual({
    valid: true,
    reason: 'ok',
    event_id: 'evt_01',
    type: 'reservation.confirmed',
    timestamp: T,
    age_seconds: 120,
    secret: 'env[0]',
    findings: [],
  })
  expect(stderr).toBe('')
})

test('what is not valid ends with 9 and says why, without a word of the secret', async () => {
  const {exit, result} = await verify(['--signature', SIGNATURE, ...AT], {stdin: `${EVENT}\n`})
  expect(exit).toBe(9)
  expect(result).toMatchObject({
    valid: false,
    reason: 'signature_mismatch',
    findings: [{code: 'body_trailing_newline'}],
  })
  const late = await home.run(['webhooks', 'verify', 'body.bin', '--signature', SIGNATURE])
  expect(late).toMatchObject({exit: 9, stdout: expect.stringContaining('timestamp_outside_tolerance')})
  expect(late.stderr).toContain('stale_retry')
  expect(late.stderr).toMatch(/Fix: .*--at received/)
  expect(late.stdout + late.stderr).not.toContain(SIGNING_SECRET)
})

test('several inputs, and a file of many captures, give a list in order', async () => {
  const {exit, result} = await verify(['request.http', 'captures/one.ndjson', 'captures/two.ndjson', ...AT])
  expect(exit).toBe(9)
  expect(result).toMatchObject({
    valid: 2,
    invalid: 1,
    results: [{valid: true}, {valid: true}, {reason: 'timestamp_outside_tolerance'}],
  })
  const stdin = [captureLine(EVENT, T), captureLine(EVENT, T + 1)].join('\n')
  const results = [{input: 'standard input:1'}, {input: 'standard input:2'}]
  expect((await verify(['-', '--at', 'received'], {stdin})).result).toMatchObject({valid: 2, results})
  const one = await verify(['-', '--at', 'received'], {stdin: captureLine(EVENT, T)})
  expect(one.result).toMatchObject({valid: true, secret: 'env[0]'})
})

test('the first line says whether it is valid, coloured at a terminal, and the rows of scripts follow it', async () => {
  const argv = ['webhooks', 'verify', 'body.bin', '--signature', SIGNATURE]
  const {stdout} = await home.run([...argv, ...AT])
  expect(stdout).toMatch(/^Valid\nvalid\ttrue\nreason\tok\n/)
  expect((await home.run([...argv, ...AT, '--format', 'csv'])).stdout).toMatch(/^valid,reason,/)
  const doubted = await home.run([...argv, ...AT], {env: {BOOKCTL_WEBHOOK_SECRET: './secret.txt'}})
  expect(doubted.stdout).toMatch(/^Not valid: the signature does not match\n/)
  expect(doubted.stderr).toContain('looks like the name of a file')
  const terminal = atTerminal(home, argv)
  expect(await terminal.exit).toBe(9)
  expect(terminal.raw()).toContain('\u001b[31mNot valid: the signature is right, but its time is outside')
  expect(terminal.screen()).toMatch(
    /^Not valid.*\nevent_id: +evt_01\n.*\nsigned: +2023-11-14T22:13:20\.000Z \(\d+ s ago\)/,
  )
  expect(terminal.screen()).toContain('--at received')
})

/** A HAR file as a proxy writes it, of requests with these headers and bodies; `GET` is a page that was looked at. */
function harOf(...requests: ('GET' | [headers: Record<string, string>, body: string])[]): string {
  const entries = requests.map(request => {
    if (request === 'GET') return {request: {method: 'GET', url: 'https://x.example/', headers: []}}
    const [pairs, text] = request
    const headers = Object.entries(pairs).map(([name, value]) => ({name, value}))
    const postData = {mimeType: 'application/json', text}
    return {request: {method: 'POST', url: 'https://partner.example/hooks', headers, postData}}
  })
  return JSON.stringify({log: {version: '1.2', creator: {name: 'proxy', version: '1'}, entries}})
}
const SIGNED: [Record<string, string>, string] = [{'X-Service-Signature': SIGNATURE}, EVENT]
const FORGED = JSON.stringify({
  ...{id: 'evt_9', type: 'payment.captured', created: '2023-11-14T22:13:20+00:00'},
  data: {object: 'reservation', reservation_ref: 'RSV-1', status: 'CONFIRMED'},
})
const UNSIGNED: [Record<string, string>, string] = [{'Content-Type': 'application/json'}, FORGED]

test('an event without a signature in a HAR file is not passed over', async () => {
  writeFileSync(join(home.directory, 'proxy.har'), harOf('GET', SIGNED, UNSIGNED, SIGNED, 'GET'))
  const quiet = await home.run(['webhooks', 'verify', 'proxy.har', ...AT, '--quiet'])
  expect(quiet).toMatchObject({exit: 9, stdout: 'evt_01\nevt_9\nevt_01\n'})
  const {exit, result, stderr} = await verify(['proxy.har', ...AT])
  expect(exit).toBe(9)
  for (const said of [quiet.stderr, stderr])
    expect(said).toContain('Warning: proxy.har: 2 entries are no webhook requests and were not checked')
  expect(result).toMatchObject({
    ...{valid: 2, invalid: 1, skipped: 2},
    results: [
      {input: 'proxy.har#2', valid: true},
      {input: 'proxy.har#3', valid: false, reason: 'missing_header', event_id: 'evt_9'},
      {input: 'proxy.har#4', valid: true},
    ],
  })
})

test('what was left out is said of every input, and counted over all', async () => {
  writeFileSync(join(home.directory, 'a.har'), harOf('GET', SIGNED))
  writeFileSync(join(home.directory, 'b.har'), harOf('GET', 'GET', 'GET'))
  const both = await verify(['a.har', 'b.har', ...AT])
  expect(both).toMatchObject({exit: 0, result: {valid: 1, invalid: 0, skipped: 4}})
  expect(both.stderr).toContain('a.har: 1 entry is no webhook request and was not checked')
  expect(both.stderr).toContain('b.har: 3 entries are no webhook requests and were not checked')
  const one = await verify(['a.har', ...AT])
  expect(one).toMatchObject({exit: 0, result: {valid: true, reason: 'ok', skipped: 1}})
  const none = await verify(['b.har', ...AT])
  expect(none).toMatchObject({exit: 2, result: {error: {code: 'nothing_to_verify'}}})
  expect(none.stderr).toContain('b.har: 3 entries')
  const all = await verify(['body.bin', 'captures/one.ndjson', ...AT])
  expect(Object.keys(all.result)).toEqual(['valid', 'invalid', 'results'])
  expect(all.stderr).toBe('')
})

test('during a rotation every secret is tried, and the one that matched is named', async () => {
  const env = {BOOKCTL_WEBHOOK_SECRET: `whsec_old ${SIGNING_SECRET}`}
  const {result} = await verify(['body.bin', '--signature', SIGNATURE, ...AT], {env})
  expect(result).toMatchObject({valid: true, secret: 'env[1]'})
})

test('headers under the names of the profile', async () => {
  const config = join(home.directory, 'named')
  mkdirSync(config, {mode: 0o700})
  const address = {base_url: 'https://api.example.com/v1', client_id: 'cid_a'}
  const profile = {...address, signature_header: 'X-Acme-Signature'}
  writeFileSync(join(config, 'config.json'), JSON.stringify({profiles: {default: profile}}))
  const stdin = `POST / HTTP/1.1\r\nX-Acme-Signature: ${SIGNATURE}\r\n\r\n${EVENT}`
  const {result} = await verify(['-', ...AT], {stdin, env: {BOOKCTL_CONFIG_DIR: config}})
  expect(result).toMatchObject({valid: true})
})

test('wrong input is refused before anything is read', async () => {
  for (const argv of [
    ['--at', 'yesterday'],
    ['--tolerance', '-1'],
    ['missing.bin'],
    ['body.bin', '--at', 'received', '--signature', SIGNATURE],
    ['-', '--secret-stdin'],
  ]) {
    expect((await verify(argv)).exit, argv.join(' ')).toBe(2)
  }
})

test('what sign signs, verify takes', async () => {
  const signed = await home.json(['webhooks', 'sign', 'body.bin', ...AT])
  expect(signed.result).toEqual({signature: SIGNATURE, timestamp: T})
  const bare = await home.run(['webhooks', 'sign', '-', ...AT], {stdin: EVENT})
  expect(bare.stdout).toBe(`${SIGNATURE}\n`)
})

test('a stored secret of another subscription is found, also where no profile was ever made', async () => {
  const state = openState(home.configDirectory)
  const secret = 'whsec_of_another_subscription'
  state.secrets.putSigningSecret({subscription_id: 'whsub_other', profile: 'default', secret, stored_at: T})
  state.close()
  const header = signatureOf(EVENT, T, secret)
  const {exit, result} = await verify(['--signature', header, ...AT], {stdin: EVENT})
  expect(exit).toBe(9)
  expect(result).toMatchObject({findings: [{code: 'secret_of_other_subscription'}]})
  expect(JSON.stringify(result)).toContain('whsub_other')
})

const MANY = 2500

function manyLines(last: string): string {
  const line = captureLine(EVENT, T)
  return `${`${line.trim()}\n`.repeat(MANY - 1)}${last}`
}

test('a long capture is one document, and one list, however it is printed', async () => {
  writeFileSync(join(home.directory, 'many.ndjson'), manyLines('no record'))
  const {exit, result} = await verify(['many.ndjson', ...AT])
  expect(exit).toBe(9)
  expect(Object.keys(result)).toEqual(['valid', 'invalid', 'results'])
  expect(result).toMatchObject({valid: MANY - 1, invalid: 1})
  const inputs = (result.results as {input: string}[]).map(({input}) => input)
  expect(inputs).toEqual(Array.from({length: MANY}, (_, n) => `many.ndjson:${n + 1}`))
  for (const [format, heads] of [
    ['ndjson', 0],
    ['tsv', 0],
    ['csv', 1],
    ['table', 1],
  ] as const) {
    const {stdout} = await home.run(['webhooks', 'verify', 'many.ndjson', ...AT, '--format', format])
    expect(stdout.trim().split('\n')).toHaveLength(MANY + heads)
  }
})

test('a document that breaks off is not begun: the error is the one document', async () => {
  const untimed = JSON.stringify({...JSON.parse(captureLine(EVENT, T)), received_at: undefined})
  writeFileSync(join(home.directory, 'cut.ndjson'), manyLines(untimed))
  const {exit, result} = await verify(['cut.ndjson', '--at', 'received'])
  expect({exit, result}).toMatchObject({exit: 2, result: {error: {code: 'no_receiving_time'}}})
})
