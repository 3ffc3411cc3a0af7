/** A partner verifies captured webhooks from files and from a pipe, offline and without logging in. */
import type {ChildProcess} from 'node:child_process'
import {writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {afterAll, expect, test} from 'vitest'
import {openState} from '../../src/state/state.js'
import {Home} from '../support/bookctl.js'
import {ownHome} from '../support/own.js'
import {atTerminal} from '../support/terminal.js'
import {captureLine, EVENT, makeWebhookFiles, SIGNING_SECRET, signatureOf} from '../support/webhook-files.js'

const T = 1_700_000_000
const SIGNATURE = signatureOf(EVENT, T)
const AT = ['--at', String(T)]
const home = new Home({BOOKCTL_WEBHOOK_SECRET: SIGNING_SECRET})
makeWebhookFiles(home.directory, T)
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

test('an invalid request ends with exit code 9 and the reason, without the secret', async () => {
  const {exit, result} = await verify(['--signature', SIGNATURE, ...AT], {stdin: `${EVENT}\n`})
  expect(exit).toBe(9)
  const findings = [{code: 'body_trailing_newline'}]
  expect(result).toMatchObject({valid: false, reason: 'signature_mismatch', findings})
  const late = await home.run(['webhooks', 'verify', 'body.bin', '--signature', SIGNATURE])
  expect(late).toMatchObject({exit: 9, stdout: expect.stringContaining('timestamp_outside_tolerance')})
  expect(late.stderr).toContain('stale_retry')
  expect(late.stderr).toMatch(/Fix: .*--at received/)
  expect(late.stdout + late.stderr).not.toContain(SIGNING_SECRET)
})

test('several inputs, and a file of many captures, give a list in order', async () => {
  const {exit, result} = await verify(['request.http', 'captures/one.ndjson', 'captures/two.ndjson', ...AT])
  const each = [{valid: true}, {valid: true}, {reason: 'timestamp_outside_tolerance'}]
  expect({exit, ...result}).toMatchObject({exit: 9, valid: 2, invalid: 1, results: each})
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
  const cut = await home.run(['webhooks', 'verify'], {stdin: captureLine(EVENT, T).slice(0, -40)})
  expect(cut.stdout).toMatch(/^Not valid: nothing could be checked, because line 1 is cut off\n/)
  const terminal = atTerminal(home, argv)
  expect(await terminal.exit).toBe(9)
  expect(terminal.raw()).toContain('\u001b[31mNot valid: the signature is right, but its time is outside')
  expect(terminal.screen()).toMatch(
    /^Not valid.*\nevent_id: +evt_01\n.*\nsigned: +2023-11-14T22:13:20\.000Z \(\d+ s ago\)/,
  )
  expect(terminal.screen()).toContain('--at received')
})

/** Writes a HAR file as a proxy does, with visited pages, signed webhooks, and a forged one. */
function writeHar(name: string, ...requests: ('page' | 'signed' | 'forged')[]): void {
  const url = 'https://partner.example/hooks'
  const signed = [{name: 'X-Service-Signature', value: SIGNATURE}]
  const kinds = {
    page: {method: 'GET', url, headers: []},
    signed: {method: 'POST', url, headers: signed, postData: {mimeType: 'application/json', text: EVENT}},
    forged: {method: 'POST', url, headers: [], postData: {text: EVENT.replace('evt_01', 'evt_9')}},
  }
  const entries = requests.map(kind => ({request: kinds[kind]}))
  writeFileSync(join(home.directory, name), JSON.stringify({log: {version: '1.2', entries}}))
}

test('in HAR files an event without a signature is not passed over, and what is no event is counted', async () => {
  writeHar('a.har', 'page', 'signed', 'forged', 'signed', 'page')
  writeHar('b.har', 'page', 'signed')
  writeHar('c.har', 'page', 'page', 'page')
  const quiet = await home.run(['webhooks', 'verify', 'a.har', ...AT, '--quiet'])
  expect(quiet).toMatchObject({exit: 9, stdout: 'evt_01\nevt_9\nevt_01\n'})
  const both = await verify(['a.har', 'b.har', ...AT])
  for (const said of [quiet.stderr, both.stderr])
    expect(said).toContain('Warning: a.har: 2 entries are no webhook requests and were not checked')
  expect(both.stderr).toContain('b.har: 1 entry is no webhook request and was not checked')
  expect(both).toMatchObject({exit: 9, result: {valid: 3, invalid: 1, skipped: 3}})
  const forged = {input: 'a.har#3', valid: false, reason: 'missing_header', event_id: 'evt_9'}
  expect(both.result.results).toContainEqual(expect.objectContaining(forged))
  const one = await verify(['b.har', ...AT])
  expect(one).toMatchObject({exit: 0, result: {valid: true, reason: 'ok', skipped: 1}})
  const none = await verify(['c.har', ...AT])
  expect(none).toMatchObject({exit: 2, result: {error: {code: 'nothing_to_verify'}}})
  expect(none.stderr).toContain('c.har: 3 entries')
  const all = await verify(['body.bin', 'captures/one.ndjson', ...AT])
  expect([Object.keys(all.result), all.stderr]).toEqual([['valid', 'invalid', 'results'], ''])
})

test('every secret of a rotation is tried, under the header of the profile or the defaults', async () => {
  const address = {base_url: 'https://api.example.com/v1', client_id: 'cid_a'}
  const named = ownHome({BOOKCTL_WEBHOOK_SECRET: `whsec_old ${SIGNING_SECRET}`})
  const defaults = {signature_header: 'X-Other'}
  named.configure({profiles: {default: {...address, signature_header: 'X-Acme-Signature'}}, defaults})
  const stdin = `POST / HTTP/1.1\r\nX-Acme-Signature: ${SIGNATURE}\r\n\r\n${EVENT}`
  const {result} = await named.json(['webhooks', 'verify', '-', ...AT], {stdin})
  expect(result).toMatchObject({valid: true, secret: 'env[1]'})
  named.configure({profiles: {default: address}, defaults: {signature_header: 'X-Acme-Signature'}})
  expect((await named.json(['webhooks', 'verify', '-', ...AT], {stdin})).result).toMatchObject({valid: true})
  const typed = [...AT, '--secret-stdin', '--signature', SIGNATURE]
  const lines = await verify(['body.bin', ...typed], {stdin: `whsec_old\n${SIGNING_SECRET}\n`})
  expect(lines.result).toMatchObject({valid: true, secret: 'stdin[1]'})
})

test.each([
  ['verify - --secret-stdin', 'can be read only once'],
  [`verify body.bin --at received --signature ${SIGNATURE}`, 'time of receipt'],
  ['verify captures', 'cannot read captures (is a directory)'],
  ['sign captures', 'cannot read captures (is a directory)'],
  ['verify body.bin --secret-stdin', 'nothing after whsec_', 'whsec_\n'],
  ['sign body.bin --secret-stdin', 'has white space or quotes', '"whsec_1"'],
])('wrong input is refused: %s, %s', async (line, message, stdin = '') => {
  const refused = await home.refusal(['webhooks', ...line.split(' ')], {stdin})
  expect(refused).toMatchObject({exit: 2, message: expect.stringContaining(message)})
})

test('verify accepts the signatures of sign', async () => {
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
  expect({exit, ...result}).toMatchObject({exit: 9, findings: [{code: 'secret_of_other_subscription'}]})
  expect(JSON.stringify(result)).toContain('whsub_other')
})

const HEAD = `X-Service-Event-Id: evt_01\nX-Service-Signature: ${SIGNATURE}\n`

test('headers without their body are not checked, and --body adds it', async () => {
  const {exit, result, stderr} = await verify([...AT], {stdin: HEAD})
  const finding = {code: 'body_missing', fix: expect.stringContaining('--body FILE')}
  expect({exit, ...result}).toMatchObject({
    exit: 2,
    valid: false,
    checked: false,
    reason: 'not_checked',
    timestamp: T,
    findings: [finding],
  })
  expect(stderr).toBe('')
  const said = await home.run(['webhooks', 'verify', ...AT], {stdin: HEAD})
  expect(said.stdout).toMatch(/^Not checked: the headers of the request are here, but its body is not\n/)
  expect(said.stderr).toContain('Fix: Ask for the body')
  const added = await verify(['--body', 'body.bin', ...AT], {stdin: HEAD})
  expect(added).toMatchObject({exit: 0, result: {valid: true, event_id: 'evt_01'}})
  expect(added.result).not.toHaveProperty('checked')
  writeFileSync(join(home.directory, 'head.txt'), HEAD)
  writeFileSync(join(home.directory, 'other.bin'), `${EVENT} `)
  const other = await verify(['head.txt', '--body', 'other.bin', ...AT])
  expect(other).toMatchObject({exit: 9, result: {reason: 'signature_mismatch'}})
  writeFileSync(join(home.directory, 'part.bin'), EVENT.slice(0, -5))
  const length = `${HEAD}Content-Length: ${Buffer.byteLength(EVENT)}\n`
  const cut = await verify(['--body', 'part.bin', ...AT], {stdin: length})
  expect(cut).toMatchObject({exit: 9, result: {findings: [{code: 'body_cut'}]}})
  const answer = await verify(['--body', 'body.bin'], {stdin: 'HTTP/1.1 401 Unauthorized\r\n\r\n'})
  expect(answer).toMatchObject({exit: 2, result: {findings: [{code: 'request_missing'}]}})
  const several = ['webhooks', 'verify', 'head.txt', 'head.txt', '--body', 'body.bin']
  expect(await home.refusal(several)).toMatchObject({exit: 2, code: 'several_requests'})
  const twice = ['webhooks', 'verify', '-', '--body', '-']
  expect(await home.refusal(twice)).toMatchObject({exit: 2, message: 'standard input can be read only once'})
})

test('several results count what was not checked apart, and an invalid one decides the exit code', async () => {
  writeFileSync(join(home.directory, 'head.txt'), HEAD)
  const good = await verify(['head.txt', 'request.http', ...AT])
  expect(good).toMatchObject({exit: 2, result: {valid: 1, invalid: 0, not_checked: 1}})
  const bad = await verify(['head.txt', 'captures/two.ndjson', ...AT])
  expect(bad).toMatchObject({exit: 9, result: {valid: 0, invalid: 1, not_checked: 1}})
})

test('--at signed judges a request as of its signature, and --at received what events show prints', async () => {
  const old = ['body.bin', '--signature', SIGNATURE]
  expect((await verify(old)).result).toMatchObject({
    findings: [{code: 'stale_retry', fix: expect.stringContaining('--at signed')}],
  })
  expect((await verify([...old, '--at', 'signed'])).result).toMatchObject({valid: true, age_seconds: 0})
  const wrong = await verify(['body.bin', '--signature', signatureOf('x', T), '--at', 'signed'])
  expect(wrong).toMatchObject({exit: 9, result: {reason: 'signature_mismatch'}})
  expect(await verify(['captures/one.ndjson', 'captures/two.ndjson', '--at', 'signed'])).toMatchObject({
    exit: 0,
    result: {valid: 2},
  })
  const text = `X-Service-Signature: ${SIGNATURE}\nX-Bookctl-Received-At: 2023-11-14T22:13:30.000Z\n\n${EVENT}`
  expect((await verify(['--at', 'received'], {stdin: text})).result).toMatchObject({
    valid: true,
    age_seconds: 10,
  })
})

test('white space around a secret is named, also where a stored secret is the right one', async () => {
  const state = openState(home.configDirectory)
  const stored = {subscription_id: 'whsub_right', profile: 'default', secret: SIGNING_SECRET, stored_at: T}
  state.secrets.putSigningSecret(stored)
  state.close()
  writeFileSync(join(home.directory, 'spaced.txt'), ` ${SIGNING_SECRET}\n\n`)
  const {exit, result} = await verify(['request.http', '--secret-file', 'spaced.txt', '--at', 'signed'])
  expect({exit, ...result}).toMatchObject({exit: 9, findings: [{code: 'secret_whitespace'}]})
  expect(JSON.stringify(result)).not.toContain('whsub_right')
})

test('--reply prints the verdict as a mail, without secrets and without words of this program', async () => {
  const reply = async (argv: readonly string[], options = {}) => {
    const {stdout, stderr, exit} = await home.run(['webhooks', 'verify', ...argv, '--reply'], options)
    expect(stderr).toBe('')
    expect(stdout).toMatch(/^We .*\.\n$/s)
    expect(stdout).not.toMatch(/whsec_\w|Ayşe|bookctl|webhooks |--[a-z]|findings|null|undefined|§/)
    return {stdout, exit}
  }
  const valid = await reply(['request.http', '--at', 'signed'])
  expect(valid).toMatchObject({
    exit: 0,
    stdout: expect.stringContaining('All is well: the signature is valid.'),
  })
  expect(valid.stdout).toContain(
    '(event evt_01, saying that the reservation is confirmed [reservation.confirmed], signed on ',
  )
  const ended = await reply(['--signature', SIGNATURE, ...AT], {stdin: `${EVENT}\n`})
  expect(ended).toMatchObject({exit: 9, stdout: expect.stringContaining('do not add a line end')})
  const missing = await reply([...AT], {stdin: HEAD})
  expect(missing).toMatchObject({
    exit: 2,
    stdout: expect.stringContaining('What we need from you: please send'),
  })
  const {result} = await verify(['--reply', ...AT], {stdin: HEAD})
  expect(result).toMatchObject({checked: false, reply: missing.stdout})
  const many = await home.run(['webhooks', 'verify', 'captures/one.ndjson', 'captures/two.ndjson', '--reply'])
  expect(many.stdout.match(/^captures\/\w+\.ndjson:1:$/gm)).toHaveLength(2)
})

const MANY = 2500
const manyLines = (last: string) => `${captureLine(EVENT, T)}\n`.repeat(MANY - 1) + last

test('a long capture is one document, and one list, however it is printed', async () => {
  writeFileSync(join(home.directory, 'many.ndjson'), manyLines('no record'))
  const {exit, result} = await verify(['many.ndjson', ...AT])
  expect(exit).toBe(9)
  expect(Object.keys(result)).toEqual(['valid', 'invalid', 'results'])
  expect(result).toMatchObject({valid: MANY - 1, invalid: 1})
  const inputs = (result.results as {input: string}[]).map(({input}) => input)
  expect(inputs).toEqual(Array.from({length: MANY}, (_, n) => `many.ndjson:${n + 1}`))
  for (const [format, heads] of Object.entries({ndjson: 0, tsv: 0, csv: 1, table: 1})) {
    const {stdout} = await home.run(['webhooks', 'verify', 'many.ndjson', ...AT, '--format', format])
    expect(stdout.trim().split('\n')).toHaveLength(MANY + heads)
  }
})

test('a document that would break off is not started: the error is the one document', async () => {
  const untimed = JSON.stringify({...JSON.parse(captureLine(EVENT, T)), received_at: undefined})
  writeFileSync(join(home.directory, 'cut.ndjson'), manyLines(untimed))
  const argv = ['webhooks', 'verify', 'cut.ndjson', '--at', 'received']
  expect(await home.refusal(argv)).toMatchObject({exit: 2, code: 'no_receiving_time'})
})

test('--jobs changes nothing of what is printed, in any format, nor the exit code', async () => {
  const lines = Array.from({length: 5000}, (_, n) => captureLine(EVENT, n % 700 === 699 ? T + 900 : T))
  writeFileSync(join(home.directory, 'large.ndjson'), lines.join('\r\n'))
  for (const form of [
    ['--json'],
    ['--format', 'ndjson'],
    ['--format', 'table'],
    ['--query', 'results[].input'],
    [],
  ]) {
    const argv = ['webhooks', 'verify', 'large.ndjson', 'captures/one.ndjson', ...AT, ...form]
    const alone = await home.run(argv)
    expect(alone.exit).toBe(9)
    expect(await home.run([...argv, '--jobs', '2'])).toEqual(alone)
  }
  const stdin = lines.slice(0, 10).join('\n')
  expect((await verify([...AT, '--jobs', '3'], {stdin})).result).toMatchObject({valid: 10})
  const raw = await verify(['body.bin', '--signature', SIGNATURE, ...AT, '--jobs', '2'])
  expect(raw.result).toMatchObject({valid: true, event_id: 'evt_01'})
  const untimed = JSON.stringify({...JSON.parse(captureLine(EVENT, T)), received_at: undefined})
  writeFileSync(join(home.directory, 'untimed.ndjson'), `${lines.join('\n')}\n${untimed}`)
  const argv = ['webhooks', 'verify', 'untimed.ndjson', '--at', 'received', '--jobs', '2']
  expect(await home.refusal(argv)).toMatchObject({exit: 2, code: 'no_receiving_time'})
})

test.each(['0', 'x', '65', '1.5', ''])('--jobs %s is refused', async jobs => {
  const message = `--jobs: must be a whole number from 1 to 64, not "${jobs}"`
  expect(await home.refusal(['webhooks', 'verify', 'request.http', '--jobs', jobs])).toMatchObject({
    exit: 2,
    message,
  })
})

test('a signal and a reader that goes away end it while threads work', async () => {
  writeFileSync(join(home.directory, 'large.ndjson'), `${captureLine(EVENT, T)}\n`.repeat(60_000))
  const argv = ['webhooks', 'verify', 'large.ndjson', ...AT, '--format', 'ndjson', '--jobs', '2']
  // Behind the first slices, the results are those of threads.
  const far = 10_000
  const stopped = async (stop: (child: ChildProcess) => void) => {
    let seen = 0
    return home.spawn(argv, {
      onStart: child =>
        child.stdout?.on('data', function count(text: Buffer | string) {
          seen += String(text).split('\n').length - 1
          if (seen < far) return
          child.stdout?.off('data', count)
          stop(child)
        }),
    })
  }
  const {exit, stderr} = await stopped(child => child.kill('SIGINT'))
  // While the file is being read, the signal itself ends the process; for a shell both are 130.
  expect([130, 'SIGINT']).toContain(exit)
  expect(stderr).toBe('')
  expect(await stopped(child => void child.stdout?.destroy())).toMatchObject({exit: 0, stderr: ''})
})
