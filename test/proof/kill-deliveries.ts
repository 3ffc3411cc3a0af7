/** The local sandbox is killed while it books and delivers: one reservation and one debit, and every event arrives. */
import {randomUUID} from 'node:crypto'
import {copyFileSync, existsSync, mkdirSync} from 'node:fs'
import {join} from 'node:path'
import {Home} from '../support/bookctl.js'
import {connectTo, reservationRequest, type SandboxClient} from '../support/sandbox.js'
import {type Subscriber, startSubscriber} from '../support/subscriber.js'
import {waitUntil} from '../support/wait.js'
import {CRASH_POINTS} from './crash-points.js'
import {checkDatabases} from './kill-checks.js'
import type {Lane} from './kill-lane.js'
import type {Scene, Subject} from './kill-scene.js'
import {serve, serveToDeath} from './kill-server.js'

const ARGV = ['sandbox', 'start', '--allow-http-loopback']
const BOOKINGS = 2
const EVENTS = ['reservation.confirmed', 'voucher.ready']
/** Of an offer's 15 minutes (§2.3). */
const GOOD_MILLISECONDS = 5 * 60_000

/** A sandbox's file with a subscription and offers in it, to be copied for every kill. */
interface Prepared {
  readonly home: Home
  readonly subscriber: Subscriber
  readonly offers: readonly string[]
  readonly balanceCents: number
  readonly preparedAt: number
}

interface Offer {
  readonly offer_id: string
  readonly price: {readonly total: string}
}

interface Delivery {
  readonly status: string
  readonly attempts: readonly {readonly n: number}[]
}

const prepared = new WeakMap<Lane, Prepared>()

async function prepare(lane: Lane): Promise<Prepared> {
  const known = prepared.get(lane)
  if (known && Date.now() - known.preparedAt < GOOD_MILLISECONDS) return known
  const subscriber = known?.subscriber ?? lane.keep(await startSubscriber())
  const home = new Home()
  lane.keep({close: async () => home.remove()})
  const {ready, child, ended} = serve(home, ARGV)
  const client = await connectTo((await ready)?.origin ?? '')
  await client.call('POST', '/webhooks/subscriptions', {url: `${subscriber.origin}/hooks`, events: EVENTS})
  const found: Offer[] = await client.search({check_in: '2030-06-01', check_out: '2030-06-02'})
  const cheapest = found.sort((a, b) => Number(a.price.total) - Number(b.price.total))
  const offers = cheapest.slice(0, BOOKINGS).map(({offer_id}) => offer_id)
  const balanceCents = await balanceOf(client)
  child.kill('SIGTERM')
  await ended
  const made = {home, subscriber, offers, balanceCents, preparedAt: Date.now()}
  prepared.set(lane, made)
  return made
}

async function openScene(lane: Lane): Promise<Scene> {
  const {home: before, subscriber, offers, balanceCents} = await prepare(lane)
  const home = new Home()
  mkdirSync(home.configDirectory, {mode: 0o700})
  for (const name of ['sandbox.db', 'sandbox.db-wal']) {
    const path = join(before.configDirectory, name)
    if (existsSync(path)) copyFileSync(path, join(home.configDirectory, name))
  }
  const bookings = offers.map(offer => ({key: randomUUID(), body: reservationRequest(offer), answered: ''}))
  /** Once, and again under the same key. */
  const book = async (client: SandboxClient) => {
    const wrong: string[] = []
    for (const booking of bookings) {
      const {status, json} = await client.reserve(booking.body, booking.key)
      const reference = json.data?.reservation_ref
      if (status !== 201) wrong.push(`the reservation is answered ${status} ${JSON.stringify(json)}`)
      else if (booking.answered && booking.answered !== reference)
        wrong.push('another reservation is answered')
      booking.answered = reference
    }
    return wrong
  }
  /** By the ids of the events of these bookings that arrived, the bodies they came with. */
  const arrived = () => {
    const bodies = new Map<string, Set<string>>()
    for (const {body} of subscriber.received) {
      const {id, data} = JSON.parse(body.toString())
      if (!bookings.some(each => each.body.client_reference_id === data.client_reference_id)) continue
      // Links lead to where the sandbox is; the next one listens elsewhere.
      const form = body.toString().replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, 'ORIGIN')
      bodies.set(id, (bodies.get(id) ?? new Set()).add(form))
    }
    return bodies
  }
  const allArrived = () => arrived().size === BOOKINGS * EVENTS.length
  const checkBooked = async (client: SandboxClient) => {
    const {json} = await client.call('GET', '/reservations?limit=100')
    const made: {payment: {amount: string}}[] = json.data
    const cents = made.reduce((sum, {payment}) => sum + Math.round(Number(payment.amount) * 100), 0)
    const debited = balanceCents - (await balanceOf(client))
    return [
      ...(made.length === BOOKINGS ? [] : [`${made.length} reservations were made`]),
      ...(debited === cents ? [] : [`${debited} cents were debited, of ${cents}`]),
    ]
  }
  const checkDelivered = async (origin: string) => {
    const wrong: string[] = []
    await waitUntil(allArrived, 'events').catch(() => wrong.push(`${arrived().size} events arrived`))
    await delivered(origin).catch(error => wrong.push((error as Error).message))
    for (const {status, attempts} of await deliveriesOf(origin)) {
      const numbers = attempts.map(({n}) => n).join()
      if (status !== 'DELIVERED' || numbers !== '1') wrong.push(`a delivery is ${status} after ${numbers}`)
    }
    if ([...arrived().values()].some(bodies => bodies.size > 1)) wrong.push('an event came in two forms')
    return wrong
  }
  return {
    die: death =>
      serveToDeath(serve(home, ARGV, death), death, async ({origin = ''}) => {
        await book(await connectTo(origin))
        await delivered(origin)
      }),
    afterDeath: () => checkDatabases(home),
    async again() {
      const {ready, child, ended} = serve(home, ARGV)
      const origin = (await ready)?.origin
      if (origin === undefined) return [`again it does not start: ${(await ended).stderr}`]
      const client = await connectTo(origin)
      const wrong = [
        ...(await book(client)),
        ...(await checkBooked(client)),
        ...(await checkDelivered(origin)),
      ]
      child.kill('SIGTERM')
      await ended
      return [...wrong, ...checkDatabases(home)]
    },
    close: async () => home.remove(),
  }
}

/** Resolves when every delivery is written down as made. */
async function delivered(origin: string): Promise<void> {
  const isDone = async () => (await deliveriesOf(origin)).every(({status}) => status === 'DELIVERED')
  await waitUntil(isDone, 'the deliveries to be written down')
}

async function deliveriesOf(origin: string): Promise<Delivery[]> {
  const answer = await fetch(`${origin}/_sandbox/deliveries`)
  return ((await answer.json()) as {data: Delivery[]}).data
}

async function balanceOf(client: SandboxClient): Promise<number> {
  const {json} = await client.call('GET', '/account')
  return Math.round(Number(json.data.balance) * 100)
}

export const DELIVERIES: Subject = {
  ...{name: "the sandbox's deliveries", points: CRASH_POINTS["the sandbox's deliveries"], randomKills: 160},
  open: openScene,
}
