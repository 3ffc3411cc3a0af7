/** Where events may go: public addresses and this machine. All ways to write an inner one: delivery-forgery.test.ts. */
import {afterEach, expect, test} from 'vitest'
import {kindOfAddress, type Resolve, vetAddresses} from '../../src/sandbox/delivery/addresses.js'
import {createPost} from '../../src/sandbox/delivery/post.js'
import {type Subscriber, startSubscriber} from '../support/subscriber.js'
import {PATIENCE_SECONDS} from '../support/wait.js'

const resolving =
  (...addresses: string[]): Resolve =>
  async () =>
    addresses.map(address => ({address, family: address.includes(':') ? 6 : 4}))

async function verdictOf(text: string, resolve = resolving()): Promise<string> {
  const vetted = vetAddresses(new URL(text), {resolve, allowHttpLoopback: false})
  return vetted.then(
    addresses => addresses.map(({address}) => address).join(' '),
    error => (error.name === 'AddressRefused' ? 'refused' : error.code),
  )
}

/** The edges of every special range of IANA's registries, and IPv4 inside IPv6: mapped, translated, NAT64, 6to4, Teredo. */
const SPECIAL = `
  00 0.255.255.255 10.0.0.1 172.16.1 0254.020.0.1 0xac100001 172.31.255.255 192.168.1 192.168.0.1 192.168.255.255
  0xc0.0xa8.0.1 0300.0250.0.1 3232235521 0xc0a80001 100.64.0.1 100.127.255.255 169.254.0.1 169.254.170.2 192.0.0.1
  192.0.0.8 192.31.196.1 192.52.193.1 192.175.48.1 198.19.255.255 198.51.100.7 203.0.113.9 239.255.255.255 0xe0000001
  250.1.2.3 [::ffff:10.0.0.1] [::ffff:8.8.8.8] [::FFFF:192.168.0.1] [0:0:0:0:0:ffff:7f00:1] [::10.0.0.1]
  [::ffff:127.0.0.1] [64:ff9b::7f00:1] [64:ff9b::10.0.0.1] [64:ff9b:1::a00:1] [2002:a00:1::1] [2002:a9fe:a9fe::]
  [2001::1] [2001:0:4136:e378:8000:63bf:3fff:fdd2] [fc00::1] [fdff::1] [febf::1] [ff0e::1] [2001:2::1] [2001:10::1]
  [2001:20::1] [3fff::1] [3ffe::1] [2620:4f:8000::1] [4000::1] [::2] [1::1] [e000::1]
`.match(/\S+/g)

test('refuses every special range', async () => {
  const verdicts = (SPECIAL ?? []).map(async host => [host, await verdictOf(`https://${host}/hooks`)])
  expect((await Promise.all(verdicts)).filter(([, verdict]) => verdict !== 'refused')).toEqual([])
})

test.each([
  ['127.0.0.1', '127.0.0.1'],
  ['127.255.255.254', '127.255.255.254'],
  ['[0:0:0:0:0:0:0:1]', '::1'],
  ['8.8.8.8', '8.8.8.8'],
  ['100.63.255.255', '100.63.255.255'],
  ['172.32.0.1', '172.32.0.1'],
  ['[2606:4700:4700::1111]', '2606:4700:4700::1111'],
])('https://%s leads to %s', async (host, verdict) => {
  expect(await verdictOf(`https://${host}/hooks`)).toBe(verdict)
  expect(await verdictOf(`https://${host}:8443/?a=1`)).toBe(verdict)
})

test('refuses addresses with a zone, and what is not an address', () => {
  for (const text of ['fe80::1%eth0', '::1%lo', '2606:4700::1%1', '', 'localhost', '1.2.3']) {
    expect(kindOfAddress(text)).toBe('refused')
  }
})

let subscriber: Subscriber
afterEach(() => subscriber?.close())

function post(resolve: Resolve, allowHttpLoopback = true) {
  const limitMilliseconds = PATIENCE_SECONDS * 1000
  const closing = new AbortController().signal
  const send = createPost({resolve, trust: () => undefined, allowHttpLoopback, limitMilliseconds, closing})
  const url = `http://partner.example:${subscriber.port}/hooks`
  return send({url, headers: {}, body: Buffer.from('{}')})
}

test('sends plain http to loopback only, and only where that is allowed', async () => {
  subscriber = await startSubscriber()
  expect((await post(resolving('127.0.0.1'), false)).error).toContain('not https')
  expect((await post(resolving('8.8.8.8'))).error).toContain('plain http')
  expect(subscriber.connections()).toBe(0)
})
