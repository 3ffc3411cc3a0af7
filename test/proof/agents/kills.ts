/**
 * Kills: a server is killed with SIGKILL at every call that changes something, at each moment of each request, and at random, while
 * it reserves or cancels; then another one is asked again with the same handle.
 */

import {randomOf} from '../kills/kills.js'
import {type Death, deadlyEnv, killing, MOMENTS} from '../kills/trial.js'
import type {Bench} from '../shared/bench.js'
import type {Cell} from '../shared/part.js'
import {STORES, type StoreName} from '../shared/stores.js'
import type {Agent} from './agent.js'
import {findOffers, judge, madeAt, must, openAgents, prepare, type Scene, unlike} from './scene.js'

type Work = 'reserve' | 'cancel_reservation'

/** Prepares a trip, or books one and prepares its cancellation. */
async function handleFor(work: Work, agent: Agent, offer: string): Promise<string> {
  const handle = await prepare(agent, offer)
  if (work === 'reserve') return handle
  const {document} = must(await agent.call('reserve', {handle}))
  const prepared = must(await agent.call('prepare_cancellation', {reservation_ref: document.reservation_ref}))
  return prepared.document.handle
}

/** Kills a server while it does `work`, or lets it end. Returns whether it was killed. */
async function die(scene: Scene, work: Work, handle: string, death: Death): Promise<boolean> {
  const {wire} = scene
  const home = scene.machine()
  const agent = await scene.agent({home, env: deadlyEnv(death)}).catch(() => undefined)
  // It was killed before it could answer at all.
  if (agent === undefined) return true
  if (death.kind === 'request')
    wire.strike = {fault: killing(death.moment, () => void agent.kill()), nth: death.nth}
  const timer = death.kind === 'time' ? setTimeout(() => void agent.kill(), death.milliseconds) : undefined
  const called = await agent.call(work, {handle})
  clearTimeout(timer)
  wire.strike = undefined
  const {exit} = called === undefined ? await agent.ended : await agent.close()
  await wire.quiet()
  return exit === 'SIGKILL'
}

/** How often one handle may be tried: each of the calls of a process can be its last. */
const MOST_TRIES = 400

function deaths(
  store: StoreName,
  work: Work,
  what: string,
  deathAt: (n: number, random: () => number) => Death | undefined,
  isSample = false,
): Cell<Bench> {
  const name = `kill: ${store}, ${work}, ${what}`
  return {
    name,
    group: `kills, ${store}`,
    isSample,
    async run(bench, seed, own) {
      const random = randomOf(seed, name)
      const scene = await openAgents(own, bench, store)
      const wrong: string[] = []
      let healthy = await scene.agent()
      let offers = await findOffers(healthy, 100)
      let kills = 0
      for (let n = 1; n <= MOST_TRIES && wrong.length === 0; n++) {
        const death = deathAt(n, random)
        if (death === undefined) break
        if (offers.length === 0) offers = await findOffers(healthy, 100)
        const handle = await handleFor(work, healthy, offers.shift()?.offer_id ?? '')
        const isKilled = await die(scene, work, handle, death)
        if (isKilled) kills++
        // Once or more often, also by a server that did not see it die.
        for (let again = 0; again < 2; again++)
          wrong.push(
            ...unlike(await healthy.call(work, {handle}), undefined, `after ${JSON.stringify(death)}`),
          )
        wrong.push(...(await judge(scene)))
        const made = await madeAt(scene)
        if (made.length !== n)
          wrong.push(`${made.length} reservations, not ${n}, after ${JSON.stringify(death)}`)
        if (work === 'cancel_reservation' && made.some(({status}) => status !== 'CANCELLED'))
          wrong.push(`one is not cancelled after ${JSON.stringify(death)}`)
        if (n % 25 === 0) {
          await healthy.close()
          healthy = await scene.agent({home: scene.machine()})
        }
        // The calls of a process are over.
        if (!isKilled && death.kind !== 'time') break
      }
      if (kills === 0) wrong.push('no server was killed')
      return {count: kills, wrong}
    },
  }
}

const RANDOM_KILLS = 20

function waysOf(store: StoreName, work: Work): Cell<Bench>[] {
  return [
    deaths(store, work, 'at every call', n => ({kind: 'call', call: n})),
    ...MOMENTS.map(moment =>
      deaths(store, work, `at every request ${moment}`, n => ({kind: 'request', nth: n, moment})),
    ),
    deaths(store, work, 'at random', (n, random) =>
      n <= RANDOM_KILLS ? {kind: 'time', milliseconds: 300 * random()} : undefined,
    ),
  ]
}

export const KILLS: readonly Cell<Bench>[] = [
  deaths(
    'files',
    'reserve',
    'at the answer',
    n => (n === 1 ? {kind: 'request', nth: 3, moment: 'acted'} : undefined),
    true,
  ),
  ...STORES.flatMap(store =>
    (['reserve', 'cancel_reservation'] as const).flatMap(work => waysOf(store, work)),
  ),
]
