/** Drills: each shows its rule to a right program, which keeps it, and to a wrong one, which the rule names. */
import {randomUUID} from 'node:crypto'
import {expect, test} from 'vitest'
import {DRILLS} from '../../../src/sandbox/certify/drills.js'
import {verify} from '../../../src/webhooks/signature/signature.js'
import {closing} from '../../support/own.js'
import {TEST_START} from '../../support/sandbox.js'
import {type Answering, startSubscriber} from '../../support/subscriber.js'
import {openPartner, type Partner} from '../certify/partner.js'

const SCOPES = 'hotels:read reservations:read reservations:write account:read webhooks:write'

/** Arms or sends drills, and returns what the sandbox did. */
const drill = (partner: Partner, names: string[], more: object = {}) =>
  partner.control('POST', '/_sandbox/drills', {drills: names, ...more})

const shownIn = async (partner: Partner): Promise<string[]> => {
  const {json} = await partner.control('GET', '/_sandbox/drills')
  const drills = json.data.drills as {drill: string; shown: boolean}[]
  return drills.filter(({shown}) => shown).map(each => each.drill)
}

const verdictOf = (partner: Partner, wanted: string) =>
  partner.judge().rules.find(({rule}) => rule === wanted)?.verdict

/** Opens a partner whose program answers events with `statusOf`. The sandbox is served, because events have links. */
async function withReceiver(statusOf: (text: string, header: string) => number) {
  const partner = await openPartner()
  const answering: Answering = (answer, {body, headers}) => {
    answer.writeHead(statusOf(String(body), String(headers['x-service-signature']))).end()
  }
  const receiver = closing(await startSubscriber(answering))
  const token = await partner.token(SCOPES)
  const subscription = {url: `${receiver.origin}/hooks`, events: ['reservation.confirmed', 'voucher.ready']}
  const {json} = await partner.send('/webhooks/subscriptions', {token, body: subscription})
  partner.sandbox.listenAt(partner.origin)
  return {partner, receiver, secret: json.data.secret as string}
}

type Program = (partner: Partner, token: string) => Promise<unknown>

/** Is refused the offer with `code`, and books another one. */
const takesAnother =
  (code: string): Program =>
  async (partner, token) => {
    const refused = await partner.book(token, await partner.trip(token))
    expect(refused.json.error.code).toBe(code)
    // Another search has the same first hotel, as another offer.
    expect((await partner.book(token, await partner.trip(token))).status).toBe(201)
  }

/** What a right program does, and what a wrong one does, for each drill of requests. */
const PROGRAMS: Readonly<Record<string, {readonly right: Program; readonly wrong: Program}>> = {
  'lost-answer': {
    right: async (partner, token) => {
      const [trip, key] = [await partner.trip(token), randomUUID()]
      expect((await partner.book(token, trip, key)).status).toBe(0)
      expect((await partner.book(token, trip, key)).status).toBe(201)
    },
    wrong: async (partner, token) => {
      const trip = await partner.trip(token)
      await partner.book(token, trip)
      await partner.book(token, trip)
    },
  },
  failing: {
    right: async (partner, token) => {
      const [trip, key] = [await partner.trip(token), randomUUID()]
      expect((await partner.book(token, trip, key)).status).toBe(503)
      const repeated = await partner.book(token, trip, key)
      expect(repeated.status).toBe(201)
      const all = await partner.send('/reservations', {token})
      expect(all.json.data).toHaveLength(1)
    },
    wrong: async (partner, token) => partner.book(token, await partner.trip(token)),
  },
  busy: {
    right: async (partner, token) => {
      const [trip, key] = [await partner.trip(token), randomUUID()]
      expect((await partner.book(token, trip, key)).status).toBe(429)
      partner.wait(2)
      expect((await partner.book(token, trip, key)).status).toBe(201)
    },
    wrong: async (partner, token) => {
      const [trip, key] = [await partner.trip(token), randomUUID()]
      await partner.book(token, trip, key)
      await partner.book(token, trip, key)
    },
  },
  'expired-token': {
    right: async (partner, token) => {
      expect((await partner.send('/account', {token})).json.error.code).toBe('token_expired')
      expect((await partner.send('/account', {token: await partner.token(SCOPES)})).status).toBe(200)
    },
    wrong: async (partner, token) => {
      await partner.send('/account', {token})
      expect((await partner.send('/account', {token})).json.error.code).toBe('token_expired')
    },
  },
  'used-offer': {
    right: takesAnother('offer_already_used'),
    wrong: async (partner, token) => {
      const trip = await partner.trip(token)
      for (let n = 0; n < 4; n += 1) await partner.book(token, trip)
    },
  },
  'sold-out': {
    right: takesAnother('rooms_unavailable'),
    wrong: async (partner, token) => {
      const trip = await partner.trip(token)
      for (let n = 0; n < 4; n += 1) {
        expect((await partner.book(token, trip)).json.error.code).toBe('rooms_unavailable')
      }
    },
  },
  'slow-voucher': {
    right: async (partner, token) => {
      const {json} = await partner.book(token, await partner.trip(token))
      expect(json.data).toMatchObject({status: 'CONFIRMED', voucher: {status: 'PENDING'}})
      const path = `/reservations/${json.data.reservation_ref}`
      expect((await partner.send(`${path}/voucher`, {token})).json.error.code).toBe(
        'reservation_not_confirmed',
      )
      partner.wait(30)
      expect((await partner.send(path, {token})).json.data.voucher).toEqual({status: 'READY'})
      expect((await partner.send(`${path}/voucher`, {token})).status).toBe(200)
    },
    wrong: async (partner, token) => {
      const {json} = await partner.book(token, await partner.trip(token))
      const path = `/reservations/${json.data.reservation_ref}/voucher`
      for (let n = 0; n < 5; n += 1) await partner.send(path, {token})
    },
  },
}

