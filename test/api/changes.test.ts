/** A change is sent once, and what came back decides what is known of it: for every operation that changes something. */
import {describe, expect, test} from 'vitest'
import {cancelReservation, updateReservation} from '../../src/api/operations/reservations.js'
import {
  createSubscription,
  deleteSubscription,
  sendTestEvent,
  updateSubscription,
} from '../../src/api/operations/webhooks.js'
import {type Api, ExchangeError} from '../../src/api/types.js'
import {apiAnswering, type Reply} from '../support/answering.js'
import {rejectionOf} from '../support/thrown.js'

const WANTED = {url: 'https://partner.example/hooks', events: ['voucher.ready']}
const CHANGES: Record<string, (api: Api) => Promise<unknown>> = {
  'an update': api => updateReservation(api, 'A', {contact: {name: 'B'}}),
  'a cancellation': api => cancelReservation(api, 'A', {}),
  'a new subscription': api => createSubscription(api, WANTED),
  'a change of a subscription': api => updateSubscription(api, 'whsub_1', {is_active: true}),
  'a deletion': api => deleteSubscription(api, 'whsub_1'),
  'a test event': api => sendTestEvent(api, 'whsub_1'),
}

describe.each(Object.entries(CHANGES))('%s', (name, change) => {
  test.each<[string, Reply]>([
    ['a lost answer', new ExchangeError('reset', true, 'closed')],
    ['a cut answer', new ExchangeError('cut', true, 'cut')],
    ['no answer in time', new ExchangeError('timeout', true, 'timeout')],
    ['a failing service', {status: 500}],
    ['a failing gateway', {status: 502, text: '<html>bad gateway</html>'}],
    ['a redirect that a browser follows with a GET', {status: 303}],
    ['a success that is not JSON', {text: '<html>thank you</html>'}],
    ['a success that is cut off', {text: '{"data": {"event_id": "evt'}],
  ])('with %s has an unknown outcome, and is sent once', async (_, reply) => {
    const {api, requests} = apiAnswering(reply)
    expect((await rejectionOf(change(api))).kind).toBe('outcome_unknown')
    expect(requests).toHaveLength(1)
  })

  test.each<[string, Reply, string]>([
    ['a refusal', {status: 409, json: {error: {code: 'no'}}}, 'refused'],
    ['a missing scope', {status: 403, text: ''}, 'not_allowed'],
    ['a redirect that repeats the request', {status: 308}, 'service_failed'],
    ['an error in a success', {json: {success: false, error: {code: 'no'}}}, 'service_failed'],
    ['a refused certificate', new ExchangeError('tls', false, 'tls'), 'unreachable'],
  ])('with %s was not made', async (_, reply, kind) => {
    expect((await rejectionOf(change(apiAnswering(reply).api))).kind).toBe(kind)
  })

  test('names the scope where the service does not', async () => {
    const {details} = await rejectionOf(change(apiAnswering({status: 403, text: 'Forbidden'}).api))
    expect(details.hint).toMatch(/(reservations|webhooks):write.*bookctl login --scope/)
  })

  const ofNothing: Record<string, unknown> = {
    'an update': null,
    'a cancellation': {outcome: 'accepted', reservation: null, fee: null, refund: null},
    'a deletion': undefined,
    'a test event': null,
  }
  test('may be answered with nothing, unless it needs an answer', async () => {
    const done = change(apiAnswering({status: 204}).api)
    if (name in ofNothing) expect(await done).toEqual(ofNothing[name])
    else expect((await rejectionOf(done)).kind).toBe('outcome_unknown')
  })
})
