/** Subscriptions through a client without a network, in answers of any form. */
import {describe, expect, test} from 'vitest'
import {
  createSubscription,
  deleteSubscription,
  listSubscriptions,
  sendTestEvent,
  updateSubscription,
} from '../../../src/api/operations/webhooks.js'
import type {Api} from '../../../src/api/types.js'
import {apiAnswering} from '../../support/answering.js'
import {rejectionOf} from '../../support/thrown.js'

const WANTED = {url: 'https://partner.example/hooks', events: ['voucher.ready']}
const CREATED = {...WANTED, id: 'whsub_1', secret: 'whsec_1', is_active: true}
const {secret, ...SHOWN} = CREATED

test.each([
  ['in data', {data: CREATED}],
  ['bare', CREATED],
  ['named', {data: {subscription: CREATED}}],
  ['with the secret beside it', {data: {subscription: SHOWN, secret}}],
  ['under another name', {result: {webhookId: 'whsub_1', credentials: {key: secret}}}],
  ['in a list', [CREATED]],
  ['with nothing but the two', {id: 'whsub_1', secret}],
])('a new subscription %s', async (_, json) => {
  const {api, requests} = apiAnswering({status: 201, json})
  expect(await createSubscription(api, WANTED)).toEqual({subscription: CREATED, deviations: []})
  expect(requests).toEqual([`POST /v1/webhooks/subscriptions ${JSON.stringify(WANTED)}`])
})

test('a new subscription is reported as the service says it is, with what is not as asked for', async () => {
  const changed = {...CREATED, url: 'https://other.example/', events: ['payment.failed'], is_active: false}
  const {api} = apiAnswering({json: {data: changed}})
  expect(await createSubscription(api, WANTED)).toEqual({
    subscription: changed,
    deviations: [
      'url https://other.example/ in place of https://partner.example/hooks',
      'events payment.failed in place of voucher.ready',
    ],
  })
})

describe('what is not as asked for', () => {
  const shown = 'https://partner.example/hooks?key=[redacted]'
  const asked = {url: 'https://Partner.example:443/hooks?key=mine', events: ['b', 'a'], is_active: true}
  const answered = async (json: object) =>
    (await updateSubscription(apiAnswering({json: {id: 'whsub_1', ...json}}).api, 'whsub_1', asked))
      .deviations
  test.each([
    {url: 'https://partner.example/hooks?key=mine'},
    {events: ['a', 'b', 'b']},
    {url: asked.url, is_active: true},
    {url: asked.url, is_active: null, events: 'all'},
    {url: asked.url, events: [{type: 'a'}, {name: 'b'}]},
  ])('is empty for %j', async json => {
    expect(await answered(json)).toEqual([])
  })

  test.each([
    [{events: ['a', 'b', 'c']}, ['events a b c in place of b a']],
    [{events: []}, ['events (none) in place of b a']],
    [{url: asked.url, eventTypes: [{type: 'c'}]}, ['events c in place of b a']],
    [
      {callbackUrl: 'https://e.example/', events: ['a', 'b']},
      [`url https://e.example/ in place of ${shown}`],
    ],
    [{url: asked.url, is_active: false}, ['is_active false in place of true']],
    [
      {url: 'https://o.example/x?key=theirs'},
      [`url https://o.example/x?key=[redacted] in place of ${shown}`],
    ],
  ])('is listed for %j, without the secrets of a URL', async (json, deviations) => {
    expect(await answered(json)).toEqual(deviations)
  })

  test('ignores other objects of the answer', async () => {
    const elsewhere = {url: 'https://docs.example/', events: ['x'], is_active: false}
    const {api} = apiAnswering({json: {links: elsewhere, data: CREATED, meta: elsewhere}})
    expect(await createSubscription(api, WANTED)).toEqual({subscription: CREATED, deviations: []})
  })
})

const OTHER = {id: 'whsub_2', url: 'https://b.example/', events: ['voucher.ready']}

