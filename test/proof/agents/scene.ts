/** A service, a store, machines, and what must hold there whatever agents do: judged by what the service has made. */
import {reservationRequest} from '../../support/sandbox.js'
import type {WireOptions} from '../../support/wire.js'
import {openService} from '../batch/service.js'
import type {Bench} from '../shared/bench.js'
import {checkDatabases, temporaryFiles} from '../shared/home.js'
import type {Own} from '../shared/part.js'
import {CREDENTIALS, cents, Home, openScene, parse, reservationsAt, Side, TWO} from '../shared/scene.js'
import type {StoreName} from '../shared/stores.js'
import {Agent, type AgentOptions, type Answer, type Called} from './agent.js'

let databases = 0

/** The limits of a server, in whole EUR. */
export interface Limits {
  readonly total: number
  readonly each: number
  readonly perDay?: number
}

export const flagsOf = ({total, each, perDay}: Limits, ...more: readonly string[]) => [
  ...['--allow', 'reserve,cancel', '--max-total', `${total} EUR`, '--max-each', `${each} EUR`],
  ...(perDay === undefined ? [] : ['--per-day', String(perDay)]),
  ...more,
]

/** Limits that no cell reaches by itself. */
const WIDE: Limits = {total: 1_000_000, each: 100_000}

/** A reservation at the service. */
interface Made {
  readonly client_reference_id: string
  readonly reservation_ref: string
  readonly status: string
  readonly payment: {readonly amount: string}
}

export interface Scene {
  readonly side: Side
  readonly wire: Awaited<ReturnType<typeof openScene>>['wire']
  readonly home: Home
  /** Returns another machine that shares the store; the same one where the store is in its files. */
  machine(): Home
  /** Starts a server that is stopped when the cell ends. It must answer. */
  agent(options?: Partial<AgentOptions> & {readonly home?: Home}): Promise<Agent>
  /** All servers that were started. */
  readonly agents: readonly Agent[]
}

export async function openAgents(
  own: Own,
  bench: Bench,
  storeName: StoreName = 'files',
  {
    latencyMilliseconds,
    ...faults
  }: Pick<WireOptions, 'faultOf' | 'onExchange'> & {
    readonly latencyMilliseconds?: number
  } = {},
): Promise<Scene> {
  const service = own(await openService({latencyMilliseconds}))
  const server = storeName === 'files' ? undefined : await bench.postgres()
  const store: Record<string, string> = server
    ? {BOOKCTL_STORE: await server.url(`agents_${++databases}`)}
    : {}
  const {wire, home} = own(await openScene(service.origin, {env: {...CREDENTIALS, ...store}, ...faults}))
  const agents: Agent[] = []
  return {
    side: new Side(service.origin),
    wire,
    home,
    machine: () => (server ? own(new Home(home.env)) : home),
    async agent({home: on = home, flags = flagsOf(WIDE), answer = accept, ...more} = {}) {
      const agent = await Agent.start(on, {flags, answer, ...more})
      if (agent === undefined) throw new Error('the server ended before it had answered')
      agents.push(agent)
      own({close: () => agent.kill()})
      return agent
    },
    agents,
  }
}

const accept = (): Answer => 'accept'

const STAY = {check_in: '2030-06-01', check_out: '2030-06-02'}

/** What an assistant finds for two, cheapest first. */
export async function findOffers(agent: Agent, count: number): Promise<{offer_id: string; total: number}[]> {
  const found: {offer_id: string; total: number}[] = []
  let next: object = {city: 101, ...STAY, rooms: [{adults: 2}], client_nationality: 'TR', currency: 'EUR'}
  while (found.length < count) {
    const {document, isError} = must(await agent.call('search_hotels', next))
    if (isError) throw new Error(`search_hotels: ${JSON.stringify(document)}`)
    for (const {offer_id, price} of document.offers) found.push({offer_id, total: cents(price.total)})
    if (document.next_cursor === null) break
    next = {cursor: document.next_cursor}
  }
  return found.slice(0, count)
}

/** The arguments of prepare_reservation. */
export function wantedFor(offer: string): object {
  const {client_reference_id: _, ...wanted} = reservationRequest(offer, {guests: TWO})
  return wanted
}

/** Prepares a reservation, and returns its handle. */
export async function prepare(agent: Agent, offer: string): Promise<string> {
  const {document, isError} = must(await agent.call('prepare_reservation', wantedFor(offer)))
  if (isError) throw new Error(`prepare_reservation: ${JSON.stringify(document)}`)
  return document.handle
}

/** Returns a call that was answered. */
export function must(called: Called | undefined): Called {
  if (called === undefined) throw new Error('the server ended before it had answered')
  return called
}

export async function madeAt({side}: Pick<Scene, 'side'>): Promise<Made[]> {
  return side.allReservations()
}

/** Checks what holds always: no second reservation, one key for each reference, no limit passed, only protocol on stdout. */
export async function judge(scene: Scene, limits: Limits = WIDE): Promise<string[]> {
  const {wire, agents, home} = scene
  await wire.answered()
  const made = await madeAt(scene)
  const wrong: string[] = []
  const references = made.map(each => each.client_reference_id)
  for (const reference of new Set(references)) {
    const mine = references.filter(each => each === reference).length
    if (mine > 1) wrong.push(`DOUBLE: ${reference} has ${mine} reservations`)
    if (!/^agent-[0-9a-f]{20}$/.test(reference)) wrong.push(`${reference} is of no agent`)
  }
  const forms = new Map<string, Set<string>>()
  for (const {headers, body} of reservationsAt(wire)) {
    const reference = String(parse(body)?.client_reference_id)
    forms.set(reference, (forms.get(reference) ?? new Set()).add(`${headers['idempotency-key']} ${body}`))
  }
  for (const [reference, {size}] of forms) if (size > 1) wrong.push(`${reference} was sent in ${size} forms`)
  const live = made.filter(({status}) => status !== 'CANCELLED')
  const spent = live.map(({payment}) => cents(payment.amount))
  const total = spent.reduce((sum, amount) => sum + amount, 0)
  if (total > limits.total * 100) wrong.push(`OVER: ${total} cents of ${limits.total} EUR`)
  for (const amount of spent)
    if (amount > limits.each * 100) wrong.push(`OVER: one cost ${amount} cents of ${limits.each} EUR`)
  if (limits.perDay !== undefined && live.length > limits.perDay)
    wrong.push(`OVER: ${live.length} reservations of ${limits.perDay}`)
  return [
    ...wrong,
    ...agents.flatMap(agent => agent.strays()),
    ...checkDatabases(home),
    ...temporaryFiles(home),
  ]
}

/** Returns `wrong`, with what a call gave if anything is wrong. */
export const unlike = (called: Called | undefined, code: string | undefined, what: string): string[] =>
  called !== undefined && called.code === code
    ? []
    : [`${what}: ${code ?? 'a result'} expected, and ${JSON.stringify(called)?.slice(0, 300)} came`]
