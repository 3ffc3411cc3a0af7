/** Received events in a real events.db: each is stored once and completely, and can be found again. */
import {join} from 'node:path'
import {beforeEach, expect, test} from 'vitest'
import type {NewEvent, StoredEvent} from '../../src/contract/stored-events.js'
import {EVENTS, openOwn} from '../../src/state/databases.js'
import {
  createEventStore,
  createForwardStore,
  pruneEvents,
  receiveEvents,
} from '../../src/state/event-store.js'
import {startEventWorker} from '../../src/state/event-worker.js'
import {type Database, openDatabase, openDatabaseToRead} from '../../src/storage/database.js'
import {createOwner, fateOf} from '../../src/storage/temporary.js'
import {eventOf} from '../support/client.js'
import {closing, ownDirectory} from '../support/own.js'

let directory: string
let database: Database
const keeper = {profile: 'default', owner: 'me'}
const TARGET = 'http://127.0.0.1:9/'

beforeEach(() => {
  directory = ownDirectory()
  database = closing(openOwn(EVENTS, directory))
})

const events = () => createEventStore(database)
const forwards = () => createForwardStore(database, 'me')
const taken = (now: number) =>
  forwards()
    .take(TARGET, now, 9)
    .map(({eventId}) => eventId)

test('stores a whole batch or nothing', async () => {
  const broken = {...eventOf('evt_2'), secretName: null as unknown as string}
  expect(() => receiveEvents(database, keeper, [eventOf('evt_1'), broken])).toThrow()
  expect(await events().page({}, {}, 10)).toEqual([])
})

test('removes old events, a limited number at a time, but none that is still to be forwarded', async () => {
  const store = events()
  receiveEvents(
    database,
    keeper,
    [1, 2, 3, 4, 5].map(n => eventOf(`evt_${n}`, {receivedAt: n, targets: n < 4 ? [] : [TARGET]})),
  )
  expect(pruneEvents(database, 5, 2)).toBe(2)
  expect(pruneEvents(database, 5, 2)).toBe(1)
  expect(pruneEvents(database, 5, 2)).toBe(0)
  expect((await store.page({}, {}, 9)).map(({eventId}) => eventId)).toEqual(['evt_5', 'evt_4'])
  expect(receiveEvents(database, keeper, [eventOf('evt_1')])).toEqual([{duplicate: false}])
  expect(taken(1e9)).toEqual(['evt_4', 'evt_5'])
})

test('an earlier version did not record what it removed, so its oldest event counts', async () => {
  const path = join(ownDirectory(), 'events.db')
  const earlier = openDatabase(path, {...EVENTS, migrations: EVENTS.migrations.slice(0, 2)})
  const sql = `INSERT INTO events (profile, event_id, received_at, secret_name, headers, body)
    VALUES ('default', ?, ?, 's', '', x'')`
  for (const at of [70, 50, 60]) earlier.run(sql, `evt_${at}`, at)
  earlier.close()
  const readOnly = closing(openDatabaseToRead(path))
  expect(await createEventStore(readOnly).prunedBefore()).toBe(50)
  const upgraded = closing(openDatabase(path, EVENTS))
  expect(await createEventStore(upgraded).prunedBefore()).toBe(50)
  pruneEvents(upgraded, 65, 9)
  pruneEvents(upgraded, 55, 9)
  expect(await createEventStore(upgraded).prunedBefore()).toBe(65)
  expect(await events().prunedBefore()).toBeNull()
})

test('finds the events of a reservation that an earlier version stored, also in a file that is read only', async () => {
  const path = join(ownDirectory(), 'events.db')
  const earlier = openDatabase(path, {...EVENTS, migrations: EVENTS.migrations.slice(0, 1)})
  const sql = `INSERT INTO events (profile, event_id, received_at, secret_name, headers, body)
    VALUES ('default', ?, 1, 's', '', ?)`
  const bodies = {
    evt_named: '{"data":{"reservation_ref":"RSV-1"}}',
    evt_escaped: '{"data":{"reservation_ref":"\\u0052SV-1","note":"ş"}}',
    evt_longer: '{"data":{"reservation_ref":"RSV-12"}}',
    evt_elsewhere: '{"data":{"reservation_ref":"RSV-2","note":"RSV-1"}}',
    evt_last: '{"data":{"reservation_ref":"RSV-2"},"data":{"reservation_ref":"RSV-1"}}',
    evt_text: 'RSV-1',
  }
  for (const [id, body] of Object.entries(bodies)) earlier.run(sql, id, Buffer.from(body))
  earlier.close()
  const found = async (opened: Database) => {
    const page = await createEventStore(opened).page({reservation: 'RSV-1'}, {after: 0}, 9)
    opened.close()
    return page.map(({eventId}) => eventId)
  }
  const named = ['evt_named', 'evt_escaped', 'evt_last']
  expect(await found(openDatabaseToRead(path, EVENTS))).toEqual(named)
  expect(await found(openDatabase(path, EVENTS))).toEqual(named)
})

test('looks past many earlier events that only mention the reservation', async () => {
  const mention = Buffer.from('{"data":{"reservation_ref":"RSV-2","note":"RSV-1"}}')
  const own = Buffer.from('{"data":{"reservation_ref":"RSV-1"}}')
  const many = Array.from({length: 450}, (_, n) => eventOf(`evt_${n}`, {body: n === 3 ? own : mention}))
  receiveEvents(database, keeper, many)
  database.run('UPDATE events SET reservation_ref = NULL')
  const page = await events().page({reservation: 'RSV-1'}, {}, 1)
  expect(page.map(({eventId}) => eventId)).toEqual(['evt_3'])
})

