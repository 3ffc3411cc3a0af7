/** `webhooks listen` under a service manager: what it is told, and the socket that is taken over. */
import {spawnSync} from 'node:child_process'
import {chmodSync, closeSync, existsSync, openSync, readFileSync, writeFileSync} from 'node:fs'
import {createServer, type Server} from 'node:net'
import {join} from 'node:path'
import process from 'node:process'
import {expect, onTestFinished, test} from 'vitest'
import {findFreePort} from '../../src/cli/features/sandbox/port.js'
import type {Home} from '../support/bookctl.js'
import {eventually} from '../support/eventually.js'
import {ownListening, ownReceiverHome} from '../support/own.js'
import {tlsIdentity} from '../support/tls.js'
import {SECRET, sendEvent} from '../support/webhook-load.js'

const hasSocketActivate = spawnSync('systemd-socket-activate', ['--version']).status === 0

/** Makes a systemd-notify in `home` that writes down what it is told. */
function notifyIn(home: Home) {
  const record = join(home.directory, 'notified')
  const program = join(home.directory, 'systemd-notify')
  writeFileSync(program, `#!/bin/sh\necho "$*" >> ${record}\n`)
  chmodSync(program, 0o755)
  const told = () => (existsSync(record) ? readFileSync(record, 'utf8').trimEnd().split('\n') : [])
  const env = {PATH: `${home.directory}:${process.env.PATH}`, NOTIFY_SOCKET: join(home.directory, 'socket')}
  return {told, env}
}

test('it says when it is ready, that it works, and when it stops', async () => {
  const home = ownReceiverHome()
  const {told, env} = notifyIn(home)
  const receiver = await ownListening(home, [], {env: {...env, WATCHDOG_USEC: '400000'}})
  await eventually(() => expect(told()).toContain('WATCHDOG=1'))
  const ready = `READY=1 STATUS=Receiving at ${receiver.url}`
  expect(told()[0]).toBe(ready)
  receiver.child.kill('SIGHUP')
  const changes = () => told().filter(line => line !== 'WATCHDOG=1')
  const reloading = expect.stringMatching(/^RELOADING=1 MONOTONIC_USEC=\d+$/)
  await eventually(() => expect(changes()).toEqual([ready, reloading, ready]))
  expect((await receiver.stop()).exit).toBe(143)
  expect(told().at(-1)).toBe('STOPPING=1')
})

test('it is ready again after a reload that is refused', async () => {
  const home = ownReceiverHome()
  const {told, env} = notifyIn(home)
  const [cert, key] = [join(home.directory, 'c.pem'), join(home.directory, 'k.pem')]
  const {cert: good, key: itsKey} = tlsIdentity('good')
  writeFileSync(cert, good)
  writeFileSync(key, itsKey)
  const receiver = await ownListening(home, ['--cert', cert, '--key', key], {env})
  const ready = `READY=1 STATUS=Receiving at ${receiver.url}`
  writeFileSync(cert, 'no certificate')
  receiver.child.kill('SIGHUP')
  const reloading = expect.stringMatching(/^RELOADING=1/)
  await eventually(() => expect(told()).toEqual([ready, reloading, ready]))
  expect((await receiver.stop()).stderr).toContain('the new certificate is not used')
})

test('without the program a line says so, and events are received as ever', async () => {
  const home = ownReceiverHome()
  const env = {PATH: home.directory, NOTIFY_SOCKET: '/run/none'}
  const receiver = await ownListening(home, ['--log', 'json'], {env})
  expect(await sendEvent(receiver.port, '{"id":"evt_1"}', 'evt_1')).toBe(200)
  const {exit, stderr} = await receiver.stop()
  expect(exit).toBe(143)
  const lines = stderr.split('\n').filter(line => line.includes('systemd-notify'))
  expect(lines.map(line => JSON.parse(line))).toMatchObject([{level: 'warn', event: 'warning'}])
})

