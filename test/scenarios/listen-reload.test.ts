/** Certificates and secrets that are replaced while `listen` runs, and SIGHUP with and without a terminal. */
import type {ChildProcess} from 'node:child_process'
import {once} from 'node:events'
import {copyFileSync, existsSync, readFileSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import process from 'node:process'
import {connect, type TLSSocket} from 'node:tls'
import {spawn} from '@lydell/node-pty'
import {expect, onTestFinished, test} from 'vitest'
import {openState} from '../../src/state/state.js'
import {ENTRY, type Home} from '../support/bookctl.js'
import {eventually} from '../support/eventually.js'
import {ownListening, ownReceiverHome} from '../support/own.js'
import {certificateFile} from '../support/tls.js'
import {SECRET, sendEvent, signedRequest} from '../support/webhook-load.js'

const send = (port: number, id: string, secret: string) => sendEvent(port, `{"id":"${id}"}`, id, {secret})

/** Copies a certificate and its key into `home`, and returns their paths. */
function put(home: Home, name: string) {
  const paths = {cert: join(home.directory, 'cert.pem'), key: join(home.directory, 'key.pem')}
  copyFileSync(certificateFile(name), paths.cert)
  copyFileSync(certificateFile(name).replace(/pem$/, 'key'), paths.key)
  return paths
}

async function open(port: number): Promise<TLSSocket> {
  const socket = connect({host: '127.0.0.1', port, rejectUnauthorized: false})
  onTestFinished(() => void socket.destroy())
  await once(socket, 'secureConnect')
  return socket
}

/** Returns the serial number of the certificate that new connections get. */
async function serialAt(port: number): Promise<string> {
  const socket = await open(port)
  const {serialNumber} = socket.getPeerCertificate()
  socket.destroy()
  return serialNumber
}

/** Kills a process that may have ended. */
function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {}
}

/** Runs the command, and calls `act` every millisecond from the moment on at which it opens its store. */
async function runWhileStarting(home: Home, argv: readonly string[], act: (child: ChildProcess) => unknown) {
  const store = join(home.configDirectory, 'events.db')
  let interval: NodeJS.Timeout | undefined
  const onStart = (child: ChildProcess) => {
    interval = setInterval(() => existsSync(store) && act(child), 1)
  }
  const ended = await home.run(argv, {onStart})
  clearInterval(interval)
  return ended
}

const KEPT_ALIVE = {headers: ''}

test('SIGHUP takes up a new certificate, while connections go on and no request is lost', async () => {
  const home = ownReceiverHome()
  const {cert, key} = put(home, 'good')
  const receiver = await ownListening(home, ['--port', '0', '--cert', cert, '--key', key])
  let said = ''
  receiver.child.stderr?.on('data', text => (said += text))
  const before = await serialAt(receiver.port)
  const running = await open(receiver.port)
  const post = async (id: string) => {
    running.write(signedRequest(`{"id":"${id}"}`, id, KEPT_ALIVE))
    const [answer] = await once(running, 'data')
    return Number(String(answer).slice(9, 12))
  }
  expect(await post('evt_1')).toBe(200)
  put(home, 'other-host')
  receiver.child.kill('SIGHUP')
  await eventually(async () => expect(await serialAt(receiver.port)).not.toBe(before))
  expect(said).toMatch(/Reloaded: a certificate until 2\d{3}-.*Z, 1 signing secret\n/)
  expect(await post('evt_2')).toBe(200)
  const after = await serialAt(receiver.port)
  put(home, 'expired')
  receiver.child.kill('SIGHUP')
  await eventually(() =>
    expect(said).toContain('the new certificate is not used, and what was in use is kept'),
  )
  expect(await serialAt(receiver.port)).toBe(after)
  expect((await receiver.stop()).exit).toBe(143)
})

