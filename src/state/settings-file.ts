/** The content of config.json: its schema, and failures that say where in the file the mistake is. */
import {closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, type Stats} from 'node:fs'
import {z} from 'zod'
import {type Failure, usage} from '../contract/failure.js'
import {isScope, type Scope} from '../contract/scopes.js'
import {storageErrorOf} from '../storage/errors.js'

const MAX_BYTES = 1024 * 1024
const MEND = 'mend the file, or move it away to start anew; it was not changed'

/** Whether `name` may stand as the name of a profile: 1 to 64 of `A-Z a-z 0-9 _ -`. */
export function isProfileName(name: string): boolean {
  return /^[A-Za-z0-9_-]{1,64}$/.test(name) && name !== '__proto__'
}

const scope = z.custom<Scope>(
  value => typeof value === 'string' && isScope(value),
  'is not a scope of the service',
)

const headerName = z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/, 'is not the name of a header')

/** Keys we do not know are kept: a newer version, or a person, may have put them there. */
const profile = z.looseObject({
  base_url: z.string().min(1),
  client_id: z.string().min(1),
  /** What `login --scope` named. */
  scopes: z.array(scope).optional(),
  /** Where the client secret is; `file` (tokens.db) unless told. */
  secret_store: z.enum(['file', 'keychain']).optional(),
  /** Under which header the signature of a webhook comes; §6.2 puts a neutral word in place of the maker's name. */
  signature_header: headerName.optional(),
  /** Under which header the id of a webhook's event comes (§6.2). */
  event_id_header: headerName.optional(),
  /** Paths, under the base URL, of operations the interface does not show (§4.9): `{"reservations.list": "/bookings"}`. */
  paths: z
    .record(
      z.string(),
      z.string().regex(/^(\/[A-Za-z0-9_.~{}-]+)+$/, 'is not a path such as /bookings/{reservation_ref}'),
    )
    .optional(),
})

const defaults = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]))

const settings = z.looseObject({
  current_profile: z.string().refine(isProfileName, 'is not a profile name').optional(),
  profiles: z
    .record(z.string().refine(isProfileName, 'profile names are 1 to 64 of A-Z a-z 0-9 _ -'), profile)
    .default({}),
  defaults: defaults.optional(),
})

export type Profile = z.infer<typeof profile>
export type SettingsFile = z.infer<typeof settings>

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
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return undefined
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
    throw (error as {code?: unknown}).code === undefined || isFailure(error)
      ? error
      : storageErrorOf(error, path)
  }
}

/** The settings written in `text`. Throws Failure naming the line, or the key, that is wrong. */
export function parseSettings(text: string): SettingsFile {
  if (text.startsWith('\uFEFF')) throw invalid('begins with a byte order mark; save it as UTF-8 without one')
  const parsed = settings.safeParse(parseJson(text))
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const place = issue?.path.map(String).join('.') || 'the whole file'
  throw invalid(`is not as it should be: ${place}: ${issue?.message ?? 'unknown mistake'}`)
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
