/** `mcp install`: the entry of the server in the settings of a client, and how the file that has it is changed. */
import {isUtf8} from 'node:buffer'
import * as fs from 'node:fs'
import {dirname, isAbsolute, join, resolve} from 'node:path'
import {usage} from '../../../contract/failure.js'
import {REDACTED, sanitizeLine} from '../../../contract/foreign-text.js'
import {sizeText} from '../../../contract/limits.js'
import {StorageError, storageErrorOf} from '../../../storage/errors.js'
import {createDirectories, lstatIfAny, writeWholeFile} from '../../../storage/files.js'
import {invalid} from '../../input/checks.js'
import type {DryChange} from '../../session/dry-run.js'
import {type Result, single} from '../../terminal/result.js'
import {CLIENT_DETAILS, type ClientName, type Machine, type Place, placeOf, type Scope} from './clients.js'
import {mcpFlags} from './flags.js'
import {type Form, type Keys, readValue, withoutValue, withValue} from './settings-text.js'

/** The start of a server, as a client's settings have it. */
interface Entry {
  readonly type?: 'stdio'
  readonly command: string
  readonly args: readonly string[]
}

export const INSTALL_COLUMNS = ['client', 'scope', 'file', 'name', 'action', 'entry', 'backup']

/** A change of a client's settings, before it is made. */
export interface InstallPlan {
  readonly client: ClientName
  readonly scope: Scope
  /** The file that is written: where a symbolic link leads to. */
  readonly file: string
  readonly name: string
  readonly action: 'add' | 'change' | 'remove' | 'none'
  /** The keys of the entry. */
  readonly keys: Keys
  readonly before: Entry | undefined
  readonly after: Entry | undefined
  readonly read: ReadSettings | undefined
  /** The whole text of the file afterwards. */
  readonly text: string
}

/** A settings file as it was read. */
interface ReadSettings {
  readonly bytes: Buffer
  readonly stats: fs.Stats
  readonly text: string
}

/** Settings of Claude Code, which has its history there, reach some megabytes. */
const MOST_SETTINGS_BYTES = 64 * 1024 * 1024
const BYTE_ORDER_MARK = '\ufeff'

/** Global flags that name the service and the way to it, which the server is started with. */
const SERVICE_FLAGS = ['profile', 'base-url', 'ca-file', 'proxy', 'insecure', 'timeout']
const PATH_FLAGS = ['ca-file', 'voucher-dir']

type Token = {readonly type: string; readonly flag?: string; readonly input: string}

/**
 * Returns the command line of the server after the program: `mcp` and the flags that were typed for it, with absolute paths,
 * because a client starts it in any directory. `raw` are the words as oclif read them.
 */
export function serverArguments(raw: readonly object[]): string[] {
  const flags = (raw as readonly Token[]).flatMap(({type, flag = '', input}) => {
    if (type !== 'flag' || !(flag in mcpFlags || SERVICE_FLAGS.includes(flag))) return []
    const definition = mcpFlags[flag as keyof typeof mcpFlags]
    if (flag === 'insecure' || (definition?.type as string) === 'boolean') return [`--${flag}`]
    return [`--${flag}`, PATH_FLAGS.includes(flag) ? resolve(input) : input]
  })
  return ['mcp', ...flags]
}

/** Reads `--name`. Clients take letters, digits, hyphens and underscores. */
export function readServerName(field: string, text: string): string {
  if (/^[A-Za-z][\w-]{0,63}$/.test(text)) return text
  throw invalid(field, 'must be letters, digits, - and _, and start with a letter', text)
}

interface Wanted {
  readonly client: ClientName
  readonly scope: Scope | undefined
  /** The settings file, if it is not the client's usual one. */
  readonly file: string | undefined
  readonly name: string
  /** The program and its arguments; undefined removes the entry. */
  readonly command: readonly string[] | undefined
}

/**
 * Plans the change of a client's settings. Throws a usage error if the file cannot be read or is not what the client reads, or
 * if the entry of that name is another server's.
 */
