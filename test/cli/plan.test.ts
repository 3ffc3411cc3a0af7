/** Planning a reservation that the journal knows: what may have been sent is repeated, what was not is new. */
import {mkdtempSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import process from 'node:process'
import {afterEach, beforeEach, expect, test} from 'vitest'
import {type Plan, planReservation, today} from '../../src/cli/features/reserve/plan.js'
import type {Target} from '../../src/cli/session/target.js'
import {openState, type State} from '../../src/state/state.js'
import {requestFor} from '../support/booking.js'

const target = {
  ...{profile: null, source: 'env', baseUrl: 'https://example.com/v1', isLoopback: false, clientId: 'cid_1'},
  ...{clientSecret: 'sk_test_x', mode: 'test', scopes: undefined},
} as unknown as Target
const client = {baseUrl: target.baseUrl, clientId: target.clientId}

let directory: string
let state: State
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'bookctl-test-'))
  state = openState(directory)
})
afterEach(() => {
  state.close()
  rmSync(directory, {recursive: true, force: true})
})

const {client_reference_id, ...input} = requestFor('off_1', 'ref-1')
const plan = (): Promise<Plan> =>
  planReservation(
    {offerId: 'off_1', input: {...input, client_reference_id}, maxPrice: undefined, key: undefined},
    {},
    target,
    state,
  )

/** Begins it with the request as it is planned, and lets its offer expire. */
async function begin(): Promise<{id: number; key: string}> {
  const {intent} = await plan()
  const verdict = state.journal.forClient(client).begin(intent, 1)
  const stay = {check_in: '2000-01-10', check_out: '2000-01-13', rooms: [{adults: 1, children_ages: []}]}
  const offer = {
    ...{offer_id: 'off_1', hotel_name: null, stars: null, room_name: null, board: null, total: '9.00'},
    ...{currency: 'EUR', nationality: 'TR', searched_at: Date.now() / 1000 - 1000, ...stay},
    ...{expires_at: Date.now() / 1000 - 100, details: null},
  }
  state.offers.remember(client, [offer], Date.now() / 1000)
  return {id: verdict.entry.id, key: intent.idempotencyKey}
}

test('one that may have been sent is repeated under its key, whatever became of its offer', async () => {
  const {id, key} = await begin()
  state.journal.forClient(client).attempt(id, 2)
  expect(await plan()).toMatchObject({intent: {idempotencyKey: key}, standing: {kind: 'repeat'}})
})

test('one of which nothing was sent is checked as a new one', async () => {
  const {id} = await begin()
  await expect(plan()).rejects.toMatchObject({details: {code: 'offer_expired'}})
  state.journal.forClient(client).notSent(id, 0, 2)
  await expect(plan()).rejects.toMatchObject({details: {code: 'offer_expired'}})
})

test('dates are days of the calendar here: east and west of the date line it is another day', () => {
  const {TZ} = process.env
  const [east = '', west = ''] = ['Pacific/Kiritimati', 'Etc/GMT+12'].map(zone => {
    process.env.TZ = zone
    return today()
  })
  if (TZ === undefined) delete process.env.TZ
  else process.env.TZ = TZ
  expect(Date.parse(east) - Date.parse(west)).toBeGreaterThanOrEqual(86_400_000)
})
