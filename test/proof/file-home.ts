/**
 * A home in which everything has been stored that is ever stored, made once and copied for each cell; and what lies in a
 * directory, so that before and after can be compared.
 */
import {createHash} from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {openState} from '../../src/state/state.js'
import {openDatabaseToRead} from '../../src/storage/database.js'
import {openSqlite} from '../../src/storage/sqlite.js'
import {Home} from '../support/bookctl.js'
import type {LocalSandbox} from '../support/local-sandbox.js'
import {GUESTS, SEARCH} from '../support/stay.js'
import {SECRET} from '../support/webhook-load.js'

/** The files of the configuration directory that are databases. */
export const DATABASES = ['tokens.db', 'state.db', 'events.db', 'sandbox.db'] as const

/** What must never be seen in anything that is told. */
export const SECRETS = ['sk_test_sandbox', 'sk_test_other', 'canary-token']
/** What identifies people. */
export const PEOPLE = ['10000000146', 'U1234567']

export interface Template {
  /** The configuration directory to copy. */
  readonly directory: string
  /** A reservation of the journal that is made, and one whose outcome is unknown. */
  readonly reservation: string
  readonly unresolved: string
  /** The signing secret stored for the profile. */
  readonly signingSecret: string
  remove(): void
}

/** A home of its own with a copy of the template; credentials come from its profile. */
export class FileHome extends Home {
  constructor(readonly template: Template) {
    super({BOOKCTL_WEBHOOK_SECRET: SECRET})
    chmodSync(this.directory, 0o755)
    copyDirectory(template.directory, this.configDirectory)
    writeFileSync(join(this.directory, 'secret.txt'), 'sk_test_sandbox\n')
  }

  path(name: string): string {
    return join(this.configDirectory, name)
  }
}

/** Files and directories alone, with 0600 and 0700. */
export function copyDirectory(from: string, to: string): void {
  mkdirSync(to, {mode: 0o700})
  for (const entry of readdirSync(from, {withFileTypes: true})) {
    if (entry.isDirectory()) copyDirectory(join(from, entry.name), join(to, entry.name))
    else {
      copyFileSync(join(from, entry.name), join(to, entry.name))
      chmodSync(join(to, entry.name), 0o600)
    }
  }
}

/** Stores, by the commands themselves, all that commands store. */
export async function makeTemplate(sandbox: LocalSandbox): Promise<Template> {
  const home = new Home({BOOKCTL_BASE_URL: sandbox.baseUrl})
  try {
    return await storeAll(home, sandbox)
  } finally {
    home.remove()
  }
}

async function storeAll(home: Home, sandbox: LocalSandbox): Promise<Template> {
  const run = async <T>(...argv: string[]) => {
    const {exit, result} = await home.json<T>(argv)
    if (exit !== 0) throw new Error(`${argv[0]} ended with ${exit}: ${JSON.stringify(result)}`)
    return result
  }
  writeFileSync(join(home.directory, 'secret.txt'), 'sk_test_sandbox\n')
  await run('login', '--client-id', 'cid_sandbox', '--client-secret-file', 'secret.txt')
  const {offers} = await run<{offers: {offer_id: string}[]}>(...SEARCH)
  const how = ['--pay', 'account', '--nationality', 'TR', ...GUESTS]
  const made = await run<{reservation: {reservation_ref: string}}>(
    'reserve',
    offers[0]?.offer_id ?? '',
    ...how,
  )
  const subscribe = ['webhooks', 'create', '--url', 'https://127.0.0.1:1/hooks', '--event', 'voucher.ready']
  const {subscription} = await run<{subscription: {secret: string}}>(...subscribe)
  await home.run(['webhooks', 'listen', '--tls', '--exit-after', '1', '--within', '1'], {
    env: {BOOKCTL_WEBHOOK_SECRET: SECRET},
  })
  await home.run(['sandbox', 'start', '--json'], {
    onStart: child => child.stdout?.once('data', () => child.kill('SIGTERM')),
  })
  keepOurselves(home.configDirectory, sandbox)
  const directory = mkdtempSync(join(tmpdir(), 'bookctl-template-'))
  rmSync(directory, {recursive: true})
  copyDirectory(home.configDirectory, directory)
  return {
    ...{directory, reservation: made.reservation.reservation_ref, unresolved: 'left-open'},
    signingSecret: subscription.secret,
    remove: () => rmSync(directory, {recursive: true, force: true}),
  }
}

