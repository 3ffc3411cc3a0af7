/**
 * Collects the files of a support bundle. Each is a text, with a description of its contents and of what was removed.
 */
import {homedir, userInfo} from 'node:os'
import {createRedactor, peopleIn, type Redactor} from '../../../api/redact/redact.js'
import {isoTime} from '../../../contract/dates.js'
import {Failure} from '../../../contract/failure.js'
import {parseUrl, sanitizeLine} from '../../../contract/foreign-text.js'
import {isLoopbackHost} from '../../../contract/network.js'
import {lastExchanges} from '../../../state/exchanges.js'
import type {State} from '../../../state/state.js'
import {StorageError} from '../../../storage/errors.js'
import {versionFacts} from '../../shell/help/environment.js'
import type {Painter} from '../../terminal/colour.js'
import {jsonText} from '../../terminal/json-text.js'
import {listResult, type Result} from '../../terminal/result.js'
import {wrapForTerminal} from '../../terminal/talk.js'
import type {Check} from '../doctor/check.js'
import {doctorResult} from '../doctor/doctor.js'
import {journalRow} from '../reserve/journal.js'

type BundleFile = ReturnType<typeof manifestOf>

interface BundleSources {
  readonly state: State
  readonly env: NodeJS.ProcessEnv
  readonly version: {readonly name: string; readonly version: string}
  readonly checks: readonly Check[]
  /** In Unix seconds. */
  readonly now: number
}

export const LAST_REQUESTS = 50
const LAST_RESERVATIONS = 200

const ABOUT = {
  'versions.json': 'versions of this program, Node.js and the system; the home directory is written ~',
  'environment.json': 'environment variables that are read and set; secrets and proxy passwords taken out',
  'config.json': 'profiles and defaults; contact data taken out; no secret is in the original',
  'doctor.json': 'results of doctor, and what to do; no secret is in it',
  'journal.json': `the last ${LAST_RESERVATIONS} reservations tried here: references, keys, outcomes; guests, contacts and prices are not in it`,
  'requests.json': `the last ${LAST_REQUESTS} requests: method, address without query, status, times, request ids; no headers, no bodies`,
}

/** Returns all files of the bundle, the manifest first. If a source cannot be read, its file says why. */
export async function collectBundle(sources: BundleSources): Promise<BundleFile[]> {
  const redactor = await redactorOf(sources)
  const {state, env, version, checks} = sources
  const {directory} = state
  const {environment, ...versions} = versionFacts({...version, configDirectory: directory, env})
  const values: Record<keyof typeof ABOUT, unknown> = {
    'versions.json': versions,
    'environment.json': environment,
    'config.json': await orUnreadable(() => {
      const settings = state.settings.read()
      const profiles = Object.entries(settings.profiles).map(([name, profile]) => {
        const url = parseUrl(profile.base_url)
        if (url === undefined) return [name, {...profile, service: null}]
        const {host, hostname, pathname, protocol} = url
        // The address is split into parts, because the redactor would remove the path of a whole link.
        const words = {protocol, host, path: redactor.text(pathname), this_machine: isLoopbackHost(hostname)}
        return [name, {...profile, service: words}]
      })
      return {...settings, profiles: Object.fromEntries(profiles)}
    }),
    'doctor.json': doctorResult(checks).document,
    'journal.json': await orUnreadable(async () => {
      const entries = (await state.journal.list()).slice(0, LAST_RESERVATIONS).map(entry => {
        const {baseUrl, clientId: client_id, lost} = entry
        return {service: new URL(baseUrl).host, client_id, ...journalRow(entry), lost}
      })
      return {entries}
    }),
    // The requests were stored without secrets. They are redacted again, because more secrets may be known by now.
    'requests.json': {
      requests: lastExchanges(directory, LAST_REQUESTS).map(({url, ...rest}) => {
        const parsed = typeof url === 'string' ? parseUrl(url) : undefined
        if (typeof url !== 'string' || parsed === undefined) return rest
        // Host and path are separate, because the redactor would remove the path of a whole link. The stored URL has no
        // query.
        return {...rest, host: parsed.host, path: redactor.text(url.slice(parsed.origin.length))}
      }),
    },
  }
  const files = Object.entries(ABOUT).map(([name, about]) => {
    const value = redactor.json(values[name as keyof typeof ABOUT])
    return {name, about, text: `${withoutHome(jsonText(value, 2))}\n`}
  })
  return [manifestOf(files, sources), ...files]
}

function manifestOf(files: readonly {name: string; about: string}[], {version, now}: BundleSources) {
  const text = `Support bundle of ${version.name} ${version.version}, made ${isoTime(now)}.

${files.map(({name, about}) => `${name}: ${about}.`).join('\n')}

Taken out everywhere: client secrets, access tokens, signing secrets, proxy passwords, signed links, names,
e-mail addresses, telephone numbers, birth dates, identity documents and numbers that look like cards.
`
  return {name: 'manifest.txt', about: 'this list', text}
}

