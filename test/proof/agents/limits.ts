/** Limits: fifty reservations at once, servers with other limits, restarts, lost answers, and prices that rise. */
import type {WireFault} from '../../support/wire.js'
import {replyBytes} from '../../support/wire.js'
import type {Bench} from '../shared/bench.js'
import type {Cell} from '../shared/part.js'
import {cents, losing, RESERVE} from '../shared/scene.js'
import {STORES, type StoreName} from '../shared/stores.js'
import {
  findOffers,
  flagsOf,
  judge,
  type Limits,
  madeAt,
  must,
  openAgents,
  prepare,
  unlike,
  wantedFor,
} from './scene.js'

/** Returns limits that let about three of these offers through. */
function narrow(offers: readonly {readonly total: number}[], more: Partial<Limits> = {}): Limits {
  const highest = Math.max(...offers.map(({total}) => total))
  return {total: Math.floor((3.5 * highest) / 100), each: Math.ceil(highest / 100), ...more}
}

function crowd(store: StoreName, servers: number, perDay?: number, isSample = false): Cell<Bench> {
  const what = perDay === undefined ? 'the total' : 'a day'
  return {
    name: `limit: ${store}, 20 handles at once, ${servers} servers, ${what}`,
    group: 'limits',
    isSample,
    async run(bench, _, own) {
      const scene = await openAgents(own, bench, store, {latencyMilliseconds: 30})
      const finder = await scene.agent()
      const offers = await findOffers(finder, 20)
      const limits = narrow(offers, {...(perDay && {perDay, total: 1_000_000})})
      const all = await Promise.all(
        Array.from({length: servers}, () => scene.agent({home: scene.machine(), flags: flagsOf(limits)})),
      )
      const handles: string[] = []
      for (const {offer_id} of offers) handles.push(await prepare(finder, offer_id))
      const done = await Promise.all(
        handles.map((handle, n) => all[n % all.length]?.call('reserve', {handle})),
      )
      const wrong = done.flatMap(called => (called?.isError ? unlike(called, 'over_limit', 'reserve') : []))
      const made = await madeAt(scene)
      const booked = done.filter(called => called?.isError === false).length
      if (made.length !== booked) wrong.push(`${booked} results, and ${made.length} reservations`)
      if (made.length < 3 && perDay === undefined) wrong.push(`only ${made.length} reservations went through`)
      if (perDay !== undefined && made.length !== perDay) wrong.push(`${made.length} of ${perDay}`)
      // A restart forgets nothing.
      const next = await scene.agent({home: scene.machine(), flags: flagsOf(limits)})
      const left = handles.filter((_, n) => done[n]?.isError)
      for (const handle of left.slice(0, 5)) {
        const called = must(await next.call('reserve', {handle}))
        if (called.isError) wrong.push(...unlike(called, 'over_limit', 'after a restart'))
      }
      return [...wrong, ...(await judge(scene, limits))]
    },
  }
}

/** A reservation whose outcome is unknown counts, and the handle is still sent under its first key. */
const lost: Cell<Bench> = {
  name: 'limit: what is unknown counts',
  group: 'limits',
  isSample: true,
  async run(bench, _, own) {
    const scene = await openAgents(own, bench)
    const finder = await scene.agent()
    const offers = await findOffers(finder, 3)
    const limits: Limits = {total: Math.ceil((offers[0]?.total ?? 0) / 100), each: 100_000}
    const agent = await scene.agent({flags: flagsOf(limits, '--timeout', '2')})
    const [first = '', second = ''] = [
      await prepare(finder, offers[0]?.offer_id ?? ''),
      await prepare(finder, offers[1]?.offer_id ?? ''),
    ]
    scene.wire.strike = {...RESERVE, fault: losing(true)}
    const wrong = unlike(await agent.call('reserve', {handle: first}), 'outcome_unknown', 'a lost answer')
    scene.wire.strike = undefined
    wrong.push(...unlike(await agent.call('reserve', {handle: second}), 'over_limit', 'the next one'))
    wrong.push(...unlike(await agent.call('reserve', {handle: first}), undefined, 'the same handle'))
    if ((await madeAt(scene)).length !== 1) wrong.push('it was not made once')
    return [...wrong, ...(await judge(scene, limits))]
  },
}

/** Changes the prices in the answers of the service by this factor. */
function dearer(factor: number): WireFault {
  const raise = (text: string) =>
    text.replace(/("(?:total|amount|price)":\s*")([\d.]+)(")/g, (_, before, amount, after) =>
      [before, ((cents(amount) * factor) / 100).toFixed(2), after].join(''),
    )
  return {
    forwards: true,
    play: reply => [replyBytes({...reply, body: Buffer.from(raise(reply.body.toString()))})],
  }
}

