/** The content of config.json: its schema, and failures that say where in the file the mistake is. */
import {closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, type Stats} from 'node:fs'
import {z} from 'zod'
import {type Failure, usage} from '../contract/failure.js'
import {sanitizeLine} from '../contract/foreign-text.js'
import {isPathTemplate} from '../contract/operations.js'
import {plainMessage} from '../contract/plain-messages.js'
import {isScope, type Scope} from '../contract/scopes.js'
import {storageErrorOf} from '../storage/errors.js'

const MAX_BYTES = 1024 * 1024
const MEND = 'mend the file (bookctl config path names it), or move it away to start anew; it was not changed'

/** Whether `name` may stand as the name of a profile: 1 to 64 of `A-Z a-z 0-9 _ -`. */
export function isProfileName(name: string): boolean {
  return /^[A-Za-z0-9_-]{1,64}$/.test(name) && name !== '__proto__'
}

const scope = z.custom<Scope>(
  value => typeof value === 'string' && isScope(value),
  'is not a scope of the service',
)

const headerName = z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/, 'is not the name of a header')

/** What may stand in a profile as well as in the defaults of all; their values are checked when they are used. */
const shared = {
  /** Under which header the signature of a webhook comes; §6.2 puts a neutral word in place of the maker's name. */
  signature_header: headerName.optional(),
  /** Under which header the id of a webhook's event comes (§6.2). */
  event_id_header: headerName.optional(),
  nationality: z.string().optional(),
  currency: z.string().optional(),
  contact: z
    .looseObject({
      name: z.string().optional(),
      surname: z.string().optional(),
      email: z.string().optional(),
      phone_country_code: z.string().optional(),
      phone_number: z.string().optional(),
    })
    .optional(),
  /** Paths, under the base URL, of operations the interface does not show (§4.9): `{"reservations.list": "/bookings"}`. */
  paths: z
    .record(
      z.string(),
      z.string().refine(isPathTemplate, 'is not a path such as /bookings/{reservation_ref}'),
    )
    .optional(),
  /** Seconds. */
  timeout: z.number().optional(),
  ca_file: z.string().optional(),
}

/** Keys we do not know are kept: a newer version, or a person, may have put them there. */
const profile = z.looseObject({
  base_url: z.string().min(1),
  client_id: z.string().min(1),
  /** What `login --scope` named. */
  scopes: z.array(scope).optional(),
  /** Where the client secret is; `file` (tokens.db) unless told. */
  secret_store: z.enum(['file', 'keychain']).optional(),
  /** Whether that secret is of the live or of the test side (§5.3). */
  mode: z.enum(['live', 'test']).optional(),
  ...shared,
})

const defaults = z.looseObject(shared)

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
  const parsed = settings.safeParse(parseJson(text), {error: plainMessage})
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const place = issue?.path.map(String).join('.') || 'the whole file'
  throw invalid(`is not as it should be: ${sanitizeLine(place, 120)}: ${messageOf(issue)}`)
}

/** zod speaks of the keys of a record in words of its own; what is wrong with the key stands one level deeper. */
function messageOf(issue: z.core.$ZodIssue | undefined): string {
  if (issue?.code === 'invalid_key') return issue.issues[0]?.message ?? 'is not a name that may stand here'
  return issue?.message ?? 'is not valid'
}

/** Keys of `file` that no version known here reads, as `profiles.name.key`: kept, and perhaps mistyped. */
export function unknownKeys(file: SettingsFile): string[] {
  const strange = (object: object, known: object) =>
    Object.keys(object).filter(key => !Object.hasOwn(known, key))
  const ofProfiles = Object.entries(file.profiles).flatMap(([name, one]) =>
    strange(one, profile.shape).map(key => `profiles.${name}.${key}`),
  )
  const ofDefaults = strange(file.defaults ?? {}, defaults.shape).map(key => `defaults.${key}`)
  return [...strange(file, settings.shape), ...ofDefaults, ...ofProfiles]
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
