/**
 * What the courses share: a local sandbox behind a wire, a home, a running `webhooks listen`, and a gate before it that decides
 * the fate of each delivery.
 */
import {request} from 'node:http'
import {EVENTS, openOwn, TOKENS} from '../../../src/state/databases.js'
import {createEventStore, createForwardStore} from '../../../src/state/event-store.js'
import {Home} from '../../support/bookctl.js'
import {startListening} from '../../support/listening.js'
import {startSandbox} from '../../support/sandbox.js'
import {startSubscriber} from '../../support/subscriber.js'
import {waitUntil} from '../../support/wait.js'
import {type Reply, replyBytes, Wire, type WireFault} from '../../support/wire.js'
import {done} from '../shared/home.js'
import {CREDENTIALS, refusing} from '../shared/scene.js'
import {type Fate, TYPES} from './course.js'

export type Bench = Awaited<ReturnType<typeof openBench>>

/** What goes wrong with one reservation, by its client reference or, where the wire sees only that, its own reference. */
export interface Plan {
  /** The fates of its events by type. */
  readonly fates: Readonly<Record<string, Fate | undefined>>
  readonly isForwardLost: boolean
}

export async function openBench() {
  const sandbox = await startSandbox({clock: () => Date.now() / 1000, allowHttpLoopback: true})
  const plans = new Map<string, Plan>()
  /** The paths that the wire answers 404. */
  const absent = new Set<string>()
  const wire = await Wire.start({
    upstream: sandbox.origin,
    faultOf: ({method, path}) =>
      method === 'GET' && absent.has(path.split('?')[0] ?? '')
        ? refusing(false, 404, 'not_found')
        : undefined,
  })
  const home = new Home({...CREDENTIALS, BOOKCTL_BASE_URL: `${wire.origin}/partner-api/v1`})
  const planOf = (body: Buffer) => plans.get(JSON.parse(body.toString()).data?.client_reference_id ?? '')
  const target = await startSubscriber((answer, {body}) => {
    answer.writeHead(planOf(body)?.isForwardLost ? 500 : 200).end()
  })
  const seen = new Set<string>()
  let listenerPort = 0
  const gate = await startSubscriber((answer, {method, body, headers, rawHeaders}) => {
    // The command that subscribes looks whether anything is here.
    if (method !== 'POST') return void answer.writeHead(405).end()
    const {type} = JSON.parse(body.toString())
    const id = String(headers['x-service-event-id'])
    const fate = planOf(body)?.fates[type] ?? 'arrives'
    const isLate = fate === 'late' && !seen.has(id)
    seen.add(id)
    if (fate === 'lost' || isLate) return void answer.writeHead(500).end()
    if (fate === 'refused') return void answer.writeHead(401).end()
    const forwarded = request({
      port: listenerPort,
      host: '127.0.0.1',
      method: 'POST',
      path: '/',
      headers: rawHeaders,
    })
    forwarded.on('response', ({statusCode = 500}) => answer.writeHead(statusCode).end())
    forwarded.on('error', () => answer.writeHead(502).end())
    forwarded.end(body)
  })
  const events = TYPES.join(',')
  const created = await done(
    home.run(['webhooks', 'create', '--url', `${gate.origin}/`, '--event', events, '--json']),
  )
  const {id: subscription} = JSON.parse(created.stdout)
  const listener = await startListening(home, ['--forward-to', `${target.origin}/`], {
    env: {BOOKCTL_WEBHOOK_SECRET: undefined} as never,
  })
  listenerPort = listener.port
  // Shows since when the subscription exists on the clock of the service, which the courses move.
  await done(home.run(['webhooks', 'test', subscription, '--json']))
  const database = () => openOwn(EVENTS, home.configDirectory)
  return {
    sandbox,
    wire,
    home,
    plans,
    absent,
    /** The clock is moved past the life of a token, so each course takes a new one. */
    client: () => sandbox.client(),
    /** Moves the clock of the service. The tokens kept here are then too old for it, and are removed. */
    async advance(seconds: number): Promise<void> {
      await sandbox.advance(seconds)
      const tokens = openOwn(TOKENS, home.configDirectory)
      tokens.run('DELETE FROM access_tokens')
      tokens.close()
    },
    /** Turns the subscription on or off. */
    subscribe: async (isActive: boolean) =>
      void (await (
        await sandbox.client()
      ).call('PATCH', `/webhooks/subscriptions/${subscription}`, {is_active: isActive})),
    /** Resolves when every delivery that is due was attempted, and what arrived was forwarded or failed once. */
    async settled(): Promise<void> {
      const isOpen = async () => {
        const deliveries = await sandbox.listed('deliveries')
        return deliveries.some(({status, attempts}) => status === 'PENDING' && attempts.length === 0)
      }
      await waitUntil(async () => !(await isOpen()), 'the deliveries')
      await withDatabase(database, async store => {
        const isForwarding = async () => {
          const page = await store.page({}, {}, 50)
          const forwards = (await Promise.all(page.map(({sequence}) => store.forwardsOf(sequence)))).flat()
          return forwards.some(({state, attempts}) => state === 'pending' && attempts === 0)
        }
        await waitUntil(async () => !(await isForwarding()), 'the forwards')
      })
    },
    /** Gives up the forwards of the reservation's events, as the listener does after days. */
    giveUpForwards: (reference: string) =>
      withDatabase(database, async (store, opened) => {
        const forwards = createForwardStore(opened, 'test')
        for (const {sequence} of await store.page({reservation: reference}, {}, 50))
          for (const {target: url} of await store.forwardsOf(sequence)) {
            const failed = {status: 500, ms: 1, error: null, state: 'given_up', nextAttemptAt: 0} as const
            forwards.settle([{sequence, target: url, ...failed}])
          }
      }),
    async close() {
      await listener.stop('SIGKILL')
      await wire.close()
      await gate.close()
      await target.close()
      await sandbox.close()
      home.remove()
    },
  }
}

async function withDatabase(
  open: () => ReturnType<typeof openOwn>,
  work: (store: ReturnType<typeof createEventStore>, opened: ReturnType<typeof openOwn>) => Promise<void>,
): Promise<void> {
  const opened = open()
  try {
    await work(createEventStore(opened), opened)
  } finally {
    opened.close()
  }
}

/** A fault in which the answer to a booking names another price than the service has. */
export const dearer: WireFault = {
  forwards: true,
  play: reply => [replyBytes({...reply, body: withPrice(reply)})],
}

function withPrice({body}: Reply): Buffer {
  const json = JSON.parse(body.toString())
  const {data} = json
  const total = (Number(data.price.total) + 10).toFixed(2)
  const payment = {...data.payment, amount: total}
  return Buffer.from(JSON.stringify({...json, data: {...data, price: {...data.price, total}, payment}}))
}
