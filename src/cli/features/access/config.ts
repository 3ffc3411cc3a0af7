/**
 * Prints and changes settings, for `config get`, `list`, `path`, `set` and `unset`. Settings never contain a secret.
 */
import {existsSync} from 'node:fs'
import {join} from 'node:path'
import {usage} from '../../../contract/failure.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import {own} from '../../../contract/json.js'
import {FILE_NAMES, LOCKS_NAME, SETTINGS_NAME} from '../../../state/file-names.js'
import type {SettingsFile} from '../../../state/settings.js'
import type {State} from '../../../state/state.js'
import {checkedArg} from '../../input/flags.js'
import {closest, didYouMean} from '../../input/match.js'
import {dryRun} from '../../session/dry-run.js'
import {
  allChecked,
  type Checked,
  checked,
  effective,
  profileInUse,
  replacingVariable,
  type Surroundings,
  variableApplies,
  writtenIn,
} from '../../session/resolve.js'
import {SETTINGS, type SettingKey, type SettingValue} from '../../session/setting-keys.js'
import {isSecretVariable, VARIABLE_NAMES} from '../../shell/help/environment.js'
import {type Result, single} from '../../terminal/result.js'
import {existingProfile} from './profiles.js'

export const CONFIG_COLUMNS = ['key', 'value', 'origin', 'source'] as const
export const CHANGE_COLUMNS = ['key', 'value', 'previous', 'profile', 'path']

type Row = ReturnType<typeof rowOf>

/**
 * Returns the result of `config get`. With `showOrigin`, the text says where the value comes from. Throws a usage error
 * `not_set` if the setting has no value.
 */
export async function getSetting(
  key: SettingKey,
  surroundings: Surroundings,
  path: string,
  showOrigin: boolean,
): Promise<Result> {
  const found = await checked(key, surroundings)
  if (found.value === null) {
    const {name, environment, readOnly} = key
    const replacing = replacingVariable(key, surroundings)
    if (replacing !== undefined) {
      const hint = `${replacing} overrides the profile; to see its value: bookctl config get ${name} --profile NAME`
      throw usage('not_set', `${name} is not set`, hint)
    }
    const variable = environment === undefined ? '' : `, or set ${environment}`
    throw usage('not_set', `${name} is not set`, readOnly ?? `bookctl config set ${name} VALUE${variable}`)
  }
  const row = rowOf(found, path)
  const text = sanitizeLine(textOf(found.value))
  const origins: Partial<Record<Checked['origin'], string>> = {
    flag: `flag ${found.source}`,
    environment: `environment variable ${found.source}`,
    profile: `profile ${found.source} in ${path}`,
    defaults: `defaults in ${path}`,
    file: path,
  }
  const line = showOrigin ? `${origins[found.origin] ?? 'built in'}: ${text}` : text
  return {...single(row, row, text), text: `${line}\n`, ...warningOf([found])}
}

function warningOf(found: readonly Checked[]): {warning?: string} {
  const problems = found.flatMap(({problem}) => problem?.message ?? [])
  return problems.length === 0 ? {} : {warning: `Warning: ${problems.join('; ')}`}
}

/**
 * Lists all settings. A setting without a value has the origin `unset`. A secret of the environment that applies is
 * shown as `set`, without its value.
 */
