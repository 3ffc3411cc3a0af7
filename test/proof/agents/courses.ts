/** Random courses: several servers of one client, killed and started again, a network that loses answers, and whatever a client calls. */

import {randomOf} from '../kills/kills.js'
import type {Bench} from '../shared/bench.js'
import type {Cell} from '../shared/part.js'
import {losing, RESERVE, refusing} from '../shared/scene.js'
import {STORES, type StoreName} from '../shared/stores.js'
import type {Agent, Answer} from './agent.js'
import {
  findOffers,
  flagsOf,
  judge,
  type Limits,
  madeAt,
  must,
  openAgents,
  type Scene,
  wantedFor,
} from './scene.js'

interface Prepared {
  readonly handle: string
  readonly reference: string
}

const STEPS = 30

/** What a handle may end with if nobody has decided against it: booked, over a limit, or refused for what became of its offer. */
const ENDS = [
  undefined,
  'over_limit',
  'declined',
  'price_rose',
  'handle_not_valid',
  'offer_already_used',
  'refused_earlier',
]

class Course {
  private readonly servers: Agent[] = []
  private readonly prepared: Prepared[] = []
  private readonly declined = new Set<string>()
  private readonly booked = new Map<string, string>()
  private offers: string[] = []
  readonly wrong: string[] = []

  constructor(
    private readonly scene: Scene,
    private readonly limits: Limits,
    private readonly random: () => number,
  ) {}

  private oneOf<T>(all: readonly T[]): T {
    return all[Math.floor(this.random() * all.length)] as T
  }

  private async start(): Promise<Agent> {
    const {scene, limits} = this
    const server = await scene.agent({
      home: scene.machine(),
      flags: flagsOf(limits, '--timeout', '3'),
      answer: message => this.answer(message),
    })
    this.servers.push(server)
    return server
  }

  /** The person's answer to the question; a no is remembered by the name of the hotel and the price, which the question has. */
  private answer(_message: string): Answer {
    const random = this.random()
    if (random < 0.1) return 'decline'
    return random < 0.2 ? 'cancel' : 'accept'
  }

  private async server(): Promise<Agent> {
    return this.servers.length === 0 ? this.start() : this.oneOf(this.servers)
  }

  private async reserve(server: Agent, {handle, reference}: Prepared): Promise<void> {
    const called = await server.call('reserve', {handle})
    if (called === undefined) return
    if (called.code === 'declined') this.declined.add(reference)
    if (called.isError) return
    const {reservation_ref} = called.document
    const known = this.booked.get(reference)
    if (known !== undefined && known !== reservation_ref)
      this.wrong.push(`${reference} was ${known}, and is ${reservation_ref}`)
    this.booked.set(reference, reservation_ref)
  }

  private async prepare(): Promise<void> {
    const server = await this.server()
    if (this.offers.length === 0) this.offers = (await findOffers(server, 60)).map(({offer_id}) => offer_id)
    const called = await server.call('prepare_reservation', wantedFor(this.offers.shift() ?? ''))
    if (called && !called.isError)
      this.prepared.push({handle: called.document.handle, reference: called.document.client_reference_id})
  }

  private async cancel(): Promise<void> {
    const reservation_ref = this.oneOf([...this.booked.values()])
    const server = await this.server()
    const called = reservation_ref && (await server.call('prepare_cancellation', {reservation_ref}))
    if (!called || called.isError) return
    const {handle} = called.document
    await Promise.all([
      server.call('cancel_reservation', {handle}),
      server.call('cancel_reservation', {handle}),
    ])
  }

  private async kill(): Promise<void> {
    const server = await this.server()
    this.servers.splice(this.servers.indexOf(server), 1)
    await server.kill()
  }

  private async crowd(): Promise<void> {
    const {servers, prepared, random} = this
    if (prepared.length === 0) return
    const killed = random() < 0.3 ? this.oneOf(servers) : undefined
    const calls = Array.from({length: 10}, () => this.reserve(this.oneOf(servers), this.oneOf(prepared)))
    if (killed) {
      const timer = setTimeout(() => void killed.kill(), 400 * random())
      await Promise.all(calls)
      clearTimeout(timer)
      servers.splice(servers.indexOf(killed), 1)
      await killed.kill()
    } else await Promise.all(calls)
  }

