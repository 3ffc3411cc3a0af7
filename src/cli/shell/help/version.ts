/** What `version` prints; with --verbose also the system, the directories and the variables in effect, for a report. */
import {release, type} from 'node:os'
import {join} from 'node:path'
import process from 'node:process'
import {redactText} from '../../../api/redact/redact.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import {SETTINGS_NAME} from '../../../state/file-names.js'
import {type Result, single} from '../../terminal/result.js'
import {VARIABLES, type Variable} from './variables.js'

export interface VersionParts {
  readonly name: string
  readonly version: string
  readonly configDirectory: string
  readonly env: NodeJS.ProcessEnv
}

/** What a report about a fault needs: program, system, places and the variables in effect. */
export function versionFacts({name, version, configDirectory, env}: VersionParts) {
  return {
    ...shortFacts(name, version),
    system: `${type()} ${release()}`,
    node_path: process.execPath,
    config_directory: configDirectory,
    config_file: join(configDirectory, SETTINGS_NAME),
    environment: variablesInEffect(env),
  }
}

function shortFacts(name: string, version: string) {
  return {name, version, node: process.version, platform: `${process.platform}-${process.arch}`}
}

/** What `version` prints; `verbose`: with what is in effect here. */
export function versionResult(parts: VersionParts, verbose: boolean): Result {
  const {name, version} = parts
  if (verbose) {
    const facts = versionFacts(parts)
    return {...single(facts, {...facts}, version), text: verboseText(facts)}
  }
  const facts = shortFacts(name, version)
  return {
    ...single(facts, {...facts}, version),
    text: `${name}/${version} ${facts.platform} node-${facts.node}\n`,
  }
}

function verboseText({environment, ...facts}: ReturnType<typeof versionFacts>): string {
  const lines = Object.entries(facts).map(([name, value]) => `${`${name}:`.padEnd(18)}${value}`)
  const variables = Object.entries(environment).map(([name, value]) => `  ${name}=${value}`)
  return [
    ...lines,
    variables.length === 0 ? 'environment:      nothing set' : 'environment:',
    ...variables,
    '',
  ].join('\n')
}

/** The variables of the table that are set, without secrets. */
function variablesInEffect(env: NodeJS.ProcessEnv): Record<string, string> {
  const found = VARIABLES.flatMap(variable => spellingsOf(variable.name).map(name => ({...variable, name})))
  return Object.fromEntries(
    found.flatMap(variable => {
      const value = env[variable.name]
      return value ? [[variable.name, shown(variable, value)]] : []
    }),
  )
}

/** The variables of proxies are read in lower case, too. */
function spellingsOf(name: string): string[] {
  return name.endsWith('_PROXY') ? [name.toLowerCase(), name] : [name]
}

/** Ours: a value longer than this says no more. */
const LONGEST_VALUE = 200

function shown({name, isSecret}: Variable, value: string): string {
  if (isSecret) return '[redacted]'
  const proxy = /_proxy$/i.test(name) && !/^no_/i.test(name)
  // Credentials of a proxy, or of an address, stand before the @.
  const plain =
    proxy || /_URL$/.test(name) ? value.replace(/^([a-z]+:\/\/)?.*@/i, '$1[redacted]@') : redactText(value)
  return sanitizeLine(plain, LONGEST_VALUE)
}
