/** Receivers on machines that share a store. The server and other receivers die under load. */
import {setTimeout as sleep} from 'node:timers/promises'
import {type ListenProcess, startListening} from '../../support/listening.js'
import {type PostgresServer, startPostgres} from '../../support/postgres.js'
import {startSubscriber} from '../../support/subscriber.js'
import {waitUntil} from '../../support/wait.js'
import {load, type SignedEvent, signedEvent} from '../../support/webhook-load.js'
import {unless} from '../shared/crowd.js'
import type {Cell, Own} from '../shared/part.js'
import {Home} from '../shared/scene.js'

interface Stage {
  readonly server: PostgresServer
  /** How often the target got each event. The target waits `slowly` milliseconds before each answer. */
  readonly got: Map<string, number>
  start(): Promise<ListenProcess>
  rows(sql: string): Promise<object[]>
}

/** Starts a database server, and a target that answers after `slowly` milliseconds. */
async function openStage(own: Own, slowly: number): Promise<Stage> {
  const server = own(await startPostgres())
  const got = new Map<string, number>()
  const target = own(
    await startSubscriber((answer, {headers}) => {
      const id = String(headers['x-service-event-id'])
      got.set(id, (got.get(id) ?? 0) + 1)
      setTimeout(() => answer.writeHead(200).end(), slowly)
    }),
  )
  const url = await server.url('receivers')
  const start = async () => {
    const home = own(new Home({BOOKCTL_STORE: url}))
    const listening = await startListening(home, ['--forward-to', `${target.origin}/hooks`])
    own({stop: () => listening.stop('SIGKILL')})
    return listening
  }
  return {server, got, start, rows: sql => server.sql(sql, [], 'receivers')}
}

/** Sends each event to the receivers in turn until one answers 200, as the service does through a load balancer. */
async function deliver(
  receivers: readonly ListenProcess[],
  events: readonly SignedEvent[],
  perSecond?: number,
) {
  const left = new Map(events.map(event => [event.id, event]))
  for (let round = 0; left.size > 0; round++) {
    const share = receivers.map((_, n) =>
      [...left.values()].filter((__, i) => (i + round) % receivers.length === n),
    )
    const results = await Promise.all(
      receivers.map(({port, child}, n) => {
        const next = () =>
          child.exitCode === null && child.signalCode === null ? share[n]?.shift() : undefined
        return load({port, connections: 8, next, ...(perSecond && {perSecond})})
      }),
    )
    for (const {id, status} of results.flatMap(({answers}) => answers)) if (status === 200) left.delete(id)
    if (left.size > 0) await sleep(100)
  }
}

const eventsOf = (count: number) => Array.from({length: count}, (_, n) => signedEvent(`evt_${n}`, {pad: 50}))

/** Checks that each event was stored once and forwarded, and that exactly one receiver printed it as new. */
async function check(
  {got, rows}: Stage,
  receivers: readonly ListenProcess[],
  count: number,
): Promise<string[]> {
  const isLeft = async () => (await rows("SELECT FROM bookctl.forwards WHERE state = 'pending'")).length > 0
  await waitUntil(async () => !(await isLeft()), 'all to be forwarded')
  const kept = await rows('SELECT event_id FROM bookctl.events')
  const lines = receivers
    .flatMap(each => each.lines)
    .filter(({type, duplicate}) => type === 'event' && !duplicate)
  const twice = [...got.values()].filter(times => times > 1).length
  return [
    ...unless(count, kept.length, 'events are kept'),
    ...unless(count, got.size, 'events were forwarded'),
    ...unless(count, new Set(lines.map(line => line.event_id)).size, 'events are new in a line'),
    ...unless(count, lines.length, 'lines say new'),
    // Only events that were being forwarded when the server died may come again.
    ...(twice <= 64 ? [] : [`${twice} events were forwarded more than once`]),
  ]
}

const RESTARTS = 5

type Trial = (own: Own, count: number) => Promise<string[]>

const restarted =
  (how: 'stop' | 'kill'): Trial =>
  async (own, count) => {
    const stage = await openStage(own, 0)
    const receivers = await Promise.all([stage.start(), stage.start(), stage.start()])
    let isDelivered = false
    const delivered = deliver(receivers, eventsOf(count), 300).then(() => (isDelivered = true))
    for (let n = 0; n < RESTARTS && !isDelivered; n++) {
      await sleep(400)
      await stage.server[how]()
      await sleep(200)
      await stage.server.start()
    }
    await delivered
    const dead = receivers.filter(({child}) => child.exitCode !== null)
    return [...unless(0, dead.length, 'receivers ended'), ...(await check(stage, receivers, count))]
  }

/** One of three receivers is killed under load. The others take over its forwards. */
const killed: Trial = async (own, count) => {
  const stage = await openStage(own, 0)
  const receivers = await Promise.all([stage.start(), stage.start(), stage.start()])
  const delivered = deliver(receivers, eventsOf(count), 300)
  await waitUntil(() => stage.got.size > count / 4, 'the load')
  await receivers[0].stop('SIGKILL')
  await delivered
  const began = performance.now()
  // The last lines of the dead receiver may not have been printed.
  const wrong = (await check(stage, receivers, count)).filter(text => !/new/.test(text))
  const seconds = (performance.now() - began) / 1000
  return seconds < 30 ? wrong : [...wrong, `it took ${seconds} s to take over`]
}

const SLOW_MILLISECONDS = 25_000

/** Forwards take longer than a lease, which is renewed as long as its holder lives. */
const slow: Trial = async (own, count) => {
  const stage = await openStage(own, SLOW_MILLISECONDS)
  const receivers = await Promise.all([stage.start(), stage.start()])
  await deliver(receivers, eventsOf(count))
  const wrong = await check(stage, receivers, count)
  const came = [...stage.got.values()].reduce((sum, times) => sum + times, 0)
  return [...wrong, ...unless(count, came, 'forwards came')]
}

const TRIALS = {
  'the server is restarted under load': [4000, restarted('stop')],
  'the server is killed under load': [4000, restarted('kill')],
  'one of three is killed under load': [2000, killed],
  'a target slower than a lease': [4, slow],
} satisfies Record<string, [number, Trial]>

export const RECEIVER_TRIALS = Object.entries(TRIALS).map(
  ([what, [count, run]]): Cell<object> => ({
    name: `receivers: ${what}`,
    group: 'receivers',
    run: async (_, __, own) => ({count, wrong: await run(own, count)}),
  }),
)
