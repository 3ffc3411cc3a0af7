/** Planning a reservation that is already in the journal. */
import {expect, test} from 'vitest'
import {describePlan, type Plan, planReservation} from '../../../../src/cli/features/reserve/plan.js'
import {readTyped} from '../../../../src/cli/features/reserve/request.js'
import type {Target} from '../../../../src/cli/session/resolve.js'
import {requestFor} from '../../../support/booking.js'
import {stateForEachTest} from '../../../support/own-state.js'
import {SEEN} from '../../../support/seen-offer.js'

const target: Target = {
  profile: null,
  baseUrl: 'https://example.com/v1',
  isLoopback: false,
  clientId: 'cid_1',
  clientSecret: 'sk_test_x',
  mode: 'test',
  scopes: undefined,
}

const place = stateForEachTest()

async function plan(): Promise<Plan> {
  const typed = await readTyped('off_1', {}, {input: {...requestFor('off_1', 'ref-1')}, day: '2030-01-01'})
  return planReservation(typed, {}, target, place.state)
}

/** Adds the reservation to the journal, and lets its offer expire. */
async function begin(): Promise<{id: number; key: string}> {
  const {intent} = await plan()
  const verdict = await place.state.journal.forClient(target).begin(intent, 1)
  const now = Date.now() / 1000
  const offer = {...SEEN, searched_at: now - 1000, expires_at: now - 100}
  await place.state.offers.remember(target, [offer], now)
  return {id: verdict.entry.id, key: intent.idempotencyKey}
}

test('repeats a reservation that may have been sent, with its key, even if the offer expired', async () => {
  const {id, key} = await begin()
  await place.state.journal.forClient(target).attempt(id, 2)
  expect(await plan()).toMatchObject({intent: {idempotencyKey: key}, standing: {kind: 'repeat'}})
  const summary = describePlan(await plan(), target).join('\n')
  expect(summary).toMatch(/Due at hotel .*\nCancellation .*\nNationality +Türkiye \(TR\)/s)
})

test('checks a reservation that was not sent as a new one', async () => {
  const {id} = await begin()
  await expect(plan()).rejects.toMatchObject({details: {code: 'offer_expired'}})
  await place.state.journal.forClient(target).notSent(id, 0, 2)
  await expect(plan()).rejects.toMatchObject({details: {code: 'offer_expired'}})
})
