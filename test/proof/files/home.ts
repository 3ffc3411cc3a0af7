/** A home with everything that commands ever store. It is created once and copied for each cell. */
import {createHash} from 'node:crypto'
import {chmodSync, lstatSync, readFileSync, readlinkSync, renameSync, rmSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {EVENTS, openOwn} from '../../../src/state/databases.js'
import {receiveEvents} from '../../../src/state/event-store.js'
import {openSqlite} from '../../../src/storage/database-file.js'
import {CLIENT, intent, token} from '../../support/client.js'
import {SEARCH} from '../../support/stay.js'
import {SECRET} from '../../support/webhook-load.js'
import {copyDirectory, done, openFilled} from '../shared/home.js'
import {booking, Home, type Side, withState} from '../shared/scene.js'

export const DATABASES = ['tokens.db', 'state.db', 'events.db', 'sandbox.db'] as const

/** Secrets that no command may show. */
export const SECRETS = ['sk_test_sandbox', 'canary-token']

export interface Bench {
  readonly side: Side
  /** The configuration directory to copy. */
  readonly directory: string
  /** The reference of an existing reservation. */
  readonly reservation: string
}

export const openBench = () => openFilled(storeAll)

/** A copy of the filled home. Credentials come from its profile. */
export class FileHome extends Home {
  constructor(readonly bench: Bench) {
    super({BOOKCTL_WEBHOOK_SECRET: SECRET})
    chmodSync(this.directory, 0o755)
    copyDirectory(bench.directory, this.configDirectory)
    writeFileSync(join(this.directory, 'secret.txt'), 'sk_test_sandbox\n')
  }

  path(name: string): string {
    return join(this.configDirectory, name)
  }
}

/** Fills the home by running commands. */
async function storeAll(home: Home): Promise<Pick<Bench, 'reservation'>> {
  const run = async <T>(...argv: string[]) =>
    JSON.parse((await done(home.run([...argv, '--json']))).stdout) as T
  writeFileSync(join(home.directory, 'secret.txt'), 'sk_test_sandbox\n')
  await run('login', '--client-id', 'cid_sandbox', '--client-secret-file', 'secret.txt')
  const {offers} = await run<{offers: {offer_id: string}[]}>(...SEARCH)
  const argv = booking(offers[0]?.offer_id)
  const {reservation} = await run<{reservation: {reservation_ref: string}}>(...argv)
  await run('webhooks', 'create', '--url', 'https://127.0.0.1:1/hooks', '--event', 'voucher.ready')
  const listen = ['webhooks', 'listen', '--tls', '--exit-after', '1', '--within', '1']
  await home.run(listen, {env: {BOOKCTL_WEBHOOK_SECRET: SECRET}})
  await home.run(['sandbox', 'start', '--json'], {
    onStart: child => child.stdout?.once('data', () => child.kill('SIGTERM')),
  })
  const directory = home.configDirectory
  // Entries that no single command stores: a token of another client, an unfinished reservation, and an event.
  await withState(directory, async state => {
    const baseUrl = home.env.BOOKCTL_BASE_URL ?? ''
    const client = {baseUrl, clientId: 'cid_sandbox', clientSecret: undefined}
    await state.forget({profiles: [], clients: [client]})
    await state.tokens.put(CLIENT, token('canary-token'))
    const journal = state.journal.forClient(client)
    const body = '{"guests":[{"identity":{"number":"10000000146"}}]}'
    const {entry} = await journal.begin(intent(1, {clientReferenceId: 'left-open', body}), 1_900_000_000)
    await journal.attempt(entry.id, 1_900_000_001)
    const event = {eventId: 'evt_kept', type: 'voucher.ready', receivedAt: Date.now() / 1000, secretName: 's'}
    const kept = Buffer.from('{"id":"evt_kept"}')
    const came = {rawHeaders: ['A', 'b'], body: kept, reservationRef: null, targets: []}
    const events = openOwn(EVENTS, directory)
    receiveEvents(events, {profile: 'default', owner: '1:1:none'}, [{...event, ...came}])
    events.close()
  })
  const running = {
    origin: 'http://127.0.0.1:1',
    base_url: 'http://127.0.0.1:1/partner-api/v1',
    pid: 999_999_999,
  }
  writeFileSync(join(directory, 'sandbox-running.json'), `${JSON.stringify(running)}\n`, {mode: 0o600})
  writeFileSync(join(directory, 'exchanges.jsonl'), '{"command":"before"}\n', {flag: 'a', mode: 0o600})
  for (const name of DATABASES) makeWhole(join(directory, name))
  return {reservation: reservation.reservation_ref}
}

/** Moves the whole database into its main file, which is damaged later. */
function makeWhole(path: string): void {
  const run = (where: string, sql: string) => {
    const connection = openSqlite(where, {timeout: 0})
    connection.exec(sql)
    connection.close()
  }
  run(path, `VACUUM INTO '${path}.whole'`)
  for (const side of ['-wal', '-shm']) rmSync(path + side, {force: true})
  renameSync(`${path}.whole`, path)
  chmodSync(path, 0o600)
  run(path, 'PRAGMA journal_mode = WAL')
}

const MOST_BYTES = 64 * 1024 * 1024
const EMPTY = createHash('sha256').digest('hex')

/**
 * Describes the entry at a path without following links: kind, mode and a hash. An empty log counts as missing, because SQLite
 * creates one for reading.
 */
export function lookAt(path: string): string {
  const stats = lstatSync(path, {throwIfNoEntry: false})
  if (stats === undefined) return 'nothing'
  if (stats.isSymbolicLink()) return `link to ${readlinkSync(path)}`
  const mode = (stats.mode & 0o777).toString(8)
  if (!stats.isFile()) return `${stats.isDirectory() ? 'directory' : 'other'} ${mode}`
  if (stats.size > MOST_BYTES) return `file ${mode} of ${stats.size} bytes`
  const hash = createHash('sha256').update(readFileSync(path)).digest('hex')
  return hash === EMPTY && path.endsWith('-wal') ? 'nothing' : `file ${mode} ${hash}`
}
