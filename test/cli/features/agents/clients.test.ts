/** The places are those that the clients' documentation names, and what their users found where it is wrong. */
import {mkdirSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {expect, test} from 'vitest'
import {
  CLIENTS,
  type ClientName,
  type Machine,
  placeOf,
  type Scope,
} from '../../../../src/cli/features/agents/clients.js'
import {ownDirectory} from '../../../support/own.js'

const LINUX: Machine = {platform: 'linux', env: {}, home: '/home/ayse', directory: '/home/ayse/trips'}
const MAC: Machine = {...LINUX, platform: 'darwin', home: '/Users/ayse', directory: '/Users/ayse/trips'}
const WINDOWS: Machine = {
  platform: 'win32',
  env: {APPDATA: 'C:\\Users\\ayse\\AppData\\Roaming'},
  home: 'C:\\Users\\ayse',
  directory: 'C:\\Users\\ayse\\trips',
}

const filesOf = (scope: Scope, machine: Machine, clients: readonly ClientName[] = CLIENTS) =>
  clients.map(client => placeOf(client, scope, machine).place.file)

test('a user has these files', () => {
  expect(filesOf('user', LINUX)).toEqual([
    '/home/ayse/.claude.json',
    '/home/ayse/.config/Claude/claude_desktop_config.json',
    '/home/ayse/.cursor/mcp.json',
    '/home/ayse/.config/Code/User/mcp.json',
  ])
  expect(filesOf('user', MAC)).toEqual([
    '/Users/ayse/.claude.json',
    '/Users/ayse/Library/Application Support/Claude/claude_desktop_config.json',
    '/Users/ayse/.cursor/mcp.json',
    '/Users/ayse/Library/Application Support/Code/User/mcp.json',
  ])
  expect(filesOf('user', WINDOWS)).toEqual([
    'C:\\Users\\ayse\\.claude.json',
    'C:\\Users\\ayse\\AppData\\Roaming\\Claude\\claude_desktop_config.json',
    'C:\\Users\\ayse\\.cursor\\mcp.json',
    'C:\\Users\\ayse\\AppData\\Roaming\\Code\\User\\mcp.json',
  ])
})

test('a project has these files', () => {
  expect(filesOf('project', LINUX, ['claude-code', 'cursor', 'vscode'])).toEqual([
    '/home/ayse/trips/.mcp.json',
    '/home/ayse/trips/.cursor/mcp.json',
    '/home/ayse/trips/.vscode/mcp.json',
  ])
})

test('variables of the system and of Claude Code move them', () => {
  const env = {XDG_CONFIG_HOME: '/x', CLAUDE_CONFIG_DIR: '/c'}
  expect(filesOf('user', {...LINUX, env}, ['claude-code', 'claude-desktop'])).toEqual([
    '/c/.claude.json',
    '/x/Claude/claude_desktop_config.json',
  ])
})

test('Claude Desktop as a package of Windows reads them in the directory of the package', () => {
  const local = ownDirectory()
  const env = {...WINDOWS.env, LOCALAPPDATA: local}
  const [usual] = filesOf('user', WINDOWS, ['claude-desktop'])
  expect(filesOf('user', {...WINDOWS, env}, ['claude-desktop'])).toEqual([usual])
  mkdirSync(join(local, 'Packages', 'Claude_never_started'), {recursive: true})
  expect(filesOf('user', {...WINDOWS, env}, ['claude-desktop'])).toEqual([usual])
  mkdirSync(join(local, 'Packages', 'Claude_pzs8', 'LocalCache', 'Roaming', 'Claude'), {recursive: true})
  const [packaged = ''] = filesOf('user', {...WINDOWS, env}, ['claude-desktop'])
  expect(packaged.replaceAll('\\', '/')).toBe(
    `${local}/Packages/Claude_pzs8/LocalCache/Roaming/Claude/claude_desktop_config.json`,
  )
})

test('the scope is that of `claude mcp add` for Claude Code, and the user for the others', () => {
  expect(CLIENTS.map(client => placeOf(client, undefined, LINUX).scope)).toEqual([
    'local',
    'user',
    'user',
    'user',
  ])
  expect(() => placeOf('claude-desktop', 'project', LINUX)).toThrow('Claude Desktop has no scope "project"')
})

test('Claude Code knows a project by the root of its repository, and a working tree by the main one', () => {
  const root = ownDirectory()
  const keyOf = (directory: string) => placeOf('claude-code', 'local', {...LINUX, directory}).place.keys[1]
  const inside = join(root, 'main', 'src')
  const tree = join(root, 'tree')
  const submodule = join(root, 'main', 'part')
  for (const directory of [join(root, 'main', '.git'), inside, tree, submodule])
    mkdirSync(directory, {recursive: true})
  writeFileSync(join(tree, '.git'), `gitdir: ${root}/main/.git/worktrees/tree\n`)
  writeFileSync(join(submodule, '.git'), 'gitdir: ../.git/modules/part\n')
  expect([root, inside, tree, submodule].map(keyOf)).toEqual([
    root,
    join(root, 'main'),
    join(root, 'main'),
    submodule,
  ])
  expect(placeOf('claude-code', 'local', WINDOWS).place.keys).toEqual([
    'projects',
    'C:/Users/ayse/trips',
    'mcpServers',
  ])
})
