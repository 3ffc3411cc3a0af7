/** `listen --tls`: which certificate it uses, and which clients trust it. */
import {once} from 'node:events'
import {readFileSync, renameSync, statSync, symlinkSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {text} from 'node:stream/consumers'
import {connect} from 'node:tls'
import {expect, test} from 'vitest'
import {ownListening, ownReceiverHome} from '../support/own.js'
import {certificateFile} from '../support/tls.js'
import {signedRequest} from '../support/webhook-load.js'

test('--tls shows a certificate that the authority in the configuration directory vouches for', async () => {
  const home = ownReceiverHome()
  const receiver = await ownListening(home, ['--tls'])
  const ca = readFileSync(join(home.configDirectory, 'listen-ca.pem'))
  expect(statSync(join(home.configDirectory, 'listen-ca-key.pem')).mode & 0o777).toBe(0o600)
  expect(await statusOverTls(receiver.port, ca, 'localhost')).toBe(200)
  expect(await statusOverTls(receiver.port, ca, '127.0.0.1')).toBe(200)
  await expect(statusOverTls(receiver.port, undefined, 'localhost')).rejects.toThrow(/certificate/)
  await receiver.stop()
  // The next start uses the same authority, so clients that trust it continue to do so.
  const next = await ownListening(home, ['--tls'])
  expect(await statusOverTls(next.port, ca, 'localhost')).toBe(200)
})

test('probe and replay trust the authority of a listen --tls of this machine, not through a link', async () => {
  const home = ownReceiverHome()
  const receiver = await ownListening(home, ['--tls'])
  const url = receiver.url.replace('127.0.0.1', 'localhost')
  const probe = await home.json<{probes: unknown[]}>(['webhooks', 'probe', url])
  expect(probe.exit).toBe(0)
  const received = await home.run(['webhooks', 'events', 'list', '--limit', '1', '--quiet'])
  const replay = ['webhooks', 'events', 'replay', received.stdout.trim(), '--to', url]
  expect(await home.json(replay)).toMatchObject({exit: 0, result: {replayed: [{status: 200}]}})
  const ca = join(home.configDirectory, 'listen-ca.pem')
  renameSync(ca, `${ca}.moved`)
  symlinkSync(`${ca}.moved`, ca)
  expect(await home.json(replay)).toMatchObject({exit: 7, result: {replayed: [{status: null}]}})
})

test('a given certificate is shown, and a key that is not its own is refused', async () => {
  const home = ownReceiverHome()
  const key = (name: string) => certificateFile(name).replace(/pem$/, 'key')
  // The bytes before the certificate are in no known encoding.
  const cert = join(home.directory, 'good.pem')
  writeFileSync(cert, Buffer.concat([Buffer.from([0x23, 0xdd, 0x0a]), readFileSync(certificateFile('good'))]))
  const receiver = await ownListening(home, ['--cert', cert, '--key', key('good')])
  expect(receiver.url).toMatch(/^https:/)
  expect(await statusOverTls(receiver.port, readFileSync(certificateFile('ca')), 'localhost')).toBe(200)
  const other = ['--cert', certificateFile('good'), '--key', key('expired')]
  expect(await home.refusal(['webhooks', 'listen', ...other])).toMatchObject({exit: 2, code: 'invalid_key'})
})

async function statusOverTls(port: number, ca: Buffer | undefined, host: string): Promise<number> {
  const socket = connect({host, port, ...(ca && {ca})})
  await once(socket, 'secureConnect')
  socket.write(signedRequest('{"id":"evt_tls"}', 'evt_tls'))
  return Number((await text(socket)).slice(9, 12))
}
