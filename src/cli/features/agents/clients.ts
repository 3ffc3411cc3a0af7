/** Where programs for agents keep their settings on Linux, macOS and Windows, and how an entry looks there. */
import {existsSync, readdirSync, readFileSync, statSync} from 'node:fs'
import {join, posix, resolve, win32} from 'node:path'
import {usage} from '../../../contract/failure.js'
import type {Keys} from './settings-text.js'

export const CLIENTS = ['claude-code', 'claude-desktop', 'cursor', 'vscode'] as const
export type ClientName = (typeof CLIENTS)[number]

export const SCOPES = ['local', 'project', 'user'] as const
export type Scope = (typeof SCOPES)[number]

/** The machine, as far as the places depend on it. */
export interface Machine {
  readonly platform: NodeJS.Platform
  readonly env: NodeJS.ProcessEnv
  readonly home: string
  /** The directory in which the command runs. */
  readonly directory: string
}

/** Where the entries of servers are in a settings file. */
export interface Place {
  readonly file: string
  /** The keys of the object that has an entry for each server. */
  readonly keys: Keys
  /** Whether the program reads settings with comments, and a comma after the last value. */
  readonly hasComments: boolean
  /** Whether an entry says that the server speaks over standard input and output. */
  readonly hasType: boolean
}

interface Client {
  /** The name that people know. */
  readonly title: string
  /** The scopes that the program has; the first is the default. */
  readonly scopes: readonly [Scope, ...Scope[]]
  readonly place: (scope: Scope, machine: Machine) => Place
  /** How the program comes to see a changed entry. */
  readonly next: string
}

export const CLIENT_DETAILS: Readonly<Record<ClientName, Client>> = {
  'claude-code': {
    title: 'Claude Code',
    // As `claude mcp add` does: only in this project, only for this user.
    scopes: ['local', 'project', 'user'],
    place: (scope, machine) => {
      const {env, home, directory} = machine
      const user = paths(machine).join(env.CLAUDE_CONFIG_DIR?.trim() || home, '.claude.json')
      const file = scope === 'project' ? paths(machine).join(directory, '.mcp.json') : user
      const keys = scope === 'local' ? ['projects', projectKey(machine), 'mcpServers'] : ['mcpServers']
      return {file, keys, hasComments: false, hasType: true}
    },
    next: 'start Claude Code again; /mcp lists its servers',
  },
  'claude-desktop': {
    title: 'Claude Desktop',
    scopes: ['user'],
    place: (_scope, machine) => {
      const file = paths(machine).join(claudeDesktopDirectory(machine), 'claude_desktop_config.json')
      return {file, keys: ['mcpServers'], hasComments: false, hasType: false}
    },
    next: 'quit Claude Desktop and start it again',
  },
  cursor: {
    title: 'Cursor',
    scopes: ['user', 'project'],
    place: (scope, machine) => {
      const parent = scope === 'project' ? machine.directory : machine.home
      const file = paths(machine).join(parent, '.cursor', 'mcp.json')
      return {file, keys: ['mcpServers'], hasComments: true, hasType: false}
    },
    next: 'start Cursor again, and turn the server on in its settings',
  },
  vscode: {
    title: 'VS Code',
    scopes: ['user', 'project'],
    place: (scope, machine) => {
      const {join: joined} = paths(machine)
      const folder =
        scope === 'project'
          ? joined(machine.directory, '.vscode')
          : joined(applicationData(machine), 'Code', 'User')
      return {file: joined(folder, 'mcp.json'), keys: ['servers'], hasComments: true, hasType: true}
    },
    next: 'run "MCP: List Servers" in VS Code and start it there',
  },
}

/**
 * Returns where `client` has its entries, and the scope (default: the usual one of the client). Throws a usage error for a scope
 * that the client does not have.
 */
export function placeOf(client: ClientName, asked: Scope | undefined, machine: Machine) {
  const {title, scopes, place} = CLIENT_DETAILS[client]
  const scope = asked ?? scopes[0]
  if (scopes.includes(scope)) return {scope, place: place(scope, machine)}
  const problem = `${title} has no scope "${scope}"`
  throw usage('invalid_flag', problem, `use --scope ${scopes.join(' or --scope ')}`)
}

function paths({platform}: Machine): typeof posix {
  return platform === 'win32' ? win32 : posix
}

/** Returns the directory in which the system's programs keep their data for this user. */
function applicationData(machine: Machine): string {
  const {platform, env, home} = machine
  const {join: joined} = paths(machine)
  if (platform === 'win32') return env.APPDATA || joined(home, 'AppData', 'Roaming')
  if (platform === 'darwin') return joined(home, 'Library', 'Application Support')
  return env.XDG_CONFIG_HOME || joined(home, '.config')
}

/**
 * Returns the directory of Claude Desktop's settings. On Windows, an installation as a package reads them in a directory of the
 * package, and only there, if it has been started once.
 */
function claudeDesktopDirectory(machine: Machine): string {
  const {platform, env, home} = machine
  const usual = paths(machine).join(applicationData(machine), 'Claude')
  if (platform !== 'win32') return usual
  const packages = join(env.LOCALAPPDATA || join(home, 'AppData', 'Local'), 'Packages')
  if (!existsSync(packages)) return usual
  const inPackage = readdirSync(packages)
    .filter(name => name.startsWith('Claude_'))
    .map(name => join(packages, name, 'LocalCache', 'Roaming', 'Claude'))
  return inPackage.find(directory => existsSync(directory)) ?? usual
}

/**
 * Returns the key under which Claude Code keeps what belongs to the project of the current directory: the root of its repository,
 * else the directory itself, with slashes on every system.
 */
function projectKey(machine: Machine): string {
  const root = repositoryRoot(machine) ?? machine.directory
  return machine.platform === 'win32' ? root.replaceAll('\\', '/') : root
}

/** Returns the root of the current directory's git repository, of an additional working tree the main one; undefined if none. */
function repositoryRoot(machine: Machine): string | undefined {
  const {dirname, join: joined} = paths(machine)
  for (let root = machine.directory; ; root = dirname(root)) {
    const stats = statSync(joined(root, '.git'), {throwIfNoEntry: false})
    if (stats?.isDirectory()) return root
    if (stats?.isFile()) return mainTreeOf(root) ?? root
    if (root === dirname(root)) return undefined
  }
}

/** Returns the main working tree that `root` belongs to, as its file .git says; undefined if it is not an additional one. */
function mainTreeOf(root: string): string | undefined {
  const [, gitDirectory] = /^gitdir: (.+?)\s*$/.exec(readFileSync(join(root, '.git'), 'utf8')) ?? []
  const [, main] = /^(.+)[\\/]\.git[\\/]worktrees[\\/][^\\/]+$/.exec(resolve(root, gitDirectory ?? '')) ?? []
  return main
}
