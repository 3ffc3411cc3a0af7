/** Handles: repeated, used fifty times at once, changed, of another client or kind, and a thousand of them. */
import {statSync} from 'node:fs'
import {join} from 'node:path'
import {waitUntil} from '../../support/wait.js'
import type {Bench} from '../shared/bench.js'
import type {Cell} from '../shared/part.js'
import {reservationsAt} from '../shared/scene.js'
import {STORES, type StoreName} from '../shared/stores.js'
import type {Called} from './agent.js'
import {findOffers, judge, madeAt, must, openAgents, prepare, type Scene, unlike, wantedFor} from './scene.js'

/** Returns what is wrong unless all calls gave the same reservation, and the service has made just that one. */
async function oneFor(scene: Scene, called: readonly (Called | undefined)[]): Promise<string[]> {
  const refs = new Set(called.map(each => each?.document?.reservation_ref))
  const made = await madeAt(scene)
  const wrong = called.flatMap(each => unlike(each, undefined, 'reserve'))
  if (refs.size !== 1) wrong.push(`${refs.size} different results`)
  if (made.length !== 1) wrong.push(`${made.length} reservations, not 1`)
  else if (!refs.has(made[0]?.reservation_ref)) wrong.push('the result is not what the service made')
  return [...wrong, ...(await judge(scene))]
}

const times = <T>(count: number, make: (n: number) => T): T[] =>
  Array.from({length: count}, (_, n) => make(n))

function repeats(store: StoreName): Cell<Bench> {
  return {
    name: `handle: ${store}, repeated by one server and by the next`,
    group: 'handles',
    async run(bench, _, own) {
      const scene = await openAgents(own, bench, store)
      const agent = await scene.agent()
      const [offer] = await findOffers(agent, 1)
      const handle = await prepare(agent, offer?.offer_id ?? '')
      const called: (Called | undefined)[] = []
      for (let n = 0; n < 10; n++) called.push(await agent.call('reserve', {handle}))
      await agent.close()
      const next = await scene.agent({home: scene.machine()})
      for (let n = 0; n < 3; n++) called.push(await next.call('reserve', {handle}))
      return oneFor(scene, called)
    },
  }
}

function atOnce(store: StoreName, servers: number, isSample = false): Cell<Bench> {
  return {
    name: `handle: ${store}, 50 calls at once to ${servers} servers`,
    group: 'handles',
    isSample,
    async run(bench, _, own) {
      const scene = await openAgents(own, bench, store, {latencyMilliseconds: 50})
      const agent = await scene.agent()
      const [offer] = await findOffers(agent, 1)
      const handle = await prepare(agent, offer?.offer_id ?? '')
      const others = await Promise.all(times(servers - 1, () => scene.agent({home: scene.machine()})))
      const all = [agent, ...others]
      const calls = times(50, n => all[n % all.length]?.call('reserve', {handle}))
      const called = await Promise.all(calls)
      // Calls that came while a person was asked say so, and have the result afterwards.
      for (const [n, each] of called.entries())
        if (each?.document?.error?.code === 'approval_needed')
          called[n] = await all[n % all.length]?.call('reserve', {handle})
      const wrong = await oneFor(scene, called)
      for (const {questions} of all)
        if (questions.length > 1) wrong.push(`${questions.length} questions at one client, not 1`)
      return wrong
    },
  }
}

/** What a model may make of a handle. */
function changesOf(handle: string): unknown[] {
  const at = (index: number, character: string) =>
    handle.slice(0, index) + character + handle.slice(index + 1)
  const flipped = times(handle.length, index => at(index, handle[index] === 'x' ? 'y' : 'x'))
  const made: unknown[] = [
    ...flipped,
    ...[
      handle.toUpperCase(),
      handle.slice(4),
      handle.slice(0, -1),
      `${handle}0`,
      ` ${handle}`,
      `${handle}\n`,
    ],
    ...[
      handle.replace('hdl_', 'hdl-'),
      handle.replaceAll('1', 'l'),
      `${handle},${handle}`,
      `${handle}\u0000`,
    ],
    ...[`${handle}' OR '1'='1`, '%', `${handle.slice(0, 8)}%`, '', 'hdl_', '../../state.db'],
    ...[null, 7, true, [handle], {handle}, undefined],
  ]
  return made.filter(each => each !== handle)
}

