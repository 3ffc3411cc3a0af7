/** The certificate authority of `listen --tls`: what it may sign, how long it is valid, and how it is replaced. */
import {X509Certificate} from 'node:crypto'
import {once} from 'node:events'
import {readFileSync, writeFileSync} from 'node:fs'
import type {AddressInfo} from 'node:net'
import {networkInterfaces} from 'node:os'
import {join} from 'node:path'
import {connect, createServer} from 'node:tls'
import {expect, onTestFinished, test} from 'vitest'
import {
  listenIdentity,
  makeAuthority,
  makeCertificate,
} from '../../../../src/cli/features/webhooks/listen-tls.js'
import {ownDirectory} from '../../../support/own.js'
import {tlsIdentity} from '../../../support/tls.js'

const NOW = Date.now() / 1000
const DAY = 24 * 3600

/** Returns `OK` if a client that trusts `ca` accepts a server with that identity, otherwise the error. */
async function opinionOf(ca: string, identity: {cert: string; key: string}, host: string): Promise<string> {
  const server = createServer(identity, socket => socket.on('error', () => {}))
  server.on('tlsClientError', () => {}).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const {port} = server.address() as AddressInfo
  const servername = /^[\d.]+$|:/.test(host) ? '' : host
  const socket = connect({host: '127.0.0.1', port, ca, servername, checkServerIdentity: () => undefined})
  const said = await new Promise<string>(resolve =>
    socket.on('secureConnect', () => resolve('OK')).on('error', ({message}) => resolve(message)),
  )
  socket.destroy()
  return said
}

test('signs names of this machine, and its signature under any other name is refused', async () => {
  const authority = await makeAuthority(NOW)
  for (const host of ['127.0.0.1', '127.8.9.10', '::1', 'localhost'])
    expect([
      host,
      await opinionOf(authority.cert, await makeCertificate(authority, host, NOW), host),
    ]).toEqual([host, 'OK'])
  for (const host of [
    'api.service.example',
    'localhost.example.com',
    '10.1.2.3',
    '128.0.0.1',
    '::2',
    '2606:4700::1111',
  ])
    expect([
      host,
      await opinionOf(authority.cert, await makeCertificate(authority, host, NOW), host),
    ]).toEqual([host, 'permitted subtree violation'])
})

/** Creates a directory with the certificates of `listen --tls`. */
function ownIdentities() {
  const directory = ownDirectory()
  const warnings: string[] = []
  const files = () => ['listen-ca.pem', 'listen-ca-key.pem'].map(name => join(directory, name))
  return {
    files,
    warnings,
    trusted: () => readFileSync(files()[0] as string, 'utf8'),
    async make(now: number, host = '127.0.0.1') {
      const flags = {tls: true, host} as Parameters<typeof listenIdentity>[0]
      const made = await listenIdentity(flags, directory, now, text => warnings.push(text))
      return {cert: String(made?.cert), key: String(made?.key)}
    },
  }
}

const lasts = (cert: string) => {
  const {validFrom, validTo} = new X509Certificate(cert)
  return (Date.parse(validTo) - Date.parse(validFrom)) / 1000 / DAY
}

test('lasts two years, and what it signs does not outlive it', async () => {
  const {make, trusted} = ownIdentities()
  await make(NOW)
  expect(lasts(trusted())).toBeCloseTo(731, 0)
  const late = new X509Certificate((await make(NOW + 600 * DAY)).cert)
  expect(late.validTo).toBe(new X509Certificate(trusted()).validTo)
})

test('is replaced a month before it ends, with one warning, and stays trusted next to the new one', async () => {
  const {make, trusted, warnings} = ownIdentities()
  const running = await make(NOW)
  const first = trusted()
  await make(NOW + 695 * DAY)
  expect([trusted(), warnings]).toEqual([first, []])
  const next = await make(NOW + 705 * DAY)
  expect(warnings).toEqual([
    expect.stringMatching(/ends on 20\d\d-\d\d-\d\d, so a new one was made; trust it where/),
  ])
  expect(new X509Certificate(trusted()).fingerprint).not.toBe(new X509Certificate(first).fingerprint)
  expect(trusted()).toContain(first.trim())
  // The running server stays trusted. The next one is trusted too, except that its certificate is not valid yet.
  expect(await opinionOf(trusted(), running, 'localhost')).toBe('OK')
  expect(await opinionOf(trusted(), next, 'localhost')).toBe('certificate is not yet valid')
  await make(NOW + 706 * DAY)
  expect(warnings).toHaveLength(1)
})

test('of an earlier version, which could sign for any host, is replaced and no longer trusted', async () => {
  const {make, trusted, warnings, files} = ownIdentities()
  const {cert, key} = tlsIdentity('self-signed')
  for (const [n, pem] of [cert, key].entries()) writeFileSync(files()[n] as string, pem, {mode: 0o600})
  const made = await make(NOW)
  expect(warnings).toEqual([expect.stringContaining('could sign for any host')])
  expect(trusted().match(/BEGIN CERTIFICATE/g)).toHaveLength(1)
  expect(await opinionOf(trusted(), made, 'localhost')).toBe('OK')
})

const outer = Object.values(networkInterfaces())
  .flatMap(each => each ?? [])
  .find(({internal, family}) => !internal && family === 'IPv4')?.address

test.skipIf(outer === undefined)(
  'is made again for another address of this machine, and for no other host',
  async () => {
    const {make, trusted, warnings} = ownIdentities()
    await make(NOW)
    for (const host of ['0.0.0.0', '::', '8.8.8.8', 'fe80::1%lo']) {
      const made = await make(NOW, host)
      expect([host, await opinionOf(trusted(), made, 'localhost')]).toEqual([host, 'OK'])
    }
    expect(warnings).toEqual([])
    const made = await make(NOW, outer)
    expect(warnings).toEqual([expect.stringContaining(`cannot sign for ${outer}`)])
    expect(new X509Certificate(made.cert).subjectAltName).toContain(`IP Address:${outer}`)
    expect(await opinionOf(trusted(), made, '127.0.0.1')).toBe('OK')
    await make(NOW)
    expect(warnings).toHaveLength(1)
  },
)
