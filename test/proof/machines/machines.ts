/**
 * Many machines share one PostgreSQL. They make one token request and one reservation, whichever machine dies. No event that a
 * receiver answered with 200 is lost, whatever happens to the server.
 */
import {randomUUID} from 'node:crypto'
import type {Socket} from 'node:net'
import {findPostgres, type PostgresServer, startPostgres} from '../../support/postgres.js'
import {startSandbox} from '../../support/sandbox.js'
import {startTcp, tunnel} from '../../support/tcp.js'
import {replyBytes} from '../../support/wire.js'
import {goWay, once, type Way, waysToKill} from '../kills/kills.js'
import {type Death, runToDeath} from '../kills/trial.js'
import {ACCOUNT, allAsk, isToken, sameRequest, TIME_LIMIT_SECONDS} from '../races/races.js'
import {documents, type Ground, openGround, startHanging, unless, wrongEnds} from '../shared/crowd.js'
import {done} from '../shared/home.js'
import {type Cell, type Own, owning, part} from '../shared/part.js'
import {booking, CREDENTIALS, RESERVE, reservationsAt, shown} from '../shared/scene.js'
import {RECEIVER_TRIALS} from './receivers.js'

const found = await findPostgres()
/** The reason why there is no PostgreSQL here. */
const missing = 'missing' in found ? found.missing : undefined

interface Field extends Ground {
  /** The URL of the shared store. */
  readonly url: string
  sql: (text: string, values?: readonly unknown[]) => Promise<object[]>
}

let databases = 0

/** Opens a new database, sandbox and wire, and one machine for each process, but at most ten. */
async function openField(own: Own, server: PostgresServer, count: number): Promise<Field> {
  const database = `field_${++databases}`
  const url = await server.url(database)
  const sandbox = own(await startSandbox({clock: () => Date.now() / 1000, allowHttpLoopback: true}))
  const options = {homes: Math.min(10, count), env: {...CREDENTIALS, BOOKCTL_STORE: url}}
  const ground = await openGround(own, sandbox.origin, count, options)
  return {...ground, url, sql: (text, values = []) => server.sql(text, values, database)}
}

/** Starts a proxy between a machine and its store, which can cut the connection. */
async function startCutter(url: string) {
  const through = new URL(url)
  const target = Number(through.port)
  const inner = new Set<Socket>()
  let state: 'open' | 'refused' | 'frozen' = 'open'
  const {port, sockets, close} = await startTcp(socket => {
    if (state === 'refused') socket.resetAndDestroy()
    else if (state === 'frozen') socket.pause()
    else inner.add(tunnel(socket, target))
  })
  through.port = String(port)
  return {
    /** The URL of the store through this proxy. */
    url: through.href,
    /** Cuts the connection: new connections are refused, or (`frozen`) stay open without an answer. */
    cut(how: 'refused' | 'frozen') {
      state = how
      for (const socket of [...sockets, ...inner]) {
        socket.unpipe()
        if (how === 'frozen') socket.pause()
        else socket.resetAndDestroy()
      }
    },
    close,
  }
}

async function openServer() {
  const server = await startPostgres({max_connections: '200'})
  return {server, close: () => server.close()}
}

interface Machines {
  readonly server: PostgresServer
}

/** Gives all machines an expired token. */
async function expire(field: Field): Promise<void> {
  await done(field.home.run(ACCOUNT))
  await field.sql(`UPDATE bookctl.access_tokens SET obtained_at = obtained_at - interval '3 hours',
    expires_at = clock_timestamp() - interval '1 second'`)
  field.wire.requests.length = 0
}

type Asking = 'lives' | 'killed' | 'cut off from the store' | 'cut off from store and service'

const asking = (fate: Asking) => async (field: Field) => {
  await expire(field)
  const cutter = field.own(await startCutter(field.url))
  const asker = {home: field.machine({BOOKCTL_STORE: cutter.url}), wire: field.wire}
  const patient = ['account', '--json', '--timeout', '30']
  const strike = {forwards: fate === 'cut off from the store', ...isToken}
  const first = fate === 'lives' ? undefined : await startHanging(asker, patient, strike)
  if (first) field.own({stop: first.kill})
  let began = 0
  const onGo = () => {
    began = performance.now()
    if (fate === 'killed') first?.kill()
    else if (fate !== 'lives') cutter.cut('frozen')
  }
  const wrong = await allAsk(field, fate === 'lives' ? 1 : 2, {onGo})
  const seconds = (performance.now() - began) / 1000
  const died = await first?.ended
  if (seconds >= TIME_LIMIT_SECONDS) wrong.push(`they waited for ${seconds} s`)
  if (fate === 'killed') wrong.push(...unless('SIGKILL', died?.exit, 'ended the first'))
  if (died?.exit === 1) wrong.push(shown(died))
  return wrong
}