const drillsOfRequests = DRILLS.filter(({does}) => !('series' in does)).map(({name, rule}) => ({name, rule}))

test('every drill of requests, except slow, is tested with programs', () => {
  const names = drillsOfRequests.map(({name}) => name)
  expect(Object.keys(PROGRAMS).sort()).toEqual(names.filter(name => name !== 'slow').sort())
})

test.each(drillsOfRequests.filter(({name}) => name in PROGRAMS))(
  '$name shows $rule once, which a right program keeps and a wrong one breaks',
  async ({name, rule}) => {
    const right = await openPartner()
    expect(await shownIn(right)).toEqual([])
    const armed = await drill(right, [name])
    expect(armed.json.data.drills).toMatchObject([{drill: name, rule, deliveries: null}])
    await PROGRAMS[name]?.right(right, await right.token(SCOPES))
    expect(await right.listed('faults')).toEqual([])
    expect(await shownIn(right)).toContain(name)
    expect(right.failed()).toEqual([])
    expect(verdictOf(right, rule)).toBe('passed')

    const wrong = await openPartner()
    await drill(wrong, [name])
    await PROGRAMS[name]?.wrong(wrong, await wrong.token(SCOPES))
    expect(wrong.failed()).toEqual([rule])
  },
)

test('slow delays the booking by the requested seconds', async () => {
  const partner = await openPartner()
  const {json} = await drill(partner, ['slow'], {slow_seconds: 0.05})
  expect(json.data.drills[0].shows).toBe('the next booking takes 0.05 s')
  expect(json.data.drills[0].fault).toMatchObject({kind: 'latency', latency_ms: 50})
  const token = await partner.token(SCOPES)
  const trip = await partner.trip(token)
  const begun = performance.now()
  expect((await partner.book(token, trip)).status).toBe(201)
  expect(performance.now() - begun).toBeGreaterThanOrEqual(45)
})

test('concerns the requests of its client only, and another operation if one is named', async () => {
  const partner = await openPartner()
  const order = {operation: 'account.show', client_id: 'cid_sandbox_poor'}
  const {json} = await drill(partner, ['busy', 'failing'], order)
  expect(json.data.drills[1].shows).toBe(
    'the next request of account.show is answered 429 with Retry-After: 2',
  )
  const token = await partner.token(SCOPES)
  expect((await partner.send('/account', {token})).status).toBe(200)
  const poor = await partner.client('_poor')
  const statuses = []
  for (let n = 0; n < 3; n += 1) statuses.push((await poor.call('GET', '/account')).status)
  // In the order of the list of drills.
  expect(statuses).toEqual([503, 429, 200])
})

test.each([
  [{drills: ['lost-answer', 'nonsense']}, 400],
  [{drills: ['lost-answer'], operation: 'account.show'}, 400],
  [{drills: ['busy'], slow_seconds: 5}, 400],
  [{drills: []}, 400],
  [{drills: ['busy'], client_id: 'cid_none'}, 404],
  [{drills: ['busy', 'duplicate-event']}, 404],
])('refuses %j and arms nothing', async (order, status) => {
  const partner = await openPartner()
  expect((await partner.control('POST', '/_sandbox/drills', order)).status).toBe(status)
  expect(await partner.listed('faults')).toEqual([])
})

const EVENT_DRILLS = DRILLS.flatMap(({name, does}) => ('series' in does ? [name] : []))

