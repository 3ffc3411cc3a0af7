/**
 * What the tool needs of oclif's Config, taken from what the build wrote. oclif's own looks for plugins, themes and
 * TypeScript at each start, which takes longer than most commands.
 */
import {readdirSync, readFileSync} from 'node:fs'
import {createRequire} from 'node:module'
import {homedir, tmpdir} from 'node:os'
import {join} from 'node:path'
import process from 'node:process'
import {fileURLToPath} from 'node:url'
import type {Command} from '@oclif/core/command'
import type {Config} from '@oclif/core/config'

interface Package {
  readonly name: string
  readonly version: string
  readonly oclif: {readonly bin: string; readonly dirname: string; readonly topics: Record<string, object>}
}

/** The tool installed in `root`, the directory of package.json. The manifest is read when help or completion ask. */
export function builtConfig(root: URL): Config {
  const {name, version, oclif}: Package = JSON.parse(readText('package.json', root))
  const folder = new URL('dist/commands/', root)
  const config = {
    name,
    version,
    bin: oclif.bin,
    root: fileURLToPath(root),
    configDir: configDirectory(oclif.dirname, process.env),
    commandIDs: commandIds(folder),
    topics: Object.entries(oclif.topics).map(([words, facts]) => ({
      name: words.replaceAll(' ', ':'),
      ...facts,
    })),
    get commands(): Command.Loadable[] {
      return Object.values(JSON.parse(readText('oclif.manifest.json', root)).commands)
    },
    findCommand: (id: string) => ({load: async () => loadCommand(folder, id)}),
    runHook: async () => ({successes: [], failures: []}),
  }
  return config as unknown as Config
}

function readText(name: string, root: URL): string {
  return readFileSync(new URL(name, root), 'utf8')
}

/** A command is a file below dist/commands, its id the path: `hotels:search`. */
function commandIds(folder: URL): string[] {
  const names = readdirSync(folder, {recursive: true, encoding: 'utf8'}).filter(name => name.endsWith('.js'))
  return names.map(name => name.slice(0, -3).replaceAll(/[\\/]/g, ':')).sort()
}

function loadCommand(folder: URL, id: string): Command.Class {
  const {default: CommandClass} = createRequire(folder)(`./${id.replaceAll(':', '/')}.js`)
  CommandClass.id = id
  return CommandClass
}

/** As oclif finds it: BOOKCTL_CONFIG_DIR, else `dirname` in XDG_CONFIG_HOME or the system's place for it. */
function configDirectory(dirname: string, env: NodeJS.ProcessEnv): string {
  if (env.BOOKCTL_CONFIG_DIR) return env.BOOKCTL_CONFIG_DIR
  const local = process.platform === 'win32' ? env.LOCALAPPDATA : undefined
  return join(env.XDG_CONFIG_HOME || local || join(home(), '.config'), dirname)
}

function home(): string {
  try {
    return homedir() || tmpdir()
  } catch {
    // A user whom the system does not know has no home.
    return tmpdir()
  }
}