const risen: Cell<Bench> = {
  name: 'limit: a price that rises after it was prepared',
  group: 'limits',
  async run(bench, _, own) {
    const scene = await openAgents(own, bench)
    const agent = await scene.agent()
    const offers = await findOffers(agent, 2)
    const handle = await prepare(agent, offers[0]?.offer_id ?? '')
    scene.wire.strike = {method: 'GET', path: /\/hotels\/offers\//, fault: dearer(1.01)}
    const wrong = unlike(await agent.call('reserve', {handle}), 'price_rose', 'a higher price')
    scene.wire.strike = undefined
    // What a person agreed to, or was going to, is void.
    wrong.push(...unlike(await agent.call('reserve', {handle}), 'price_rose', 'the old price again'))
    if (agent.questions.length > 0) wrong.push('a person was asked about a price that no longer holds')
    if ((await madeAt(scene)).length > 0) wrong.push('it was reserved')
    return [...wrong, ...(await judge(scene))]
  },
}

/** What was booked dearer than agreed is said so, and counts with what it cost. */
const bookedDearer: Cell<Bench> = {
  name: 'limit: what was booked dearer counts with what it cost',
  group: 'limits',
  async run(bench, _, own) {
    const scene = await openAgents(own, bench)
    const finder = await scene.agent()
    const offers = await findOffers(finder, 2)
    const [first, second] = offers.map(({total}) => total)
    const both = Math.ceil(((first ?? 0) + (second ?? 0)) / 100) + 1
    const agent = await scene.agent({flags: flagsOf({total: both, each: 100_000})})
    const handles = [
      await prepare(agent, offers[0]?.offer_id ?? ''),
      await prepare(agent, offers[1]?.offer_id ?? ''),
    ]
    scene.wire.strike = {...RESERVE, fault: dearer(1.5)}
    const called = must(await agent.call('reserve', {handle: handles[0]}))
    scene.wire.strike = undefined
    const wrong =
      called.document.price_changed === true ? [] : [`not said: ${JSON.stringify(called.document)}`]
    wrong.push(...unlike(await agent.call('reserve', {handle: handles[1]}), 'over_limit', 'the next one'))
    return [...wrong, ...(await judge(scene))]
  },
}

const currencies: Cell<Bench> = {
  name: 'limit: an offer in another currency, one over the limit of each, and none without --allow',
  group: 'limits',
  async run(bench, _, own) {
    const scene = await openAgents(own, bench)
    const finder = await scene.agent()
    const [offer] = await findOffers(finder, 1)
    const handle = await prepare(finder, offer?.offer_id ?? '')
    const inLira = ['--allow', 'reserve', '--max-total', '99999 TRY', '--max-each', '99999 TRY']
    const wrong: string[] = []
    for (const flags of [inLira, flagsOf({total: 100_000, each: 1})]) {
      const agent = await scene.agent({flags})
      wrong.push(...unlike(await agent.call('reserve', {handle}), 'over_limit', flags.join(' ')))
    }
    for (const flags of [[], ['--allow', 'cancel']]) {
      const agent = await scene.agent({flags})
      const listed = await agent.request('tools/list')
      if (/"name":"(prepare_reservation|reserve)"/.test(JSON.stringify(listed)))
        wrong.push('reserve is listed')
      const called = must(await agent.call('reserve', {handle}))
      if (!called.isError) wrong.push('it was reserved by a server that may not')
    }
    return [
      ...wrong,
      ...((await madeAt(scene)).length > 0 ? ['something was reserved'] : []),
      ...(await judge(scene)),
    ]
  },
}

/** Cancelling gives back what is free, and no more than that. */
const cancelled: Cell<Bench> = {
  name: 'limit: what was cancelled counts with its fee',
  group: 'limits',
  async run(bench, _, own) {
    const scene = await openAgents(own, bench)
    const finder = await scene.agent()
    const offers = await findOffers(finder, 8)
    const highest = Math.max(...offers.map(({total}) => total))
    const limits = {total: Math.ceil(highest / 100), each: 100_000}
    const agent = await scene.agent({flags: flagsOf(limits)})
    let spent = 0
    const wrong: string[] = []
    for (const {offer_id, total} of offers) {
      const isOver = spent + total > limits.total * 100
      const prepared = must(await agent.call('prepare_reservation', wantedFor(offer_id)))
      wrong.push(...unlike(prepared, isOver ? 'over_limit' : undefined, `${total} cents after ${spent}`))
      if (prepared.isError) continue
      const {document} = must(await agent.call('reserve', {handle: prepared.document.handle}))
      const {reservation_ref} = document
      const cancelling = must(await agent.call('prepare_cancellation', {reservation_ref}))
      const done = must(await agent.call('cancel_reservation', {handle: cancelling.document.handle}))
      wrong.push(...unlike(done, undefined, 'cancelling'))
      spent += cents(done.document.fee?.amount)
    }
    return [...wrong, ...(await judge(scene, limits))]
  },
}

export const LIMITS: readonly Cell<Bench>[] = [
  crowd('files', 2, undefined, true),
  ...STORES.flatMap(store => [crowd(store, 1), crowd(store, 4), crowd(store, 3, 2)]),
  lost,
  risen,
  bookedDearer,
  currencies,
  cancelled,
]
