/** The server for agents in the settings of a client: what is written, what a person is asked, and what is refused. */
import {existsSync, mkdirSync, readFileSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {beforeEach, expect, test} from 'vitest'
import type {Home} from '../support/bookctl.js'
import {ownHome} from '../support/own.js'
import {atTerminal} from '../support/terminal.js'
import {waitUntil} from '../support/wait.js'

const LIMITS = ['--allow', 'reserve,cancel', '--max-total', '500 EUR', '--max-each', '300 EUR']
let home: Home
let file: string

beforeEach(() => {
  home = ownHome()
  home.configure({profiles: {work: {base_url: 'https://partner.example/v1', client_id: 'cid_1'}}})
  file = join(home.directory, '.cursor', 'mcp.json')
})

const kept = (path = file) => JSON.parse(readFileSync(path, 'utf8'))

test('writes the flags of the server, with absolute paths, and removes the entry again', async () => {
  const argv = [
    'mcp',
    'install',
    'cursor',
    '--profile',
    'work',
    ...LIMITS,
    '--voucher-dir',
    'vouchers',
    '--yes',
  ]
  const {exit, result} = await home.json(argv)
  const entry = {
    command: 'bookctl',
    args: ['mcp', '--profile', 'work', ...LIMITS, '--voucher-dir', join(home.directory, 'vouchers')],
  }
  expect({exit, result}).toEqual({
    exit: 0,
    result: {client: 'cursor', scope: 'user', file, name: 'bookctl', action: 'added', entry, backup: null},
  })
  expect(kept()).toEqual({mcpServers: {bookctl: entry}})
  expect((await home.json(argv)).result).toMatchObject({action: 'unchanged', backup: null})
  const removed = await home.json(['mcp', 'install', 'cursor', '--remove', '--yes'])
  expect(removed.result).toMatchObject({action: 'removed', backup: `${file}.bak`})
  expect(kept()).toEqual({})
  expect((await home.json(['mcp', 'install', 'cursor', '--remove'])).result).toMatchObject({
    action: 'unchanged',
    entry: null,
  })
})

test('Claude Code and VS Code have entries with a type, where each looks for them', async () => {
  const entry = {type: 'stdio', command: 'bookctl', args: ['mcp']}
  for (const client of ['vscode', 'claude-code'])
    await home.run(['mcp', 'install', client, '--scope', 'project', '--yes'])
  await home.run(['mcp', 'install', 'claude-code', '--yes'])
  expect(kept(join(home.directory, '.vscode/mcp.json'))).toEqual({servers: {bookctl: entry}})
  expect(kept(join(home.directory, '.mcp.json'))).toEqual({mcpServers: {bookctl: entry}})
  expect(kept(join(home.directory, '.claude.json'))).toEqual({
    projects: {[home.directory]: {mcpServers: {bookctl: entry}}},
  })
})

test('--dry-run shows the change and makes none', async () => {
  const {result} = await home.json([
    'mcp',
    'install',
    'vscode',
    '--file',
    'settings.json',
    '--name',
    'trips',
    '--dry-run',
  ])
  expect(result).toEqual({
    requests: [],
    changes: [
      {
        file: join(home.directory, 'settings.json'),
        action: 'create',
        what: 'servers.trips',
        after: {type: 'stdio', command: 'bookctl', args: ['mcp']},
      },
    ],
  })
  expect(existsSync(join(home.directory, 'settings.json'))).toBe(false)
})

test('writes the full paths of the program on request', async () => {
  await home.run(['mcp', 'install', 'cursor', '--full-path', '--yes'])
  const {command, args} = kept().mcpServers.bookctl
  expect([command, args[1]]).toEqual([process.execPath, 'mcp'])
  expect(existsSync(args[0])).toBe(true)
})

test('a person at a terminal sees the entry and is asked', async () => {
  const terminal = atTerminal(home, ['mcp', 'install', 'cursor', '--profile', 'work'], {columns: 200})
  await waitUntil(() => terminal.screen().includes('Change this file?'), 'the question')
  expect(terminal.screen()).toContain(`${file}: adds mcpServers.bookctl`)
  expect(existsSync(file)).toBe(false)
  terminal.type('y\r')
  expect(await terminal.exit).toBe(0)
  expect(kept().mcpServers.bookctl.args).toEqual(['mcp', '--profile', 'work'])
  expect(terminal.screen()).toContain('start Cursor again')
})

test('without a terminal nothing is changed unless --yes is given', async () => {
  expect(await home.refusal(['mcp', 'install', 'cursor'])).toMatchObject({
    exit: 2,
    code: 'confirmation_needed',
    message: `a change of ${file} needs confirmation; nothing was changed`,
  })
  expect(existsSync(file)).toBe(false)
})

test.each([
  [['--profile', 'wrok'], 'unknown_profile'],
  [['--base-url', 'https://u:planted@partner.example/v1'], 'invalid_base_url'],
  [['--proxy', 'http://u:planted@proxy.example'], 'secret_on_command_line'],
  [['--allow', 'reserve'], 'missing_flag'],
  [['--allow', 'everything'], 'invalid_input'],
  [['--max-total', '500'], 'invalid_input'],
  [['--allow', 'reserve', '--max-total', '500 EUR', '--max-each', '500 TRY'], 'invalid_input'],
  [['--remove', '--profile', 'work'], 'invalid_flags'],
  [['--name', '__proto__'], 'invalid_input'],
  [['--scope', 'local'], 'invalid_flag'],
])('refuses %j and writes nothing', async (flags, code) => {
  const {stderr, ...refusal} = await home.refusal(['mcp', 'install', 'cursor', ...flags, '--yes'])
  expect(refusal).toMatchObject({exit: 2, code})
  expect(JSON.stringify(refusal) + stderr).not.toContain('planted')
  expect(existsSync(file)).toBe(false)
})

test('live credentials need --live, as the server does, and missing ones are said', async () => {
  const live = {
    BOOKCTL_CLIENT_ID: 'cid_1',
    BOOKCTL_CLIENT_SECRET: 'sk_live_planted',
    BOOKCTL_BASE_URL: 'https://partner.example/v1',
  }
  const install = ['mcp', 'install', 'cursor', '--dry-run']
  expect(await home.refusal(install, {env: live})).toMatchObject({exit: 2, code: 'live_not_allowed'})
  const allowed = await home.json([...install, '--live'], {env: live})
  expect(allowed).toMatchObject({exit: 0, result: {changes: [{after: {args: ['mcp', '--live']}}]}})
  expect(allowed.stderr).toContain('starts the server without the variables of this shell')
  expect(JSON.stringify(allowed)).not.toContain('planted')
  const {stderr} = await home.json([...install, '--profile', 'work'])
  expect(stderr).toContain('Warning: the server cannot start yet: ')
})

test('a broken file is refused and stays as it is', async () => {
  mkdirSync(join(home.directory, '.cursor'))
  writeFileSync(file, '{"mcpServers": {')
  expect(await home.refusal(['mcp', 'install', 'cursor', '--yes'])).toMatchObject({
    exit: 2,
    code: 'broken_settings',
    message: `${file} is not valid JSON: close brace expected on line 1`,
  })
  expect(readFileSync(file, 'utf8')).toBe('{"mcpServers": {')
})
