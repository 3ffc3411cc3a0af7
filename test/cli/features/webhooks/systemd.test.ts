/** What systemd is told through a small systemd-notify on the path, and which socket is taken. */
import {chmodSync, existsSync, readFileSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import process from 'node:process'
import {expect, test} from 'vitest'
import {inheritedSocket, ServiceManager} from '../../../../src/cli/features/webhooks/systemd.js'
import {eventually} from '../../../support/eventually.js'
import {closing, ownDirectory} from '../../../support/own.js'

/** Makes a systemd-notify that writes its arguments and environment, and returns the messages so far. */
function ownNotify(script = '') {
  const directory = ownDirectory()
  const record = join(directory, 'record')
  const program = join(directory, 'systemd-notify')
  writeFileSync(program, `#!/bin/sh\n${script}\necho "$*" >> ${record}\nenv > ${record}.env\n`)
  chmodSync(program, 0o755)
  const messages = () => (existsSync(record) ? readFileSync(record, 'utf8').trimEnd().split('\n') : [])
  const environment = () => readFileSync(`${record}.env`, 'utf8')
  return {PATH: `${directory}:/usr/bin:/bin`, messages, environment}
}

function ownManager(env: Record<string, string | undefined>) {
  const problems: string[] = []
  const manager = new ServiceManager({env, onProblem: text => problems.push(text)})
  closing({close: () => manager.end()})
  return {manager, problems}
}

const SOCKET = '/run/systemd/notify'

test('its state is reported in order, with the clock that systemd wants, and nothing else of the environment', async () => {
  const {PATH, messages, environment} = ownNotify()
  const env = {PATH, NOTIFY_SOCKET: SOCKET, BOOKCTL_WEBHOOK_SECRET: 'whsec_1'}
  const {manager, problems} = ownManager(env)
  manager.ready('receiving at http://127.0.0.1:4020/')
  const before = process.hrtime.bigint() / 1000n
  manager.reloading()
  manager.ready('receiving')
  manager.stopping()
  // The end waits for a second only, and starting four processes may take longer.
  await eventually(() => expect(messages()).toHaveLength(4))
  await manager.end()
  const [first, second = '', ...others] = messages()
  expect(first).toBe('READY=1 STATUS=receiving at http://127.0.0.1:4020/')
  const [, microseconds = ''] = /^RELOADING=1 MONOTONIC_USEC=(\d+)$/.exec(second) ?? []
  expect(BigInt(microseconds) - before).toBeLessThan(1_000_000n)
  expect(BigInt(microseconds)).toBeGreaterThanOrEqual(before)
  expect(others).toEqual(['READY=1 STATUS=receiving', 'STOPPING=1'])
  expect(environment()).toContain(`NOTIFY_SOCKET=${SOCKET}`)
  expect(environment()).not.toContain('whsec_1')
  expect(problems).toEqual([])
})

test('the watchdog is notified twice in its interval, if it watches this process', async () => {
  const {PATH, messages} = ownNotify()
  const watched = {PATH, NOTIFY_SOCKET: SOCKET, WATCHDOG_USEC: '100000'}
  const {manager} = ownManager({...watched, WATCHDOG_PID: String(process.pid)})
  manager.ready('receiving')
  await eventually(() => expect(messages().filter(line => line === 'WATCHDOG=1').length).toBeGreaterThan(2))
  await manager.end()
  const {length} = messages()
  const other = ownNotify()
  const {manager: unwatched} = ownManager({...watched, PATH: other.PATH, WATCHDOG_PID: '1'})
  unwatched.ready('receiving')
  await new Promise(resolve => setTimeout(resolve, 200))
  expect(other.messages()).toEqual(['READY=1 STATUS=receiving'])
  expect(messages().length).toBe(length)
})

test('without a service manager nothing is started', async () => {
  const {PATH, messages} = ownNotify()
  const {manager, problems} = ownManager({PATH, WATCHDOG_USEC: '1000'})
  manager.ready('receiving')
  manager.stopping()
  await manager.end()
  expect([messages(), problems]).toEqual([[], []])
})

test.each([
  ['is missing', undefined, /systemd-notify is not on the path/],
  ['fails', 'exit 3', /systemd-notify ended with 3/],
])('a program that %s is reported once', async (_, script, words) => {
  const path = script === undefined ? ownDirectory() : ownNotify(script).PATH
  const {manager, problems} = ownManager({PATH: path, NOTIFY_SOCKET: SOCKET, WATCHDOG_USEC: '20000'})
  manager.ready('receiving')
  manager.reloading()
  await eventually(() => expect(problems).toEqual([expect.stringMatching(words)]))
  await manager.end()
  expect(problems.length).toBe(1)
})

test('a message that fails once is sent again, and the watchdog goes on', async () => {
  const failsOnce = 'if [ "$1" = "READY=1" ] && [ ! -e "$0.failed" ]; then touch "$0.failed"; exit 1; fi'
  const {PATH, messages} = ownNotify(failsOnce)
  const {manager, problems} = ownManager({PATH, NOTIFY_SOCKET: SOCKET, WATCHDOG_USEC: '100000'})
  manager.ready('receiving')
  await eventually(() =>
    expect(messages().slice(0, 3)).toEqual(['READY=1 STATUS=receiving', 'WATCHDOG=1', 'WATCHDOG=1']),
  )
  expect(problems).toEqual([])
})

test('after all attempts failed it says so once, and the next message is sent nevertheless', async () => {
  const failsAtReady = 'if [ "$1" = "READY=1" ]; then exit 1; fi'
  const {PATH, messages} = ownNotify(failsAtReady)
  const {manager, problems} = ownManager({PATH, NOTIFY_SOCKET: SOCKET, WATCHDOG_USEC: '100000'})
  manager.ready('receiving')
  await eventually(() => expect(messages()).toContain('WATCHDOG=1'))
  expect(problems).toEqual([expect.stringMatching(/systemd-notify ended with 1$/)])
})

test('the end does not wait for a program that hangs', async () => {
  const {manager} = ownManager({PATH: ownNotify('exec sleep 3').PATH, NOTIFY_SOCKET: SOCKET})
  manager.stopping()
  const started = performance.now()
  await manager.end()
  expect(performance.now() - started).toBeLessThan(2500)
})

test.each<[string, Record<string, string>, object | undefined]>([
  ['a socket for this process', {LISTEN_FDS: '1', LISTEN_PID: '7'}, {fd: 3, count: 1}],
  ['several', {LISTEN_FDS: '2', LISTEN_PID: '7'}, {fd: 3, count: 2}],
  ['one for another process', {LISTEN_FDS: '1', LISTEN_PID: '8'}, undefined],
  ['one for nobody', {LISTEN_FDS: '1'}, undefined],
  ['none', {LISTEN_FDS: '0', LISTEN_PID: '7'}, undefined],
  ['nonsense', {LISTEN_FDS: 'x', LISTEN_PID: '7'}, undefined],
  ['no variables', {}, undefined],
])('of %s', (_, env, socket) => {
  expect(inheritedSocket(env, 7)).toEqual(socket)
})
