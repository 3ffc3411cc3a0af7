/** What stands out in the facts about a reservation, and what does not. */
import {describe, expect, it} from 'vitest'
import type {Facts, ReservationFacts} from '../../../../src/cli/features/explain/facts.js'
import {describeFinding} from '../../../../src/cli/features/explain/finding-words.js'
import {findingsIn, unjudgedIn} from '../../../../src/cli/features/explain/findings.js'
import {replyResult} from '../../../../src/cli/features/explain/reply.js'
import {
  delivery,
  entry,
  facts,
  NOON,
  RECORD,
  received,
  receiving,
  reservation,
  shown,
  subscription,
} from './made-up-facts.js'

const codes = (given: Facts) => findingsIn(given).map(({code}) => code)
const codesOf = (change: Partial<ReservationFacts>, more: Partial<Facts> = {}) => codes(facts(change, more))
/** Longer than the service tries to deliver an event (§6.4). */
const LATER = NOON + 4 * 24 * 3600

it('finds nothing wrong with a normal reservation', () => {
  expect(codes(facts())).toEqual([])
  expect(codesOf({now: LATER})).toEqual([])
  expect(codesOf({entry: undefined})).toEqual([])
  expect(codesOf({service: {kind: 'hidden'}, voucher: 'unknown'})).toEqual([])
})

it('puts problems before notices', () => {
  const cancelled = {...RECORD, status: 'CANCELLED', cancellation: {fee: '5.00', currency: 'EUR'}}
  const booked = {price: '120.00', currency: 'EUR'}
  const found = codesOf({service: shown(cancelled), entry: entry({booked})})
  // The subscription does not take cancellations.
  expect(found).toEqual(['price_changed', 'no_subscription', 'cancelled'])
})

describe('an outcome that is not known', () => {
  const open = entry({outcome: 'unknown', reservationRef: null, result: null, booked: null})
  const unknown = {reference: null, service: {kind: 'hidden'}, voucher: 'unknown', events: []} as const

  it('is a problem, with what the service lists', () => {
    const listed = [
      {reservation: {...RECORD}, reservation_ref: 'RSV-9', status: 'CONFIRMED', payment_url: null},
    ]
    const [finding] = findingsIn(facts({...unknown, entry: open, listed}))
    expect(finding).toMatchObject({code: 'outcome_unknown', found: ['RSV-9'], isForgotten: false})
    const [hidden] = findingsIn(facts({...unknown, entry: open}))
    expect(hidden).toMatchObject({code: 'outcome_unknown', found: null})
  })

  it('is one too if a process was killed while it was sent, or the attempt was given up', () => {
    expect(codesOf({...unknown, entry: {...open, outcome: 'unresolved'}})).toEqual(['outcome_unknown'])
    expect(codesOf({...unknown, entry: {...open, outcome: 'forgotten'}})).toEqual(['outcome_unknown'])
  })

  it.each(['not_sent', 'refused', 'failed'])('is none for an attempt that is %s', outcome => {
    expect(
      codesOf({...unknown, entry: {...open, outcome, attempts: outcome === 'not_sent' ? 0 : 1}}),
    ).toEqual([])
  })

  it('is none for an attempt of which nothing was sent', () => {
    expect(codesOf({...unknown, entry: {...open, outcome: 'unresolved', attempts: 0}})).toEqual([])
  })
})