/** Opens a listening socket, for a process that is started with its descriptor. */
async function ownSocket() {
  const server = createServer()
  await new Promise<void>(resolve => void server.listen(0, '127.0.0.1', resolve))
  const {port} = server.address() as {port: number}
  const {fd} = (server as Server & {readonly _handle: {readonly fd: number}})._handle
  // Once a process has it, it must not be accepted from here.
  return {port, fd, leave: () => void server.close()}
}

/** LISTEN_PID names the process itself, whose id only a shell knows before. */
const ONE = 'LISTEN_PID=$$ exec "$0" "$@"'

test('takes the socket that its parent opened, and opens no other port', async () => {
  const home = ownReceiverHome()
  const {port, fd, leave} = await ownSocket()
  const options = {descriptor: fd, before: ['sh', '-c', ONE], env: {LISTEN_FDS: '1'}}
  const receiver = await ownListening(
    home,
    ['--port', '1', '--host', '192.0.2.1', '--path', '/hooks'],
    options,
  )
  leave()
  expect(receiver.url).toBe(`http://127.0.0.1:${port}/hooks`)
  expect(await sendEvent(port, '{"id":"evt_1"}', 'evt_1', {path: '/hooks'})).toBe(200)
  expect((await receiver.stop()).exit).toBe(143)
})

test('a restart refuses no connection while another process keeps the socket', async () => {
  const home = ownReceiverHome()
  const {port, fd, leave} = await ownSocket()
  // The outer shell keeps the socket, and starts the command again when it ends.
  const before = ['sh', '-c', 'while sh -c "$ONE" "$0" "$@"; [ $? = 143 ]; do :; done']
  const receiver = await ownListening(home, [], {descriptor: fd, before, env: {LISTEN_FDS: '1', ONE}})
  leave()
  const pids: number[] = []
  receiver.child.stdout?.on('data', piece => {
    for (const [, pid] of String(piece).matchAll(/"type":"ready".*"pid":(\d+)/g)) pids.push(Number(pid))
  })
  const first = Number((await receiver.ready)?.pid)
  onTestFinished(() => {
    for (const pid of pids) process.kill(pid, 'SIGKILL')
  })
  const statuses: number[] = []
  const send = async () => {
    const id = `evt_${statuses.length}`
    statuses.push(await sendEvent(port, JSON.stringify({id}), id))
  }
  for (let n = 0; n < 20; n++) await send()
  process.kill(first, 'SIGTERM')
  while (pids.length === 0) await send()
  for (let n = 0; n < 20; n++) await send()
  expect(new Set(statuses)).toEqual(new Set([200]))
  const listed = await home.json<{events: unknown[]}>(['webhooks', 'events', 'list', '--limit', '100000'])
  expect(listed.result.events.length).toBe(statuses.length)
})

test('a descriptor that is no listening socket is refused, with what to check', async () => {
  const home = ownReceiverHome()
  const file = openSync(join(home.directory, 'file'), 'w')
  onTestFinished(() => closeSync(file))
  const options = {descriptor: file, before: ['sh', '-c', ONE], env: {LISTEN_FDS: '1'}, isRefused: true}
  expect(await home.refusal(['webhooks', 'listen'], options)).toMatchObject({
    exit: 2,
    code: 'socket_unavailable',
  })
})

test.skipIf(!hasSocketActivate)(
  'systemd-socket-activate starts it (skipped where it is not installed)',
  async () => {
    const home = ownReceiverHome()
    const port = await findFreePort()
    const names = ['BOOKCTL_CONFIG_DIR', 'BOOKCTL_WEBHOOK_SECRET', 'PATH']
    const before = [
      'systemd-socket-activate',
      '-l',
      `127.0.0.1:${port}`,
      ...names.flatMap(name => ['-E', name]),
    ]
    const env = {BOOKCTL_WEBHOOK_SECRET: SECRET}
    const serving = home.serve(['webhooks', 'listen'], {before, env})
    onTestFinished(async () => void (await serving.stop('SIGKILL')))
    const ready = serving.started()
    await eventually(async () => expect(await sendEvent(port, '{"id":"evt_1"}', 'evt_1')).toBe(200))
    expect((await ready).url).toBe(`http://127.0.0.1:${port}/`)
  },
)
