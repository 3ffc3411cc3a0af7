/** What `doctor` looks at in the configuration directory. It reads, and neither changes nor creates anything. */
import {accessSync, constants, existsSync, lstatSync, type Stats} from 'node:fs'
import {join} from 'node:path'
import process from 'node:process'
import {DATABASE_NAMES, FILE_NAMES} from '../../../state/file-names.js'
import type {State} from '../../../state/state.js'
import {noteOf, readNote} from '../sandbox/running.js'
import {type Check, fail, ok, warn} from './check.js'

const OUR_FILES = [...FILE_NAMES, ...DATABASE_NAMES.flatMap(name => [`${name}-wal`, `${name}-shm`])]

/** config.json: whether it can be understood. */
export function checkConfiguration(state: State): Check {
  const settings = state.settings.read()
  if (!existsSync(state.settings.path))
    return ok('configuration', `there is no ${state.settings.path}; none is needed`)
  const names = Object.keys(settings.profiles)
  const current = settings.current_profile === undefined ? '' : `; current: ${settings.current_profile}`
  return ok('configuration', `${state.settings.path}: profiles ${names.join(', ') || 'none'}${current}`)
}

interface Problem {
  readonly text: string
  readonly fix: string
  readonly isGrave?: boolean
}

/** Owners, permissions and symbolic links of the directory and of our files in it. */
export function checkPermissions(directory: string): Check {
  const stats = lstatSync(directory, {throwIfNoEntry: false})
  if (!stats) return ok('permissions', `there is no ${directory} yet; it is made when something is stored`)
  const problems = [...problemsOf(directory, stats, '700'), ...unwritable(directory), ...filesIn(directory)]
  const [first] = [...problems].sort((left, right) => Number(right.isGrave ?? 0) - Number(left.isGrave ?? 0))
  if (!first)
    return ok('permissions', `${directory}: ${hasModes() ? 'yours alone' : 'the ACL was not checked'}`)
  const detail = problems.map(problem => problem.text).join('; ')
  return first.isGrave
    ? fail('permissions', 'usage', detail, first.fix)
    : warn('permissions', detail, first.fix)
}

function filesIn(directory: string): Problem[] {
  return OUR_FILES.flatMap(name => {
    const path = join(directory, name)
    const stats = lstatSync(path, {throwIfNoEntry: false})
    if (!stats) return []
    if (!stats.isFile()) {
      const fix = `remove ${path}, or put the file itself there`
      return [{text: `${path} is not a regular file, and is not followed`, fix, isGrave: true}]
    }
    return problemsOf(path, stats, '600')
  })
}

function problemsOf(path: string, stats: Stats, mode: string): Problem[] {
  if (!hasModes()) return []
  const uid = process.getuid?.()
  if (uid !== 0 && stats.uid !== uid)
    return [
      {text: `${path} belongs to another user`, fix: `chown it: sudo chown "$USER" '${path}'`, isGrave: true},
    ]
  if (stats.isSymbolicLink() || (stats.mode & 0o077) === 0) return []
  const has = (stats.mode & 0o777).toString(8)
  return [{text: `${path} can be read or changed by others (${has})`, fix: `chmod ${mode} '${path}'`}]
}

function unwritable(directory: string): Problem[] {
  try {
    accessSync(directory, constants.W_OK | constants.X_OK)
    return []
  } catch {
    const text = `${directory} cannot be written: tokens live in one command, and no reservation is written down`
    return [{text, fix: 'make it writable, or set BOOKCTL_CONFIG_DIR'}]
  }
}

function hasModes(): boolean {
  return process.platform !== 'win32'
}

/** Whether each database that is there is whole. */
export async function checkDatabases(directory: string): Promise<Check> {
  const there = DATABASE_NAMES.filter(name => existsSync(join(directory, name)))
  if (there.length === 0) return ok('databases', 'there are none yet')
  const {inspectDatabase} = await import('../../../storage/inspect.js')
  const bad = there.flatMap(name => {
    const problem = inspectDatabase(join(directory, name))
    return problem === undefined ? [] : [{name, problem}]
  })
  const [first] = bad
  if (!first) return ok('databases', `whole: ${there.join(', ')}`)
  const detail = bad.map(({name, problem}) => `${join(directory, name)} ${problem}`).join('; ')
  const fix = `move ${join(directory, first.name)} away to start with an empty one`
  return fail('databases', 'usage', detail, fix)
}

/** The note of the local sandbox, by which other commands find it. */
export function checkSandboxNote(directory: string): Check {
  const note = readNote(directory)
  if (note) return ok('sandbox', `a local sandbox runs at ${note.base_url}, process ${note.pid}`)
  if (!existsSync(noteOf(directory))) return ok('sandbox', 'no local sandbox runs')
  const detail = `${noteOf(directory)} is left of a local sandbox that no longer runs`
  return warn('sandbox', detail, 'bookctl sandbox start')
}