test('a new signing secret in --secret-file is taken up by itself, and an empty one is not', async () => {
  const home = ownReceiverHome()
  const file = join(home.directory, 'secrets')
  writeFileSync(file, 'whsec_one\n')
  const receiver = await ownListening(home, ['--port', '0', '--secret-file', file])
  expect(await send(receiver.port, 'evt_1', 'whsec_one')).toBe(200)
  writeFileSync(file, 'whsec_\nwhsec_two\n')
  let said = ''
  receiver.child.stderr?.on('data', text => (said += text))
  await eventually(() => expect(said).toContain('the new signing secrets are not used'))
  expect(await send(receiver.port, 'evt_2', 'whsec_one')).toBe(200)
  writeFileSync(file, 'whsec_one\nwhsec_two\n')
  await eventually(async () => expect(await send(receiver.port, 'evt_3', 'whsec_two')).toBe(200))
  expect(said).toContain('Reloaded: 2 signing secrets')
  expect(await send(receiver.port, 'evt_4', 'whsec_one')).toBe(200)
})

test('a secret that another command stores is taken up, with a line', async () => {
  const home = ownReceiverHome()
  const env = {BOOKCTL_WEBHOOK_SECRET: undefined}
  const store = (id: string) => {
    const state = openState(home.configDirectory)
    const secret = {subscription_id: id, profile: 'default', secret: `whsec_${id}`, stored_at: 1}
    state.secrets.putSigningSecret(secret)
    state.close()
  }
  store('whsub_1')
  const receiver = await ownListening(home, ['--port', '0', '--log', 'json'], {env})
  expect(await send(receiver.port, 'evt_1', 'whsec_whsub_2')).toBe(401)
  store('whsub_2')
  await eventually(async () => expect(await send(receiver.port, 'evt_2', 'whsec_whsub_2')).toBe(200))
  const {stderr} = await receiver.stop()
  const lines = stderr
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line))
  expect(lines.filter(({event}) => event === 'secret_added')).toMatchObject([
    {level: 'info', subscription_id: 'whsub_2', message: expect.stringContaining('whsub_2 was stored')},
  ])
  expect(stderr).not.toContain('whsec_')
})

test('SIGHUP while it starts does not end it', async () => {
  const argv = ['webhooks', 'listen', '--port', '0', '--exit-after', '1', '--within', '2']
  const ended = await runWhileStarting(ownReceiverHome(), argv, child => child.kill('SIGHUP'))
  expect([ended.exit, ended.stderr]).toEqual([8, expect.stringContaining('Reloaded: 1 signing secret')])
})

test('SIGTERM while it starts ends it in order, and reports no failure', async () => {
  const argv = ['webhooks', 'listen', '--port', '0']
  const {exit, stderr} = await runWhileStarting(ownReceiverHome(), argv, child => {
    if (!child.killed) child.kill('SIGTERM')
  })
  expect(exit).toBe(143)
  expect(stderr).not.toMatch(/ERROR|Ready/)
  expect(stderr).toContain('Stopped: 0 valid')
})

test('SIGHUP reloads and does not end the listener; closing its terminal does', async () => {
  const home = ownReceiverHome()
  const receiver = await ownListening(home, ['--port', '0'])
  receiver.child.kill('SIGHUP')
  await eventually(async () => expect(await send(receiver.port, 'evt_1', SECRET)).toBe(200))
  const {exit, stderr} = await receiver.stop()
  expect([exit, stderr]).toEqual([143, expect.stringContaining('Reloaded: 1 signing secret')])

  // The listener is the first process of the terminal, so that nothing else keeps it.
  const log = join(home.directory, 'log')
  const env = {...home.surroundings(), ...home.env, LOG: log} as Record<string, string>
  const argv = [
    '-c',
    'exec "$@" 2>"$LOG"',
    'sh',
    process.execPath,
    ENTRY,
    'webhooks',
    'listen',
    '--port',
    '0',
  ]
  const terminal = spawn('sh', argv, {env, cwd: home.directory}) as ReturnType<typeof spawn> & {
    destroy(): void
  }
  onTestFinished(() => kill(terminal.pid))
  await eventually(() => expect(existsSync(log) && readFileSync(log, 'utf8')).toContain('Ready:'))
  // Closes the terminal, and sends SIGHUP once more.
  terminal.destroy()
  await eventually(() => expect(readFileSync(log, 'utf8')).toContain('Stopped: 0 valid'))
  expect(readFileSync(log, 'utf8')).not.toContain('Reloaded')
})
