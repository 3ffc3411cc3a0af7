/** What `listen` does when its certificate or its secrets change, and when a certificate is about to end. */
import {copyFileSync, readFileSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {afterEach, beforeEach, expect, test, vi} from 'vitest'
import type {ListenLog, LogLine} from '../../../../src/cli/features/webhooks/listen-log.js'
import {Reloader} from '../../../../src/cli/features/webhooks/listen-reload.js'
import {type Identity, listenIdentity} from '../../../../src/cli/features/webhooks/listen-tls.js'
import {ownDirectory} from '../../../support/own.js'
import {certificateFile} from '../../../support/tls.js'

beforeEach(() => void vi.useFakeTimers({toFake: ['setInterval', 'clearInterval']}))
afterEach(() => void vi.useRealTimers())

const DAY = 86_400

/** Opens a reloader whose files are copies of `name`, at `now`. */
async function open(name = 'good', tls = false) {
  const directory = ownDirectory()
  const [cert, key] = [join(directory, 'cert.pem'), join(directory, 'key.pem')]
  const put = (what: 'cert' | 'key', from: string) => {
    const source = certificateFile(from)
    copyFileSync(what === 'cert' ? source : source.replace(/pem$/, 'key'), what === 'cert' ? cert : key)
  }
  put('cert', name)
  put('key', name)
  const time = {now: Date.now() / 1000}
  const used: Identity[] = []
  const lines: LogLine[] = []
  const secrets = {isChanged: false, problem: undefined as Error | undefined}
  const flags = {tls, cert, key}
  const read = () =>
    listenIdentity({...flags, tls: false, host: 'localhost'} as never, directory, time.now, () => {})
  const identity = (await read()) as Identity
  const made = {...identity, cert: 'made anew', endsAt: identity.endsAt + 400 * DAY}
  const reloader = new Reloader(
    {
      flags,
      log: {write: (line: LogLine) => void lines.push(line)} as ListenLog,
      secrets: {
        current: [{name: 'file', secret: 'whsec_1'}],
        readFileAgain: async () => {
          if (secrets.problem) throw secrets.problem
          return secrets.isChanged
        },
      },
      readIdentity: tls ? async () => made : read,
      onIdentity: next => void used.push(next),
      clock: () => time.now,
    },
    identity,
  )
  return {
    reloader,
    put,
    cert,
    time,
    used,
    lines,
    secrets,
    identity,
    messages: () => lines.map(({message}) => message),
  }
}

test('a changed pair is used within ten seconds, once', async () => {
  const {reloader, put, used, messages} = await open()
  reloader.start()
  put('cert', 'other-host')
  put('key', 'other-host')
  vi.advanceTimersByTime(9000)
  await reloader.reload()
  expect(used.length).toBe(1)
  expect(messages()).toEqual([
    expect.stringMatching(/^Reloaded: a certificate until 2\d{3}-.*Z, 1 signing secret$/),
    expect.stringMatching(/^Reloaded: /),
  ])
  reloader.stop()
})

test('a certificate whose key comes later is refused with a line, and used as soon as both fit', async () => {
  const {reloader, put, used, lines} = await open()
  reloader.start()
  put('cert', 'other-host')
  vi.advanceTimersByTime(4000)
  await vi.waitFor(() => expect(lines.length).toBe(1))
  // The same files are not tried again.
  vi.advanceTimersByTime(8000)
  put('key', 'other-host')
  vi.advanceTimersByTime(4000)
  await vi.waitFor(() => expect(used.length).toBe(1))
  expect(lines).toMatchObject([
    {
      level: 'warn',
      event: 'warning',
      reason: 'invalid_key',
      message: expect.stringContaining('what was in use is kept'),
    },
    {level: 'info', event: 'reloaded'},
  ])
  reloader.stop()
})

test.each([
  ['it expired at', 'expired'],
  ['it is valid from', 'not-yet-valid'],
])('a certificate is refused because %s', async (why, name) => {
  const {reloader, put, used, lines} = await open()
  put('cert', name)
  put('key', name)
  await reloader.reload()
  expect(used).toEqual([])
  // What was refused is not reported as reloaded.
  expect(lines).toMatchObject([{level: 'warn', message: expect.stringContaining(why)}])
})

test('no readable certificate and an empty secret are refused, and what was in use is kept', async () => {
  const {reloader, cert, used, secrets, messages} = await open()
  writeFileSync(cert, 'half a certifi')
  secrets.problem = Object.assign(new Error('disk'), {code: 'EIO'})
  await reloader.reload()
  expect(used).toEqual([])
  expect(messages()).toEqual([
    'the new certificate is not used, and what was in use is kept: --cert: not a readable PEM certificate',
    'the new signing secrets are not used, and what was in use is kept: internal error',
  ])
})

test('if a new secret is refused, only the new certificate is reported as reloaded', async () => {
  const {reloader, put, secrets, messages} = await open()
  put('cert', 'other-host')
  put('key', 'other-host')
  secrets.problem = new Error('disk')
  await reloader.reload()
  expect(messages().slice(1)).toEqual([expect.stringMatching(/^Reloaded: a certificate until [^,]*Z$/)])
})

test('a certificate whose chain is cut off is refused with its reason', async () => {
  const {reloader, cert, used, lines} = await open()
  const whole = readFileSync(certificateFile('good'), 'utf8')
  writeFileSync(cert, whole + whole.slice(0, 300))
  await reloader.reload()
  expect(used).toEqual([])
  expect(lines).toMatchObject([
    {
      level: 'warn',
      reason: 'invalid_certificate',
      message: expect.stringContaining('no server can use it ('),
    },
  ])
})

test('a certificate that ends within 14 days is warned of at the start and daily', async () => {
  const {reloader, time, identity, messages} = await open()
  time.now = identity.endsAt - 15 * DAY
  reloader.start()
  expect(messages()).toEqual([])
  time.now = identity.endsAt - 13 * DAY
  vi.advanceTimersByTime(8000)
  expect(messages()).toEqual([expect.stringMatching(/^the certificate ends at /)])
  time.now += 0.9 * DAY
  vi.advanceTimersByTime(8000)
  expect(messages().length).toBe(1)
  time.now = identity.endsAt + 1
  vi.advanceTimersByTime(4000)
  expect(messages()[1]).toMatch(/^the certificate expired at /)
  reloader.stop()
})

test('a certificate that was made here is replaced before it ends', async () => {
  const {reloader, time, identity, used} = await open('good', true)
  reloader.start()
  time.now = identity.endsAt - 13 * DAY
  vi.advanceTimersByTime(4000)
  await vi.waitFor(() => expect(used.length).toBe(1))
  reloader.stop()
})