export function planInstall({client, name, command, ...asked}: Wanted, machine: Machine): InstallPlan {
  const {scope, place} = placeOf(client, asked.scope, machine)
  const given = asked.file === undefined ? place.file : resolve(machine.directory, asked.file)
  const file = targetOf(given)
  const read = readSettings(file)
  const form = {file: sanitizeLine(file), hasComments: place.hasComments}
  const keys = [...place.keys, name]
  const text = read?.text ?? ''
  const before = readEntry(text, keys, form)
  const plan = {client, scope, file, name, keys, before, read}
  if (command === undefined) {
    const action = before === undefined ? 'none' : 'remove'
    return {...plan, action, after: undefined, text: withoutValue(text, keys, form)}
  }
  const after = entryOf(command, place)
  if (before === undefined) return {...plan, action: 'add', after, text: withValue(text, keys, after, form)}
  // What else the entry has, such as variables of its environment, stays.
  const withCommand = withValue(text, [...keys, 'command'], after.command, form)
  const changed = withValue(withCommand, [...keys, 'args'], after.args, form)
  const isSame = before.command === after.command && before.args.join('\0') === after.args.join('\0')
  return {
    ...plan,
    action: isSame ? 'none' : 'change',
    after: {...before, ...after},
    text: isSame ? text : changed,
  }
}

function entryOf([command = '', ...args]: readonly string[], {hasType}: Place): Entry {
  return {...(hasType ? {type: 'stdio'} : {}), command, args}
}

/** Returns the entry at `keys`; undefined if there is none. Throws a usage error if it does not start this program. */
function readEntry(text: string, keys: Keys, form: Form): Entry | undefined {
  const found = readValue(text, keys, form)
  if (found === undefined) return undefined
  const {command, args} = (found ?? {}) as {readonly command?: unknown; readonly args?: unknown}
  const words = Array.isArray(args) && args.every(word => typeof word === 'string') ? args : []
  // The full path of the program comes after node.
  if (typeof command === 'string' && words.slice(0, 2).includes('mcp')) return found as Entry
  const problem = `${form.file} has another server at ${shownKeys(keys)}`
  throw usage('name_in_use', `${problem}; it was not changed`, 'choose another name: --name NAME')
}

/** Returns the path that `path` leads to through symbolic links. Throws a usage error for a link to nothing. */
function targetOf(path: string): string {
  if (lstatIfAny(path) === undefined) return path
  try {
    return fs.realpathSync(path)
  } catch {
    throw usage(
      'broken_settings',
      `${sanitizeLine(path)} is a symbolic link to nothing`,
      'remove or correct it',
    )
  }
}

function readSettings(file: string): ReadSettings | undefined {
  const shown = sanitizeLine(file)
  try {
    const stats = fs.statSync(file, {throwIfNoEntry: false})
    if (stats === undefined) return undefined
    if (!stats.isFile())
      throw usage('broken_settings', `${shown} is not a file`, 'name another one: --file FILE')
    if (stats.size > MOST_SETTINGS_BYTES)
      throw usage('broken_settings', `${shown} is longer than ${sizeText(MOST_SETTINGS_BYTES)}`)
    const bytes = fs.readFileSync(file)
    if (!isUtf8(bytes)) throw usage('broken_settings', `${shown} is not UTF-8 text; it was not changed`)
    return {bytes, stats, text: bytes.toString('utf8').replace(BYTE_ORDER_MARK, '')}
  } catch (error) {
    const {code} = error as NodeJS.ErrnoException
    if (code === 'ENOTDIR') return undefined
    if (!code) throw error
    throw usage('cannot_read', `cannot read ${shown} (${code})`)
  }
}

/**
 * Changes the file as planned and returns the path of the copy of the earlier one; null if there was none. Throws a StorageError
 * if it cannot be written, or has changed since it was read; it is then as it was, and there is no copy.
 */
export async function applyInstall({file, read, text}: InstallPlan): Promise<string | null> {
  let copy: string | null = null
  try {
    createDirectories(dirname(file))
    if (read) copy = await writeCopy(file, read)
    const mark = read?.bytes.subarray(0, 3).toString('utf8') === BYTE_ORDER_MARK ? BYTE_ORDER_MARK : ''
    const whenReady = () => requireUnchanged(file, read)
    const pieces = [Buffer.from(mark + text)]
    await writeWholeFile(file, pieces, {existing: 'replace', like: read?.stats, whenReady})
    return copy
  } catch (error) {
    if (copy !== null) fs.rmSync(copy, {force: true})
    const {fault, message, hint} = storageErrorOf(error, file)
    const next = fault === 'not_writable' ? 'make it writable, or name another file: --file FILE' : hint
    throw new StorageError(fault, message, next, {cause: error})
  }
}

