/** One rule for all TLS connections of the program: the environment cannot make any of them trust an invalid certificate. */
import {execFile} from 'node:child_process'
import {type AddressInfo, createServer} from 'node:net'
import {createServer as createTlsServer, TLSSocket, type TLSSocketOptions} from 'node:tls'
import {fileURLToPath} from 'node:url'
import {promisify} from 'node:util'
import {expect, onTestFinished, test} from 'vitest'
import {KIND_NAMES} from '../support/each-tls-socket.js'
import {certificateFile, tlsIdentity} from '../support/tls.js'

/**
 * Starts a TLS server that counts the bytes it receives. As a PostgreSQL server it first reads the eight-byte request for TLS.
 */
async function countingServer(identity: TLSSocketOptions, isStore: boolean) {
  const count = {bytes: 0}
  const read = (socket: TLSSocket) =>
    socket
      .on('error', () => socket.destroy())
      .on('data', piece => {
        count.bytes += piece.length
        socket.end('HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n')
      })
  const server = isStore
    ? createServer(socket => {
        socket
          .on('error', () => {})
          .once('data', () => {
            socket.write('S')
            read(new TLSSocket(socket, {...identity, isServer: true}))
          })
      })
    : createTlsServer(identity, read)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return Object.assign(count, {port: (server.address() as AddressInfo).port})
}

/** Returns how many bytes each kind of connection sent to a server with that identity, and its message. */
async function sendEach(identity: TLSSocketOptions, env: Record<string, string>) {
  const servers = new Map<string, Awaited<ReturnType<typeof countingServer>>>()
  for (const name of KIND_NAMES) servers.set(name, await countingServer(identity, name === 'store'))
  const ports = Object.fromEntries([...servers].map(([name, {port}]) => [name, port]))
  const script = fileURLToPath(new URL('../support/each-tls-socket.ts', import.meta.url))
  const argv = ['--import', 'tsx', script, JSON.stringify(ports)]
  const {stdout} = await promisify(execFile)(process.execPath, argv, {env: {...process.env, ...env}})
  const bytes = Object.fromEntries([...servers].map(([name, {bytes}]) => [name, bytes]))
  return {bytes, outcomes: JSON.parse(stdout) as Record<string, string>}
}

const NOTHING = Object.fromEntries(KIND_NAMES.map(name => [name, 0]))
const SOMETHING = expect.any(Number)

test('no connection sends a byte to a self-signed server when NODE_TLS_REJECT_UNAUTHORIZED=0', async () => {
  const {bytes, outcomes} = await sendEach(tlsIdentity('self-signed'), {NODE_TLS_REJECT_UNAUTHORIZED: '0'})
  expect(outcomes.careless).toBe('204')
  expect(bytes).toEqual({...NOTHING, careless: SOMETHING})
})

test('no connection sends a byte over TLS 1.1 when NODE_OPTIONS allows it', async () => {
  const old = {minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0'} as const
  const {bytes, outcomes} = await sendEach(
    {...tlsIdentity('good'), ...old},
    {
      NODE_OPTIONS: '--tls-min-v1.0 --tls-cipher-list=ALL:@SECLEVEL=0',
      NODE_EXTRA_CA_CERTS: certificateFile('ca'),
    },
  )
  expect(outcomes.careless).toBe('204')
  expect(bytes).toEqual({...NOTHING, careless: SOMETHING})
})

test('each connection reaches a server whose authority NODE_EXTRA_CA_CERTS adds', async () => {
  const {bytes} = await sendEach(tlsIdentity('good'), {NODE_EXTRA_CA_CERTS: certificateFile('ca')})
  const silent = Object.entries(bytes).filter(([, count]) => count === 0)
  // An inspection reports the handshake and sends nothing.
  expect(silent).toEqual([['inspection', 0]])
})
