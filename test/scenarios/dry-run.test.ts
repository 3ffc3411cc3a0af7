/** --dry-run of every command that changes something shows the request or the change, and sends and writes nothing. */
import {readFileSync, statSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {describe, expect, test} from 'vitest'
import {sandboxOfFile} from '../support/served-sandbox.js'

const sandbox = await sandboxOfFile()
const {home} = sandbox
await sandbox.recordIn(home)

test.each([
  ['sandbox clock --advance 16m', 'POST', {advance_seconds: 960}],
  ['sandbox pay RSV-1 --decline', 'POST', {result: 'failed'}],
  ['sandbox reset', 'POST', {}],
  ['sandbox deliveries --redeliver dlv_1', 'POST'],
  ['sandbox trigger voucher.ready', 'POST', {type: 'voucher.ready'}],
  ['sandbox fault add truncate', 'POST', {kind: 'truncate', operation: '*', times: 1}],
  ['sandbox fault clear', 'DELETE'],
  [
    'webhooks create --url https://a.example/ --event a,b',
    'POST',
    {url: 'https://a.example/', events: ['a', 'b']},
  ],
  ['webhooks update whsub_1 --active', 'PATCH', {is_active: true}],
  ['webhooks delete whsub_1', 'DELETE'],
  ['reservations cancel RSV-1 --reason x', 'POST', {reason: 'x'}],
  ['webhooks test whsub_1', 'POST'],
])('%s', async (line, method, body?: object) => {
  const before = (await sandbox.requests()).length
  const {exit, result} = await home.json([...line.split(' '), '--dry-run'])
  expect({exit, ...result}).toMatchObject({exit: 0, method, ...(body && {body})})
  if (!line.startsWith('sandbox')) expect(result.headers).toMatchObject({authorization: 'Bearer [redacted]'})
  const sent = (await sandbox.requests()).slice(before)
  // The service is asked for the fee of cancelling.
  expect(sent.filter(asked => !/^GET |oauth/.test(asked))).toEqual([])
  if (!line.startsWith('reservations cancel')) expect(sent).toEqual([])
})

test.each([
  ...['reservations cancel RSV-1', 'reservations update RSV-1 --contact email=a@example.com'],
  'webhooks delete whsub_1',
])('%s is shown with no path that would be a guess', async line => {
  const env = {BOOKCTL_BASE_URL: 'https://partners.example.com/v1'}
  const refused = await home.refusal([...line.split(' '), '--dry-run'], {env})
  expect(refused).toMatchObject({exit: 2, code: 'path_not_shown'})
})

test('voucher download shows the request, and the file it would create', async () => {
  const {exit, result} = await home.json(['voucher', 'download', 'RSV-1', '--dry-run'])
  expect({exit, ...result}).toMatchObject({
    exit: 0,
    requests: [{method: 'GET', url: `${sandbox.baseUrl}/reservations/RSV-1/voucher`}],
    changes: [{file: join(home.directory, 'voucher-RSV-1.pdf'), action: 'create'}],
  })
})

describe('signing secrets', () => {
  const CREATE = ['webhooks', 'create', '--url', 'https://partner.example/hooks', '--event', 'voucher.ready']
  const file = () => join(home.directory, 'signing.key')

  test('webhooks create --secret-file writes it, and nothing else, for its owner alone', async () => {
    const argv = [...CREATE, '--secret-file', 'signing.key']
    const {exit, result} = await home.json<{subscription: {secret: string}; secret_file: string}>(argv)
    expect({exit, file: result.secret_file}).toEqual({exit: 0, file: 'signing.key'})
    expect(readFileSync(file(), 'utf8')).toBe(result.subscription.secret)
    expect(statSync(file()).mode & 0o777).toBe(0o600)
    const printed = await home.run(['webhooks', 'listen', '--print-secret'])
    expect(printed).toMatchObject({exit: 0, stdout: `${result.subscription.secret}\n`, stderr: ''})
  })

  test('a file that is there, or cannot be made, is refused before anything is sent', async () => {
    writeFileSync(file(), 'theirs')
    const list = async () => (await home.json<{subscriptions: object[]}>(['webhooks', 'list'])).result
    const before = await list()
    const create = (path: string) => home.refusal([...CREATE, '--secret-file', path])
    expect(await create('signing.key')).toMatchObject({exit: 2, code: 'file_exists'})
    expect(await create('none/signing.key')).toMatchObject({exit: 2, code: 'cannot_write'})
    expect(readFileSync(file(), 'utf8')).toBe('theirs')
    expect(await list()).toEqual(before)
  })

  test('webhooks listen --print-secret names each secret in JSON, and ends with 2 if there is none', async () => {
    const env = {BOOKCTL_WEBHOOK_SECRET: 'whsec_one whsec_two'}
    const {result} = await home.json(['webhooks', 'listen', '--print-secret'], {env})
    const named = ['one', 'two'].map((word, n) => ({name: `env[${n}]`, secret: `whsec_${word}`}))
    expect(result).toEqual({secrets: named})
    const none = {BOOKCTL_CONFIG_DIR: join(home.directory, 'none')}
    expect((await home.json(['webhooks', 'listen', '--print-secret'], {env: none})).exit).toBe(2)
  })
})
