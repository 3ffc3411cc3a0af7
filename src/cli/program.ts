/**
 * What the program is made of: its name and version, where it keeps its files, and its commands. Built, that is read of
 * two files the build wrote: a short one for every start, and what the commands take, for help and completion alone.
 */
import {readdirSync, readFileSync} from 'node:fs'
import {createRequire} from 'node:module'
import {devNull} from 'node:os'
import {join} from 'node:path'
import process from 'node:process'
import {fileURLToPath} from 'node:url'
import type {BaseCommand} from './base-command.js'
import {homeDirectory} from './home.js'
import type {CommandFacts} from './usage/command-facts.js'

export interface Place {
  /** Directory of package.json. */
  readonly root: URL
  /** Directory of the sources, to run from them. */
  readonly source?: URL
}

export type CommandClass = new (argv: string[], program: Program, id: string) => BaseCommand

export interface Program {
  readonly name: string
  readonly version: string
  /** Where this machine's files are kept. */
  readonly configDir: string
  /** `hotels:search` for `bookctl hotels search`. */
  readonly commandIds: readonly string[]
  /** What every command says of itself. */
  commands(): Promise<readonly CommandFacts[]>
  /** The command of that id, which must be there. */
  load(id: string): Promise<CommandClass>
}

/** The program in `place`. */
export function openProgram(place: Place): Program {
  const facts = {...readPackage(place), configDir: configDirectory(process.env)}
  return {...facts, ...(place.source ? sourceCommands(place.source) : builtCommands(place.root))}
}

/** What package.json says. */
function readPackage({root}: Place): {name: string; version: string} {
  const {name, version} = readJson(new URL('package.json', root))
  return {name, version}
}

/** What the build made: command-ids.json and manifest.json by scripts/build.js, and a file for each command. */
function builtCommands(root: URL): Pick<Program, 'commandIds' | 'commands' | 'load'> {
  const directory = new URL('dist/', root)
  const load = createRequire(directory)
  return {
    commandIds: readJson(new URL('command-ids.json', directory)),
    commands: async () => Object.values(readJson(new URL('manifest.json', directory)).commands),
    load: async id => load(`./commands/${id.replaceAll(':', '/')}.js`).default,
  }
}

/** The sources themselves, for which nothing was written: all of them are loaded to know what they say. */
function sourceCommands(directory: URL): Pick<Program, 'commandIds' | 'commands' | 'load'> {
  const commandIds = readdirSync(fileURLToPath(new URL('commands', directory)), {recursive: true})
    .map(file => String(file).split(/[\\/]/).join(':'))
    .filter(file => file.endsWith('.ts'))
    .map(file => file.slice(0, -'.ts'.length))
    .sort()
  const load = async (id: string) =>
    (await import(new URL(`commands/${id.replaceAll(':', '/')}.ts`, directory).href)).default
  const commands = async () => (await import('./usage/command-facts.js')).describeCommands(commandIds, load)
  return {commandIds, commands, load}
}

// biome-ignore lint/suspicious/noExplicitAny: files of our own build
function readJson(file: URL): any {
  return JSON.parse(readFileSync(file, 'utf8'))
}

/**
 * BOOKCTL_CONFIG_DIR, else a directory in XDG_CONFIG_HOME or the system's place for such. Who has no home works from the
 * environment, as in one that cannot be written: nothing can be made below the null device. (In the place of temporary
 * files anyone could have laid a config.json for us.)
 */
function configDirectory(env: NodeJS.ProcessEnv): string {
  if (env.BOOKCTL_CONFIG_DIR) return env.BOOKCTL_CONFIG_DIR
  const local = process.platform === 'win32' ? env.LOCALAPPDATA : undefined
  return join(env.XDG_CONFIG_HOME || local || join(homeDirectory() ?? devNull, '.config'), 'bookctl')
}
