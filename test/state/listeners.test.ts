/** Which processes listen, and the figures of the store, in files and in PostgreSQL. */
import {join} from 'node:path'
import process from 'node:process'
import {expect, test} from 'vitest'
import type {ListenerReport} from '../../src/contract/stored-events.js'
import {EVENTS, openOwn} from '../../src/state/databases.js'
import {createListenerEntry, overviewOf} from '../../src/state/listeners.js'
import {openDatabase, openDatabaseToRead} from '../../src/storage/database.js'
import {eventOf} from '../support/client.js'
import {closing, ownDirectory} from '../support/own.js'
import {describeEachPlace} from '../support/stores.js'

const REPORT: ListenerReport = {
  pid: process.pid,
  host: 'here',
  since: 1000,
  url: 'http://127.0.0.1:4020/',
  adminUrl: null,
  targets: ['http://127.0.0.1:3000/hooks'],
  problems: [],
  warnings: [],
}
const TARGET = 'http://127.0.0.1:9/'

await describeEachPlace(place => {
  test('a listener has an entry until it ends, and the refused requests are added up', async () => {
    const state = await place.open()
    const keeper = await state.openEventKeeper('default')
    const events = await state.events()
    await keeper.beat(REPORT, {}, 0)
    await keeper.beat({...REPORT, problems: ['queue_full']}, {path: 2, signature_mismatch: 1}, 32 * 1024)
    await keeper.beat(REPORT, {path: 1}, 0)
    const {listeners, refusedLastHour, storedBytes} = await events.overview()
    expect(listeners).toMatchObject([{...REPORT, profile: 'default'}])
    expect(listeners[0]?.silentSeconds).toBeLessThan(60)
    expect(refusedLastHour).toEqual({path: 3, signature_mismatch: 1})
    expect(storedBytes).toBeGreaterThan(0)
    await keeper.close()
    expect((await events.overview()).listeners).toEqual([])
  })

  test('counts the events of the last hour by type, and what is pending and given up', async () => {
    const state = await place.open()
    const keeper = await state.openEventKeeper('default')
    const now = Date.now() / 1000
    await keeper.beat(REPORT, {}, 0)
    expect(await keeper.backlog()).toEqual({pending: 0, oldestPendingSeconds: null, lastEventAt: null})
    await keeper.receive([
      eventOf('evt_old', {receivedAt: now - 3700, targets: [TARGET]}),
      eventOf('evt_1', {receivedAt: now - 3500, targets: [TARGET]}),
      eventOf('evt_2', {receivedAt: now - 100}),
      eventOf('evt_3', {receivedAt: now - 60, type: null}),
    ])
    const [first] = await keeper.take(TARGET, Date.now() / 1000, 1)
    const settled = {sequence: first?.sequence ?? 0, target: TARGET, status: null, ms: 1, error: 'timeout'}
    await keeper.settle([{...settled, state: 'given_up', nextAttemptAt: Date.now() / 1000}])
    const overview = await (await state.events()).overview()
    expect(overview).toMatchObject({
      pending: 1,
      lastHour: {'voucher.ready': 2, '(no type)': 1},
      refusedLastHour: {},
      givenUpLastDay: 1,
    })
    expect(overview.lastEventAt).toBeCloseTo(now - 60, 1)
    // Both were due at once, so either may have been taken.
    expect(overview.oldestPendingSeconds).toBeGreaterThan(3490)
    expect(overview.oldestPendingSeconds).toBeLessThan(3800)
    await keeper.close()
  })
})

test('the first report removes the entries of processes that ended, and of machines that were silent for a day', () => {
  const database = closing(openOwn(EVENTS, ownDirectory()))
  const report = (owner: string, now: number) =>
    createListenerEntry(database, owner, 'default', () => now).beat(REPORT, {}, 0)
  const elsewhere = '7:1:0-0-0:1-other'
  const gone = `${process.pid}:1:0-0-0`
  report(gone, 5000)
  report(elsewhere, 5000)
  expect(overviewOf(database, 5003).listeners.map(({owner}) => owner)).toEqual([elsewhere])
  expect(overviewOf(database, 5003).listeners[0]?.silentSeconds).toBe(3)
  const other = '8:1:0-0-0:1-other'
  report(other, 5000 + 25 * 3600)
  expect(overviewOf(database, 5003).listeners.map(({owner}) => owner)).toEqual([other])
})

test('of many events, only those of the last hour are counted', () => {
  const database = closing(openOwn(EVENTS, ownDirectory()))
  const sql = `INSERT INTO events (profile, event_id, type, received_at, secret_name, headers, body)
    SELECT 'default', 'evt_' || value, 'voucher.ready', 10000 + value, 's', '', x'00' FROM
    (WITH RECURSIVE n(value) AS (VALUES(1) UNION ALL SELECT value + 1 FROM n WHERE value < 9000) SELECT value FROM n)`
  database.run(sql)
  expect(overviewOf(database, 19_000).lastHour).toEqual({'voucher.ready': 3601})
  expect(overviewOf(database, 30_000).lastHour).toEqual({})
})

test('a file of an earlier version that is read only has figures, but no listeners', () => {
  const path = join(ownDirectory(), 'events.db')
  openDatabase(path, {...EVENTS, migrations: EVENTS.migrations.slice(0, 1)}).close()
  expect(overviewOf(closing(openDatabaseToRead(path)), 5)).toMatchObject({
    listeners: [],
    pending: 0,
    lastEventAt: null,
  })
})
