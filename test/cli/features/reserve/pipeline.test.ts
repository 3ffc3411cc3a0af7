/** Planning a reservation that is in the journal, and its end by a signal: the process lives until what the stop records is written. */
import {expect, test} from 'vitest'
import {nothingSentNote, startRun} from '../../../../src/cli/features/reserve/pipeline.js'
import {describePlan, type Plan, planReservation} from '../../../../src/cli/features/reserve/plan.js'
import {journalClientOf, type Target} from '../../../../src/cli/session/resolve.js'
import {requestFor} from '../../../support/booking.js'
import {held} from '../../../support/held.js'
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
const client = journalClientOf(target)

const place = stateForEachTest()

const plan = (): Promise<Plan> =>
  planReservation({offerId: 'off_1', input: {...requestFor('off_1', 'ref-1')}}, {}, target, place.state)

/** Adds it to the journal, and lets its offer expire. */
async function begin(): Promise<{id: number; key: string}> {
  const {intent} = await plan()
  const verdict = await place.state.journal.forClient(client).begin(intent, 1)
  const now = Date.now() / 1000
  const offer = {...SEEN, searched_at: now - 1000, expires_at: now - 100}
  await place.state.offers.remember(client, [offer], now)
  return {id: verdict.entry.id, key: intent.idempotencyKey}
}

test('repeats a reservation that may have been sent, with its key, even if the offer expired', async () => {
  const {id, key} = await begin()
  await place.state.journal.forClient(client).attempt(id, 2)
  expect(await plan()).toMatchObject({intent: {idempotencyKey: key}, standing: {kind: 'repeat'}})
  const summary = describePlan(await plan(), target).join('\n')
  expect(summary).toMatch(/Due at hotel .*\nCancellation .*\nNationality +Türkiye \(TR\)/s)
})

test('checks a reservation that was not sent as a new one', async () => {
  const {id} = await begin()
  await expect(plan()).rejects.toMatchObject({details: {code: 'offer_expired'}})
  await place.state.journal.forClient(client).notSent(id, 0, 2)
  await expect(plan()).rejects.toMatchObject({details: {code: 'offer_expired'}})
})

test('a stop waits for what is recorded because of it', async () => {
  const run = startRun(nothingSentNote(), 'run it again')
  run.onStage('unsent')
  const written = held()
  run.signal.addEventListener('abort', () => run.onStopping(written.promise))
  let isOver = false
  const stopping = run.stop().then(() => {
    isOver = true
  })
  await new Promise(setImmediate)
  expect(isOver).toBe(false)
  written.release()
  await stopping
  expect(run.note()).toEqual(nothingSentNote())
})

test('a stop before anything was started waits for nothing', async () => {
  const run = startRun(nothingSentNote(), 'run it again')
  void run.follow(new Promise(() => {}))
  await run.stop()
  expect(run.note().state).toContain('another one may be making')
})

test('what is certain counts the requests that were refused', () => {
  const states = [0, 1, 2].map(refused => nothingSentNote(refused).state)
  expect(states).toEqual([
    'nothing was sent to reserve, nothing was booked',
    'nothing was booked: the one request sent was refused',
    'nothing was booked: all 2 requests sent were refused',
  ])
})