describe('a price', () => {
  it('has changed if the answer or the service states another one', () => {
    const price = {total: '120.00', currency: 'EUR'}
    expect(codesOf({service: shown({price, payment: {}})})).toEqual(['price_changed'])
    expect(codesOf({entry: entry({booked: {price: '90.00', currency: 'EUR'}})})).toEqual(['price_changed'])
  })

  it('has not changed if only its form differs, or if none was agreed', () => {
    expect(codesOf({entry: entry({booked: {price: '100', currency: 'EUR'}})})).toEqual([])
    expect(codesOf({entry: entry({agreed: null, booked: {price: '90.00', currency: 'EUR'}})})).toEqual([])
  })

  it('for which the offer was refused has changed, unless it was booked after all', () => {
    const refused = entry({outcome: 'refused', reservationRef: null, result: null})
    const attempt = reservation({
      reference: null,
      entry: refused,
      refusals: ['price_changed'],
      events: [],
      service: {kind: 'hidden'},
    })
    expect(codes(facts({}, {reservations: [attempt]}))).toEqual(['price_changed'])
    expect(codes(facts({}, {reservations: [attempt, reservation()]}))).toEqual([])
  })

  it('that is charged in another currency is a notice with the rate', () => {
    const payment = {...RECORD.payment, charged: {amount: '92.59', currency: 'USD', rate: '0.9259'}}
    const [finding] = findingsIn(facts({service: shown({payment})}))
    expect(finding).toMatchObject({
      code: 'charged_in_other_currency',
      charged: {amount: '92.59'},
      rate: '0.9259',
    })
  })
})

it('a reservation that the service does not have is a problem only if it was booked from here', () => {
  const absent = {service: {kind: 'absent'}, voucher: 'unknown'} as const
  expect(codesOf(absent)).toEqual(['not_found_there'])
  expect(codesOf({...absent, entry: undefined})).toEqual([])
})

describe('a voucher', () => {
  it('that is refused for a confirmed reservation is missing', () => {
    expect(codesOf({voucher: 'refused'})).toEqual(['voucher_missing'])
  })

  it('that is still produced is missing only after a while', () => {
    const pending = {service: shown({voucher: {status: 'PENDING'}}), voucher: 'unknown'} as const
    expect(codesOf({...pending, events: [received('reservation.confirmed')]})).toEqual([])
    expect(codesOf({...pending, events: [received('reservation.confirmed')], now: NOON + 3600})).toEqual([
      'voucher_missing',
    ])
  })

  it('is not missed by a cancelled or unpaid reservation', () => {
    for (const status of ['CANCELLED', 'PENDING_PAYMENT'])
      expect(
        codesOf({service: shown({status, confirmed_at: null}), voucher: 'refused', events: []}),
      ).not.toContain('voucher_missing')
  })
})

describe('events of a service that lists its deliveries', () => {
  const lost = {events: [received('reservation.confirmed')], deliveries: [delivery()]}
  const kept = delivery({
    eventId: 'evt_reservation.confirmed',
    type: 'reservation.confirmed',
    status: 'DELIVERED',
  })
  const of = (...deliveries: ReturnType<typeof delivery>[]) =>
    codesOf({...lost, deliveries: [kept, ...deliveries]})

  it('that were given up are missing', () => {
    expect(of(delivery())).toEqual(['event_missing'])
  })

  it('that the receiver refused are reported as refused, whether the service gave up or not', () => {
    const attempts = [{at: NOON, status: 401, error: null}]
    expect(of(delivery({attempts}))).toEqual(['event_refused'])
    expect(of(delivery({attempts, status: 'PENDING', nextAttemptAt: NOON + 60}))).toEqual(['event_refused'])
  })

  it('that are still tried are pending', () => {
    expect(of(delivery({status: 'PENDING', nextAttemptAt: NOON + 60}))).toEqual(['delivery_pending'])
  })

  it('that another subscription got, or that are stored here, are not missing', () => {
    const elsewhere = delivery({subscriptionId: 'whsub_2', status: 'DELIVERED'})
    expect(of(delivery(), elsewhere)).toEqual([])
    expect(
      of(delivery({eventId: 'evt_reservation.confirmed'}), delivery({status: 'DELIVERED'})),
    ).not.toContain('event_refused')
  })

  it('that were accepted but are not stored are missing only if this store received the subscription at that time', () => {
    const taken = delivery({status: 'DELIVERED', attempts: [{at: NOON, status: 200, error: null}]})
    const deliveries = [kept, taken]
    const withReceiving = (change: Parameters<typeof receiving>[0]) =>
      codesOf({...lost, deliveries}, {receiving: receiving(change)})
    expect(withReceiving({})).toEqual(['event_missing'])
    // Its receiver is another program.
    expect(withReceiving({subscriptions: [subscription({received: undefined})]})).toEqual([])
    // It was received here only later.
    const later = subscription({received: {first: NOON + 10, last: NOON + 10}})
    expect(withReceiving({subscriptions: [later]})).toEqual([])
    // It may have been removed here.
    expect(withReceiving({prunedBefore: NOON + 10})).toEqual([])
  })

  it('of which none was made had no subscription', () => {
    expect(of()).toEqual(['no_subscription'])
  })
})

