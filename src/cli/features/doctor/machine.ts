/** What `doctor` looks at on this machine, apart from files of ours: versions, environment, settings, disk. */
import {existsSync, statfsSync} from 'node:fs'
import {dirname} from 'node:path'
import process from 'node:process'
import {readPem} from '../../../storage/bounded-read.js'
import {closest} from '../../input/suggest.js'
import {checked} from '../../session/checked.js'
import {allEffective, type Surroundings} from '../../session/effective.js'
import {VARIABLES} from '../../shell/help/variables.js'
import {type Check, fail, ok, warn} from './check.js'

const NAMES = VARIABLES.map(({name}) => name).filter(name => name.startsWith('BOOKCTL_'))

export function checkVersions(version: string): Check {
  return ok('versions', `version ${version}, Node.js ${process.version}, ${process.platform}-${process.arch}`)
}

/** Which variables have a say; their values are not shown, since secrets are among them. */
export function checkEnvironment(env: NodeJS.ProcessEnv): Check {
  const set = Object.keys(env).filter(name => name.startsWith('BOOKCTL_') && env[name] !== '')
  // Only a likely misspelling: an unknown one may be of a newer version.
  const strange = set.find(name => !NAMES.includes(name) && closest(name, NAMES) !== undefined)
  if (env.NODE_TLS_REJECT_UNAUTHORIZED === '0') {
    const detail =
      'NODE_TLS_REJECT_UNAUTHORIZED=0 switches certificate checks off; calls are refused while it is set'
    return fail('environment', 'usage', detail, 'unset NODE_TLS_REJECT_UNAUTHORIZED, and use --ca-file FILE')
  }
  if (env.NODE_EXTRA_CA_CERTS && !canRead(env.NODE_EXTRA_CA_CERTS)) {
    const fix = 'correct or unset NODE_EXTRA_CA_CERTS'
    return warn('environment', 'the file that NODE_EXTRA_CA_CERTS names cannot be read', fix)
  }
  if (strange !== undefined) {
    return warn(
      'environment',
      `${strange} is set, and nothing reads it`,
      `did you mean ${closest(strange, NAMES)}?`,
    )
  }
  return ok('environment', set.length === 0 ? 'no BOOKCTL_ variable is set' : `set: ${set.sort().join(', ')}`)
}

/** Whether each setting that something gives will do, wherever it stands. */
export async function checkSettings(around: Surroundings): Promise<Check> {
  const given = allEffective(around).filter(({origin}) => origin !== 'unset' && origin !== 'built_in')
  const problems = (await Promise.all(given.map(checked))).flatMap(({problem}) => problem ?? [])
  if (problems.length === 0) return ok('settings', given.length === 0 ? 'none is set' : `${given.length} set`)
  return fail(
    'settings',
    'usage',
    problems.join('; '),
    'correct it where it stands: bookctl config list shows them all',
  )
}

function canRead(path: string): boolean {
  try {
    readPem(path)
    return true
  } catch {
    return false
  }
}

/** Ours. */
const FEW_BYTES = 50 * 1024 * 1024
const TOO_FEW_BYTES = 1024 * 1024

/** Room on the disk of the configuration directory, for this user. */
export function checkDisk(directory: string): Check {
  let place = directory
  while (!existsSync(place) && dirname(place) !== place) place = dirname(place)
  const {bavail, bsize} = statfsSync(place)
  const free = bavail * bsize
  const detail = `${Math.floor(free / 1024 / 1024)} MiB are free where the configuration is`
  const fix = 'free some disk space, or set BOOKCTL_CONFIG_DIR to another disk'
  if (free < TOO_FEW_BYTES) return fail('disk', 'usage', detail, fix)
  return free < FEW_BYTES ? warn('disk', detail, fix) : ok('disk', detail)
}
