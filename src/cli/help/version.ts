/** What `version` prints; with --verbose also the system, the directories and the variables in effect, for a report. */
import {release, type} from 'node:os'
import {join} from 'node:path'
import process from 'node:process'
import {redactText} from '../../api/redact.js'
import {usage} from '../../contract/failure.js'
import {sanitizeLine} from '../../contract/foreign-text.js'
import {SETTINGS_NAME} from '../../state/file-names.js'
import {jsonText} from '../output/json-text.js'
import {GLOBAL_SWITCHES, GLOBAL_VALUES} from '../usage/global-flags.js'
import {closest} from '../usage/suggest.js'
import {VARIABLES, type Variable} from './variables.js'

export interface VersionParts {
  readonly name: string
  readonly version: string
  readonly configDirectory: string
  readonly env: NodeJS.ProcessEnv
}

/** The text of `version`, as the flags in `argv` want it. Throws usage for a flag it does not have. */
export function versionText(parts: VersionParts, argv: readonly string[], json: boolean): string {
  refuseUnknown(argv)
  const {name, version} = parts
  const platform = `${process.platform}-${process.arch}`
  const facts = {name, version, node: process.version, platform}
  if (!argv.includes('--verbose') && !argv.includes('-v')) {
    return json ? `${jsonText(facts, 2)}\n` : `${name}/${version} ${platform} node-${process.version}\n`
  }
  const more = {
    ...facts,
    system: `${type()} ${release()}`,
    node_path: process.execPath,
    config_directory: parts.configDirectory,
    config_file: join(parts.configDirectory, SETTINGS_NAME),
  }
  const environment = variablesInEffect(parts.env)
  return json ? `${jsonText({...more, environment}, 2)}\n` : verboseText(more, environment)
}

function verboseText(
  facts: Readonly<Record<string, string>>,
  environment: Readonly<Record<string, string>>,
): string {
  const lines = Object.entries(facts).map(([name, value]) => `${`${name}:`.padEnd(18)}${sanitizeLine(value)}`)
  const variables = Object.entries(environment).map(([name, value]) => `  ${name}=${value}`)
  return [
    ...lines,
    variables.length === 0 ? 'environment:      nothing set' : 'environment:',
    ...variables,
    '',
  ].join('\n')
}

/** The variables of the table that are set, without secrets. */
export function variablesInEffect(env: NodeJS.ProcessEnv): Record<string, string> {
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

function refuseUnknown(argv: readonly string[]): void {
  const wrong = argv.find(
    (word, index) =>
      !GLOBAL_SWITCHES.has(word) &&
      !GLOBAL_VALUES.has(word.split('=', 1)[0] ?? '') &&
      !GLOBAL_VALUES.has(argv[index - 1] ?? ''),
  )
  if (wrong === undefined) return
  const best = closest(wrong, [...GLOBAL_SWITCHES, ...GLOBAL_VALUES])
  const hint = best ? `did you mean ${best}?` : 'version takes --verbose and --json'
  throw usage('unknown_flag', 'version does not take this', hint)
}
