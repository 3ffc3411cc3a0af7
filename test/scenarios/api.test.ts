/** `api`: calls any path with a token. Which targets are allowed, the output in each format, and the meaning of a lost answer. */
import {writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {describe, expect, test} from 'vitest'
import {ownHome} from '../support/own.js'
import {raw} from '../support/scripted-service.js'
import {atTerminal, ends} from '../support/terminal.js'
import {scriptedHome} from './scripted-home.js'

const {service, home} = await scriptedHome()

const BINARY = Buffer.from([0xff, 0x00, 0x1b, 0x5b, 0x32, 0x4a])

/** Answers every request to `path` with these bytes. */
const answerWith = (path: string, bytes: string | Uint8Array, type: string, status = 200) =>
  service.at(path, raw(status, bytes, {'content-type': type, 'set-cookie': 'canary=1'}))

describe('where it goes', () => {
  test.each([['/account'], ['account'], ['account?x=1&y=a%20b'], ['WHOLE/account']])('%s', async path => {
    const {exit, stdout, stderr} = await home.run(['api', 'get', path.replace('WHOLE', service.baseUrl)])
    expect({exit, stderr}).toEqual({exit: path.includes('?') ? 5 : 0, stderr: expect.any(String)})
    expect(service.received.at(-1)?.headers.authorization).toMatch(/^Bearer token-/)
    expect(JSON.parse(stdout)).toBeTypeOf('object')
  })

  test.each([
    ['https://evil.test/account', 'other_origin'],
    ['//evil.test/account', 'other_origin'],
    ['http://user:pw@127.0.0.1/account', 'other_origin'],
    ['../../_sandbox/clock', 'invalid_path'],
    ['/a/..', 'invalid_path'],
    ['/a/%2e%2E/b', 'invalid_path'],
    ['/a%2f..%2f..%2fb', 'invalid_path'],
    ['/a\\..\\b', 'invalid_path'],
    ['/a b', 'invalid_path'],
    ['/a#b', 'invalid_path'],
    ['ORIGIN/elsewhere/account', 'invalid_path'],
    ['/oauth/token', 'not_signed_in'],
  ])('%s is refused before anything is sent', async (path, code) => {
    const typed = path.replace('ORIGIN', new URL(service.baseUrl).origin)
    expect(await home.refusal(['api', 'GET', typed])).toMatchObject({exit: 2, code})
    expect(service.received).toEqual([])
  })

  test.each([
    [0, ['/account']],
    [0, ['account', '--include']],
    [0, ['-H', 'X-One: 1', '/account']],
    [2, ['GET']],
    [2, ['/account', '--data', '{}']],
    [2, []],
  ])('a path alone means GET, and nothing else can be left out: exit %i for %j', async (exit, words) => {
    expect((await home.json(['api', ...words])).exit).toBe(exit)
    expect(service.received.at(-1)?.method).toBe(exit === 0 ? 'GET' : undefined)
  })

  test('a path that Git Bash rewrote is explained', async () => {
    const {exit, stderr} = await home.run(['api', 'GET', 'C:/Program Files/Git/account'])
    expect(exit).toBe(2)
    expect(stderr).toContain('MSYS_NO_PATHCONV')
  })
})

describe('what is sent', () => {
  test('sends JSON as it was written, and the given headers', async () => {
    answerWith('/x', '{"ok":true}', 'application/json')
    const body = '{"big":12345678901234567890,"a":"ş"}'
    const patch = ['api', 'patch', 'x', '--data', '-', '-H', 'X-One: 1:2', '-H', 'x-one: 3']
    const {exit} = await home.run(patch, {stdin: `\ufeff${body}\r\n`})
    expect(exit).toBe(0)
    expect(service.received.at(-1)).toMatchObject({
      body,
      headers: {'content-type': 'application/json', 'x-one': '1:2, 3'},
    })
    writeFileSync(join(home.directory, 'body.json'), body)
    await home.run(['api', 'PUT', 'x', '--data', '@body.json'])
    expect(service.received.at(-1)?.body).toBe(body)
  })

  test.each([
    [['POST', '/x', '--data', '{"a":'], 'invalid_json'],
    [['POST', '/x', '--data', '@missing.json'], 'cannot_read'],
    [['GET', '/x', '--data', '{}'], 'invalid_input'],
    [['GET', '/x', '-H', 'Authorization: Bearer x'], 'invalid_input'],
    [['POST', '/x', '-H', 'Idempotency-Key: a', '-H', 'idempotency-key: b'], 'invalid_input'],
    [['GET', '/x', '-H', 'X: a\r\nY: b'], 'invalid_input'],
  ])('%j is refused', async (argv, code) => {
    expect(await home.refusal(['api', ...argv])).toMatchObject({exit: 2, code})
    expect(service.received).toEqual([])
  })

  test('--dry-run shows it and sends nothing; --print-curl makes it a line for the shell', async () => {
    const argv = ['api', 'POST', '/x?q=it%27s', '--data', '{"who":"O\'Neil"}', '--dry-run', '--print-curl']
    const {exit, result, stderr} = await home.json(argv)
    expect({exit, ...result}).toMatchObject({exit: 0, method: 'POST', body: {who: "O'Neil"}})
    expect(stderr).toContain(`-H "Authorization: Bearer $BOOKCTL_TOKEN"`)
    expect(stderr).toContain(`'{"who":"O'\\''Neil"}'`)
    expect(service.received).toEqual([])
  })

  test('reading a live service needs no --yes', async () => {
    const env = {BOOKCTL_BASE_URL: 'https://service.invalid/v1', BOOKCTL_CLIENT_SECRET: 'sk_live_canary'}
    const search = ['api', 'POST', '/hotels/search', '--data', '{}', '--timeout', '1']
    expect((await home.run(search, {env})).exit).toBe(7)
  })
})

describe('what comes back', () => {
  test('a refusal has its body on stdout, its reason on stderr and the exit code of every command', async () => {
    const plain = await home.run(['api', 'GET', '/nothing'])
    expect(plain.exit).toBe(5)
    expect(JSON.parse(plain.stdout)).toMatchObject({error: {code: 'not_found'}})
    expect(plain.stderr).toContain('because of not_found')
    const {exit, result} = await home.json(['api', 'GET', '/nothing', '--query', 'data'])
    const error = {code: 'not_found'}
    expect({exit, ...result}).toMatchObject({exit: 5, error: {...error, status: 404}, body: {error}})
  })

  test('a large refusal leaves its body out of the document', async () => {
    answerWith('/large', JSON.stringify({error: 'x'.repeat(5000)}), 'application/json', 422)
    const {exit, result} = await home.json(['api', 'GET', '/large'])
    expect({exit, keys: Object.keys(result)}).toEqual({exit: 5, keys: ['error']})
  })

  test('a body that says it is JSON and is not: shown, and exit code 6', async () => {
    const half = '{"data": {"a": [1,2'
    answerWith('/x', half, 'application/json; charset=utf-8')
    const plain = await home.run(['api', 'GET', '/x'])
    expect(plain).toMatchObject({exit: 6, stdout: half})
    expect(plain.stderr).toContain('it is not JSON')
    const {exit, result} = await home.json(['api', 'GET', '/x'])
    const error = {code: 'answer_not_understood', status: 200}
    expect({exit, ...result}).toMatchObject({exit: 6, error, body: {body: half}})
    expect((await home.run(['api', 'POST', '/x', '--yes'])).exit).toBe(10)
    answerWith('/x', half, 'text/plain')
    expect((await home.run(['api', 'GET', '/x'])).exit).toBe(0)
  })

  test('bytes are as they came in a pipe, so no number loses a digit; what is not JSON is described with --json', async () => {
    const body = '{"id":12345678901234567890,  "price":1.10}'
    answerWith('/x', body, 'application/json')
    expect(await home.run(['api', 'GET', '/x'])).toEqual({exit: 0, stdout: body, stderr: ''})
    answerWith('/text', 'plain \u001b[2J text', 'text/plain')
    expect((await home.run(['api', 'GET', '/text'])).stdout).toBe('plain \u001b[2J text')
    const text = {content_type: 'text/plain', bytes: 15, body: 'plain \u001b[2J text'}
    expect((await home.json(['api', 'GET', '/text'])).result).toEqual(text)
    answerWith('/binary', BINARY, 'image/png')
    const binary = {content_type: 'image/png', bytes: 6, body_base64: BINARY.toString('base64')}
    expect((await home.json(['api', 'GET', '/binary'])).result).toEqual(binary)
    answerWith('/none', '', 'text/plain', 204)
    expect(await home.run(['api', 'DELETE', '/none'])).toEqual({exit: 0, stdout: '', stderr: ''})
    expect((await home.run(['api', 'DELETE', '/none', '--json'])).stdout).toBe('null\n')
  })

  test('a terminal gets only text, without control characters', async () => {
    answerWith('/binary', BINARY, 'image/png')
    await ends(atTerminal(home, ['api', 'GET', '/binary']), 0, ['6 bytes of binary data are not shown'])
    answerWith('/text', 'plain \u001b[2J text', 'text/plain')
    await ends(atTerminal(home, ['api', 'GET', '/text']), 0, ['plain \\u001b[2J text'])
  })

  test('--include prints status and headers without cookies', async () => {
    answerWith('/x', '{"a":1}', 'application/json')
    const {stdout} = await home.run(['api', 'GET', '/x', '--include'])
    expect(stdout).toMatch(/^HTTP\/1\.1 200\n[\s\S]*content-type: application\/json\n[\s\S]*\n\n\{/)
    expect(stdout).not.toContain('canary')
    const {result} = await home.json(['api', 'GET', '/x', '-i'])
    expect(result).toMatchObject({status: 200, headers: {'set-cookie': '[redacted]'}, body: {a: 1}})
  })
})

test('--quiet prints identifiers; rows leave no place for --include', async () => {
  answerWith('/x', '{"data":[{"id":"a","n":1},{"id":"b","n":2}]}', 'application/json')
  expect(await home.run(['api', 'GET', '/x', '--quiet'])).toMatchObject({exit: 0, stdout: 'a\nb\n'})
  service.forget()
  for (const form of ['--quiet', '--columns=id', '--format=csv', '--format=ndjson'])
    expect(await home.run(['api', 'GET', '/x', '--include', form])).toMatchObject({exit: 2, stdout: ''})
  expect(service.received).toEqual([])
  answerWith('/x', 'text', 'text/plain')
  expect(await home.run(['api', 'GET', '/x', '--quiet'])).toEqual({exit: 0, stdout: '', stderr: ''})
})

test('columns are those of the answer: a wrong one loses nothing of a change, and an empty list has none', async () => {
  answerWith('/x', '{"data":{"id":"whsub_1","secret":"shown-once"}}', 'application/json')
  const change = ['api', 'POST', '/x', '--data', '{}', '--columns', 'nope,secret']
  expect(await home.run(change)).toMatchObject({exit: 0, stdout: '\tshown-once\n'})
  answerWith('/x', '{"data":[]}', 'application/json')
  expect(await home.run(['api', 'GET', '/x', '--columns', 'id'])).toEqual({exit: 0, stdout: '', stderr: ''})
})

test('a refusal with BOOKCTL_TOKEN is printed byte for byte', async () => {
  const body = '{"error":{"code":"bad","message":"no"}}'
  answerWith('/x', body, 'application/json', 422)
  const env = {BOOKCTL_BASE_URL: service.baseUrl, BOOKCTL_TOKEN: 'token-of-its-own'}
  expect(await home.run(['api', 'GET', '/x'], {env})).toMatchObject({exit: 5, stdout: body})
})

test('the token of a known operation has its scope alone; --scope says otherwise', async () => {
  const other = ownHome(home.env)
  await other.run(['api', 'GET', '/reservations/R-1/voucher'])
  expect(JSON.parse(service.seen('/oauth/token')[0]?.body ?? '{}').scope).toBe('reservations:read')
  service.forget()
  await other.run(['api', 'GET', '/unknown', '--scope', 'webhooks:read'])
  expect(JSON.parse(service.seen('/oauth/token')[0]?.body ?? '{}').scope).toBe('webhooks:read')
})