test('finds duplicates within a batch and among stored events, in a statement of many rows and of one', async () => {
  const batch = (prefix: string) => Array.from({length: 61}, (_, n) => eventOf(`${prefix}_${n}`))
  const stored = batch('evt_a')
  expect(receiveEvents(database, keeper, stored)).toEqual(stored.map(() => ({duplicate: false})))
  const again: NewEvent[] = [
    eventOf('evt_a_3', {targets: [TARGET]}),
    eventOf('evt_a_60', {targets: [TARGET]}),
  ]
  const news: NewEvent[] = batch('evt_b').map(event => ({...event, targets: [TARGET]}))
  const twice: NewEvent[] = news.slice(0, 1).map(event => ({...event, body: Buffer.from('other')}))
  const given: NewEvent[] = [...news.slice(0, 30), ...again, ...news.slice(30), ...twice]
  const duplicates = receiveEvents(database, keeper, given).map(({duplicate}) => duplicate)
  expect(duplicates).toEqual(given.map(event => again.includes(event) || twice.includes(event)))
  const kept = await events().page({}, {after: 61}, 99)
  expect(kept.map(({eventId}) => eventId)).toEqual(news.map(({eventId}) => eventId))
  expect(kept.map(({body}) => Buffer.from(body))).toEqual(news.map(({body}) => body))
  const due = forwards().take(TARGET, 1e9, 99)
  expect(due.map(({eventId}) => eventId).sort()).toEqual(news.map(({eventId}) => eventId).sort())
})

test('tells the same id of two profiles apart', () => {
  receiveEvents(database, {...keeper, profile: 'other'}, [eventOf('evt_1')])
  const received = receiveEvents(database, keeper, [eventOf('evt_1'), eventOf('evt_1')])
  expect(received).toEqual([{duplicate: false}, {duplicate: true}])
})

test('does not forward a duplicate', () => {
  receiveEvents(database, keeper, [eventOf('evt_1')])
  receiveEvents(database, keeper, [eventOf('evt_1', {targets: [TARGET]})])
  expect(forwards().take(TARGET, 1e9, 9)).toEqual([])
})

test('adopts the forwards of owners that ended, and long overdue ones of owners on other machines', () => {
  const fates = {gone: 'gone', living: 'running', there: 'elsewhere'} as const
  const due = 1000
  for (const [n, owner] of Object.keys(fates).entries()) {
    receiveEvents(database, {...keeper, owner}, [eventOf(`evt_${n}`, {targets: [TARGET, 'https://other/']})])
    const failed = {sequence: n + 1, target: TARGET, status: null, ms: 1, error: 'timeout'}
    forwards().settle([{...failed, state: 'pending', nextAttemptAt: due}])
  }
  const adopt = (now: number) => forwards().adopt([TARGET], owner => fates[owner as keyof typeof fates], now)
  expect([due - 1, due, due + 299].map(adopt)).toEqual([1, 0, 0])
  expect(taken(due - 1)).toEqual(['evt_0'])
  expect(adopt(due + 300)).toBe(1)
  expect(taken(due + 300)).toEqual(['evt_0', 'evt_2'])
  expect(forwards().take('https://other/', 1e9, 9)).toEqual([])
})

test('knows whether an owner still runs', () => {
  const me = createOwner()
  expect(fateOf(me, me)).toBe('running')
  // The same process id, in a restarted container.
  expect(fateOf(createOwner(), me)).toBe('gone')
  expect(fateOf('4194305:1:x', me)).toBe('gone')
  // Another container or host that shares the directory: its process ids cannot be checked here.
  const [pid = '', started = '', id = '', place = ''] = me.split(':')
  expect(fateOf(`4194305:1:${id}:${place}`, me)).toBe('gone')
  for (const there of [`9${place}`, `${place}x`, '-'])
    for (const [one, at] of [
      [pid, started],
      ['1', '1'],
      ['4194305', '1'],
    ])
      expect(fateOf(`${one}:${at}:${id}:${there}`, me)).toBe('elsewhere')
  if (started) expect(fateOf(`${process.ppid}:1:x`, me)).toBe('gone')
})

test('the thread stores many events of any size, and nothing once it is closed', async () => {
  const worker = startEventWorker({directory, profile: 'default'})
  const many = Array.from({length: 300}, (_, n) => eventOf(`evt_${n}`, {body: Buffer.alloc(n, n)}))
  const answers = await Promise.all([worker.receive(many), worker.receive(many)])
  expect(answers.flat().filter(({duplicate}) => duplicate).length).toBe(300)
  await worker.close()
  await expect(worker.receive(many)).rejects.toMatchObject({fault: 'failed'})
  const stored = await events().page({}, {after: 0}, 1000)
  expect(stored.map(({body}) => Buffer.from(body))).toEqual(many.map(({body}) => body))
  const facts = ({eventId, type, receivedAt, secretName, rawHeaders}: NewEvent | StoredEvent) => [
    ...[eventId, type, receivedAt, secretName, rawHeaders],
  ]
  expect(stored.map(facts)).toEqual(many.map(facts))
})

test('reports a directory that cannot contain events.db', async () => {
  const worker = startEventWorker({directory: join(directory, 'events.db', 'deeper'), profile: 'default'})
  const failure = {name: 'StorageError', fault: 'not_writable'}
  await expect(worker.receive([eventOf('evt_1')])).rejects.toMatchObject(failure)
  await worker.close()
})