describe('events of a service that does not list its deliveries', () => {
  const subscribed = (change: Parameters<typeof subscription>[0]) => ({subscriptions: [subscription(change)]})
  const unjudged = (change: Partial<Facts['receiving']>) =>
    unjudgedIn(
      facts({events: [received('reservation.confirmed')], now: LATER}, {receiving: receiving(change)}),
    )
  const without = (change: Partial<ReservationFacts> = {}, more: Partial<Facts> = {}) =>
    codesOf({events: [received('reservation.confirmed')], now: LATER, ...change}, more)

  it('that are overdue are missing, and pending while the service still tries', () => {
    expect(without()).toEqual(['event_missing'])
    expect(without({now: NOON + 60})).toEqual(['delivery_pending'])
  })

  it('that did not come are reported with the number of requests refused here, because they may be among them', () => {
    const events = [received('reservation.confirmed')]
    const given = facts({events}, {receiving: receiving({refusedLastHour: 3})})
    const [finding] = findingsIn(given)
    expect(finding).toMatchObject({code: 'delivery_pending', refusedHere: 3})
    expect(finding && describeFinding(finding).text).toContain('3 requests refused here in the last hour')
    expect(replyResult(given, findingsIn(given)).text).toContain('the receiving program refused 3 requests')
  })

  it.each<[string, Partial<Facts['receiving']>]>([
    [
      'the subscription was made later',
      subscribed({since: NOON + 5, received: {first: NOON + 6, last: NOON + 6}}),
    ],
    ['the subscription is of another client', subscribed({clientId: 'cid_2'})],
    ['the subscription is at another service', subscribed({baseUrl: 'https://other.example/v1'})],
    ['the subscription was deleted before', subscribed({until: NOON - 10})],
  ])('are not missing if %s', (_, change) => {
    expect(without({}, {receiving: receiving(change)})).not.toContain('event_missing')
    expect(unjudged(change)).toEqual([])
  })

  it.each<[string, Partial<Facts['receiving']>, RegExp]>([
    ['no event was ever received here', subscribed({received: undefined}), /sent to whsub_1 is stored here/],
    ['since when the subscription exists is unknown', subscribed({since: undefined}), /since when/],
    ['the subscription is deleted, and when is not known', subscribed({until: undefined}), /is deleted/],
    ['which types the subscription took is unknown', subscribed({types: null}), /which events/],
    ['events of that time were removed', {prunedBefore: NOON + 1}, /may have been removed/],
  ])('cannot be judged, which is told, if %s', (_, change, why) => {
    expect(without({}, {receiving: receiving(change)})).not.toContain('event_missing')
    expect(unjudged(change)).toEqual([expect.stringMatching(why)])
  })

  it('are missing if the subscription was deleted since', () => {
    expect(without({}, {receiving: receiving(subscribed({until: NOON + 10}))})).toEqual(['event_missing'])
  })

  it('are missing with the subscription that is passive, and how to turn it on', () => {
    const given = facts(
      {events: [received('reservation.confirmed')], now: LATER},
      {receiving: receiving({...subscribed({isPassive: true}), isListed: true})},
    )
    const [finding, ...others] = findingsIn(given)
    expect(others).toEqual([])
    expect(finding).toMatchObject({code: 'event_missing', passiveId: 'whsub_1'})
    expect(finding && describeFinding(finding).advice).toContain('bookctl webhooks update whsub_1 --active')
  })

  it('are missing too if the secret is on another machine of the store, once events of the subscription came', () => {
    const at = (first: number) => {
      const change = subscribed({since: first, received: {first, last: first}})
      return without({}, {receiving: receiving({...change, isListed: true})})
    }
    expect(at(NOON - 500)).toEqual(['event_missing'])
    expect(at(NOON + 500)).toEqual([])
  })

  it('are not missing if the subscription does not take the type, which is reported', () => {
    const change = {...subscribed({types: ['reservation.confirmed']}), receivedTypes: []}
    expect(without({}, {receiving: receiving(change)})).toEqual(['no_subscription'])
  })

  it('are not due before a payment, and not known to be due if the service cannot be asked', () => {
    const unpaid = shown({
      status: 'PENDING_PAYMENT',
      confirmed_at: null,
      payment: {mode: 'instant', status: 'PENDING'},
      voucher: {status: 'PENDING'},
    })
    expect(without({service: unpaid, entry: undefined, events: [], voucher: 'unknown'})).toEqual([])
    expect(without({service: {kind: 'hidden'}, entry: undefined, voucher: 'unknown'})).toEqual([])
  })

  it('have no subscription if the service lists none that is active', () => {
    const change = {...subscribed({isPassive: true, since: undefined, received: undefined}), isListed: true}
    const finding = findingsIn(
      facts({events: [received('reservation.confirmed')]}, {receiving: receiving(change)}),
    )
    expect(finding).toMatchObject([{code: 'no_subscription', types: ['voucher.ready'], passiveId: 'whsub_1'}])
  })
})

