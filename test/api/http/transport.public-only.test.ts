/** A link from a public service may lead only to public addresses, however the address is written or resolved. */
import type {LookupAddress} from 'node:dns'
import {expect, test} from 'vitest'
import {createSender} from '../../../src/api/http/send.js'
import {createPublicOnly, createTransport} from '../../../src/api/http/transport.js'
import {fetchLink} from '../../../src/api/operations/client.js'
import type {Transport} from '../../../src/api/types.js'
import {systemClock} from '../../../src/contract/dates.js'
import {ownProxy, ownWire} from '../../support/own.js'
import {httpAnswer} from '../../support/wire.js'

const PUBLIC = 'https://api.service.example/partner-api/v1'
const LOCAL = 'http://127.0.0.1:4010/partner-api/v1'
const OK = {bytes: httpAnswer(200, '%PDF-')}

/** Hosts that reach this machine or a private network. */
const INNER = [
  '127.0.0.1',
  '127.1',
  '127.255.255.254',
  '0x7f.0.0.1',
  '0x7f000001',
  '017700000001',
  '0177.0.0.1',
  '2130706433',
  '0',
  '0.0.0.0',
  '127.0.0.1.',
  '[::1]',
  '[::]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[0:0:0:0:0:ffff:127.0.0.1]',
  '[::127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b::10.0.0.1]',
  '127。0。0。1',
  '①②⑦.0.0.1',
  'localhost',
  'LOCALHOST',
  '10.0.0.1',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '169.254.169.254',
  '100.64.0.1',
  '[fe80::1]',
  '[fc00::1]',
  '[fd00::1]',
  '[::ffff:10.0.0.1]',
  '[2002:7f00:1::]',
  '198.18.0.1',
  '224.0.0.1',
  '255.255.255.255',
]

test.each(INNER)('nothing connects to %s for a service that is public', async host => {
  const server = await ownWire(() => OK)
  const request = {method: 'GET', url: `http://${host}:${server.port}/v.pdf`, headers: {}, givenBy: PUBLIC}
  const limits = {
    connectMilliseconds: 5000,
    headersMilliseconds: 5000,
    bodyMilliseconds: 5000,
    totalMilliseconds: 5000,
    maxAnswerBytes: 1000,
  }
  const transport = createTransport({env: {}})
  await expect(transport(request, limits)).rejects.toMatchObject({name: 'NotPublicError'})
  expect(server.connections).toBe(0)
})

type Found = readonly string[]
/** Returns the address that is dialled for a host with the addresses `found`, or the refusal. */
async function dialled(found: Found, givenBy = PUBLIC, all = true): Promise<unknown> {
  const addresses: LookupAddress[] = found.map(address => ({address, family: address.includes(':') ? 6 : 4}))
  const {guard} = createPublicOnly((_, options, done) => {
    expect(options.all).toBe(true)
    done(null, addresses)
  })
  const look = guard(givenBy, new URL('https://files.example/v'), false)
  if (look === undefined) return 'anything'
  return new Promise(resolve =>
    look.lookup('files.example', {all}, (error, given) => resolve(error?.message ?? given)),
  )
}

test('refuses a name with any private address, and otherwise connects to the checked addresses', async () => {
  expect(await dialled(['8.8.8.8', '2606:4700::1111'])).toEqual([
    {address: '8.8.8.8', family: 4},
    {address: '2606:4700::1111', family: 6},
  ])
  expect(await dialled(['8.8.8.8'], PUBLIC, false)).toBe('8.8.8.8')
  expect(await dialled(['8.8.8.8', '10.0.0.1'])).toContain('10.0.0.1 is not public')
  expect(await dialled(['::ffff:7f00:1'])).toContain('is not public')
  expect(await dialled(['64:ff9b::808:808'])).toEqual([{address: '64:ff9b::808:808', family: 6}])
  expect(await dialled(['64:ff9b::a00:1'])).toContain('is not public')
})

test('a service that is not public itself may give links into its network', async () => {
  expect(await dialled(['10.0.0.1'], LOCAL)).toBe('anything')
  expect(await dialled(['10.0.0.1'], 'https://192.168.1.7/v1')).toBe('anything')
  const only = createPublicOnly()
  const link = new URL('https://10.0.0.9/v')
  const call = {method: 'GET', url: `${PUBLIC}/account`, headers: {}}
  expect(() => only.guard(PUBLIC, link, false)).toThrow('not a public address')
  only.learn(call, new URL(call.url), {remoteAddress: '10.0.0.8'})
  expect(only.guard(PUBLIC, link, false)).toBeUndefined()
  only.learn(call, new URL(call.url), {remoteAddress: '8.8.8.8'})
  expect(() => only.guard(PUBLIC, link, false)).toThrow('not a public address')
  // The address behind a link says nothing about the service.
  only.learn({...call, givenBy: PUBLIC}, new URL(call.url), {remoteAddress: '10.0.0.8'})
  expect(() => only.guard(PUBLIC, link, false)).toThrow('not a public address')
})

test('refuses a voucher link or redirect into a private network without showing the link', async () => {
  const asked: string[] = []
  const real = createTransport({env: {}})
  const transport: Transport = async (request, limits) => {
    asked.push(request.url)
    if (!request.url.includes('files.example')) return real(request, limits)
    return {
      url: request.url,
      status: 302,
      headers: {location: 'https://169.254.169.254/latest'},
      body: Buffer.alloc(0),
    }
  }
  const sender = createSender({transport, clock: systemClock, random: Math.random})
  const fetch = (link: string) => fetchLink({baseUrl: PUBLIC, sender}, link)
  const refused = {kind: 'service_failed', details: {code: 'bad_voucher_link'}}
  for (const [link, host, count] of [
    ['https://10.0.0.1/v?signature=canary', '10.0.0.1', 1],
    ['https://files.example/v?signature=canary', '169.254.169.254', 2],
  ] as const) {
    asked.length = 0
    const failure = await fetch(link).catch(error => error)
    expect(failure).toMatchObject(refused)
    expect(failure.message).toBe(
      `the voucher's link leads to ${host}, which is not a public address; it was not followed`,
    )
    expect([asked.length, JSON.stringify(failure.details)]).toEqual([
      count,
      expect.not.stringContaining('canary'),
    ])
  }
})

test('behind a proxy refuses private addresses and local names before asking the proxy', async () => {
  const proxy = await ownProxy(1)
  const transport = createTransport({env: {HTTPS_PROXY: `http://127.0.0.1:${proxy.port}`}})
  const sender = createSender({transport, clock: systemClock, random: Math.random})
  for (const host of ['10.0.0.1', '[fd00::1]', 'intranet', 'files.internal'])
    await expect(fetchLink({baseUrl: PUBLIC, sender}, `https://${host}/v`)).rejects.toMatchObject({
      details: {code: 'bad_voucher_link'},
    })
  expect(proxy.heads).toEqual([])
})