test('sends events that a correct receiver accepts, and events that it must refuse', async () => {
  let secret = ''
  const right = await withReceiver((text, header) => {
    const secrets = [{name: 'own', secret}]
    const {valid} = verify({secrets, header, rawBody: Buffer.from(text), now: TEST_START})
    return valid ? 200 : 401
  })
  secret = right.secret
  const {json} = await drill(right.partner, EVENT_DRILLS)
  const answers = Object.fromEntries(
    json.data.drills.map((each: {drill: string; deliveries: {status: number}[]}) => [
      each.drill,
      each.deliveries.map(({status}) => status),
    ]),
  )
  expect(answers).toEqual({
    'duplicate-event': [200, 200],
    disorder: [200, 200],
    'forged-event': [200, 401, 401],
    'old-event': [200, 401],
  })
  expect(await shownIn(right.partner)).toEqual(EVENT_DRILLS)
  expect(right.partner.failed()).toEqual([])
  for (const rule of ['webhook.duplicate', 'webhook.disorder', 'webhook.signature']) {
    expect(verdictOf(right.partner, rule)).toBe('passed')
  }
  // The series has an end: what was refused is not sent again, and the subscription stays active.
  await right.partner.advance(100_000)
  expect(right.receiver.received).toHaveLength(9)
})

/** Answers 500 to an event that came before. */
function refusingDuplicates() {
  const seen = new Set<string>()
  return (text: string) => {
    const {id} = JSON.parse(text)
    const isKnown = seen.has(id)
    seen.add(id)
    return isKnown ? 500 : 200
  }
}

/** Answers 500 to an event that is older than the newest of its reservation. */
function refusingOlder() {
  const newest = new Map<string, string>()
  return (text: string) => {
    const {created, data} = JSON.parse(text)
    const last = newest.get(data.reservation_ref) ?? ''
    if (created < last) return 500
    newest.set(data.reservation_ref, created)
    return 200
  }
}

test.each([
  ['duplicate-event', 'webhook.duplicate', refusingDuplicates],
  ['disorder', 'webhook.disorder', refusingOlder],
  ['forged-event', 'webhook.signature', () => () => 200],
  ['old-event', 'webhook.signature', () => () => 200],
] as const)('%s shows that a receiver breaks %s', async (name, rule, receiver) => {
  const {partner} = await withReceiver(receiver())
  await drill(partner, [name])
  expect(partner.failed()).toEqual([rule])
})

const chaos = async (partner: Partner, seed: string) => {
  const {json} = await partner.control('POST', '/_sandbox/chaos', {seed})
  return json.data.subscriptions[0]
}

test('chaos plays the same series for the same seed, and a correct receiver has no wrong answer', async () => {
  const {partner, receiver} = await withReceiver(() => 200)
  const {deliveries, ...result} = await chaos(partner, '7')
  expect(result).toMatchObject({ok: true, plays: 1, repeatable: null, shortest: []})
  const order = () => receiver.received.splice(0).map(({body}) => JSON.parse(String(body)))
  /** The events by their age, as numbers: their ids and the reservation are new each time. */
  const numbered = (events: {created: string}[]) => {
    const ages = [...new Set(events.map(({created}) => created))].sort()
    return events.map(({created}) => ages.indexOf(created))
  }
  const first = numbered(order())
  expect(first).toHaveLength(deliveries)
  expect(new Set(first).size).toBeLessThan(first.length)
  expect(first).not.toEqual([...first].sort((a, b) => a - b))
  await chaos(partner, '7')
  // Deliveries that are sent at the same time may arrive in either order.
  expect(numbered(order()).sort()).toEqual([...first].sort())
  await chaos(partner, '8')
  expect(numbered(order()).sort()).not.toEqual([...first].sort())
})

test.each([
  ['a duplicate', refusingDuplicates, [{again: false}, {again: true, status: 500}]],
  ['an older event', refusingOlder, [{older: false}, {older: true, status: 500}]],
] as const)('chaos finds the shortest part that shows %s', async (_, receiver, part) => {
  const {partner} = await withReceiver(receiver())
  for (const seed of ['1', '2', '3', '4', '5']) {
    const {ok, repeatable, shortest, plays} = await chaos(partner, seed)
    expect({ok, repeatable, shortest}).toMatchObject({ok: false, repeatable: true, shortest: part})
    expect(plays).toBeLessThan(40)
  }
})

test('chaos reports an answer that was wrong only once as not repeatable', async () => {
  let count = 0
  const {partner} = await withReceiver(() => {
    count += 1
    return count === 3 ? 500 : 200
  })
  const {ok, repeatable, shortest, plays} = await chaos(partner, 'once')
  expect({ok, repeatable, plays}).toEqual({ok: false, repeatable: false, plays: 2})
  expect(shortest.length).toBeGreaterThanOrEqual(3)
})

test('chaos needs an active subscription', async () => {
  const partner = await openPartner()
  const {status, json} = await partner.control('POST', '/_sandbox/chaos', {seed: '7'})
  expect([status, json.error.code]).toEqual([404, 'subscription_not_found'])
})
