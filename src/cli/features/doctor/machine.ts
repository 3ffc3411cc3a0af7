/** Checks this machine (environment, settings, bookctl's files) and the store that machines share. */
import {accessSync, constants, existsSync, lstatSync, type Stats} from 'node:fs'
import {join} from 'node:path'
import process from 'node:process'
import {DATABASE_NAMES, FILE_NAMES} from '../../../state/file-names.js'
import type {State} from '../../../state/state.js'
import {readPem} from '../../../storage/files.js'
import {closest, didYouMean} from '../../input/match.js'
import {allChecked, type Surroundings} from '../../session/resolve.js'
import {VARIABLE_NAMES} from '../../shell/help/environment.js'
import {type Finding, fail, ok, skipped, warn} from './check.js'

const NAMES = VARIABLE_NAMES.filter(name => name.startsWith('BOOKCTL_'))

/** Reports which variables are set, without their values, some of which are secrets. */
export function checkEnvironment(env: NodeJS.ProcessEnv): Finding {
  const set = Object.keys(env).filter(
    // cli/shell/program.ts sets BOOKCTL_DISABLE_THEME for oclif.
    name => name.startsWith('BOOKCTL_') && env[name] !== '' && name !== 'BOOKCTL_DISABLE_THEME',
  )
  // Only likely misspellings are reported, because other unknown variables may belong to a newer version.
  const strange = set.find(name => !NAMES.includes(name) && closest(name, NAMES) !== undefined)
  if (env.NODE_TLS_REJECT_UNAUTHORIZED === '0') {
    const detail = 'NODE_TLS_REJECT_UNAUTHORIZED=0 has no effect here: certificates are always checked'
    return warn(detail, 'unset it; to trust an authority of your own, use --ca-file FILE')
  }
  try {
    if (env.NODE_EXTRA_CA_CERTS) readPem(env.NODE_EXTRA_CA_CERTS)
  } catch {
    const fix = 'correct or unset NODE_EXTRA_CA_CERTS'
    return warn('the file in NODE_EXTRA_CA_CERTS cannot be read', fix)
  }
  if (strange !== undefined) {
    const fix = didYouMean(closest(strange, NAMES) ?? '')
    return warn(`${strange} is set, but it is not a variable of bookctl`, fix)
  }
  return ok(set.length === 0 ? 'no BOOKCTL_ variable is set' : `set: ${set.sort().join(', ')}`)
}

export async function checkSettings(surroundings: Surroundings): Promise<Finding> {
  const given = (await allChecked(surroundings)).filter(
    ({origin}) => origin !== 'unset' && origin !== 'built_in',
  )
  const problems = given.flatMap(({problem}) => problem?.message ?? [])
  if (problems.length === 0) return ok(given.length === 0 ? 'none is set' : `${given.length} set`)
  return fail('usage', problems.join('; '), 'correct it; list settings: bookctl config list')
}

export function checkConfiguration(state: State): Finding {
  const settings = state.settings.read()
  if (!existsSync(state.settings.path)) return ok(`no ${state.settings.path} (optional)`)
  const names = Object.keys(settings.profiles)
  const current = settings.current_profile === undefined ? '' : `; current: ${settings.current_profile}`
  return ok(`${state.settings.path}: profiles ${names.join(', ') || 'none'}${current}`)
}

/** Checks owner, permissions and symbolic links of the directory and of bookctl's files in it. */
export function checkPermissions(directory: string): Finding {
  const stats = lstatSync(directory, {throwIfNoEntry: false})
  if (!stats) return ok(`no ${directory} yet; it is created when something is stored`)
  if (!stats.isDirectory() && !stats.isSymbolicLink()) {
    const fix = 'rename it, or name another directory in BOOKCTL_CONFIG_DIR'
    return fail('usage', `${directory} is not a directory`, fix)
  }
  const ours = [...FILE_NAMES, ...DATABASE_NAMES.flatMap(name => [`${name}-wal`, `${name}-shm`])]
  const ofFiles = ours.flatMap(name => {
    const path = join(directory, name)
    const ofFile = lstatSync(path, {throwIfNoEntry: false})
    if (!ofFile) return []
    const fix = `remove ${path}, or replace it with the file itself`
    if (!ofFile.isFile()) return [fail('usage', `${path} is not a regular file, and is not used`, fix)]
    return problemsOf(path, ofFile, '600')
  })
  const problems = [...problemsOf(directory, stats, '700'), ...unwritable(directory), ...ofFiles]
  const first = problems.find(({status}) => status === 'fail') ?? problems[0]
  if (!first) return ok(`${directory}: ${HAS_MODES ? 'private (0700)' : 'the ACL was not checked'}`)
  return {...first, detail: problems.map(({detail}) => detail).join('; ')}
}

