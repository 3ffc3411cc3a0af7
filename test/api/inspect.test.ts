/** Checks of the connection send nothing, not even to a server whose certificate is refused. */
import {readFileSync} from 'node:fs'
import {expect, test} from 'vitest'
import {inspectTls, tryConnecting} from '../../src/api/http/inspect.js'
import {closing} from '../support/own.js'
import {certificateFile, tlsIdentity} from '../support/tls.js'
import {httpAnswer, type Script, startWireServer, type Wire} from '../support/wire.js'

async function serve(script: Script, identity?: string): Promise<Wire> {
  return closing(
    await startWireServer(() => script, identity === undefined ? undefined : tlsIdentity(identity)),
  )
}

const OK: Script = {bytes: httpAnswer(200, 'ok')}

test('checking a connection sends nothing, also to a server whose certificate is refused', async () => {
  const tls = await serve(OK, 'good')
  const http = await serve(OK)
  const way = (url: string, ca?: string[]) => ({url: new URL(url), proxy: undefined, ca, milliseconds: 3000})
  await tryConnecting(way(`http://127.0.0.1:${http.port}/v1`))
  const {chain, problem} = await inspectTls(way(`https://127.0.0.1:${tls.port}/v1`))
  expect([chain[0]?.subject, problem]).toEqual([
    'good',
    {kind: 'unknown_authority', reason: expect.stringContaining('known authority')},
  ])
  const ca = [readFileSync(certificateFile('ca'), 'utf8')]
  expect((await inspectTls(way(`https://127.0.0.1:${tls.port}/v1`, ca))).problem).toBeUndefined()
  await expect.poll(() => [http.connections, tls.connections]).toEqual([1, 2])
  expect([http.requests, tls.requests]).toEqual([[], []])
})

test('the credentials of a proxy are not sent to one whose certificate is refused', async () => {
  const proxy = await serve('hang', 'self-signed')
  const origin = `https://localhost:${proxy.port}`
  const way = {
    url: new URL('https://service.test/v1'),
    proxy: {origin, authorization: 'Basic eDp5'},
    ca: undefined,
    milliseconds: 3000,
  }
  await expect(inspectTls(way)).rejects.toMatchObject({fault: 'tls', sent: false})
  expect(proxy.requests).toEqual([])
})
