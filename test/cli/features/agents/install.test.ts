import * as fs from 'node:fs'
import {join} from 'node:path'
import {beforeEach, expect, test} from 'vitest'
import type {Machine} from '../../../../src/cli/features/agents/clients.js'
import {
  applyInstall,
  dryInstall,
  installLines,
  installWarnings,
  planInstall,
} from '../../../../src/cli/features/agents/install.js'
import {StorageError} from '../../../../src/storage/errors.js'
import {isRoot, OTHER_USER} from '../../../support/other-user.js'
import {ownDirectory} from '../../../support/own.js'

const COMMAND = ['bookctl', 'mcp', '--profile', 'work']
let machine: Machine
let file: string

beforeEach(() => {
  const home = ownDirectory()
  machine = {platform: 'linux', env: {PATH: ''}, home, directory: home}
  file = join(home, '.cursor', 'mcp.json')
})

const planned = (more: Partial<Parameters<typeof planInstall>[0]> = {}) => {
  const wanted = {
    client: 'cursor',
    scope: undefined,
    file: undefined,
    name: 'bookctl',
    command: COMMAND,
  } as const
  return planInstall({...wanted, ...more}, machine)
}
const write = (text: string | Buffer, mode = 0o600) => {
  fs.mkdirSync(join(machine.home, '.cursor'), {recursive: true})
  fs.writeFileSync(file, text, {mode})
}
const names = () => fs.readdirSync(join(machine.home, '.cursor')).sort()

test('creates the file and its directory privately where there is none', async () => {
  expect(await applyInstall(planned())).toBeNull()
  expect(JSON.parse(fs.readFileSync(file, 'utf8'))).toEqual({
    mcpServers: {bookctl: {command: 'bookctl', args: ['mcp', '--profile', 'work']}},
  })
  expect(fs.statSync(file).mode & 0o777).toBe(0o600)
  expect(fs.statSync(join(machine.home, '.cursor')).mode & 0o777).toBe(0o700)
  expect(names()).toEqual(['mcp.json'])
})

test('keeps a copy of each earlier file, the permissions and a byte order mark', async () => {
  const before = '\ufeff{\r\n\t"mcpServers": {"git": {"command": "uvx"}} // mine\r\n}\r\n'
  write(before, 0o644)
  fs.chmodSync(file, 0o644)
  expect(await applyInstall(planned())).toBe(`${file}.bak`)
  const changed = fs.readFileSync(file, 'utf8')
  expect(changed).toMatch(
    /^\ufeff\{\r\n\t"mcpServers": \{"git": \{"command": "uvx"\}, "bookctl": .*\}\} \/\/ mine\r\n\}\r\n$/,
  )
  expect(await applyInstall(planned({command: undefined}))).toBe(`${file}.bak.1`)
  expect(fs.readFileSync(file, 'utf8')).toBe(before)
  expect(fs.readFileSync(`${file}.bak`, 'utf8')).toBe(before)
  expect(fs.readFileSync(`${file}.bak.1`, 'utf8')).toBe(changed)
  for (const name of names())
    expect(fs.statSync(join(machine.home, '.cursor', name)).mode & 0o777).toBe(0o644)
})

test('changes the command of its own entry and leaves the rest of it, without showing its variables', async () => {
  write(
    '{"mcpServers": {"bookctl": {"command": "bookctl", "args": ["mcp"], "env": {"HTTPS_PROXY": "http://u:planted@p"}, "disabled": true}}}',
  )
  const plan = planned()
  expect(plan.action).toBe('change')
  expect(JSON.stringify([dryInstall(plan), installLines(plan)])).not.toContain('planted')
  expect(dryInstall(plan)).toMatchObject([{action: 'set', after: {env: {HTTPS_PROXY: '[redacted]'}}}])
  await applyInstall(plan)
  expect(JSON.parse(fs.readFileSync(file, 'utf8')).mcpServers.bookctl).toEqual({
    command: 'bookctl',
    args: COMMAND.slice(1),
    env: {HTTPS_PROXY: 'http://u:planted@p'},
    disabled: true,
  })
  expect(planned()).toMatchObject({action: 'none', text: fs.readFileSync(file, 'utf8')})
})

