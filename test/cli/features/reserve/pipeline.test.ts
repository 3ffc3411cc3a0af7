/** Planning a reservation that is in the journal, and its end by a signal: the process lives until what the stop records is written. */
import {expect, test} from 'vitest'
import {ReserveStop} from '../../../../src/cli/features/reserve/pipeline.js'
import {describePlan, type Plan, planReservation} from '../../../../src/cli/features/reserve/plan.js'
import {readRequest} from '../../../../src/cli/features/reserve/request.js'
import {journalClientOf, type Target} from '../../../../src/cli/session/resolve.js'
import {Failure} from '../../../../src/contract/failure.js'
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

async function plan(): Promise<Plan> {
  const typed = await readRequest('off_1', {...requestFor('off_1', 'ref-1')}, {}, '2030-01-01')
  return planReservation(typed, {}, target, place.state)
}

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

const NOTHING_BOOKED = {
  state: 'nothing was sent to reserve, nothing was booked',
  hint: 'to book, run the command again',
}

const never = new Promise<never>(() => {})

test('a stop waits for what is recorded because of it', async () => {
  const stop = new ReserveStop()
  const written = held()
  void stop.whileSending(
    () => 'look it up',
    ({signal, onStage, onStopping}) => {
      onStage?.('unsent')
      signal?.addEventListener('abort', () => onStopping?.(written.promise))
      return never
    },
  )
  let isOver = false
  const stopping = stop.end().then(() => {
    isOver = true
  })
  await new Promise(setImmediate)
  expect(isOver).toBe(false)
  written.release()
  await stopping
  expect(stop.note()).toEqual(NOTHING_BOOKED)
})

test('a stop before anything was sent waits for nothing', async () => {
  const stop = new ReserveStop()
  void stop.whileSending(
    () => '',
    () => never,
  )
  await stop.end()
  expect(stop.note().state).toContain('another one may be making')
})

test('what may have been sent is looked up, and what was refused made nothing', async () => {
  const stop = new ReserveStop()
  const refused = new Failure('refused', 'no', {code: 'sold_out'})
  const sending = stop.whileSending(
    () => 'look it up',
    async ({onStage}) => {
      onStage?.('sent')
      await new Promise(setImmediate)
      throw refused
    },
  )
  expect(stop.note()).toEqual({
    state: 'the request was sent, so a reservation may exist',
    hint: 'look it up',
  })
  await expect(sending).rejects.toBe(refused)
  stop.refused()
  expect(stop.note().state).toBe('nothing was booked: the one request sent was refused')
  stop.refused()
  expect(stop.note().state).toBe('nothing was booked: all 2 requests sent were refused')
})

test('until the journal was read, an earlier run may have booked', () => {
  const stop = new ReserveStop()
  expect(stop.note().state).toContain('earlier attempts could not be looked up')
  stop.nothingNamed()
  expect(stop.note()).toEqual(NOTHING_BOOKED)
})
