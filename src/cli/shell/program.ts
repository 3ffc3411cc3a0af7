/**
 * Starts oclif. The built program passes it a single plugin, made from a small table, because loading the whole
 * manifest takes time: for `webhooks verify` of one file (`npm run bench`, verify), a tenth more processor time on Node
 * 20, and a fifth more on Node 24 with its compile cache.
 */
import {readFileSync} from 'node:fs'
import {createRequire} from 'node:module'
import {join} from 'node:path'
import process from 'node:process'
import type {Command} from '@oclif/core/command'
import {Config, Plugin} from '@oclif/core/config'
import type * as Interfaces from '@oclif/core/interfaces'
import {settings} from '@oclif/core/settings'

export interface Place {
  /** The directory with commands/ and cli/: dist/ or src/. Next to it is package.json. */
  readonly root: string
  readonly isSource?: boolean
}

/** Returns the options for oclif's `run`. */
export function loadOptions({root, isSource}: Place): Interfaces.LoadOptions & object {
  // Otherwise NODE_ENV could make oclif look for a TypeScript compiler.
  settings.enableAutoTranspile = false
  // Otherwise oclif would look for theme.json in the configuration directory.
  process.env.BOOKCTL_DISABLE_THEME = '1'
  const pjson: Interfaces.PJSON = readJson(join(root, '../package.json'))
  const options = {root, pjson, userPlugins: false, devPlugins: false}
  if (isSource) return options
  // The table contains only what oclif needs to distinguish the name of a command from its arguments.
  const table: {readonly id: string}[] = readJson(join(root, 'commands.json'))
  const require = createRequire(join(root, 'commands.json'))
  const load = async (id: string): Promise<Command.Class> =>
    Object.assign(require(`./commands/${id.replaceAll(':', '/')}.js`).default, {id})
  const hooks = Object.entries(pjson.oclif.hooks ?? {}).map(([event, target]) => [
    event,
    [{target, identifier: 'default'}],
  ])
  const {name, version} = pjson
  const facts = {root, isRoot: true, pjson, name}
  const plugin = Object.assign(new Plugin(facts), facts, {
    version,
    alias: name,
    type: 'core',
    moduleType: 'commonjs' as const,
    valid: true,
    hasManifest: true,
    hooks: Object.fromEntries(hooks),
    commandIDs: table.map(({id}) => id),
    commands: table.map(entry => ({...entry, load: () => load(entry.id)})),
  })
  return {...options, plugins: new Map([[name, plugin as unknown as Plugin]])}
}

/** Returns the configuration with the whole manifest, which help and completion need. */
export async function wholeConfig(config: Interfaces.Config): Promise<Interfaces.Config> {
  const {plugins, ...options} = (config as Config).options
  return plugins === undefined ? config : Config.load(options)
}

// biome-ignore lint/suspicious/noExplicitAny: files of our own build
function readJson(file: string): any {
  return JSON.parse(readFileSync(file, 'utf8'))
}
