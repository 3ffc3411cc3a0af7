/**
 * A home with one stored secret of every kind, created once and copied for each cell; and the functions that watch a command in
 * it and search its traces for secrets.
 */
import type {ChildProcess} from 'node:child_process'
import {mkdirSync, readFileSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import type {TlsOptions} from 'node:tls'
import {startListening} from '../../support/listening.js'
import {SEARCH} from '../../support/stay.js'
import {tlsIdentity} from '../../support/tls.js'
import {sendEvent} from '../../support/webhook-load.js'
import type {Wire} from '../../support/wire.js'
import {errandOf, type Row} from '../faults/commands.js'
import {type Fault, identityOf, strike, trustOf} from '../faults/connections.js'
import {copyDirectory, done, openFilled} from '../shared/home.js'
import type {Own} from '../shared/part.js'
import {
  booking,
  CREDENTIALS,
  type Home,
  losing,
  openScene,
  RESERVE,
  type Side,
  withState,
} from '../shared/scene.js'
import {Canaries, PLANTED, type Switch, type Watched} from '../shared/secrets.js'

export interface Bench {
  readonly side: Side
  /** The configuration directory to copy. */
  readonly directory: string
  readonly canaries: Canaries
}

export const EVENT_ID = 'evt_canary01'
export const OPEN_REFERENCE = 'knowing-open'
const VOUCHER_TOKEN = 'WyJSU1YtS0VQVCJd.keptVoucherToken0123456789abcdef'
const [OPEN_LEAD, OPEN_OTHER, KEPT_GUEST] = ['K7654321', 'K7654322', 'K7654323'] as const

export const openBench = () => openFilled(remember)

/** Stores credentials, a token, a subscription's secret, a pending payment, an unresolved reservation, a guest and an event. */
async function remember(home: Home, origin: string): Promise<{canaries: Canaries}> {
  const canaries = new Canaries()
  const {wire, close} = await openScene(origin, {onExchange: canaries.exchange})
  home.env.BOOKCTL_BASE_URL = `${wire.origin}/partner-api/v1`
  writeFileSync(join(home.directory, 'poor.txt'), 'sk_test_sandbox_poor\n')
  await done(home.run(['login', '--client-id', 'cid_sandbox_poor', '--client-secret-file', 'poor.txt']))
  await done(
    home.run(['webhooks', 'create', '--url', 'https://127.0.0.1:1/kept', '--event', 'voucher.ready']),
  )
  const {stdout} = await done(home.run([...SEARCH, '--json']))
  const [first, second] = JSON.parse(stdout).offers as {offer_id: string}[]
  const reserve = (offer = '', reference = '') => {
    const argv = booking(offer, ['--timeout', '2', '--client-reference', reference], 'instant')
    const lead = argv.map(text => text.replace('tc=10000000146', `passport=${OPEN_LEAD}`))
    return home.run(lead.map(text => text.replace('U1234567', OPEN_OTHER)))
  }
  await done(reserve(first?.offer_id, 'knowing-paid-later'))
  wire.strike = {fault: losing(true), ...RESERVE}
  await done(reserve(second?.offer_id, OPEN_REFERENCE), 10)
  await keepGuest(home)
  await receiveEvent(home, wire.origin)
  await close()
  canaries.add(VOUCHER_TOKEN, 'voucher link')
  for (const passport of [OPEN_LEAD, OPEN_OTHER, KEPT_GUEST]) canaries.add(passport, 'kept identity number')
  const kept = {'payment address': 'kept payment address', 'voucher link': 'kept voucher link'} as const
  return {canaries: canaries.copy(kept)}
}

const keepGuest = (home: Home) =>
  withState(home.configDirectory, async state => {
    const {baseUrl, clientId} = (await state.tokens.listAll())[0]?.client ?? {baseUrl: '', clientId: ''}
    const identity = {type: 'PASSPORT' as const, number: KEPT_GUEST}
    const person = {name: 'Efe', surname: 'Öğüt', birth_date: '1991-01-01', gender: 'MALE', nationality: 'TR'}
    const people = await state.people()
    people.forClient({baseUrl, clientId}).keep({guests: [{...person, identity}]}, 1_795_000_000)
  })

async function receiveEvent(home: Home, origin: string): Promise<void> {
  const env = {BOOKCTL_WEBHOOK_SECRET: PLANTED.signingSecret}
  const listening = await startListening(home, ['--exit-after', '1'], {env})
  const voucher = {url: `${origin}/vouchers/${VOUCHER_TOKEN}`, expires_at: '2030-01-01T00:00:00Z'}
  const data = {object: 'reservation', reservation_ref: 'RSV-KEPT', status: 'CONFIRMED', voucher}
  const body = JSON.stringify({id: EVENT_ID, type: 'voucher.ready', created: new Date().toISOString(), data})
  await sendEvent(listening.port, body, EVENT_ID, {secret: PLANTED.signingSecret})
  await done(listening.ended)
}

/** A process that ends sooner is not seen. */
const LOOK_EVERY_MILLISECONDS = 20

/** Runs a command, and records what /proc shows of it to others. */
export async function runWatched(
  home: Home,
  argv: readonly string[],
  env: Readonly<Record<string, string>>,
  onStart: (child: ChildProcess) => void = () => {},
  input: {readonly stdin?: null} = {},
): Promise<Watched> {
  const lines = new Set<string>()
  const environments = new Set<string>()
  let pid = 0
  const look = () => {
    for (const each of pid === 0 ? [] : family(pid)) {
      lines.add(`${read(`/proc/${each}/cmdline`)}\n${read(`/proc/${each}/comm`)}`)
      // A child process has the environment of the command until it executes another program.
      if (each !== pid && read(`/proc/${each}/cmdline`) !== read(`/proc/${pid}/cmdline`))
        environments.add(read(`/proc/${each}/environ`))
    }
  }
  const timer = setInterval(look, LOOK_EVERY_MILLISECONDS)
  const watch = (child: ChildProcess) => {
    pid = child.pid ?? 0
    onStart(child)
  }
  const finished = await home.run(argv, {env, onStart: watch, ...input}).finally(() => clearInterval(timer))
  const commandLines = [...lines].join('\n').replaceAll(argv.join('\0'), '')
  return {...finished, commandLines, environments: [...environments].join('\n')}
}

function family(pid: number): number[] {
  const children = read(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number)
  return [pid, ...children.flatMap(family)]
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

/** Opens a home with every kind of secret. Returns the variables for its commands and the secrets to search for. */
export async function openKnowing(
  {side, directory, ...bench}: Bench,
  own: Own,
  options: {readonly env: Record<string, string>; readonly tls?: TlsOptions | undefined},
): Promise<Knowing> {
  const canaries = bench.canaries.copy()
  const {home, wire} = own(await openScene(side.origin, {...options, onExchange: canaries.exchange}))
  Object.assign(home.env, {
    BOOKCTL_WEBHOOK_SECRET: PLANTED.signingSecret,
    HTTPS_PROXY: `http://canary:${PLANTED.proxyPassword}@127.0.0.1:1`,
    NO_PROXY: '127.0.0.1,localhost',
    // Temporary files are searched as well.
    TMPDIR: join(home.directory, 'tmp'),
  })
  mkdirSync(join(home.directory, 'tmp'))
  writeFileSync(join(home.directory, 'secret.txt'), 'sk_test_sandbox\n')
  copyDirectory(directory, home.configDirectory)
  return {home, canaries, wire}
}

interface Knowing {
  readonly home: Home
  readonly canaries: Canaries
  readonly wire: Wire
}

export interface LeakCell {
  readonly row: Row
  readonly debug: Switch
  /** The fault that the request of the row meets (default none). */
  readonly fault?: Fault
  readonly isJson: boolean
}

/** Runs the command of a row. `isMet` tells whether its request met the fault. */
export async function runRow(bench: Bench, own: Own, {row, debug, fault, isJson}: LeakCell, seconds: number) {
  const identity = fault && identityOf(fault)
  const scene = {env: row.usesProfile ? {} : CREDENTIALS, tls: identity && tlsIdentity('good')}
  const {home, canaries, wire} = await openKnowing(bench, own, scene)
  const {argv} = await errandOf(row, bench.side)
  const trusting = trustOf({isTrusted: identity !== undefined})
  for (const first of row.first ?? []) await done(home.run([...first.split(' '), ...trusting]))
  const {HTTPS_PROXY, ...variables} = fault ? await strike(wire, row, fault) : {}
  Object.assign(home.env, variables)
  if (HTTPS_PROXY) home.env.HTTPS_PROXY = HTTPS_PROXY.replace('//', `//canary:${PLANTED.proxyPassword}@`)
  const before = wire.connections
  const typed = [...argv, ...debug.argv, ...(isJson ? ['--json'] : []), '--timeout', String(seconds)]
  const seen = await runWatched(home, [...typed, ...(fault ? trustOf(fault) : [])], debug.env)
  for (const {head, body} of wire.requests) canaries.harvest(`${head}\n${body}`)
  const isMet = fault?.wire ? wire.requests.some(({struck}) => struck) : wire.connections > before
  return {home, canaries, seen, isMet}
}
