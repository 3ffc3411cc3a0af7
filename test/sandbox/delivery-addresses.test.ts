/** Where events may go: public addresses and this machine; nothing else, however it is written or resolved. */
import {afterEach, expect, test} from 'vitest'
import {kindOfAddress, type Resolve, vetAddresses} from '../../src/sandbox/delivery/addresses.js'
import {createPost} from '../../src/sandbox/delivery/post.js'
import {type Subscriber, startSubscriber} from '../support/subscriber.js'
import {PATIENCE_SECONDS} from '../support/wait.js'

const noName: Resolve = async hostname => {
  throw Object.assign(new Error(`no ${hostname}`), {code: 'ENOTFOUND'})
}

async function verdictOf(text: string, resolve = noName): Promise<string> {
  const vetted = vetAddresses(new URL(text), {resolve, allowHttpLoopback: false})
  return vetted.then(
    addresses => addresses.map(({address}) => address).join(' '),
    error => (error.name === 'AddressRefused' ? 'refused' : error.code),
  )
}

const REFUSED = [
  // This network, and the unspecified address.
  ...['0.0.0.0', '0', '0x0', '00', '0.0.0.0.', '0.1.2.3', '0.255.255.255', '[::]', '[0:0:0:0:0:0:0:0]'],
  // Private.
  ...['10.0.0.1', '10.255.255.255', '012.0.0.1', '0xa.0.0.1', '10.1', '167772161', '0x0a000001', '10.0.0.1.'],
  ...['172.16.0.1', '172.31.255.255', '0254.020.0.1', '172.16.1', '0xac100001', '2886729729'],
  ...[
    '192.168.0.1',
    '192.168.255.255',
    '0xc0.0xa8.0.1',
    '192.168.1',
    '0300.0250.0.1',
    '3232235521',
    '0xc0a80001',
  ],
  // Carriers, link-local and metadata services.
  ...[
    '100.64.0.1',
    '100.127.255.255',
    '169.254.0.1',
    '169.254.169.254',
    '0xa9fea9fe',
    '2852039166',
    '0251.0376.0251.0376',
  ],
  ...['169.254.43518', '169.254.170.2', '100.100.100.200', '192.0.0.192', '168.63.129.16'],
  // Protocol assignments, documentation, benchmarking, relays, multicast, class E, broadcast.
  ...['192.0.0.1', '192.0.0.8', '192.0.2.1', '198.51.100.7', '203.0.113.9', '198.18.0.1', '198.19.255.255'],
  ...['192.88.99.1', '192.31.196.1', '192.52.193.1', '192.175.48.1'],
  ...[
    '224.0.0.1',
    '239.255.255.255',
    '0xe0000001',
    '240.0.0.1',
    '250.1.2.3',
    '255.255.255.255',
    '0xffffffff',
  ],
  // IPv4 inside IPv6: mapped, compatible, translated, NAT64, 6to4, Teredo; of loopback and of public ones too.
  ...['[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::ffff:10.0.0.1]', '[::ffff:a9fe:a9fe]', '[::ffff:8.8.8.8]'],
  ...[
    '[::ffff:0:127.0.0.1]',
    '[::127.0.0.1]',
    '[::10.0.0.1]',
    '[0:0:0:0:0:ffff:7f00:1]',
    '[::FFFF:192.168.0.1]',
  ],
  ...['[64:ff9b::7f00:1]', '[64:ff9b::10.0.0.1]', '[64:ff9b:1::a00:1]', '[2002:7f00:1::]', '[2002:a00:1::1]'],
  ...['[2002:a9fe:a9fe::]', '[2001::1]', '[2001:0:4136:e378:8000:63bf:3fff:fdd2]'],
  // Private, link-local and site-local IPv6, multicast, documentation, benchmarking, discard, segment routing.
  ...[
    '[fc00::1]',
    '[fd00::1]',
    '[fd00:ec2::254]',
    '[fdff::1]',
    '[fe80::1]',
    '[febf::1]',
    '[fec0::1]',
    '[ff02::1]',
  ],
  ...['[ff0e::1]', '[2001:db8::1]', '[2001:2::1]', '[2001:10::1]', '[2001:20::1]', '[3fff::1]', '[3ffe::1]'],
  ...['[100::1]', '[5f00::1]', '[2620:4f:8000::1]', '[4000::1]', '[::2]', '[1::1]', '[e000::1]'],
]

