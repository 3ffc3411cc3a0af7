/** Wrong input is refused with exit 2, naming the field, before any request. */
import {createServer, type Server} from 'node:http'
import type {AddressInfo} from 'node:net'
import {afterAll, beforeAll, expect, test} from 'vitest'
import {Home} from '../support/bookctl.js'
import {GUESTS} from '../support/stay.js'

let server: Server
let requests = 0
let home: Home

beforeAll(async () => {
  server = createServer((_, response) => {
    requests += 1
    response.writeHead(500).end()
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const {port} = server.address() as AddressInfo
  home = new Home({
    BOOKCTL_BASE_URL: `http://127.0.0.1:${port}/v1`,
    BOOKCTL_CLIENT_ID: 'cid_x',
    BOOKCTL_CLIENT_SECRET: 'sk_test_x',
  })
})
afterAll(() => {
  server.close()
  home.remove()
})

const search = (...change: string[]) => [
  ...['hotels', 'search', '--nationality', 'TR', '--currency', 'EUR'],
  ...(change.includes('--city') ? [] : ['--city', '101']),
  ...(change.includes('--check-in') ? [] : ['--check-in', '2030-06-01']),
  ...(change.includes('--check-out') ? [] : ['--nights', '3']),
  ...change,
]
const reserve = (...change: string[]) => ['reserve', 'off_1', '--nationality', 'TR', ...GUESTS, ...change]

test.each<[string, string[], string?]>([
  ['--check-in', search('--check-in', '2030-02-30')],
  ['--check-out', search('--check-out', '2030-05-31')],
  ['--room', search('--room', '0:4')],
  [
    '--nationality',
    [
      'hotels',
      'search',
      '--city',
      '1',
      '--check-in',
      '2030-06-01',
      '--nights',
      '1',
      '--currency',
      'EUR',
      '--nationality',
      'QQ',
    ],
  ],
  ['--city', search('--city', 'Istanbul')],
  ['--limit', search('--limit', '-1')],
  ['--max-price', search('--max-price', '1,5')],
  ['--sort', search('--sort', 'colour')],
  ['--columns', search('--columns', 'offer_id,colour')],
  ['--query', search('--query', 'offers[')],
  ['--timeout', search('--timeout', 'soon')],
  ['base URL', search('--base-url', 'https://example.com/v2')],
  ['base URL', search('--base-url', 'http://example.com/v1')],
  ['--pay', reserve()],
  ['--pay', reserve('--pay', 'cash')],
  ['--idempotency-key', reserve('--pay', 'account', '--idempotency-key', '1')],
  ['client_reference_id', reserve('--pay', 'account', '--client-reference', 'a b')],
  ['--max-price', reserve('--pay', 'account', '--max-price', '500')],
  ['--wait', reserve('--pay', 'account', '--wait=soon')],
  ['line 1, column 3', ['reserve', '--input', '-'], '{ broken'],
  ['colour', ['reserve', '--input', '-'], '{"colour": 1, "offer_id": "off_1"}'],
  ['REF', ['voucher', 'download', '../../etc/passwd']],
  ['REF', ['voucher', 'download', 'a/b']],
  ['--wait', ['voucher', 'download', 'R1', '--wait=-1']],
  ['--advance', ['sandbox', 'clock', '--advance', 'yesterday']],
  ['unknown flag --colour', ['account', '--colour', 'red']],
  ['one argument more', ['account', 'sk-not-quite-a-secret']],
  ['missing: REF', ['voucher', 'download']],
  ['scope', ['token', '--scope', 'everything']],
  ['no command', ['hotels', 'serch']],
])('%s: %j', async (field, argv, stdin) => {
  const plain = await home.run(argv, {stdin: stdin ?? ''})
  const {exit, result} = await home.json<{error: {message: string}}>(argv, {stdin: stdin ?? ''})
  expect([plain.exit, exit]).toEqual([2, 2])
  expect(plain.stdout).toBe('')
  expect(plain.stderr).toContain(field)
  expect(result.error.message).toContain(field)
  expect(JSON.stringify(result)).not.toContain('sk-not-quite')
  expect(requests).toBe(0)
})

test('missing values are named all at once, and piped input answers no question', async () => {
  const {exit, stderr} = await home.run(['login'], {
    stdin: '\n\n\n',
    env: {BOOKCTL_BASE_URL: undefined, BOOKCTL_CLIENT_ID: undefined, BOOKCTL_CLIENT_SECRET: undefined},
  })
  expect(exit).toBe(2)
  for (const flag of ['--base-url', '--client-id', '--client-secret-stdin']) expect(stderr).toContain(flag)
})

test('a live reservation without a terminal needs --yes', async () => {
  const live = {BOOKCTL_BASE_URL: 'https://live.invalid/v1', BOOKCTL_CLIENT_SECRET: 'sk_live_x'}
  const {exit, stderr} = await home.run(reserve('--pay', 'account'), {env: live})
  expect(exit).toBe(2)
  expect(stderr).toContain('LIVE')
  expect(stderr).toContain('--yes')
})

test.each([
  ['--at', ['webhooks', 'sign', '-', '--at', '2026-02-30T00:00:00Z']],
  ['--since', ['webhooks', 'events', 'list', '--since', '2026-02-30']],
  ['--created-from', ['reservations', 'list', '--created-from', '2026-02-30T00:00:00Z']],
])('%s takes no date that does not exist', async (flag, argv) => {
  const env = {BOOKCTL_WEBHOOK_SECRET: 'whsec_a'}
  const {exit, result} = await home.json<{error: {message: string}}>(argv, {env, stdin: '{}'})
  expect([exit, result.error.message]).toEqual([2, expect.stringContaining(flag)])
})

test.each([
  ['--redeliver', '--limit', ['sandbox', 'deliveries', '--limit', '5', '--redeliver', 'dlv_x']],
  ['--limit', '--all', ['reservations', 'list', '--limit', '5', '--all']],
  ['--active', '--passive', ['webhooks', 'update', 'whsub_x', '--active', '--passive']],
  ['--secret-file', '--secret-stdin', ['webhooks', 'verify', 'f', '--secret-file', 'x', '--secret-stdin']],
])('%s and %s are refused together', async (one, other, argv) => {
  const {exit, result} = await home.json<{error: {code: string; message: string}}>(argv)
  expect([exit, result.error.code]).toEqual([2, 'invalid_flags'])
  expect(result.error.message).toMatch(/^--[\w-]+ and --[\w-]+ do not go together$/)
  expect([one, other].filter(flag => !result.error.message.includes(flag))).toEqual([])
})