const changed: Cell<Bench> = {
  name: 'handle: changed in any place, or of another form',
  group: 'handles',
  isSample: true,
  async run(bench, _, own) {
    const scene = await openAgents(own, bench)
    const agent = await scene.agent()
    const [offer] = await findOffers(agent, 1)
    const handle = await prepare(agent, offer?.offer_id ?? '')
    const wrong: string[] = []
    for (const other of changesOf(handle))
      for (const tool of ['reserve', 'cancel_reservation']) {
        const called = await agent.call(tool, {handle: other})
        if (!called?.isError || reservationsAt(scene.wire).length > 0)
          wrong.push(`${tool} with ${JSON.stringify(other)}: ${JSON.stringify(called)?.slice(0, 200)}`)
      }
    const more = ['confirm', 'price', 'client_reference_id', 'idempotency_key', 'guests', 'constructor']
    for (const name of more)
      wrong.push(...unlike(await agent.call('reserve', {handle, [name]: true}), 'unknown_argument', name))
    // The handle itself still works.
    wrong.push(...unlike(await agent.call('reserve', {handle}), undefined, 'reserve'))
    return [...wrong, ...(await judge(scene))]
  },
}

const elsewhere: Cell<Bench> = {
  name: 'handle: of another client, of another kind, of an offer that was booked',
  group: 'handles',
  async run(bench, _, own) {
    const scene = await openAgents(own, bench)
    const agent = await scene.agent()
    const offers = await findOffers(agent, 2)
    const [first = '', second = ''] = offers.map(({offer_id}) => offer_id)
    const handle = await prepare(agent, first)
    const poor = {BOOKCTL_CLIENT_ID: 'cid_sandbox_poor', BOOKCTL_CLIENT_SECRET: 'sk_test_sandbox_poor'}
    const other = await scene.agent({env: poor})
    const wrong = unlike(await other.call('reserve', {handle}), 'handle_not_valid', 'another client')
    wrong.push(
      ...unlike(await agent.call('cancel_reservation', {handle}), 'handle_not_valid', 'another kind'),
    )
    const done = must(await agent.call('reserve', {handle}))
    const reservation_ref = done.document.reservation_ref
    const cancelling = must(await agent.call('prepare_cancellation', {reservation_ref}))
    const {handle: fee} = cancelling.document
    wrong.push(...unlike(await agent.call('reserve', {handle: fee}), 'handle_not_valid', 'of a cancellation'))
    wrong.push(
      ...unlike(await other.call('cancel_reservation', {handle: fee}), 'handle_not_valid', 'the other'),
    )
    // An offer can be reserved once, under whatever handle.
    const again = must(await agent.call('prepare_reservation', wantedFor(first)))
    if (!again.isError) {
      const twice = await agent.call('reserve', {handle: again.document.handle})
      if (!twice?.isError) wrong.push('the same offer was reserved twice')
    }
    wrong.push(...unlike(await agent.call('cancel_reservation', {handle: fee}), undefined, 'cancelling'))
    wrong.push(
      ...unlike(await agent.call('cancel_reservation', {handle: fee}), undefined, 'cancelling again'),
    )
    const handleOfSecond = await prepare(agent, second)
    wrong.push(...unlike(await agent.call('reserve', {handle: handleOfSecond}), undefined, 'another offer'))
    const cancelled = scene.wire.requests.filter(
      ({method, path}) => method === 'POST' && /\/cancel$/.test(path),
    )
    if (cancelled.length !== 1) wrong.push(`it was cancelled ${cancelled.length} times`)
    return [...wrong, ...(await judge(scene))]
  },
}

const THOUSAND = 1000

