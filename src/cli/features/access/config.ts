/** The settings as `config get`, `list`, `path`, `set` and `unset` print them. No secret is ever among them. */
import {lstatSync} from 'node:fs'
import {join} from 'node:path'
import {usage} from '../../../contract/failure.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import {FILE_NAMES, LOCKS_NAME, SETTINGS_NAME} from '../../../state/file-names.js'
import {type Change, pathsTaken, planChange} from '../../session/change.js'
import {type Checked, checked} from '../../session/checked.js'
import type {DryChange} from '../../session/dry-run.js'
import {allEffective, effective, type Surroundings} from '../../session/effective.js'
import type {SettingKey, SettingValue} from '../../session/keys.js'
import {VARIABLES} from '../../shell/help/variables.js'
import {type Result, single} from '../../terminal/result.js'

export const CONFIG_COLUMNS = ['key', 'value', 'origin', 'source']
export const CHANGE_COLUMNS = ['key', 'value', 'previous', 'profile', 'path']

/** Variables that hold a secret: of these only whether they are set is ever shown. */
const SECRET_VARIABLES = VARIABLES.filter(({isSecret}) => isSecret).map(({name}) => name)

interface Row extends Record<string, unknown> {
  readonly key: string
  readonly value: SettingValue | null
  readonly origin: string
  readonly source: string | null
  readonly source_path?: string
}

/** One setting; throws usage `not_set` when nothing gives it. With `showOrigin` the text says where it comes from. */
export async function getSetting(
  key: SettingKey,
  around: Surroundings,
  path: string,
  showOrigin: boolean,
): Promise<Result> {
  const found = await checked(effective(key, around))
  if (found.value === null) throw notSet(key)
  const row = rowOf(found, path)
  const text = sanitizeLine(textOf(found.value))
  const line = showOrigin ? `${originInWords(found, path)}: ${text}` : text
  return {...single(row, row, text), text: `${line}\n`, ...warningOf([found])}
}

/** What has to be said of values that will not do; they are printed all the same. */
function warningOf(found: readonly Checked[]): {warning?: string} {
  const problems = found.flatMap(({problem}) => problem ?? [])
  return problems.length === 0 ? {} : {warning: `Warning: ${problems.join('; ')}`}
}

function notSet({name, environment, readOnly}: SettingKey) {
  const variable = environment === undefined ? '' : `, or set ${environment}`
  return usage('not_set', `${name} is not set`, readOnly ?? `bookctl config set ${name} VALUE${variable}`)
}

/** Every setting, with origin `unset` where nothing gives one, and the secrets of the environment as set. */
export async function listSettings(around: Surroundings, path: string): Promise<Result<Row>> {
  const found = await Promise.all(allEffective(around).map(checked))
  const settings = found.map(each => rowOf(each, path))
  const secrets = SECRET_VARIABLES.filter(name => around.env[name]).map(name => ({
    key: name.replace('BOOKCTL_', '').toLowerCase(),
    value: 'set',
    origin: 'environment',
    source: name,
  }))
  const rows: Row[] = [...settings, ...secrets]
  return {
    document: {settings: rows},
    items: rows,
    columns: CONFIG_COLUMNS.map(name => ({
      name,
      value: (row: Row) => (name === 'value' && row.value !== null ? textOf(row.value) : row[name]),
    })),
    id: row => row.key,
    ...warningOf(found),
  }
}

function rowOf({key, value, origin, source}: Checked, path: string): Row {
  const inFile = ['profile', 'defaults', 'file'].includes(origin)
  return {key: key.name, value, origin, source, ...(inFile ? {source_path: path} : {})}
}

function originInWords({origin, source}: Checked, path: string): string {
  switch (origin) {
    case 'flag':
      return `flag ${source}`
    case 'environment':
      return `environment variable ${source}`
    case 'profile':
      return `profile ${source} in ${path}`
    case 'defaults':
      return `defaults in ${path}`
    case 'file':
      return path
    default:
      return 'built in'
  }
}

function textOf(value: SettingValue): string {
  return Array.isArray(value) ? value.join(' ') : String(value)
}

/** Where everything of ours is; reads none of it, so that it works whatever state the files are in. */
export function settingsPath(directory: string): Result {
  const files = [...FILE_NAMES, LOCKS_NAME].map(name => {
    const path = join(directory, name)
    return {name, path, exists: exists(path)}
  })
  const path = join(directory, SETTINGS_NAME)
  const document = {path, directory, files}
  return {...single(document, document, path), text: `${sanitizeLine(path)}\n`}
}

function exists(path: string): boolean {
  try {
    return lstatSync(path, {throwIfNoEntry: false}) !== undefined
  } catch {
    return false
  }
}

export interface PlannedChange {
  readonly change: Change
  /** For `--dry-run`. */
  readonly described: readonly DryChange[]
  /** What has to be said of settings that go with it; undefined when none do. */
  readonly taken: string | undefined
  /** What goes before the setting although it is written now; undefined when nothing does. */
  readonly overriddenBy: string | undefined
}

/** Plans `config set` (or, without `text`, `unset`). Throws usage. */
export async function planSetting(
  wanted: SettingKey,
  text: string | undefined,
  around: Surroundings,
  path: string,
): Promise<PlannedChange> {
  const change = await planChange({key: wanted, text}, around)
  const {key, place, profile, before, after} = change
  const where = place === 'profile' ? `profiles.${profile}.` : place === 'defaults' ? 'defaults.' : ''
  const action = after === null ? 'remove' : 'set'
  const described = {file: path, action, what: `${where}${key.name}`, before, after} as const
  const paths = pathsTaken(around.settings, change)
  const gone = paths.map(name => ({file: path, action: 'remove', what: `${where}paths.${name}`}) as const)
  const names = paths.map(name => sanitizeLine(`paths.${name}`, 60)).join(', ')
  const taken = names === '' ? undefined : `Taken out, since it was for the service before: ${names}`
  return {change, described: [described, ...gone], taken, overriddenBy: overriding(change, around)}
}

/** What would override the setting once it is written: that is already so. */
function overriding({key, place, after}: Change, around: Surroundings): string | undefined {
  if (after === null) return undefined
  const {origin, source} = effective(key, {...around, flags: {profile: around.flags.profile}})
  if (origin === 'environment') return `the environment variable ${source}`
  return origin === 'profile' && place === 'defaults' ? `that of profile ${source}` : undefined
}

/** The change as it is printed. */
export function changeResult({key, profile, before, after}: Change, path: string): Result {
  const row = {key: key.name, value: after, previous: before, profile, path}
  return single(row, row, key.name)
}
