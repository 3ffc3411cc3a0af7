/** What `version` prints; with --verbose also the system, the directories and the variables in effect, for a report. */
import {release, type} from 'node:os'
import {join} from 'node:path'
import process from 'node:process'
import {redactText} from '../../../api/redact/redact.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import {SETTINGS_NAME} from '../../../state/file-names.js'
import {type Result, single} from '../../terminal/result.js'
import {isSecretVariable, VARIABLE_NAMES} from './variables.js'

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
    return {...single(facts, facts, version), text: verboseText(facts)}
  }
  const facts = shortFacts(name, version)
  const text = `${name}/${version} ${facts.platform} node-${facts.node}\n`
  return {...single(facts, facts, version), text}
}

function verboseText({environment, ...facts}: ReturnType<typeof versionFacts>): string {
  const lines = Object.entries(facts).map(([name, value]) => `${`${name}:`.padEnd(18)}${value}`)
  const variables = Object.entries(environment).map(([name, value]) => `  ${name}=${value}`)
  const heading = variables.length === 0 ? 'environment:      nothing set' : 'environment:'
  return [...lines, heading, ...variables, ''].join('\n')
}

/** The variables of the table that are set, without secrets. Those of proxies are read in lower case, too. */
function variablesInEffect(env: NodeJS.ProcessEnv): Record<string, string> {
  const names = VARIABLE_NAMES.flatMap(name =>
    name.endsWith('_PROXY') ? [name.toLowerCase(), name] : [name],
  )
  return Object.fromEntries(names.flatMap(name => (env[name] ? [[name, shown(name, env[name])]] : [])))
}

const MAX_VALUE_LENGTH = 200

function shown(name: string, value: string): string {
  if (isSecretVariable(name)) return '[redacted]'
  // Credentials of a proxy, or of an address, are before the @.
  const isAddress = /(^https?_proxy|_URL)$/i.test(name)
  const plain = isAddress ? value.replace(/^([a-z]+:\/\/)?.*@/i, '$1[redacted]@') : redactText(value)
  return sanitizeLine(plain, MAX_VALUE_LENGTH)
}