function problemsOf(path: string, stats: Stats, mode: string): Finding[] {
  if (!HAS_MODES) return []
  const uid = process.getuid?.()
  const fix = `change its owner: sudo chown "$USER" '${path}'`
  if (uid !== 0 && stats.uid !== uid) return [fail('usage', `${path} belongs to another user`, fix)]
  if (stats.isSymbolicLink() || (stats.mode & 0o077) === 0) return []
  const has = (stats.mode & 0o777).toString(8)
  return [warn(`${path} is accessible to others (${has})`, `chmod ${mode} '${path}'`)]
}

function unwritable(directory: string): Finding[] {
  try {
    accessSync(directory, constants.W_OK | constants.X_OK)
    return []
  } catch {
    const text = `${directory} is not writable: tokens last for one command only, and reservations are not recorded`
    return [warn(text, 'make it writable, or set BOOKCTL_CONFIG_DIR')]
  }
}

const HAS_MODES = process.platform !== 'win32'

export async function checkDatabases(directory: string): Promise<Finding> {
  const there = DATABASE_NAMES.filter(name => existsSync(join(directory, name)))
  if (there.length === 0) return ok('none yet')
  const {inspectDatabase} = await import('../../../storage/database-file.js')
  const bad = there.flatMap(name => {
    const problem = inspectDatabase(join(directory, name))
    return problem === undefined ? [] : [{name, problem}]
  })
  const [first] = bad
  if (!first) return ok(`intact: ${there.join(', ')}`)
  const detail = bad.map(({name, problem}) => `${join(directory, name)} ${problem}`).join('; ')
  const {WHEN_MOVED_AWAY} = await import('../../../storage/errors.js')
  const fix = `restore a copy of ${join(directory, first.name)}, or move it away to start with an empty one; ${WHEN_MOVED_AWAY}`
  return fail('usage', detail, fix)
}

const MOST_CLOCK_SECONDS = 5

const GRANT = 'GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA bookctl'
const SET_FSYNC = 'set fsync = on: a crash of the server would lose what was acknowledged'

/**
 * Checks the store that machines share. Throws a StorageError if it is unreachable, refuses the user, or has a newer
 * schema.
 */
export async function checkStore(state: State, offline: boolean): Promise<Finding> {
  if (!state.isShared) return skipped('none is set: what is remembered is in files of this machine')
  if (offline) return skipped('--offline')
  const store = await state.inspectStore()
  const {shown, roundTripMilliseconds, offsetSeconds, syncStandbys} = store
  const version = Math.floor(store.version / 10_000)
  const survives =
    syncStandbys > 0
      ? `survives a failover (${syncStandbys} synchronous standby)`
      : 'survives a crash, not a failover'
  const detail = `${shown}: PostgreSQL ${version}, schema ${store.schema}, ${roundTripMilliseconds.toFixed(1)} ms a round trip, clock ${offsetSeconds.toFixed(1)} s off; what is acknowledged ${survives}`
  if (store.isReadOnly)
    return fail('usage', `${shown} takes no writes`, 'use the address of the primary server')
  if (!store.isWritable) return fail('usage', `${shown} does not give this user the right to write`, GRANT)
  if (store.losesOnCrash) return warn(`${detail}; but fsync is off`, SET_FSYNC)
  if (Math.abs(offsetSeconds) > MOST_CLOCK_SECONDS)
    return warn(detail, 'set the clocks by NTP: offers and tokens end by the clock of this machine')
  return ok(detail)
}