  private async fault(): Promise<void> {
    const fault = this.oneOf([
      losing(true),
      losing(false),
      refusing(true, 503, 'SERVICE_UNAVAILABLE'),
      refusing(false, 429, 'RATE_LIMITED'),
    ])
    this.scene.wire.strike = {...RESERVE, fault, nth: 1}
  }

  private async noise(): Promise<void> {
    const server = await this.server()
    const {handle = 'hdl_'} = this.oneOf(this.prepared) ?? {}
    server.write(
      this.oneOf([
        '{"jsonrpc"\n',
        'null\n',
        `{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"name":"reserve","arguments":{"handle":"${handle.slice(0, -1)}!"}}}\n`,
      ]),
    )
  }

  async run(): Promise<void> {
    await this.start()
    for (let step = 0; step < STEPS && this.wrong.length === 0; step++) {
      if (this.servers.length === 0) await this.start()
      const one = this.oneOf(this.prepared)
      await this.oneOf<() => Promise<unknown>>([
        () => this.prepare(),
        () => this.prepare(),
        () => this.prepare(),
        async () => one && this.reserve(await this.server(), one),
        async () => one && this.reserve(await this.server(), one),
        () => this.crowd(),
        () => this.cancel(),
        () => this.kill(),
        () => this.start(),
        () => this.fault(),
        () => this.noise(),
      ])()
      if (this.servers.length > 3) await this.kill()
    }
    await this.end()
  }

  /** Asks again for every handle, of a server that knows nothing of the others. */
  private async end(): Promise<void> {
    const {scene, limits, wrong} = this
    scene.wire.strike = undefined
    while (this.servers.length > 0) await this.kill()
    await scene.wire.quiet()
    const last = await scene.agent({home: scene.machine(), flags: flagsOf(limits)})
    const cancelled = new Set<string>()
    for (const {handle, reference} of this.prepared) {
      const {code, isError, document} = must(await last.call('reserve', {handle}))
      // It was made, and then cancelled.
      const wasCancelled = code === 'not_confirmed' && document.outcome === 'cancelled'
      if (wasCancelled) cancelled.add(document.reservation_ref)
      else if (!ENDS.includes(code))
        wrong.push(`${reference} ends with ${code}: ${JSON.stringify(document).slice(0, 300)}`)
      if (!isError || wasCancelled) this.booked.set(reference, document.reservation_ref)
    }
    const made = await madeAt(scene)
    for (const {client_reference_id: reference, reservation_ref, status} of made) {
      if (cancelled.has(reservation_ref) !== (status === 'CANCELLED'))
        wrong.push(`${reference} is ${status}, and reserve said otherwise`)
      if (this.declined.has(reference)) wrong.push(`${reference} was declined, and booked`)
      const known = this.booked.get(reference)
      if (known !== reservation_ref) wrong.push(`${reference} is ${reservation_ref}, and known as ${known}`)
    }
    for (const [reference, ref] of this.booked)
      if (!made.some(({reservation_ref}) => reservation_ref === ref))
        wrong.push(`${reference} is not at the service`)
    wrong.push(...(await judge(scene, limits)))
  }
}

const SEEDS = 30

function courseOf(store: StoreName, seed: number): Cell<Bench> {
  const name = `course: ${store}, seed ${seed}`
  return {
    name,
    group: `courses, ${store}`,
    async run(bench, base, own) {
      const random = randomOf(base, name)
      const limits = {
        total: Math.round(300 + 3000 * random()),
        each: 2000,
        perDay: 3 + Math.floor(6 * random()),
      }
      const course = new Course(await openAgents(own, bench, store), limits, random)
      await course.run()
      return course.wrong
    },
  }
}

export const COURSES: readonly Cell<Bench>[] = STORES.flatMap(store =>
  Array.from({length: SEEDS}, (_, n) => courseOf(store, n + 1)),
)
