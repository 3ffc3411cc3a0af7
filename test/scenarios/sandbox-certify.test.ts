/** `sandbox certify`: a partner sees what is wrong with a program before it goes live, by hand and in a CI job. */
import {readFileSync, rmSync, statSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import process from 'node:process'
import {expect, test} from 'vitest'
import {ownHome} from '../support/own.js'
import {ownSandbox} from '../support/served-sandbox.js'
import {atTerminal} from '../support/terminal.js'

interface Sheet {
  readonly client_id: string
  readonly requests: number
  readonly rules: {readonly rule: string; readonly verdict: string; readonly evidence: readonly string[]}[]
}

const failedIn = ({rules}: Sheet) => rules.filter(({verdict}) => verdict === 'failed').map(({rule}) => rule)

test('names the rule that is broken, with requests that can be read, and forgets all with a reset', async () => {
  const {home, baseUrl} = await ownSandbox()
  const certify = (...argv: string[]) => home.json<Sheet>(['sandbox', 'certify', ...argv])
  const none = await certify()
  expect(none).toMatchObject({exit: 0, result: {client_id: 'cid_sandbox', requests: 0, passed: 0, failed: 0}})
  expect(none.result.rules.every(({verdict}) => verdict === 'not_shown')).toBe(true)

  const authorization = `Basic ${Buffer.from('cid_sandbox:sk_test_sandbox').toString('base64')}`
  await fetch(`${baseUrl}/oauth/token`, {method: 'POST', headers: {authorization}})
  await home.run(['account'])
  const {exit, result} = await certify()
  expect(exit).toBe(3)
  expect(failedIn(result)).toEqual(['secret.place'])
  const [id = ''] = result.rules.find(({rule}) => rule === 'secret.place')?.evidence ?? []
  const shown = await home.json<{request: object}>(['sandbox', 'requests', id])
  expect(shown.result.request).toMatchObject({request_id: id, operation: 'token.create'})
  // In the log for people it is in words, also in a pipe; a person sees what to do.
  const words = await home.run(['sandbox', 'certify'])
  expect(words.stdout).toContain(`Evidence: ${id}`)
  const screen = atTerminal(home, ['sandbox', 'certify'], {columns: 100, rows: 60})
  expect(await screen.exit).toBe(3)
  expect(screen.screen()).toMatch(/^\d+ passed, 1 failed, \d+ not shown$/m)
  expect(screen.screen()).toMatch(/^ {2}Fix: Send the client secret in the body/m)

  expect(failedIn((await certify('--client', 'poor')).result)).toEqual([])
  expect((await certify('--client', 'poor')).exit).toBe(0)
  expect((await certify('--client', 'poor', '--complete')).exit).toBe(3)
  expect((await home.refusal(['sandbox', 'certify', '--junit', 'none/certify.xml'])).exit).toBe(2)
  expect((await certify('--since', '2100-01-01T00:00:00Z')).result.requests).toBe(0)
  expect((await certify('--since', '1h')).result.requests).toBe(3)
  await home.run(['sandbox', 'clock', '--advance', '2h'])
  expect((await certify('--since', '1h')).result.requests).toBe(0)
  expect((await certify('--client', 'cid_none')).exit).toBe(5)
  expect((await home.refusal(['sandbox', 'certify', '--since', 'yesterday'])).exit).toBe(2)
  await home.run(['sandbox', 'reset'])
  expect((await certify()).result.requests).toBe(0)
})

/** Asks for a token before each call, and ends with the code of its argument. */
const CARELESS = `
const {PARTNER_BASE_URL: base, PARTNER_CLIENT_ID: client_id, PARTNER_CLIENT_SECRET: client_secret} = process.env
const credentials = {grant_type: 'client_credentials', client_id, client_secret, scope: 'account:read'}
async function token() {
  const init = {method: 'POST', headers: {'content-type': 'application/json'}, body: JSON.stringify(credentials)}
  return (await (await fetch(base + '/oauth/token', init)).json()).data.access_token
}
async function main() {
  for (let n = 0; n < 8; n++) await fetch(base + '/account', {headers: {authorization: 'Bearer ' + await token()}})
  process.exitCode = Number(process.argv[2])
}
main()`

test('a CI job ends with 3 if a rule failed, unless the program itself failed', async () => {
  const home = ownHome()
  writeFileSync(join(home.directory, 'careless.cjs'), CARELESS)
  const run = (code: number, ...argv: string[]) =>
    home.spawn([
      ...['sandbox', 'run', '--env-prefix', 'PARTNER', '--certify', ...argv],
      ...['--', process.execPath, 'careless.cjs', String(code)],
    ])
  const {exit, stdout} = await run(0, '--json', '--db', 'kept.db')
  expect(exit).toBe(3)
  expect(failedIn(JSON.parse(stdout))).toEqual(['token.cached'])
  // A second run on the same data judges its own requests.
  const again = await run(4, '--json', '--db', 'kept.db')
  expect(again.exit).toBe(4)
  expect(JSON.parse(again.stdout)).toMatchObject({requests: 16, failed: 1})
  // Each run replaces the file of the one before.
  await run(0, '--junit', 'certify.xml', '--html', 'certify.html')
  expect(readFileSync(join(home.directory, 'certify.html'), 'utf8')).toContain('1 required rule failed')
  expect(readFileSync(join(home.directory, 'certify.xml'), 'utf8')).toContain('failures="1"')
  const version = ['--', process.execPath, '--version']
  const complete = ['sandbox', 'run', '--certify', '--complete', '--junit', 'certify.xml', ...version]
  expect((await home.spawn(complete)).exit).toBe(3)
  expect(readFileSync(join(home.directory, 'certify.xml'), 'utf8')).toContain('failures="0"')
  const alone = await home.run(['sandbox', 'run', '--junit', 'certify.xml', ...version], {isRefused: true})
  expect([alone.exit, alone.stdout]).toEqual([2, ''])
  const right = await home.spawn(['sandbox', 'run', '--certify', '--', process.execPath, '--version'])
  expect(right.exit).toBe(0)
  expect(right.stdout).toMatch(/^v\d+.*\n0 passed, 0 failed, \d+ not shown\n/)
})

test('writes a page that is signed with a key of this machine, and finds that it was changed', async () => {
  const {home} = await ownSandbox()
  await home.run(['account'])
  const file = join(home.directory, 'certificate.html')
  const write = ['sandbox', 'certify', '--html', 'certificate.html', '--program', 'trips 1.4']
  const {exit, result} = await home.json<Sheet>(write)
  expect(exit).toBe(0)
  expect(Object.keys(result)).not.toContain('proof')
  const page = readFileSync(file, 'utf8')
  expect(page).toContain('<h1>trips 1.4</h1>')
  const digestOf = (text: string) => /sha256:[\da-f]{64}/.exec(text)?.[0]
  expect(digestOf(page)).toBeDefined()
  const key = join(home.configDirectory, 'certify-key.pem')
  expect(statSync(key).mode & 0o777).toBe(0o600)

  const check = () => home.json(['sandbox', 'certify', '--check', 'certificate.html'])
  const right = await check()
  const facts = {file: 'certificate.html', unchanged: true, own_key: true}
  expect(right).toMatchObject({exit: 0, result: {...facts, key: expect.stringMatching(/^SHA256:/)}})
  // The same evidence has the same digest; more has another.
  await home.run(write)
  expect(digestOf(readFileSync(file, 'utf8'))).toBe(digestOf(page))
  await home.run(['account'])
  await home.run(write)
  expect(digestOf(readFileSync(file, 'utf8'))).not.toBe(digestOf(page))

  writeFileSync(file, page.replace('0 failed', '0  failed'))
  expect(await check()).toMatchObject({exit: 3, result: {unchanged: false, own_key: true}})
  const words = await home.run(['sandbox', 'certify', '--check', 'certificate.html'])
  expect(words.stdout).toBe('certificate.html was changed after it was signed\n')
  writeFileSync(file, page)
  rmSync(key)
  expect(await check()).toMatchObject({exit: 3, result: {unchanged: true, own_key: false}})
  writeFileSync(key, 'no key')
  expect((await home.refusal(['sandbox', 'certify', '--check', 'certificate.html'])).message).toContain(
    'is not a key that signs sheets',
  )
  writeFileSync(file, 'no page')
  rmSync(key)
  expect(await check()).toMatchObject({exit: 3, result: {unchanged: false, key: null}})
  expect((await home.refusal(['sandbox', 'certify', '--check', 'none.html'])).exit).toBe(2)
  expect((await home.refusal(['sandbox', 'certify', '--html', 'none/page.html'])).exit).toBe(2)
  expect((await home.refusal(['sandbox', 'certify', '--check', 'a.html', '--complete'])).exit).toBe(2)
})
