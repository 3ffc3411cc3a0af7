/** The content of config.json: its types, and failures that say where in the file the mistake is. */
import {closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, type Stats} from 'node:fs'
import {type Failure, usage} from '../contract/failure.js'
import {sanitizeLine} from '../contract/foreign-text.js'
import type {Contact} from '../contract/reservations.js'
import type {Scope} from '../contract/scopes.js'
import {storageErrorOf} from '../storage/errors.js'
import {misfitIn, strangeKeys} from './settings-shape.js'

const MAX_BYTES = 1024 * 1024
const MEND = 'mend the file (bookctl config path names it), or move it away to start anew; it was not changed'

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
  /** Keys we do not know are kept: a newer version, or a person, may have put them there. */
  [unknown: string]: unknown
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
  [unknown: string]: unknown
}

/** The text of the file at `path`, or undefined when there is none. Follows no symbolic link. Throws Failure. */
export function readSettingsText(path: string): string | undefined {
  const stats = statsOf(path)
  if (stats === undefined) return undefined
  if (!stats.isFile())
    throw invalid('is not a regular file (a symbolic link or a directory is never followed)')
  const bytes = readRegularFile(path)
  try {
    return new TextDecoder('utf-8', {fatal: true, ignoreBOM: true}).decode(bytes)
  } catch {
    throw invalid('is not UTF-8 text')
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

function readRegularFile(path: string): Uint8Array {
  try {
    const file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0))
    try {
      if (fstatSync(file).size > MAX_BYTES) throw invalid('is larger than 1 MiB')
      return readFileSync(file)
    } finally {
      closeSync(file)
    }
  } catch (error) {
    const {code} = error as NodeJS.ErrnoException
    if (code === 'ELOOP')
      throw invalid('is not a regular file (a symbolic link or a directory is never followed)')
    throw code === undefined || isFailure(error) ? error : invalid(`cannot be read (${code})`)
  }
}

/** The settings written in `text`. Throws Failure naming the line, or the key, that is wrong. */
export function parseSettings(text: string): SettingsFile {
  if (text.startsWith('\uFEFF')) throw invalid('begins with a byte order mark; save it as UTF-8 without one')
  const json = parseJson(text)
  const misfit = misfitIn(json)
  if (misfit === undefined)
    return {...(json as SettingsFile), profiles: (json as SettingsFile).profiles ?? {}}
  const place = misfit.path.join('.') || 'the whole file'
  throw invalid(`is not as it should be: ${sanitizeLine(place, 120)}: ${misfit.message}`)
}

/** Keys of `file` that no version known here reads, as `profiles.name.key`: kept, and perhaps mistyped. */
export function unknownKeys(file: SettingsFile): string[] {
  const ofProfiles = Object.entries(file.profiles).flatMap(([name, one]) =>
    strangeKeys(one, 'profile').map(key => `profiles.${name}.${key}`),
  )
  const ofDefaults = strangeKeys(file.defaults ?? {}, 'defaults').map(key => `defaults.${key}`)
  return [...strangeKeys(file, 'file'), ...ofDefaults, ...ofProfiles]
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    const offset = /at position (\d+)/.exec((error as Error).message)?.[1]
    const line = offset === undefined ? undefined : text.slice(0, Number(offset)).split('\n').length
    if (text.trim() === '') throw invalid('is empty')
    throw invalid(
      line === undefined
        ? 'is not JSON: it ends too early or holds a stray character'
        : `is not JSON: see line ${line}`,
    )
  }
}

function invalid(what: string): Failure {
  return usage('settings_invalid', `config.json ${what}`, MEND)
}

function isFailure(error: unknown): error is Failure {
  return (error as {name?: unknown}).name === 'Failure'
}
