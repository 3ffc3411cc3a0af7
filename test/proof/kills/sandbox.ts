/** The local sandbox is killed while it books, delivers, and is reset. */
import {randomUUID} from 'node:crypto'
import {copyFileSync, existsSync, mkdirSync} from 'node:fs'
import {join} from 'node:path'
import {connectTo, reservationRequest, type SandboxClient} from '../../support/sandbox.js'
import {startSubscriber} from '../../support/subscriber.js'
import {waitUntil} from '../../support/wait.js'
import {cents, Home} from '../scene.js'
import {type ServerTrial, serve, server} from './listen.js'
import type {Ground, Subject} from './trial.js'

const SANDBOX = ['sandbox', 'start', '--allow-http-loopback']
const BOOKINGS = 2
const EVENTS = ['reservation.confirmed', 'voucher.ready']

interface Delivery {
  readonly status: string
  readonly attempts: readonly {readonly n: number}[]
}

const deliveriesOf = async (origin: string): Promise<Delivery[]> =>
  ((await (await fetch(`${origin}/_sandbox/deliveries`)).json()) as {data: Delivery[]}).data

/** Runs a sandbox for as long as `work` takes. */
async function withSandbox<T>(
  home: Home,
  work: (client: SandboxClient, origin: string) => Promise<T>,
): Promise<T> {
  const {ready, child, ended} = serve(home, SANDBOX)
  const origin = (await ready)?.origin ?? ''
  const done = await work(await connectTo(origin), origin)
  child.kill('SIGTERM')
  await ended
  return done
}

const balanceOf = async (client: SandboxClient) =>
  cents((await client.call('GET', '/account')).json.data.balance)

/** The local sandbox books and delivers: one reservation and one debit, and every event arrives. */
async function deliver({open}: Ground): Promise<ServerTrial> {
  const subscriber = await startSubscriber()
  const prepared = new Home()
  const {offers, balance} = await withSandbox(prepared, async client => {
    const hooks = `${subscriber.origin}/hooks`
    await client.call('POST', '/webhooks/subscriptions', {url: hooks, events: EVENTS})
    const found = await client.search({check_in: '2030-06-01', check_out: '2030-06-02'})
    const cheapest = found.sort((a, b) => Number(a.price.total) - Number(b.price.total)).slice(0, BOOKINGS)
    return {offers: cheapest.map(({offer_id}) => offer_id as string), balance: await balanceOf(client)}
  })
  // Its file alone, as a backup would restore it.
  const home = new Home()
  mkdirSync(home.configDirectory, {mode: 0o700})
  for (const name of ['sandbox.db', 'sandbox.db-wal']) {
    const path = join(prepared.configDirectory, name)
    if (existsSync(path)) copyFileSync(path, join(home.configDirectory, name))
  }
  prepared.remove()
  open.push(subscriber)
  const bookings = offers.map(offer => ({key: randomUUID(), body: reservationRequest(offer), ref: ''}))
  /** Once, and again with the same keys. */
  const book = async (client: SandboxClient) => {
    const wrong: string[] = []
    for (const booking of bookings) {
      const {status, json} = await client.reserve(booking.body, booking.key)
      const ref = json.data?.reservation_ref
      if (status !== 201) wrong.push(`the reservation is answered ${status} ${JSON.stringify(json)}`)
      else if (booking.ref && booking.ref !== ref) wrong.push('another reservation is answered')
      booking.ref = ref
    }
    return wrong
  }
  /** The bodies of each event that arrived, by its id. Links lead to the sandbox, which listens elsewhere each time. */
  const arrived = () => {
    const bodies = new Map<string, Set<string>>()
    for (const {body} of subscriber.received) {
      const {id} = JSON.parse(body.toString())
      const form = body.toString().replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, 'ORIGIN')
      bodies.set(id, (bodies.get(id) ?? new Set()).add(form))
    }
    return bodies
  }
  const delivered = (origin: string) =>
    waitUntil(
      async () => (await deliveriesOf(origin)).every(({status}) => status === 'DELIVERED'),
      'the deliveries to be written down',
    )
  return {
    home,
    argv: SANDBOX,
    async use({origin = ''}) {
      await book(await connectTo(origin))
      await delivered(origin)
    },
    async again({origin = ''}) {
      const client = await connectTo(origin)
      const wrong = await book(client)
      const made = (await client.call('GET', '/reservations?limit=100')).json.data as {
        payment: {amount: string}
      }[]
      const due = made.reduce((sum, {payment}) => sum + cents(payment.amount), 0)
      const paid = balance - (await balanceOf(client))
      if (made.length !== BOOKINGS) wrong.push(`${made.length} reservations were made`)
      if (paid !== due) wrong.push(`${paid} cents were debited, of ${due}`)
      const isAll = () => arrived().size === BOOKINGS * EVENTS.length
      await waitUntil(isAll, 'events').catch(() => wrong.push(`${arrived().size} events arrived`))
      await delivered(origin).catch(error => wrong.push((error as Error).message))
      for (const {status, attempts} of await deliveriesOf(origin)) {
        const numbers = attempts.map(({n}) => n).join()
        if (status !== 'DELIVERED' || numbers !== '1') wrong.push(`a delivery is ${status} after ${numbers}`)
      }
      if ([...arrived().values()].some(bodies => bodies.size > 1)) wrong.push('an event came in two forms')
      return wrong
    },
  }
}

/** A reset removes everything or nothing. */
async function reset(): Promise<ServerTrial> {
  const home = new Home()
  const seen = async (client: SandboxClient) => {
    const {json} = await client.call('GET', '/reservations?limit=100')
    return `${json.data.length} reservations and ${await balanceOf(client)} cents`
  }
  const [empty, booked] = await withSandbox(home, async client => {
    const before = await seen(client)
    const [offer] = await client.search({check_in: '2030-06-01', check_out: '2030-06-02'})
    await client.reserve(reservationRequest(offer.offer_id))
    return [before, await seen(client)]
  })
  const resetAt = (origin: string) => fetch(`${origin}/_sandbox/reset`, {method: 'POST'})
  return {
    home,
    argv: SANDBOX,
    use: ({origin = ''}) => resetAt(origin),
    async again({origin = ''}) {
      const found = await seen(await connectTo(origin))
      const wrong = [booked, empty].includes(found) ? [] : [`after its death there are ${found}`]
      await resetAt(origin)
      const left = await seen(await connectTo(origin))
      return left === empty && booked !== empty ? wrong : [...wrong, `again there are ${left}`]
    },
  }
}

export const SANDBOXES: readonly Subject[] = [
  server("the sandbox's deliveries", 160, deliver),
  server('sandbox reset', 20, reset),
]
