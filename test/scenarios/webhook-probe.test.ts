/** A partner probes their own receiver: the requests it gets, the verdict, and the report. */
import {afterAll, expect, test} from 'vitest'
import {probeResult} from '../../src/cli/features/webhooks/probe.js'
import {LATE} from '../../src/webhooks/probe/probe.js'
import {Home} from '../support/bookctl.js'
import {ownTcpPort} from '../support/own.js'
import {startSubscriber} from '../support/subscriber.js'
import {atTerminal} from '../support/terminal.js'
import {SIGNING_SECRET, startReceiver} from '../support/webhook-files.js'

const home = new Home({BOOKCTL_WEBHOOK_SECRET: SIGNING_SECRET})
const receiver = await startReceiver()
afterAll(async () => {
  home.remove()
  await receiver.close()
})

const probe = (url: string, ...flags: string[]) => ['webhooks', 'probe', url, ...flags]
const WRONG = {env: {BOOKCTL_WEBHOOK_SECRET: 'whsec_wrong'}}

test('a receiver that keeps to the rules passes, and --all prints every case', async () => {
  const {exit, result} = await home.json(probe(receiver.url))
  expect({exit, ...result}).toMatchObject({exit: 0, passed: 26, failed: 0, advised: 0, not_sent: 0})
  expect((await home.run(probe(receiver.url))).stdout).toBe('26 of 26 passed\n')
  const all = await home.run(probe(receiver.url, '--all'), {env: {BOOKCTL_ACCESSIBLE: '1'}})
  expect(all.stdout).toMatch(/^26 of 26 passed\n\nok valid: a right signature \(200 in \d+ ms\)\n/)
  expect(all.stdout.trim().split('\n')).toHaveLength(28)
  const rows = await home.run(probe(receiver.url, '--format', 'csv'))
  expect(rows.stdout).toMatch(/^case,sent,expected,answered,ms,ok\nvalid,/)
})

test('the summary comes first, then what failed, with equal advice once', async () => {
  const {exit, stdout, stderr} = await home.run(probe(receiver.url), WRONG)
  expect({exit, stderr}).toEqual({exit: 5, stderr: ''})
  expect(stdout).toMatch(
    /^15 of 26 passed, 10 failed, 1 with advice\n\n✗ valid: a right signature \(expected 2xx, /,
  )
  expect(stdout.split('give the receiver the same signing secret')).toHaveLength(2)
  expect(stdout).not.toContain('tampered')
})

test('at a terminal lines are wrapped and signs coloured, or words in plain lines', async () => {
  const broken = await startSubscriber(answer => void answer.writeHead(500).end('TypeError: '.repeat(12)))
  const seen = atTerminal(home, probe(broken.origin), {columns: 60})
  expect(await seen.exit).toBe(5)
  expect(seen.raw()).toContain('\u001b[31m✗\u001b[39m The receiver answered 500')
  expect(seen.screen().split('\n').slice(0, 3)).toEqual([
    '✗ The receiver answered 500 to a valid request; 25 checks',
    '    were not sent',
    '  It said: TypeError: TypeError: TypeError: TypeError:',
  ])
  const plain = atTerminal(home, probe(broken.origin), {env: {NO_COLOR: '1', BOOKCTL_ACCESSIBLE: '1'}})
  expect(await plain.exit).toBe(5)
  expect(plain.screen()).toMatch(
    /^failed The receiver answered 500 to a valid request; 25 checks were not sent$/m,
  )
  await broken.close()
})

test('only a missing path is reported if the receiver has none, with its answer sanitised', async () => {
  const lost = await startSubscriber(answer => void answer.writeHead(404).end('Cannot POST /\u001b[2J'))
  const {exit, stdout} = await home.run(probe(lost.origin))
  expect({exit, stdout}).toEqual({
    exit: 5,
    stdout: `✗ The receiver answered 404 to a valid request; 25 checks were not sent
  It said: Cannot POST /\\u001b[2J
  Likely cause: nothing is at this path: compare it with the route of the receiver\n`,
  })
  expect(lost.received).toHaveLength(1)
  await lost.close()
  expect((await home.run(probe(lost.origin))).exit).toBe(7)
  expect((await home.run(probe('http://example.com/'))).exit).toBe(2)
})

test('a receiver that is slow, or that speaks no HTTP, is reported in words', async () => {
  const slow = await startSubscriber(() => {})
  const silent = await home.run(probe(slow.origin, '--timeout', '1'))
  expect(silent).toMatchObject({exit: 7, stdout: ''})
  expect(silent.stderr).toMatch(
    /did not answer within 1 s; 24 checks were not sent\nCause: timeout\nHint: .* answer within 3 s/,
  )
  expect(slow.received).toHaveLength(2)
  await slow.close()
  const row = {
    sent: '',
    expected: '2xx',
    answered: 200,
    ms: 4000,
    ok: false,
    required: true,
    said: null,
  } as const
  const rows = ['valid', 'non_ascii'].map(name => ({...row, case: name, advice: LATE}))
  // The first mark of a line depends on the terminal.
  expect(probeResult(slow.origin, {rows, notSent: 24}, false).text).toContain(
    ` The receiver took longer than 3 s for a valid request (200 after 4000 ms); 24 checks were not sent
  Fix: answer within 3 s: 200 first, the work afterwards\n`,
  )

  const port = await ownTcpPort(socket => void socket.resume().end('SSH-2.0-x\r\n'))
  const plain = await home.run(probe(`http://127.0.0.1:${port}/`))
  expect(plain.stderr).toContain(`Cause: the answer from 127.0.0.1:${port} is not HTTP/1.1 as it should be\n`)
  const tls = await home.run(probe(`https://127.0.0.1:${port}/`))
  expect(tls.stderr).toContain(`Cause: TLS with 127.0.0.1:${port} failed (`)
})