const reserving = async ({side}: Field, reference: string) =>
  booking(await side.offer(), ['--client-reference', reference, '--timeout', '60'])

/**
 * Kills the command on one machine, which is then lost, and repeats it on another. The service gets the same key and bytes, and
 * there is one reservation.
 */
async function killOnce(field: Field, death: Death) {
  const {wire, side, machine} = field
  const reference = `machine-${randomUUID()}`
  const argv = await reserving(field, reference)
  wire.requests.length = 0
  const lost = machine()
  const began = performance.now()
  const died = await runToDeath(lost, wire, argv, death)
  const milliseconds = performance.now() - began
  lost.remove()
  const home = machine()
  const {exit, result} = await home.json<{outcome?: string; idempotency_key?: string}>(argv)
  home.remove()
  const sent = reservationsAt(wire).map(({headers, body}) => `${headers['idempotency-key']} ${body}`)
  const made = await side.reservations(reference)
  const wrong = [
    ...unless(0, exit, 'is how the second ended'),
    ...unless('confirmed', result.outcome, 'is the outcome'),
    ...unless(1, new Set(sent).size, 'forms of it were sent'),
    ...unless(true, sent[0]?.startsWith(`${result.idempotency_key} `), 'that the key named was sent'),
    ...unless(1, made.length, 'reservations'),
  ]
  return {died, milliseconds, wrong}
}

const storeGone = (how: 'refused' | 'frozen', when: 'before' | 'after') => async (field: Field) => {
  const cutter = field.own(await startCutter(field.url))
  const argv = [...(await reserving(field, `gone-${how}`)), '--json']
  const store = new URL(cutter.url).host
  if (when === 'before') cutter.cut(how)
  else {
    // The connection is cut while the answer is on its way.
    const play = (reply: Parameters<typeof replyBytes>[0]) => {
      cutter.cut(how)
      return [replyBytes(reply)]
    }
    field.wire.strike = {fault: {forwards: true, play}, ...RESERVE}
  }
  const finished = await field.machine({BOOKCTL_STORE: cutter.url}).run(argv)
  const {reservation, error} = documents([finished])[0]
  const made = await field.side.reservations()
  return when === 'before'
    ? [
        ...wrongEnds([finished], [7]),
        ...unless('storage_unreachable', error?.code, 'is the code'),
        ...unless(0, field.wire.requests.length, 'requests'),
      ]
    : [
        ...wrongEnds([finished], [0]),
        ...unless(1, made.length, 'reservations'),
        ...unless(made[0]?.reservation_ref, reservation?.reservation_ref, 'is what it names'),
        ...unless(
          true,
          finished.stderr.includes(store),
          `that a warning names ${store}: ${finished.stderr.slice(0, 300)}`,
        ),
      ]
}

const fieldCell = (
  group: string,
  what: string,
  count: number,
  run: (field: Field) => Promise<string[]>,
  isSample = false,
): Cell<Machines> => ({
  name: `${group}: ${what}`,
  group,
  isSample,
  run: async ({server}, _, own) => ({count, wrong: await run(await openField(own, server, count))}),
})

const killCell = (what: string, way: Way, isSample = false): Cell<Machines> => {
  const name = `reserve: killed ${what}, its disk lost`
  return {
    name,
    group: 'reserve',
    isSample,
    // Each kill has a database and a sandbox of its own, without a token.
    run: ({server}, seed) =>
      goWay(way, seed, name, death => owning(async own => killOnce(await openField(own, server, 1), death))),
  }
}

const FATES = ['lives', 'killed', 'cut off from the store', 'cut off from store and service'] as const

const CELLS: readonly Cell<Machines>[] = [
  fieldCell('tokens', 'the one that asks is killed, 5 processes', 5, asking('killed'), true),
  ...FATES.map(fate =>
    fieldCell('tokens', `the one that asks ${fate === 'lives' ? fate : `is ${fate}`}`, 50, asking(fate)),
  ),
  killCell('once', once({kind: 'request', nth: 2, moment: 'acted'}), true),
  ...waysToKill({randomKills: 500, makesRequests: true}).map(([what, way]) => killCell(what, way)),
  fieldCell('reserve', '30 runs from 10 directories', 30, sameRequest(['--client-reference', 'parallel-1'])),
  ...(['refused', 'frozen'] as const).flatMap(how => [
    fieldCell('reserve', `the store is away before (${how})`, 1, storeGone(how, 'before')),
    fieldCell('reserve', `the store is lost after (${how})`, 1, storeGone(how, 'after')),
  ]),
  ...RECEIVER_TRIALS,
]

export const machines = part<Machines>({
  title: 'Many machines',
  unit: 'kills, processes and events',
  cells: missing === undefined ? CELLS : [],
  open: openServer,
  leftOut: missing === undefined ? [] : [`many machines: PostgreSQL does not run here: ${missing}`],
})
