/** The sandbox's own page with ten thousand of everything, and under work. */
import {mkdtempSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {afterEach, beforeEach, expect, test} from 'vitest'
import type {Reservation} from '../../src/contract/reservations.js'
import {addEvent} from '../../src/sandbox/store/events.js'
import {addReservation} from '../../src/sandbox/store/reservations.js'
import {MIGRATIONS} from '../../src/sandbox/store/schema.js'
import {addSubscription} from '../../src/sandbox/store/subscriptions.js'
import {openDatabase} from '../../src/storage/database.js'
import {reservationRequest, startSandbox, TEST_START, type TestSandbox} from '../support/sandbox.js'
import {startSubscriber} from '../support/subscriber.js'
import {readPage, sendForm} from './site.js'

const MANY = 10_000
const TYPE = 'reservation.confirmed'

let folder: string
let sandbox: TestSandbox | undefined

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bookctl-pages-'))
})
afterEach(async () => {
  await sandbox?.close()
  sandbox = undefined
  rmSync(folder, {recursive: true})
})

/** A state of ten thousand reservations like `record`, each with an event and its delivery. */
function fill(database: string, record: Reservation): void {
  const opened = openDatabase(':memory:', {migrations: MIGRATIONS})
  const clientId = 'cid_sandbox'
  opened.transaction(() => {
    const url = 'https://receiver.example/hook'
    const subscription = {id: 'whsub_1', url, events: [TYPE], is_active: true}
    addSubscription(opened, clientId, subscription, 'whsec_1')
    for (let index = 0; index < MANY; index += 1) {
      const reservation_ref = `RSV-${index}`
      const ids = {reservation_ref, client_reference_id: `copy-${index}`, offer_id: `off_${index}`}
      const copy = {...record, ...ids}
      addReservation(opened, {clientId, debitedMinor: 0n, paymentToken: null, record: copy})
      addEvent(opened, {clientId, type: TYPE, data: {reservation_ref}, now: TEST_START})
    }
    opened.run("UPDATE deliveries SET status = 'DELIVERED', next_attempt_at = NULL")
  })
  // A copy that no connection was ever opened to: the sandbox wants its file for itself.
  opened.run('VACUUM INTO ?', database)
  opened.close()
}

/** A confirmed reservation as the service makes it. */
async function makeReservation(): Promise<Reservation> {
  const maker = await startSandbox({inProcess: true})
  const client = await maker.client()
  const [offer] = await client.search()
  const made = await client.reserve(reservationRequest(offer.offer_id))
  await maker.close()
  return made.json.data
}

test('ten thousand of everything are shown in well under a second', async () => {
  const database = join(folder, 'sandbox.db')
  fill(database, await makeReservation())
  sandbox = await startSandbox({inProcess: true, database})
  const events = await sandbox.listed('events')
  const deliveries = await sandbox.listed('deliveries')
  expect([events.length, deliveries.length]).toEqual([MANY, MANY])

  for (const path of [
    '/',
    '/ui/reservations',
    '/ui/reservations?status=CONFIRMED',
    '/ui/reservations?status=EXPIRED',
    '/ui/reservations?search=unknown+name',
    '/ui/reservations?before=5000',
    '/ui/reservations/RSV-5000',
    '/ui/events?type=reservation.confirmed',
    '/ui/events?before=60',
    `/ui/events/${events[5000].id}`,
    '/ui/deliveries?status=DELIVERED',
    '/ui/deliveries?status=ABANDONED',
    `/ui/deliveries/${deliveries[5000].delivery_id}`,
  ]) {
    const times: number[] = []
    for (let run = 0; run < 3; run += 1) {
      const start = performance.now()
      const page = await readPage(sandbox, path)
      times.push(performance.now() - start)
      expect([path, page.status]).toEqual([path, 200])
      expect(page.text.split('<tr').length).toBeLessThan(60)
    }
    expect([path, Math.min(...times) < 700]).toEqual([path, true])
  }
  const detail = (await readPage(sandbox, '/ui/reservations/RSV-5000')).text
  expect(detail).toContain(events[5000].id)
  expect(detail).not.toContain(events[5001].id)
})

test('a reset ends a move of the clock that is under way, and leaves no moved time behind', async () => {
  sandbox = await startSandbox({allowHttpLoopback: true})
  const held: (() => void)[] = []
  const subscriber = await startSubscriber(answer => {
    held.push(() => answer.end())
  })
  try {
    const client = await sandbox.client()
    const events = ['reservation.confirmed']
    await client.call('POST', '/webhooks/subscriptions', {url: `${subscriber.origin}/slow`, events})
    const [offer] = await client.search()
    await client.reserve(reservationRequest(offer.offer_id))
    const moved = sendForm(sandbox, '/ui/clock', {advance_seconds: '28800'})
    const alsoMoved = sendForm(sandbox, '/ui/clock', {advance_seconds: '60'})
    await subscriber.waitFor(1)
    expect((await sendForm(sandbox, '/ui/reset')).status).toBe(303)
    for (const release of held) release()
    expect([(await moved).status, (await alsoMoved).status]).toEqual([303, 303])
    const page = (await readPage(sandbox, '/')).text
    expect(page).toContain('2030-06-01 12:00:00 UTC')
    expect(page).toContain('No deliveries yet.')
  } finally {
    await subscriber.close()
  }
})