test('the table is long enough to mean something', () => {
  expect(new Set(REFUSED).size).toBeGreaterThanOrEqual(100)
})

test.each([...new Set(REFUSED)])(
  'https://%s is refused, also with a port, a path and a query',
  async host => {
    expect(await verdictOf(`https://${host}/hooks`)).toBe('refused')
    expect(await verdictOf(`https://${host}:8443/?a=1`)).toBe('refused')
  },
)

test.each([
  ['127.0.0.1', '127.0.0.1'],
  ['127.1', '127.0.0.1'],
  ['0x7f.1', '127.0.0.1'],
  ['2130706433', '127.0.0.1'],
  ['017700000001', '127.0.0.1'],
  ['127.255.255.254', '127.255.255.254'],
  ['[::1]', '::1'],
  ['[0:0:0:0:0:0:0:1]', '::1'],
  ['8.8.8.8', '8.8.8.8'],
  ['100.63.255.255', '100.63.255.255'],
  ['172.32.0.1', '172.32.0.1'],
  ['[2606:4700:4700::1111]', '2606:4700:4700::1111'],
])('https://%s leads to %s', async (host, address) => {
  expect(await verdictOf(`https://${host}/`)).toBe(address)
})

test('addresses with a zone, and what is none, are refused', () => {
  for (const text of ['fe80::1%eth0', '::1%lo', '2606:4700::1%1', '', 'localhost', '1.2.3']) {
    expect(kindOfAddress(text)).toBe('refused')
  }
})

test.each([
  [['10.0.0.1'], 'refused'],
  [['::ffff:10.0.0.1'], 'refused'],
  [['fe80::1%eth0'], 'refused'],
  [['8.8.8.8', '169.254.169.254'], 'refused'],
  [['2606:4700::1', '127.0.0.1', 'fd00::1'], 'refused'],
  [[], 'refused'],
  [['8.8.8.8', '2606:4700::1'], '8.8.8.8 2606:4700::1'],
  [['127.0.0.1', '::1'], '127.0.0.1 ::1'],
])('a name that resolves to %j is %s', async (addresses, verdict) => {
  const resolve: Resolve = async () =>
    addresses.map(address => ({address, family: address.includes(':') ? 6 : 4}))
  expect(await verdictOf('https://partner.example/hooks', resolve)).toBe(verdict)
})

let subscriber: Subscriber | undefined
afterEach(async () => {
  await subscriber?.close()
  subscriber = undefined
})

function posting(resolve: Resolve, allowHttpLoopback = true) {
  const closing = new AbortController().signal
  return createPost({
    resolve,
    trust: () => undefined,
    allowHttpLoopback,
    limitMilliseconds: PATIENCE_SECONDS * 1000,
    closing,
  })
}

test('what was checked is what is dialled: a name is asked for once, and its later answers do not count', async () => {
  subscriber = await startSubscriber()
  const asked: string[] = []
  const rebinding: Resolve = async hostname => {
    asked.push(hostname)
    return [{address: asked.length === 1 ? '127.0.0.1' : '10.0.0.1', family: 4}]
  }
  const url = `http://partner.example:${subscriber.port}/hooks`
  const post = posting(rebinding)
  expect(await post({url, headers: {}, body: Buffer.from('{}')})).toMatchObject({status: 200, error: null})
  expect(asked).toEqual(['partner.example'])
  expect(subscriber.received[0]?.headers.host).toBe(`partner.example:${subscriber.port}`)
  const second = await post({url, headers: {}, body: Buffer.from('{}')})
  expect(second).toMatchObject({status: null, error: expect.stringContaining('10.0.0.1')})
  expect(subscriber.connections()).toBe(1)
})

test('plain http goes to loopback alone, and only where it is allowed', async () => {
  subscriber = await startSubscriber()
  const url = `http://partner.example:${subscriber.port}/`
  const request = {url, headers: {}, body: Buffer.from('{}')}
  const here: Resolve = async () => [{address: '127.0.0.1', family: 4}]
  const there: Resolve = async () => [{address: '8.8.8.8', family: 4}]
  expect((await posting(here, false)(request)).error).toContain('not https')
  expect((await posting(there)(request)).error).toContain('plain http')
  expect(subscriber.connections()).toBe(0)
})
