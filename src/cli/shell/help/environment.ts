/**
 * Every environment variable that this program reads, for `help`, `config` and `doctor`. Also builds the output of
 * `version`.
 */
import {release, type} from 'node:os'
import {join} from 'node:path'
import process from 'node:process'
import {redactText} from '../../../api/redact/redact.js'
import {REDACTED, sanitizeLine} from '../../../contract/foreign-text.js'
import {SETTINGS_NAME} from '../../../state/file-names.js'
import {type Result, single} from '../../terminal/result.js'

/** The environment variables by heading. The flag that overrides a variable is in brackets. */
export const VARIABLES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'Service and credentials; these are enough without a login and without a file': {
    BOOKCTL_BASE_URL: 'address of the service, ending in v1 (--base-url)',
    BOOKCTL_CLIENT_ID: 'client id, which starts with cid_ (--client-id)',
    BOOKCTL_CLIENT_SECRET: 'client secret, sk_test_… or sk_live_…; never a flag',
    BOOKCTL_TOKEN: 'an access token, used instead of client id and secret; never renewed',
    BOOKCTL_SCOPES:
      'scopes to request, separated by spaces or commas, instead of those of the profile (default: those a command needs)',
    BOOKCTL_PROFILE:
      'profile to use; credentials in the environment override it, unless --profile is given (--profile)',
    BOOKCTL_WEBHOOK_SECRET: 'signing secrets of webhooks, separated by spaces',
  },
  Behaviour: {
    BOOKCTL_CONFIG_DIR: 'configuration directory',
    BOOKCTL_STORE: 'store shared with other machines: postgres://user@host/database',
    BOOKCTL_NATIONALITY: 'country of the guests in searches, two letters (--nationality)',
    BOOKCTL_CURRENCY: 'currency of the prices in searches, three letters (--currency)',
    BOOKCTL_NO_INPUT: 'set: never ask a question (--no-input)',
    BOOKCTL_ACCESSIBLE: 'set to 1: questions as numbered lines, without redrawing',
    BOOKCTL_COLUMNS: 'width of the terminal; overrides COLUMNS',
    BOOKCTL_NO_HISTORY: 'set: do not keep the last requests (method, address, status) for support bundle',
    BOOKCTL_DEBUG: 'set: an internal error shows where it happened',
  },
  Network: {
    BOOKCTL_TIMEOUT:
      "time limit in seconds for the service's answer, retries included; not for printing it (--timeout)",
    BOOKCTL_CA_FILE: 'file of additional certificates to trust (PEM) (--ca-file)',
    HTTPS_PROXY: 'proxy for https; lower case overrides upper case; this machine is always reached directly',
    HTTP_PROXY: 'proxy for http',
    NO_PROXY: 'hosts reached without the proxy: names, addresses, ranges, separated by commas',
    NODE_EXTRA_CA_CERTS: "Node's own variable for certificates to trust; honoured",
    NODE_TLS_REJECT_UNAUTHORIZED: 'not honoured: certificates are always checked',
  },
  'System variables': {
    PGPASSWORD: 'password of BOOKCTL_STORE',
    PGPASSFILE: 'file of passwords of BOOKCTL_STORE (default ~/.pgpass)',
    CI: 'set: never ask a question, show no progress',
    NO_COLOR: 'set: no colour (--no-color)',
    CLICOLOR: '0: no colour',
    CLICOLOR_FORCE: 'set, and not 0: colour in a pipe too',
    FORCE_COLOR: 'set: colour in a pipe too; 0: no colour',
    TERM: 'dumb: as BOOKCTL_ACCESSIBLE, and no colour',
    COLUMNS: 'width of the terminal',
    LC_ALL: 'its country, as in tr_TR, is the first nationality offered',
    LANG: 'as LC_ALL, where that is not set',
    SHELL: 'shell for which `autocomplete` prints instructions',
    XDG_CONFIG_HOME: 'parent of the configuration directory (default ~/.config)',
    XDG_CACHE_HOME: 'where Node 22 and later keep compiled code, in bookctl/node (default ~/.cache)',
    LOCALAPPDATA: 'on Windows, used instead of ~/.config and ~/.cache',
    APPDATA: "on Windows, parent of other programs' settings, for mcp install",
    CLAUDE_CONFIG_DIR:
      'directory of the settings of Claude Code, for mcp install (default the home directory)',
    DEBUG: 'not honoured, like NODE_DEBUG: packages would print requests with their secrets',
    NODE_DEBUG: 'not honoured, see DEBUG',
    NOTIFY_SOCKET: 'set by systemd: webhooks listen says when it is ready, reloads and stops',
    WATCHDOG_USEC: 'set by systemd: how often it says that it works, at least',
    WATCHDOG_PID: 'set by systemd: the process that it watches',
    LISTEN_FDS: 'set by systemd: webhooks listen takes the socket that is open already',
    LISTEN_PID: 'set by systemd: the process that the socket is for',
  },
}

export const VARIABLE_NAMES = Object.values(VARIABLES).flatMap(group => Object.keys(group))

/** Reports whether the value of the variable must never be shown. */
export function isSecretVariable(name: string): boolean {
  return /^(BOOKCTL_.*(SECRET|TOKEN)|BOOKCTL_STORE|PGPASSWORD)$/.test(name)
}

interface Program {
  readonly name: string
  readonly version: string
  readonly configDirectory: string
  readonly env: NodeJS.ProcessEnv
}

/**
 * Returns the facts for a bug report: program, system, paths, and the variables that are set, with secrets redacted.
 */
export function versionFacts({name, version, configDirectory, env}: Program) {
  const environment: Record<string, string> = {}
  // The names of proxy variables may also be in lower case.
  for (const name of VARIABLE_NAMES.flatMap(each =>
    each.endsWith('_PROXY') ? [each.toLowerCase(), each] : each,
  )) {
    const value = env[name]
    if (!value) continue
    // In the address of a proxy or service, credentials come before the @.
    const isAddress = /(^https?_proxy|_URL)$/i.test(name)
    const plain = isAddress ? value.replace(/^([a-z]+:\/\/)?.*@/i, `$1${REDACTED}@`) : redactText(value)
    environment[name] = isSecretVariable(name) ? REDACTED : sanitizeLine(plain, 200)
  }
  return {
    name,
    version,
    node: process.version,
    platform: `${process.platform}-${process.arch}`,
    system: `${type()} ${release()}`,
    node_path: process.execPath,
    config_directory: configDirectory,
    config_file: join(configDirectory, SETTINGS_NAME),
    environment,
  }
}

/** Returns the result of `version`. With `verbose`, it includes paths and the variables that are set. */
export function versionResult(program: Program, verbose: boolean): Result {
  const {environment, ...facts} = versionFacts(program)
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