it('a forward that was given up is a problem, one that waits a notice, one that was done nothing', () => {
  const forward = {target: 'https://crm.example/hooks?key=abc', attempts: 9, status: 500, ms: 1, error: null}
  const withState = (state: 'done' | 'pending' | 'given_up') =>
    codesOf({
      events: [
        received('reservation.confirmed', {forwards: [{...forward, state}]}),
        received('voucher.ready'),
      ],
    })
  expect(withState('given_up')).toEqual(['forward_given_up'])
  expect(withState('pending')).toEqual(['delivery_pending'])
  expect(withState('done')).toEqual([])
})

it('a forward with too old a signature is not blamed on the target, and the advice names the target', () => {
  const forward = {attempts: 8, status: null, ms: 0, error: 'signature_too_old', state: 'given_up'} as const
  const adviceFor = (target: string) => {
    const events = [
      received('reservation.confirmed', {forwards: [{...forward, target}]}),
      received('voucher.ready'),
    ]
    const [finding] = findingsIn(facts({events}))
    return finding && describeFinding(finding)
  }
  const words = adviceFor('http://127.0.0.1:3000/in')
  expect(words?.text).toMatch(/signature was too old.*7 attempts/)
  expect(words?.text).not.toContain('not taken')
  expect(words?.advice).toContain('--to http://127.0.0.1:3000/in --resign')
  expect(adviceFor('https://crm.example/in?key=secret1')?.advice).toContain('--to URL')
})

it('the state in an event is used if the service cannot be asked', () => {
  const cancelled = received('reservation.cancelled', {status: 'CANCELLED', createdAt: NOON + 100})
  const events = [received('reservation.confirmed'), received('voucher.ready'), cancelled]
  const hidden = {service: {kind: 'hidden'}, voucher: 'unknown', events} as const
  expect(findingsIn(facts(hidden))).toMatchObject([{code: 'cancelled', at: NOON + 100, isExpired: false}])
})
