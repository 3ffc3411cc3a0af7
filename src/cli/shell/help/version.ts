/** What `version` prints; with --verbose also the system, the directories and the variables in effect, for a report. */
import {release, type} from 'node:os'
import {join} from 'node:path'
import process from 'node:process'
import {redactText} from '../../../api/redact/redact.js'
import {REDACTED, sanitizeLine} from '../../../contract/foreign-text.js'
import {SETTINGS_NAME} from '../../../state/file-names.js'
import {type Result, single} from '../../terminal/result.js'
import {isSecretVariable, VARIABLE_NAMES} from './variables.js'

interface VersionParts {
  readonly name: string
  readonly version: string
  readonly configDirectory: string
  readonly env: NodeJS.ProcessEnv
}

/** What a report about a fault needs: program, system, places and the variables in effect. */
export function versionFacts({name, version, configDirectory, env}: VersionParts) {
  return {
    name,
    version,
    node: process.version,
    platform: `${process.platform}-${process.arch}`,
    system: `${type()} ${release()}`,
    node_path: process.execPath,
    config_directory: configDirectory,
    config_file: join(configDirectory, SETTINGS_NAME),
    environment: variablesInEffect(env),
  }
}

/** What `version` prints; `verbose`: with what is in effect here. */
export function versionResult(parts: VersionParts, verbose: boolean): Result {
  const {environment, ...facts} = versionFacts(parts)
  const {name, version, node, platform} = facts
  if (!verbose) {
    const short = {name, version, node, platform}
    return {...single(short, short, version), text: `${name}/${version} ${platform} node-${node}\n`}
  }
  const lines = Object.entries(facts).map(([key, value]) => `${`${key}:`.padEnd(18)}${value}`)
  const variables = Object.entries(environment).map(([key, value]) => `  ${key}=${value}`)
  const heading = variables.length === 0 ? 'environment:      nothing set' : 'environment:'
  const all = {...facts, environment}
  return {...single(all, all, version), text: [...lines, heading, ...variables, ''].join('\n')}
}

/** The variables of the table that are set, without secrets. Those of proxies are read in lower case, too. */
function variablesInEffect(env: NodeJS.ProcessEnv): Record<string, string> {
  const names = VARIABLE_NAMES.flatMap(name =>
    name.endsWith('_PROXY') ? [name.toLowerCase(), name] : [name],
  )
  return Object.fromEntries(names.flatMap(name => (env[name] ? [[name, shown(name, env[name])]] : [])))
}

const MOST_VALUE_LENGTH = 200

function shown(name: string, value: string): string {
  if (isSecretVariable(name)) return REDACTED
  // Credentials of a proxy, or of an address, are before the @.
  const isAddress = /(^https?_proxy|_URL)$/i.test(name)
  const plain = isAddress ? value.replace(/^([a-z]+:\/\/)?.*@/i, `$1${REDACTED}@`) : redactText(value)
  return sanitizeLine(plain, MOST_VALUE_LENGTH)
}
