/** Homes that cannot be written, that others can write, or whose files are damaged; and other paths that are already in use. */
import {chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {describe, expect, test} from 'vitest'
import {ownHome} from '../support/own.js'
import {sandboxOfFile} from '../support/served-sandbox.js'
import {GUESTS, offerIn} from '../support/stay.js'

const sandbox = await sandboxOfFile()
const {home} = sandbox

describe('a home that cannot be written', () => {
  // A file in place of the directory also stops root.
  const locked = () => {
    const file = join(home.directory, 'a-file')
    writeFileSync(file, '')
    return {env: {BOOKCTL_CONFIG_DIR: join(file, 'config')}}
  }

  test('reserves only what the caller can find again', async () => {
    const offer = await offerIn(home)
    const argv = ['reserve', offer, '--pay', 'account', '--nationality', 'TR', ...GUESTS]
    const refused = {exit: 2, code: 'journal_not_writable'}
    expect(await home.refusal(argv, locked())).toMatchObject(refused)
    const named = ['--client-reference', 'R1', '--idempotency-key', '0b7a1f3e-6a53-4c0b-9d2c-4b1f7f7a1c11']
    const first = await home.json<{reservation: object}>([...argv, ...named], locked())
    expect(first).toMatchObject({exit: 0, result: {outcome: 'confirmed'}})
    const again = await home.json<{reservation: object}>([...argv, ...named], locked())
    expect(again.result.reservation).toEqual(first.result.reservation)
    expect(await home.refusal(['reserve', '--resume', 'R1'], locked())).toMatchObject(refused)
  })

  test('login asks for nothing it could not keep', async () => {
    const options = {...locked(), stdin: 'sk_test_sandbox'}
    const stderr = expect.stringContaining('BOOKCTL_CONFIG_DIR')
    expect(await home.run(['login', '--client-secret-stdin'], options)).toMatchObject({exit: 2, stderr})
  })
})

test('a HAR file that cannot be written is refused before anything is sent', async () => {
  const offer = await offerIn(home)
  const argv = ['reserve', offer, '--pay', 'account', '--har', 'none/all.har', ...GUESTS]
  expect(await home.refusal(argv)).toMatchObject({exit: 2, code: 'cannot_write'})
  expect((await home.run(['journal'])).stdout).not.toContain(offer)
})

test.skipIf(process.platform === 'win32')(
  'a directory that others may write is ours alone after any command',
  async () => {
    expect((await home.run(['config', 'set', 'nationality', 'TR'])).exit).toBe(0)
    for (const argv of [['config', 'list'], ['journal'], ['whoami']]) {
      chmodSync(home.configDirectory, 0o777)
      await home.run(argv)
      expect([argv, statSync(home.configDirectory).mode & 0o777]).toEqual([argv, 0o700])
    }
  },
)

test('a link to nothing in the place of the directory is named', async () => {
  const link = join(home.directory, 'link')
  symlinkSync(join(home.directory, 'nowhere'), link)
  const env = {BOOKCTL_CONFIG_DIR: link}
  const message = `${link} is a symbolic link to nothing`
  expect(await home.refusal(['config', 'set', 'nationality', 'TR'], {env})).toMatchObject({exit: 2, message})
})

test('no secret is put into a directory that stays open to others', async () => {
  const directory = join(home.directory, 'foreign-disk')
  mkdirSync(directory, {mode: 0o755})
  chmodSync(directory, 0o755)
  // Changing permissions fails here, as on a mount with fixed permissions.
  const preload = join(home.directory, 'no-chmod.cjs')
  const refuse = `() => {throw Object.assign(new Error('EPERM'), {code: 'EPERM'})}`
  writeFileSync(preload, `const fs = require('node:fs'); fs.chmodSync = fs.fchmodSync = ${refuse}\n`)
  const env = {BOOKCTL_CONFIG_DIR: directory, NODE_OPTIONS: `--require ${preload}`}
  const login = ['login', '--client-id', 'cid_sandbox', '--client-secret-stdin']
  const message = 'the configuration directory is not writable'
  expect(await home.refusal(login, {env, stdin: 'sk_test_sandbox\n'})).toMatchObject({exit: 2, message})
  expect(readdirSync(directory)).toEqual([])
  writeFileSync(join(directory, 'config.json'), '{"defaults": {"currency": "EUR"}}', {mode: 0o600})
  expect(await home.json(['config', 'get', 'currency'], {env})).toMatchObject({exit: 0})
})

test('reports a Node.js that cannot read an answer', async () => {
  const refused = await home.refusal(['account'], {env: {NODE_OPTIONS: '--jitless'}})
  const hint = expect.stringContaining('--jitless')
  expect(refused).toMatchObject({exit: 2, code: 'no_webassembly', hint})
})

test('the configuration directory may be a symbolic link', async () => {
  const home = ownHome()
  const elsewhere = join(home.directory, 'dotfiles')
  mkdirSync(elsewhere, {mode: 0o700})
  symlinkSync(elsewhere, home.configDirectory)
  expect(await home.run(['config', 'set', 'currency', 'EUR'])).toMatchObject({exit: 0})
  expect(readFileSync(join(elsewhere, 'config.json'), 'utf8')).toContain('EUR')
})