const thousand: Cell<Bench> = {
  name: 'handle: a thousand of them',
  group: 'handles',
  async run(bench, _, own) {
    const scene = await openAgents(own, bench)
    const agent = await scene.agent()
    const offers = await findOffers(agent, 20)
    const wrong: string[] = []
    const handles: string[] = []
    for (let n = 0; n < THOUSAND; n++) handles.push(await prepare(agent, offers[n % 20]?.offer_id ?? ''))
    if (new Set(handles).size !== THOUSAND) wrong.push('two handles are the same')
    const [oldest = ''] = handles
    const newest = handles.at(-1) ?? ''
    wrong.push(...unlike(await agent.call('reserve', {handle: oldest}), 'handle_not_valid', 'the oldest'))
    wrong.push(...unlike(await agent.call('reserve', {handle: newest}), undefined, 'the newest'))
    const {size} = statSync(join(scene.home.configDirectory, 'state.db'))
    if (size > 8 * 1024 * 1024) wrong.push(`state.db has ${size} bytes`)
    return [...wrong, ...(await judge(scene))]
  },
}

const declined: Cell<Bench> = {
  name: 'handle: declined, closed, and approved afterwards',
  group: 'handles',
  async run(bench, _, own) {
    const scene = await openAgents(own, bench)
    const replies: ('accept' | 'decline' | 'cancel')[] = []
    const agent = await scene.agent({answer: () => replies.shift() ?? 'cancel'})
    const [first = '', second = ''] = (await findOffers(agent, 2)).map(({offer_id}) => offer_id)
    const [dead, closed] = [await prepare(agent, first), await prepare(agent, second)]
    const wrong: string[] = []
    replies.push('decline')
    wrong.push(...unlike(await agent.call('reserve', {handle: dead}), 'declined', 'a no'))
    replies.push('accept')
    wrong.push(...unlike(await agent.call('reserve', {handle: dead}), 'declined', 'a yes after the no'))
    const friendly = await scene.agent()
    wrong.push(...unlike(await friendly.call('reserve', {handle: dead}), 'declined', 'another server'))
    replies.splice(0)
    wrong.push(...unlike(await agent.call('reserve', {handle: closed}), 'approval_closed', 'closed'))
    if (reservationsAt(scene.wire).length > 0) wrong.push('it was sent without consent')
    const mute = await scene.agent({answer: null})
    wrong.push(...unlike(await mute.call('reserve', {handle: closed}), 'approval_needed', 'nobody to ask'))
    if (reservationsAt(scene.wire).length > 0) wrong.push('it was sent without consent')
    wrong.push(...unlike(await friendly.call('reserve', {handle: closed}), undefined, 'a yes'))
    const made = await madeAt(scene)
    if (made.length !== 1) wrong.push(`${made.length} reservations, not 1`)
    return [...wrong, ...(await judge(scene))]
  },
}

const unanswered: Cell<Bench> = {
  name: 'handle: twenty questions that nobody answers',
  group: 'handles',
  async run(bench, _, own) {
    const scene = await openAgents(own, bench)
    const agent = await scene.agent({answer: () => 'never'})
    const handles: string[] = []
    for (const {offer_id} of await findOffers(agent, 20)) handles.push(await prepare(agent, offer_id))
    const calls = handles.map(handle => agent.call('reserve', {handle}))
    await waitUntil(() => agent.questions.length === 20, 'the questions')
    // Other calls go on meanwhile.
    const wrong = unlike(await agent.call('account'), undefined, 'account')
    const {exit} = await agent.close()
    if (exit !== 0) wrong.push(`ends with ${exit}`)
    if ((await Promise.all(calls)).some(called => called?.isError === false)) wrong.push('it was reserved')
    const next = await scene.agent()
    const [handle] = handles
    wrong.push(...unlike(await next.call('reserve', {handle}), undefined, 'reserve afterwards'))
    if ((await madeAt(scene)).length !== 1) wrong.push('not one reservation')
    return [...wrong, ...(await judge(scene))]
  },
}

export const HANDLES: readonly Cell<Bench>[] = [
  changed,
  declined,
  elsewhere,
  thousand,
  unanswered,
  atOnce('files', 2, true),
  ...STORES.flatMap(store => [repeats(store), atOnce(store, 1), atOnce(store, 5)]),
]