export async function listSettings(surroundings: Surroundings, path: string): Promise<Result<Row>> {
  const found = await allChecked(surroundings)
  const settings = found.map(each => rowOf(each, path))
  const names = VARIABLE_NAMES.filter(name => isSecretVariable(name) && variableApplies(name, surroundings))
  const secrets = names.map(name => ({
    key: name.replace('BOOKCTL_', '').toLowerCase(),
    value: 'set',
    origin: 'environment' as const,
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

function rowOf({key, value, origin, source}: Checked, path: string) {
  const inFile = ['profile', 'defaults', 'file'].includes(origin)
  return {key: key.name, value, origin, source, ...(inFile ? {source_path: path} : {})}
}

function textOf(value: SettingValue): string {
  return Array.isArray(value) ? value.join(' ') : String(value)
}

/** Returns the paths of bookctl's files. It does not read them, so it works even if they are damaged. */
export function settingsPath(directory: string): Result {
  const files = [...FILE_NAMES, LOCKS_NAME]
    .map(name => ({name, path: join(directory, name)}))
    .map(file => ({...file, exists: existsSync(file.path)}))
  const path = join(directory, SETTINGS_NAME)
  const document = {path, directory, files}
  return {...single(document, document, path), text: `${sanitizeLine(path)}\n`}
}

/**
 * Changes a setting, or removes it if there is no `value`. With `isDry`, only reports what would change. Throws a usage
 * error if the key or the value is not allowed.
 */
export async function changeSetting(
  {key, value}: {readonly key: SettingKey; readonly value?: string},
  surroundings: Surroundings,
  {settings}: State,
  isDry: boolean,
): Promise<Result> {
  const {path} = settings
  const change = await planChange(key, value, surroundings)
  const {holder, profile, before, after} = change
  const removed = pathsTaken(surroundings.settings, change).map(name => `paths.${name}`)
  if (isDry) {
    const what = (name: string) => [...holder, name].join('.')
    const action = after === null ? 'remove' : 'set'
    const changed = {file: path, action, what: what(key.name), before, after} as const
    const gone = removed.map(name => ({file: path, action: 'remove', what: what(name)}) as const)
    return dryRun([], [changed, ...gone])
  }
  await settings.update(file => {
    const present = file.read()
    // The profile may have been removed since the change was planned.
    if (profile !== null) existingProfile(present, profile)
    if (pathsTaken(present, change).length > 0) file.delete([...holder, 'paths'])
    if (after === null) file.delete([...holder, ...key.path])
    else file.set([...holder, ...key.path], after)
  })
  const row = {key: key.name, value: after, previous: before, profile, path}
  const names = removed.map(name => sanitizeLine(name, 60)).join(', ')
  const warnings: string[] = []
  if (names) warnings.push(`Removed, because it belonged to the previous service: ${names}`)
  const {origin, source} = effective(key, {...surroundings, flags: {profile: surroundings.flags.profile}})
  const isAbove = origin === 'profile' && holder[0] === 'defaults'
  const variable = origin === 'environment' ? source : replacingVariable(key, surroundings)
  if (after !== null && variable)
    warnings.push(`Warning: the environment variable ${variable} overrides this setting`)
  else if (after !== null && isAbove) warnings.push(`Warning: profile ${source} overrides this setting`)
  return {...single(row, row, key.name), warning: warnings}
}

export const keyArg = {
  key: checkedArg<SettingKey>((_, name) => {
    const found = own<SettingKey>(SETTINGS, name)
    if (found) return found
    const names = Object.keys(SETTINGS)
    const within = names.filter(known => known.startsWith(`${name}.`))
    const best = closest(name, names)
    const meant = best ? didYouMean(best) : 'list settings: bookctl config list'
    const hint = within.length > 0 ? `its parts are: ${within.join(', ')}` : meant
    throw usage('unknown_setting', `unknown setting ${sanitizeLine(name, 60)}`, hint)
  })({required: true, description: 'name of the setting, as in config list'}),
}

type Change = Awaited<ReturnType<typeof planChange>>

/**
 * Plans a change. A setting that belongs to a service is changed in the profile in use. Any other setting is changed in
 * the profile that --profile names, else in the defaults.
 */
async function planChange(key: SettingKey, value: string | undefined, surroundings: Surroundings) {
  if (key.readOnly !== undefined)
    throw usage('read_only_setting', `${key.name} cannot be set directly`, key.readOnly)
  const check = key.checkToWrite ?? key.check
  const after = value === undefined ? null : await check(key.name, value)
  const place = placeOf(key, surroundings)
  const profile = place === 'profile' ? profileInUse(surroundings) : null
  if (profile !== null) existingProfile(surroundings.settings, profile)
  if (key.name === 'current_profile' && after !== null) existingProfile(surroundings.settings, String(after))
  const hint = 'to remove the profile: bookctl profiles remove NAME'
  const isNeeded = key.name === 'base_url' || key.name === 'client_id'
  if (after === null && isNeeded) throw usage('needed_setting', `${key.name} is required`, hint)
  const {holder, value: before = null} = writtenIn(
    place,
    key,
    surroundings.settings,
    profileInUse(surroundings),
  )
  return {key, holder, profile, before, after}
}

function placeOf(key: SettingKey, surroundings: Surroundings) {
  const {flags, settings} = surroundings
  const [first = 'defaults'] = key.places
  // A path belongs to one service, so it is set in the profile.
  if (key.name.startsWith('paths.') && Object.hasOwn(settings.profiles, profileInUse(surroundings)))
    return 'profile'
  return first === 'profile' && key.places.includes('defaults') && !flags.profile ? 'defaults' : first
}

/**
 * Returns the operations whose paths the profile loses because its base URL changes: the paths belong to the previous
 * service.
 */
function pathsTaken({profiles}: SettingsFile, {key, profile, after}: Change): string[] {
  const before = profile === null || key.name !== 'base_url' ? undefined : profiles[profile]
  return Object.keys(before && before.base_url !== after ? (before.paths ?? {}) : {})
}