describe('an answer about another subscription', () => {
  const update = (api: Api) => updateSubscription(api, 'whsub_1', {is_active: true})
  const remove = (api: Api) => deleteSubscription(api, 'whsub_1')
  const sendTest = (api: Api) => sendTestEvent(api, 'whsub_1')
  test.each([
    ['an update', update, {data: OTHER}],
    ['a deletion', remove, {data: {id: 'whsub_2', deleted: true}}],
    ['a test event', sendTest, {data: {event_id: 'evt_1', webhookId: 'whsub_2'}}],
  ])('leaves the outcome of %s unknown, and nothing is sent again: %j', async (_, change, json) => {
    const {api, requests} = apiAnswering({json})
    const failure = await rejectionOf(change(api))
    expect([failure.kind, failure.details.code]).toEqual(['outcome_unknown', 'another_subscription'])
    expect(failure.message).toMatch(/about another subscription, \w*2 in place of whsub_1;/)
    expect(requests).toHaveLength(1)
  })

  test.each([
    ['an update', update, [OTHER, {...OTHER, id: ' WHSUB_1'}]],
    ['a deletion', remove, {remaining: [{id: 'whsub_2'}], deleted: {id: 'whsub_1'}}],
    ['a test event', sendTest, {id: 'evt_1', subscription: {id: 'whsub_1'}}],
  ])('is not assumed for %s that also names the right one, or none: %j', async (_, change, json) => {
    await expect(change(apiAnswering({json}).api)).resolves.not.toThrow()
  })
})

test('accepts an id and a secret without the prefixes of §2.7', async () => {
  const {api} = apiAnswering({json: {data: {subscription_id: 17, signingSecret: 'abc', id: 3}}})
  expect(await createSubscription(api, WANTED)).toMatchObject({subscription: {id: '17', secret: 'abc'}})
})

test('a new subscription without a secret, and a change without a subscription, have an unknown outcome', async () => {
  const {api, requests} = apiAnswering({json: {data: {id: 'whsub_1'}}}, {json: {data: {colour: 'green'}}})
  expect((await rejectionOf(createSubscription(api, WANTED))).kind).toBe('outcome_unknown')
  expect((await rejectionOf(updateSubscription(api, 'whsub_1', {}))).kind).toBe('outcome_unknown')
  expect(requests).toHaveLength(2)
})

test.each([
  [{status: 202, json: {data: {event_id: 'evt_1'}}}, {event_id: 'evt_1'}],
  [{status: 200, json: {queued: true}}, {queued: true}],
  [{status: 204}, null],
])('the answer to a test event: %j', async (reply, answer) => {
  const {api, requests} = apiAnswering(reply)
  expect(await sendTestEvent(api, 'whsub_1')).toEqual(answer)
  expect(requests).toEqual(['POST /v1/webhooks/subscriptions/whsub_1/test '])
})

test('a list is read page by page, in any shape, each subscription once', async () => {
  const foreign = {subscriptionId: 'whsub_2', endpoint: 'https://b.example/', event_types: ['x']}
  const {api, requests} = apiAnswering(
    {json: {data: [SHOWN], meta: {after: 'next page'}}},
    {json: {data: {items: [SHOWN, foreign]}}},
  )
  const second = {id: 'whsub_2', url: 'https://b.example/', events: ['x'], is_active: null}
  expect(await listSubscriptions(api)).toEqual({items: [SHOWN, second], isComplete: true})
  expect(requests[1]).toBe('GET /v1/webhooks/subscriptions?after=next+page ')
})

test('a change, and a deletion that answers nothing', async () => {
  const {api, requests} = apiAnswering({json: {data: SHOWN}}, {status: 204})
  const updated = await updateSubscription(api, 'whsub_1', {is_active: true})
  expect(updated).toEqual({subscription: SHOWN, deviations: []})
  await deleteSubscription(api, 'whsub_1')
  expect(requests).toEqual([
    'PATCH /v1/webhooks/subscriptions/whsub_1 {"is_active":true}',
    'DELETE /v1/webhooks/subscriptions/whsub_1 ',
  ])
})

test('reports an error in the answer to a new subscription without losing its secret', async () => {
  const error = {code: 'quota', message: 'too many subscriptions'}
  const created = await createSubscription(apiAnswering({json: {data: CREATED, error}}).api, WANTED)
  expect(created).toMatchObject({subscription: CREATED, deviations: [expect.stringContaining('too many')]})
  for (const change of [deleteSubscription, sendTestEvent]) {
    const {api} = apiAnswering({json: {data: {id: 'whsub_1'}, error}})
    expect(await rejectionOf(change(api, 'whsub_1'))).toMatchObject({kind: 'outcome_unknown'})
  }
})