/** What no command stores at once: an entry without an end, an event, a token of another client. */
function keepOurselves(directory: string, {baseUrl}: LocalSandbox): void {
  const state = openState(directory)
  state.forgetClient({baseUrl, clientId: 'cid_sandbox'})
  const other = {baseUrl: 'https://example.com/v1', clientId: 'cid_other', secretFingerprint: 'f'}
  const times = {obtainedAt: 1, expiresAt: 7201}
  state.tokens.put(other, {access_token: 'canary-token', scopes: ['a'], askedScopes: ['a'], ...times})
  const journal = state.journal.forClient({baseUrl, clientId: 'cid_sandbox'})
  const verdict = journal.begin(
    {
      ...{offerId: 'off_left', clientReferenceId: 'left-open', referenceGiven: true},
      ...{idempotencyKey: '5d1c8a52-8d0e-4f4c-9a55-5f5d6f1d9c02', keyGiven: true},
      ...{body: '{"guests":[{"identity":{"number":"10000000146"}}]}', bodySha256: 'b', intentSha256: 'i'},
    },
    1_900_000_000,
  )
  journal.attempt(verdict.entry.id, 1_900_000_001)
  const event = {eventId: 'evt_kept', type: 'voucher.ready', receivedAt: Date.now() / 1000, secretName: 's'}
  const owner = '1:1:none'
  state.events.receive({profile: 'default', owner}, [
    {...event, rawHeaders: ['A', 'b'], body: Buffer.from('{"id":"evt_kept"}'), targets: []},
  ])
  state.close()
  const note = {origin: 'http://127.0.0.1:1', base_url: 'http://127.0.0.1:1/partner-api/v1', pid: 999_999_999}
  writeFileSync(join(directory, 'sandbox-running.json'), `${JSON.stringify(note)}\n`)
  writeFileSync(join(directory, 'exchanges.jsonl'), '{"command":"before"}\n', {flag: 'a', mode: 0o600})
  for (const name of DATABASES) makeWhole(join(directory, name))
}

/** All of it in the file itself, whose bytes are then broken: no log beside it. */
function makeWhole(path: string): void {
  const copy = `${path}.whole`
  const run = (where: string, sql: string) => {
    const connection = openSqlite(where, {timeout: 0})
    connection.exec(sql)
    connection.close()
  }
  run(path, `VACUUM INTO '${copy}'`)
  for (const side of ['-wal', '-shm']) rmSync(path + side, {force: true})
  renameSync(copy, path)
  run(path, 'PRAGMA journal_mode = WAL')
}

/** What lies at a path, with nothing followed: kind, mode, and bytes where they are few enough to read. */
export interface Look {
  readonly kind: string
  readonly mode: string
  readonly content: string
}

const MOST_BYTES = 64 * 1024 * 1024

export function lookAt(path: string): Look | undefined {
  const stats = lstatSync(path, {throwIfNoEntry: false})
  if (stats === undefined) return undefined
  const mode = (stats.mode & 0o777).toString(8)
  if (stats.isSymbolicLink()) return {kind: 'link', mode: '', content: readlinkSync(path)}
  if (stats.isDirectory()) return {kind: 'directory', mode, content: ''}
  if (!stats.isFile()) return {kind: 'other', mode, content: ''}
  const content = stats.size > MOST_BYTES ? `${stats.size} bytes` : sha256(readFileSync(path))
  return {kind: 'file', mode, content}
}

/** Every path below `directory` and what lies there. */
export function lookIn(directory: string): Map<string, Look> {
  const seen = new Map<string, Look>()
  for (const entry of readdirSync(directory, {recursive: true}) as string[]) {
    const look = lookAt(join(directory, entry))
    if (look) seen.set(entry, look)
  }
  return seen
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** The rows of every table, and what SQLite says of the whole; undefined when there is no such file. */
export interface Content {
  readonly integrity: string
  readonly tables: Readonly<Record<string, readonly string[]>>
}

export function contentOf(path: string): Content | undefined {
  if (lookAt(path) === undefined) return undefined
  // Of a copy: what this process had open of the file itself would be in the way of the next command.
  const directory = mkdtempSync(join(tmpdir(), 'bookctl-content-'))
  const copy = join(directory, 'copy.db')
  copyFileSync(path, copy)
  if (lookAt(`${path}-wal`)?.kind === 'file') copyFileSync(`${path}-wal`, `${copy}-wal`)
  const database = openDatabaseToRead(copy)
  try {
    const integrity = String(Object.values(database.get<object>('PRAGMA integrity_check') ?? {})[0])
    const names = database.all<{name: string}>(
      "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name",
    )
    const tables = names.map(({name}) => [
      name,
      database
        .all(`SELECT * FROM "${name}"`)
        .map(row => JSON.stringify(row, binaryToo))
        .sort(),
    ])
    return {integrity, tables: Object.fromEntries(tables)}
  } finally {
    database.close()
    rmSync(directory, {recursive: true, force: true})
  }
}

function binaryToo(_: string, value: unknown): unknown {
  return value instanceof ArrayBuffer ? Buffer.from(value).toString('base64') : value
}