/**
 * Returns a redactor that knows every secret and every person stored on this machine, to remove them from all files.
 */
async function redactorOf({state, env}: BundleSources): Promise<Redactor> {
  const redactor = createRedactor()
  const proxies = Object.entries(env).filter(([name]) => /^(https?|all)_proxy$/i.test(name))
  const keep = (secret: string | undefined) => secret && redactor.add(secret)
  const given = [
    env.BOOKCTL_CLIENT_SECRET,
    env.BOOKCTL_TOKEN,
    env.PGPASSWORD,
    ...(env.BOOKCTL_WEBHOOK_SECRET ?? '').split(/\s+/),
    ...[env.BOOKCTL_STORE, ...proxies.map(([, value]) => value)].flatMap((url = '') => passwordsOf(url)),
  ]
  given.forEach(keep)
  // The body of a reservation is stored only while its outcome is unknown.
  const bodies = async () =>
    (await state.journal.list()).flatMap(({body}) => peopleIn(body === null ? {} : JSON.parse(body)))
  const readers = [
    () => peopleIn(state.settings.read()),
    async () => peopleIn({guests: (await state.people()).listAll()}),
    async () => (await state.tokens.listAll()).map(({token}) => token.access_token),
    () => {
      const stored = state.secrets.listSigningSecrets()
      return stored.flatMap(({secret, earlier_secret}) => [secret, earlier_secret ?? []].flat())
    },
    bodies,
  ]
  for (const read of readers) await orUnreadable(async () => (await read()).forEach(keep))
  return redactor
}

function passwordsOf(proxy: string): string[] {
  const before = /^(?:[a-z][a-z\d+.-]*:\/\/)?([^/]*)@/i.exec(proxy)?.[1] ?? ''
  return before.split(':').flatMap(part => [part, orEmpty(() => decodeURIComponent(part))])
}

async function orUnreadable<T>(work: () => T | Promise<T>): Promise<T | {cannot_be_read: string}> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Failure || error instanceof StorageError) return {cannot_be_read: error.message}
    throw error
  }
}

function withoutHome(text: string): string {
  const home = orEmpty(homedir)
  const username = orEmpty(() => userInfo().username)
  const short = home.length > 1 ? text.replaceAll(home, '~') : text
  if (username.length <= 3) return short
  const escaped = username.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  return short.replaceAll(new RegExp(`(?<=/(home|Users)/)${escaped}\\b`, 'g'), '…')
}

/** Returns an empty string if `read` fails, for example because the user id of a container has no name. */
function orEmpty(read: () => string): string {
  try {
    return read()
  } catch {
    return ''
  }
}

/** Returns the bundle as a zip archive. Only the owner may read the extracted files. */
export async function zipBundle(files: readonly BundleFile[], now: number): Promise<Uint8Array> {
  const {strToU8, zipSync} = await import('fflate')
  // Mode 0600 of a regular file, in the upper 16 bits, as zip stores it.
  const options = {mtime: now * 1000, level: 9, os: 3, attrs: (0o100600 << 16) >>> 0} as const
  return zipSync(Object.fromEntries(files.map(({name, text}) => [name, [strToU8(text), options]])))
}

export const BUNDLE_COLUMNS = ['name', 'bytes', 'about'] as const

function contentsOf(files: readonly BundleFile[]) {
  return files.map(({name, text, about}) => ({name, bytes: Buffer.byteLength(text), about}))
}

/**
 * Returns the result of `support bundle`. `written` is the written archive, if any. With `isListed`, the contents were
 * printed before and are left out.
 */
export function bundleResult(
  files: readonly BundleFile[],
  written?: {readonly path: string; readonly bytes: number},
  isListed = false,
): Result<ReturnType<typeof contentsOf>[number]> {
  const items = contentsOf(files)
  const {path = null, bytes = null} = written ?? {}
  const end = written
    ? `Wrote ${sanitizeLine(written.path, 200)}: ${files.length} files, ${written.bytes} bytes, readable by you alone.`
    : 'Nothing was written.'
  const people = (_: Painter, width: number) =>
    [...(isListed ? [] : [...listing(files), '']), end].flatMap(line => wrapForTerminal(line, width))
  return {...listResult({path, bytes, files: items}, items, BUNDLE_COLUMNS), people}
}

/** Returns a line for each file, for a person. */
export function listing(files: readonly BundleFile[]): string[] {
  const width = Math.max(...files.map(({name}) => name.length)) + 2
  return contentsOf(files).map(({name, bytes, about}) => `${name.padEnd(width)}${about} (${bytes} bytes)`)
}