/** Throws a StorageError if `file` is not as it was read: the client may have written it while the question was open. */
function requireUnchanged(file: string, read: ReadSettings | undefined): void {
  const now = fs.existsSync(file) ? fs.readFileSync(file) : undefined
  if (now === undefined ? read === undefined : read?.bytes.equals(now)) return
  throw new StorageError('busy', `${file} has just been changed by another program`, 'run the command again')
}

/** Writes a copy beside `file` under the first free name and returns its path. Throws a StorageError. */
async function writeCopy(file: string, {bytes, stats}: ReadSettings): Promise<string> {
  for (let number = 0; ; number++) {
    const copy = `${file}.bak${number === 0 ? '' : `.${number}`}`
    if (lstatIfAny(copy) !== undefined) continue
    await writeWholeFile(copy, [bytes], {existing: 'create', like: stats})
    return copy
  }
}

/** Describes the change for `--dry-run`. */
export function dryInstall({file, keys, action, before, after, read}: InstallPlan): DryChange[] {
  if (action === 'none') return []
  const create = read === undefined ? ('create' as const) : ('set' as const)
  return [
    {
      file,
      action: action === 'remove' ? 'remove' : create,
      what: shownKeys(keys),
      ...(before && {before: shownEntry(before)}),
      ...(after && {after: shownEntry(after)}),
    },
  ]
}

/** Returns the lines that are shown before the question. */
export function installLines({file, keys, action, before, after}: InstallPlan): string[] {
  const shown = (entry: Entry) => JSON.stringify(shownEntry(entry), undefined, 2).split('\n')
  const heading = {add: 'adds', change: 'changes', remove: 'removes', none: 'leaves'}[action]
  return [
    `${file}: ${heading} ${shownKeys(keys)}`,
    ...(before ? shown(before).map(line => `- ${line}`) : []),
    ...(after ? shown(after).map(line => `+ ${line}`) : []),
  ]
}

/** Returns the result of a change that was made. */
export function installResult(plan: InstallPlan, backup: string | null): Result {
  const {client, scope, file, name, action, before, after} = plan
  const done = {add: 'added', change: 'changed', remove: 'removed', none: 'unchanged'}[action]
  const entry = after ?? before
  const row = {client, scope, file, name, action: done, entry: entry ? shownEntry(entry) : null, backup}
  return single(row, row, file)
}

/** The values of variables that a person added may be secrets. */
function shownEntry(entry: Entry): object {
  const {env, ...rest} = entry as Entry & {readonly env?: object}
  if (typeof env !== 'object' || env === null) return rest
  return {...rest, env: Object.fromEntries(Object.keys(env).map(name => [name, REDACTED]))}
}

function shownKeys(keys: Keys): string {
  return keys.map(key => (/^[\w-]+$/.test(key) ? key : JSON.stringify(key))).join('.')
}

/** Variables of this shell that decide which service and client a command uses; a client starts the server without them. */
const DECIDING = [
  'BOOKCTL_BASE_URL',
  'BOOKCTL_CLIENT_ID',
  'BOOKCTL_CLIENT_SECRET',
  'BOOKCTL_CONFIG_DIR',
  'BOOKCTL_PROFILE',
  'BOOKCTL_STORE',
  'BOOKCTL_TOKEN',
]

/** Returns warnings about what may keep the client from starting the server as this command would. */
export function installWarnings({client, after}: InstallPlan, {env, platform}: Machine): string[] {
  if (after === undefined) return []
  const {title} = CLIENT_DETAILS[client]
  const names = DECIDING.filter(name => env[name])
  const programs = platform === 'win32' ? ['bookctl.cmd', 'bookctl.exe'] : ['bookctl']
  const directories = (env.PATH ?? env.Path ?? '').split(platform === 'win32' ? ';' : ':')
  const isFound = directories.some(directory => programs.some(name => fs.existsSync(join(directory, name))))
  return [
    ...(names.length > 0
      ? [
          `Warning: ${title} starts the server without the variables of this shell (${names.join(', ')}): log in and use --profile`,
        ]
      : []),
    ...(isFound || isAbsolute(after.command)
      ? []
      : [`Warning: ${title} cannot start bookctl, because it is not on the PATH: add --full-path`]),
  ]
}
