/** Stores that machines can share behave the same in files and in PostgreSQL. The journal has a test file of its own. */
import {beforeEach, expect, test} from 'vitest'
import {Failure} from '../../src/contract/failure.js'
import type {NewEvent} from '../../src/contract/stored-events.js'
import type {CachedToken} from '../../src/contract/token-cache.js'
import type {State} from '../../src/state/state.js'
import {CLIENT, eventOf, OTHER_CLIENTS, OTHER_KEYS, offer, token as tokenOf} from '../support/client.js'
import {held} from '../support/held.js'
import {describeEachPlace} from '../support/stores.js'

const TARGET = 'http://127.0.0.1:9/'
const seconds = () => Date.now() / 1000

await describeEachPlace(place => {
  let state: State
  let now: number
  beforeEach(async () => {
    state = await place.open()
    now = seconds()
  })
  const token = (name: string, more: Partial<CachedToken> = {}) =>
    tokenOf(name, {obtainedAt: now - 20, expiresAt: now + 100, ...more})
  /** Two clocks differ slightly. */
  const near = (time: number) => expect.closeTo(time, 0)

  test('lists the tokens of one client and secret, newest first', async () => {
    const tokens = [
      token('one', {askedScopes: ['x']}),
      token('two', {obtainedAt: now - 1, scopes: []}),
      token('three', {askedScopes: [], obtainedAt: now - 10}),
    ]
    for (const each of tokens) await state.tokens.put(CLIENT, each)
    const listed = await state.tokens.list(CLIENT)
    const whole = (each: CachedToken) => ({
      ...each,
      obtainedAt: near(each.obtainedAt),
      expiresAt: near(each.expiresAt),
    })
    expect(listed).toEqual([tokens[1], tokens[2], tokens[0]].map(each => whole(each as CachedToken)))
    for (const other of OTHER_KEYS) expect(await state.tokens.list(other)).toEqual([])
    const again = await place.open(state.directory)
    expect(await again.tokens.list(CLIENT)).toHaveLength(3)
  })

  test('keeps one token for each list of scopes, and removes one alone', async () => {
    for (const each of [token('one'), token('two'), token('three', {askedScopes: ['b']})])
      await state.tokens.put(CLIENT, each)
    for (const other of OTHER_KEYS) await state.tokens.put(other, token('two'))
    await state.tokens.remove(CLIENT, 'two')
    expect((await state.tokens.list(CLIENT)).map(each => each.access_token)).toEqual(['three'])
    for (const other of OTHER_KEYS) expect(await state.tokens.list(other)).toHaveLength(1)
  })

  test('a token that was requested before a logout is not stored, on any machine', async () => {
    const early = await place.open(state.directory)
    await early.tokens.list(CLIENT)
    await state.tokens.put(CLIENT, token('kept'))
    const forget = async () =>
      (await state.forgetShared([CLIENT])) || state.forget({profiles: [], clients: [CLIENT]})
    expect(await forget()).toBe(true)
    expect(await forget()).toBe(false)
    await early.tokens.put(CLIENT, token('late'))
    expect(await state.tokens.list(CLIENT)).toEqual([])
    const next = await place.open(state.directory)
    await next.tokens.put(CLIENT, token('new'))
    expect(await state.tokens.list(CLIENT)).toHaveLength(1)
  })

  test('a failure is shared with requests for the same scopes by the same route that started before it', async () => {
    const asking = {scopes: ['a', 'b'], route: 'direct'}
    const failure = new Failure('unreachable', 'made up', {code: 'refused', status: 5})
    const unrelated = new Failure('usage', 'x', {code: 'x'})
    await state.tokens.noteFailure(CLIENT, {...asking, scopes: ['a']}, unrelated, seconds())
    await state.tokens.noteFailure(CLIENT, asking, failure, seconds())
    const shared = await state.tokens.failureBetween(CLIENT, asking, now - 1, seconds() + 1)
    expect(shared).toBeInstanceOf(Failure)
    const {kind, message, details} = failure
    expect(shared).toMatchObject({kind, message, details})
    expect(await state.tokens.failureBetween(CLIENT, asking, seconds() + 9, seconds() + 99)).toBeUndefined()
    for (const other of [
      {...asking, route: 'proxy'},
      {...asking, scopes: ['a b c']},
    ])
      expect(await state.tokens.failureBetween(CLIENT, other, 0, seconds() + 9)).toBeUndefined()
    for (const other of OTHER_KEYS)
      expect(await state.tokens.failureBetween(other, asking, 0, seconds() + 9)).toBeUndefined()
  })

  test('one process at a time requests a token, on any machine; the others see its outcome', async () => {
    const hold = held()
    const nothing = async () => undefined
    const went = async () => 'went'
    const there = await place.open(state.directory)
    const first = state.tokens.alone(CLIENT, 5000, () => hold.promise, nothing)
    const second = async () => there.tokens.alone(CLIENT, 0, went, nothing)
    // The lock is free again once another process gives up.
    await expect.poll(second).toEqual({gaveUp: true})
    const seen = await there.tokens.alone(CLIENT, 0, went, async () => 'seen')
    expect(seen).toEqual({gaveUp: false, value: 'seen'})
    hold.release()
    expect(await first).toEqual({gaveUp: false, value: undefined})
    expect(await there.tokens.alone(CLIENT, 5000, went, nothing)).toEqual({gaveUp: false, value: 'went'})
    const error = new TypeError('made up')
    await expect(state.tokens.alone(CLIENT, 5000, async () => Promise.reject(error), nothing)).rejects.toBe(
      error,
    )
    expect(await there.tokens.alone(CLIENT, 5000, went, nothing)).toEqual({gaveUp: false, value: 'went'})
  })

  test('offers found are known until they are a day old, and marked when they are used', async () => {
    const found = (id: string, more = {}) => offer(id, {searched_at: now, expires_at: now + 900, ...more})
    const times = {searched_at: near(now), expires_at: near(now + 900)}
    await state.offers.remember(CLIENT, [found('off_1'), found('off_2', {expires_at: now - 1})], now)
    const there = await place.open(state.directory)
    const unused = {...found('off_1'), ...times, used_by_reference: null}
    expect(await there.offers.find(CLIENT, 'off_1')).toEqual(unused)
    expect((await there.offers.valid(now)).map(({offer_id}) => offer_id)).toEqual(['off_1'])
    await there.offers.markUsed(CLIENT, 'off_1', 'ref-1')
    await state.offers.remember(CLIENT, [found('off_1', {total: '11.00'})], now)
    const known = {total: '11.00', used_by_reference: 'ref-1'}
    expect(await state.offers.find(CLIENT, 'off_1')).toMatchObject(known)
    expect(await state.offers.valid(now)).toEqual([])
    for (const other of OTHER_CLIENTS) expect(await state.offers.find(other, 'off_1')).toBeUndefined()
    await state.offers.remember(CLIENT, [found('off_3', {searched_at: now - 86_500})], now)
    await state.offers.remember(CLIENT, [], now)
    expect(await state.offers.find(CLIENT, 'off_3')).toBeUndefined()
    const earlier = {searched_at: now - 60, nationality: 'DE'}
    await state.offers.remember(CLIENT, [found('off_4', earlier)], now)
    expect(await state.offers.latest(CLIENT)).toMatchObject({offer_id: 'off_1', nationality: 'TR'})
    for (const other of OTHER_CLIENTS) expect(await state.offers.latest(other)).toBeUndefined()
    expect(await state.offers.find(CLIENT, 'off_1')).toBeDefined()
    const [other] = OTHER_CLIENTS as [(typeof OTHER_CLIENTS)[number]]
    await state.offers.remember(other, [found('off_1', {searched_at: now - 5})], now)
    const seen = await state.offers.findAll('off_1')
    expect(seen.map(({baseUrl, clientId}) => ({baseUrl, clientId}))).toEqual([
      {baseUrl: CLIENT.baseUrl, clientId: CLIENT.clientId},
      {baseUrl: other.baseUrl, clientId: other.clientId},
    ])
    expect(await state.offers.findAll('off_3')).toEqual([])
  })

  test('a subscription whose outcome is unknown is found on any machine, until it is known or started again', async () => {
    const wanted = {url: 'https://a.example/', events: ['a', 'b']}
    const first = await state.subscriptions.begin(CLIENT, wanted, {now, again: false})
    expect(first.earlier).toBeUndefined()
    const there = await place.open(state.directory)
    const earlier = {...wanted, begunAt: near(now)}
    expect(
      await there.subscriptions.begin(CLIENT, {...wanted, events: ['c']}, {now, again: false}),
    ).toMatchObject({earlier})
    for (const other of OTHER_CLIENTS)
      expect((await there.subscriptions.begin(other, wanted, {now, again: false})).earlier).toBeUndefined()
    const again = await there.subscriptions.begin(CLIENT, wanted, {now, again: true})
    // Ending the first attempt does not end the second.
    if (!first.earlier) await state.subscriptions.end(first.id)
    expect((await state.subscriptions.begin(CLIENT, wanted, {now, again: false})).earlier).toBeDefined()
    if (!again.earlier) await state.subscriptions.end(again.id)
    expect((await state.subscriptions.begin(CLIENT, wanted, {now, again: false})).earlier).toBeUndefined()
  })

  const event = (id: string, more: Partial<NewEvent> = {}) => eventOf(id, {receivedAt: now, ...more})

  test('an event is kept as it came, once for each profile, however often and wherever it comes', async () => {
    const [here, there] = [
      await state.openEventKeeper('default'),
      await (await place.open(state.directory)).openEventKeeper('default'),
    ]
    const batch = [event('evt_1', {type: null}), event('evt_2', {rawHeaders: []}), event('evt_1')]
    const answers = await here.receive(batch)
    expect(answers.map(({duplicate}) => duplicate)).toEqual([false, false, true])
    expect(await there.receive([event('evt_2')])).toEqual([{duplicate: true}])
    const live = await state.openEventKeeper('live')
    expect(await live.receive([event('evt_2')])).toEqual([{duplicate: false}])
    await Promise.all([here.close(), there.close(), live.close()])
    const {targets: _, reservationRef: __, ...came} = event('evt_1', {type: null})
    const [first, ...rest] = await (await state.events()).page({}, {after: 0}, 9)
    const kept = {...came, receivedAt: near(now), sequence: expect.any(Number), profile: 'default'}
    expect({...first, body: Buffer.from(first?.body ?? [])}).toEqual(kept)
    const names = rest.map(({eventId, profile, rawHeaders}) => `${eventId} ${profile} ${rawHeaders.length}`)
    expect(names).toEqual(['evt_2 default 0', 'evt_2 live 4'])
  })

  test('events are paged from both ends, with filters', async () => {
    const own = await state.openEventKeeper('default')
    for (let n = 1; n <= 5; n++)
      await own.receive([event(`evt_${n}`, {receivedAt: now + n, type: n % 2 ? 'odd' : 'even'})])
    await own.close()
    const events = await state.events()
    const page = async (...args: Parameters<typeof events.page>) =>
      (await events.page(...args)).map(({eventId}) => eventId.slice(4)).join('')
    const [, , third, fourth] = await (await state.events()).page({}, {after: 0}, 9)
    expect(await page({}, {}, 2)).toBe('54')
    expect(await page({}, {before: fourth?.sequence ?? 0}, 2)).toBe('32')
    expect(await page({}, {after: third?.sequence ?? 0}, 9)).toBe('45')
    expect(await page({types: ['odd'], since: now + 2}, {}, 9)).toBe('53')
    expect(await page({ids: ['evt_2', 'evt_9']}, {}, 9)).toBe('2')
    expect(await page({since: -1e13}, {}, 9)).toBe('54321')
    expect(await (await state.events()).prune(-1e13, 9)).toBe(0)
  })

  test('the events of a reservation are found, with other filters and from both ends', async () => {
    const own = await state.openEventKeeper('default')
    const named = (id: string, reservationRef: unknown, type = 'odd') =>
      event(id, {
        type,
        reservationRef: reservationRef as string,
        body: Buffer.from(JSON.stringify({id, data: {reservation_ref: reservationRef}})),
      })
    // References that no user can ask for are stored too, although an index or a text column could not take them.
    const odd = ['x'.repeat(5000), '\0', '', null].map((reference, n) => named(`evt_odd${n}`, reference))
    await own.receive([named('evt_1', 'RSV-1'), named('evt_2', 'RSV-2'), ...odd])
    await own.receive([named('evt_3', 'RSV-1', 'even'), named('evt_4', 'RSV-1')])
    await own.close()
    const events = await state.events()
    const page = async (...args: Parameters<typeof events.page>) =>
      (await events.page(...args)).map(({eventId}) => eventId.slice(4)).join('')
    expect(await page({reservation: 'RSV-1'}, {}, 9)).toBe('431')
    expect(await page({reservation: 'RSV-1'}, {after: 0}, 2)).toBe('13')
    expect(await page({reservation: 'RSV-1', types: ['odd']}, {}, 1)).toBe('4')
    const [newest] = await events.page({reservation: 'RSV-1'}, {}, 1)
    expect(await page({reservation: 'RSV-1'}, {before: newest?.sequence ?? 0}, 9)).toBe('31')
    for (const reservation of ['RSV-', 'rsv-1', 'RSV-11']) expect(await page({reservation}, {}, 9)).toBe('')
    expect((await events.page({}, {}, 99)).length).toBe(8)
  })

  test('a forward is taken once, and again when it is due, until it is done; pruning leaves it', async () => {
    const own = await state.openEventKeeper('default')
    await own.receive([
      event('evt_1', {targets: [TARGET, 'https://b/']}),
      event('evt_2', {targets: [TARGET]}),
    ])
    const take = () => own.take(TARGET, seconds(), 9)
    const first = await take()
    expect(first.map(({eventId, attempts}) => `${eventId} ${attempts}`)).toEqual(['evt_1 0', 'evt_2 0'])
    expect(first.every(each => own.holds(each))).toBe(true)
    expect(await take()).toEqual([])
    const sequence = (n: number) => first[n]?.sequence ?? 0
    const ended = {target: TARGET, ms: 7, error: null}
    await own.settle([
      {sequence: sequence(0), state: 'pending', nextAttemptAt: seconds() + 0.5, status: 500, ...ended},
      {sequence: sequence(1), state: 'done', nextAttemptAt: 0, status: 200, ...ended},
    ])
    expect(await take()).toEqual([])
    await expect.poll(take).toMatchObject([{eventId: 'evt_1', attempts: 1}])
    expect(await (await state.events()).forwardsOf(sequence(0))).toMatchObject([
      {target: TARGET, state: 'pending', attempts: 1, status: 500, ms: 7},
      {target: 'https://b/', state: 'pending', attempts: 0, status: null},
    ])
    const events = await state.events()
    expect(await events.prunedBefore()).toBeNull()
    expect(await events.prune(now + 9, 9)).toBe(1)
    expect(await events.prune(now + 30, 9)).toBe(0)
    // Nothing was removed by the second call, so everything received from the first one's time on is still there.
    expect(await events.prunedBefore()).toBeCloseTo(now + 9, 0)
    await own.close()
  })
})