test.each([
  ['{"mcpServers": {"bookctl": {"url": "https://a.example/mcp"}}}', 'another server at mcpServers.bookctl'],
  [
    '{"mcpServers": {"bookctl": {"command": "uvx", "args": ["git"]}}}',
    'another server at mcpServers.bookctl',
  ],
  ['{"mcpServers": {"bookctl": null}}', 'another server at mcpServers.bookctl'],
  ['{"mcpServers": ', 'is not valid JSON'],
  [Buffer.from([0x7b, 0xff, 0x7d]), 'is not UTF-8 text'],
])('leaves %s as it is', (text, message) => {
  write(text)
  for (const command of [COMMAND, undefined]) expect(() => planned({command})).toThrow(message)
  expect(fs.readFileSync(file)).toEqual(Buffer.from(text))
  expect(names()).toEqual(['mcp.json'])
})

test('a directory or a link to nothing in the place of the file is refused', () => {
  fs.mkdirSync(file, {recursive: true})
  expect(() => planned()).toThrow('is not a file')
  fs.rmdirSync(file)
  fs.symlinkSync(join(machine.home, 'nothing'), file)
  expect(() => planned()).toThrow('is a symbolic link to nothing')
})

test('follows symbolic links, and leaves them', async () => {
  const real = join(machine.home, 'dotfiles.json')
  fs.writeFileSync(real, '{}')
  fs.mkdirSync(join(machine.home, '.cursor'))
  fs.symlinkSync(real, file)
  expect(await applyInstall(planned())).toBe(`${real}.bak`)
  expect(fs.lstatSync(file).isSymbolicLink()).toBe(true)
  expect(JSON.parse(fs.readFileSync(real, 'utf8'))).toHaveProperty('mcpServers.bookctl')
})

test.each([
  ['has been changed', () => fs.writeFileSync(file, '{"a": 2}')],
  ['is gone', () => fs.rmSync(file)],
])('writes nothing over a file that %s since it was read', async (_, change) => {
  write('{"a": 1}')
  const plan = planned()
  change()
  const before = names()
  await expect(applyInstall(plan)).rejects.toThrow('has just been changed by another program')
  expect(names()).toEqual(before)
})

test('writes nothing over a file that has come since', async () => {
  const plan = planned()
  write('{"a": 1}')
  await expect(applyInstall(plan)).rejects.toThrow(StorageError)
  expect(fs.readFileSync(file, 'utf8')).toBe('{"a": 1}')
})

test.runIf(isRoot)('the owner of the file stays its owner', async () => {
  write('{}')
  fs.chownSync(file, OTHER_USER, OTHER_USER)
  await applyInstall(planned())
  expect(fs.statSync(file).uid).toBe(OTHER_USER)
})

test('removes nothing where there is nothing', () => {
  expect(planned({command: undefined})).toMatchObject({action: 'none'})
  expect(dryInstall(planned({command: undefined}))).toEqual([])
})

test('says what keeps the client from starting the server as this shell would', () => {
  const env = {PATH: machine.home, BOOKCTL_PROFILE: 'work', BOOKCTL_CLIENT_SECRET: 'sk_test_planted'}
  const warnings = installWarnings(planned(), {...machine, env})
  expect(warnings).toEqual([
    'Warning: Cursor starts the server without the variables of this shell (BOOKCTL_CLIENT_SECRET, BOOKCTL_PROFILE): log in and use --profile',
    'Warning: Cursor cannot start bookctl, because it is not on the PATH: add --full-path',
  ])
  fs.writeFileSync(join(machine.home, 'bookctl'), '')
  expect(installWarnings(planned(), {...machine, env: {PATH: machine.home}})).toEqual([])
  expect(installWarnings(planned({command: ['/usr/bin/node', '/b', 'mcp']}), machine)).toEqual([])
})
