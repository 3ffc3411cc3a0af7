/** The content of config.json: its types, and failures that say where in the file the mistake is. */
import {closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, type Stats} from 'node:fs'
import {dirname} from 'node:path'
import {type Failure, usage} from '../contract/failure.js'
import {sanitizeLine} from '../contract/foreign-text.js'
import {lineOf, mistakeIn, repeatedKeyLine} from '../contract/json-mistake.js'
import type {Contact} from '../contract/reservations.js'
import type {Scope} from '../contract/scopes.js'
import {storageErrorOf} from '../storage/errors.js'
import {tightenDirectory} from '../storage/files.js'
import {isOfAnother, tighten} from '../storage/private-file.js'
import {misfitIn} from './settings-shape.js'

const MAX_BYTES = 1024 * 1024
const MEND = 'mend the file, or move it away to start anew; it was not changed'

/** What may stand in a profile as well as in the defaults of all; their values are checked when they are used. */
interface Shared {
  /** Under which header the signature of a webhook comes; §6.2 puts a neutral word in place of the maker's name. */
  signature_header?: string | undefined
  /** Under which header the id of a webhook's event comes (§6.2). */
  event_id_header?: string | undefined
  nationality?: string | undefined
  currency?: string | undefined
  contact?: Partial<Record<keyof Contact, string | undefined>> | undefined
  /** Paths, under the base URL, of operations the interface does not show (§4.9): `{"reservations.list": "/bookings"}`. */
  paths?: Record<string, string> | undefined
  /** Seconds. */
  timeout?: number | undefined
  ca_file?: string | undefined
}

export interface Profile extends Shared {
  base_url: string
  client_id: string
  /** What `login --scope` named. */
  scopes?: Scope[] | undefined
  /** Where the client secret is; `file` (tokens.db) unless told. */
  secret_store?: 'file' | 'keychain' | undefined
  /** Whether that secret is of the live or of the test side (§5.3). */
  mode?: 'live' | 'test' | undefined
}

export interface SettingsFile {
  current_profile?: string | undefined
  profiles: Record<string, Profile>
  defaults?: Shared | undefined
}

/**
 * The text of the file at `path`, or undefined when there is none. Follows no symbolic link. `mayTighten`: whether others
 * lose what they may do with it. Throws Failure.
 */
export function readSettingsText(path: string, mayTighten: boolean): string | undefined {
  const stats = statsOf(path)
  if (stats === undefined) return undefined
  if (!stats.isFile())
    throw invalid(path, 'is not a regular file (a symbolic link or a directory is never followed)')
  const bytes = readRegularFile(path, mayTighten)
  try {
    return new TextDecoder('utf-8', {fatal: true, ignoreBOM: true}).decode(bytes)
  } catch {
    throw invalid(path, 'is not UTF-8 text')
  }
}

function statsOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, {throwIfNoEntry: false})
  } catch (error) {
    // In a directory that may not be looked into there is no file of ours, as in one that is not there.
    if (['ENOTDIR', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined
    throw storageErrorOf(error, path)
  }
}

function readRegularFile(path: string, mayTighten: boolean): Uint8Array {
  try {
    const file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0))
    try {
      const stats = fstatSync(file)
      if (stats.size > MAX_BYTES) throw invalid(path, 'is larger than 1 MiB')
      if (isOfAnother(path, stats)) throw invalid(path, 'belongs to another user, who could change it')
      if (mayTighten) {
        tighten(file, stats)
        tightenItsDirectory(path)
      }
      return readFileSync(file)
    } finally {
      closeSync(file)
    }
  } catch (error) {
    const {code} = error as NodeJS.ErrnoException
    if (code === 'ELOOP')
      throw invalid(path, 'is not a regular file (a symbolic link or a directory is never followed)')
    throw code === undefined || isFailure(error) ? error : invalid(path, `cannot be read (${code})`)
  }
}

/** Whoever only reads goes on where the system does not let us; whoever would write there is told. */
function tightenItsDirectory(path: string): void {
  try {
    tightenDirectory(dirname(path))
  } catch {
    // Told by `doctor`, too.
  }
}

/** The settings written in `text`, which is or will be the file at `path`. Throws Failure naming the line that is wrong. */
export function parseSettings(text: string, path: string): SettingsFile {
  if (text.startsWith('\uFEFF'))
    throw invalid(path, 'begins with a byte order mark; save it as UTF-8 without one')
  const json = parseJson(text, path)
  // JSON.parse takes the last of them, and the next writer would drop the others without a word.
  const repeated = repeatedKeyLine(text)
  if (repeated !== undefined)
    throw invalid(`${path}, line ${repeated}`, 'has a key that its object has already; leave one of the two')
  const misfit = misfitIn(json)
  if (misfit === undefined)
    return {...(json as SettingsFile), profiles: (json as SettingsFile).profiles ?? {}}
  const place = sanitizeLine(misfit.path.join('.') || 'the whole file', 120)
  throw invalid(
    `${path}, line ${lineOf(text, misfit.path)}`,
    `is not as it should be: ${place}: ${misfit.message}`,
  )
}

function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    if (text.trim() === '') throw invalid(path, 'is empty')
    const {line, column, problem} = mistakeIn(text)
    throw invalid(path, `is not JSON: ${problem} at line ${line}, column ${column}`)
  }
}

function invalid(place: string, what: string): Failure {
  return usage('settings_invalid', `${place} ${what}`, MEND)
}

function isFailure(error: unknown): error is Failure {
  return (error as {name?: unknown}).name === 'Failure'
}
