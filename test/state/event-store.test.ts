/** Events received, in a real events.db: kept once, whole, and found again. */
import {join} from 'node:path'
import {beforeEach, expect, test} from 'vitest'
import type {NewEvent} from '../../src/contract/stored-events.js'
import {EVENTS, openOwn} from '../../src/state/databases.js'
import {createEventStore, pruneEvents, receiveEvents} from '../../src/state/event-store.js'
import {startEventWorker} from '../../src/state/event-worker.js'
import {createForwardStore} from '../../src/state/forward-store.js'
import type {Database} from '../../src/storage/database.js'
import {createOwner, fateOf} from '../../src/storage/temporary.js'
import {closing, ownDirectory} from '../support/own.js'

let directory: string
let database: Database
const keeper = {profile: 'default', owner: 'me'}
const TARGET = 'http://127.0.0.1:9/'

beforeEach(() => {
  directory = ownDirectory()
  database = closing(openOwn(EVENTS, directory))
})

const events = () => createEventStore(() => database)
const forwards = () => createForwardStore(() => database)
const taken = (now: number) =>
  forwards()
    .take('me', TARGET, now, 9)
    .map(({eventId}) => eventId)

function event(id: string, more: Partial<NewEvent> = {}): NewEvent {
  return {
    eventId: id,
    type: 'voucher.ready',
    receivedAt: 1000,
    secretName: 'whsub_1',
    rawHeaders: ['X-A', 'one', 'x-a', ''],
    body: Buffer.from([0xff, 0, 0x0a, 0xfe]),
    targets: [],
    ...more,
  }
}

test('stores a whole batch or nothing', async () => {
  const broken = {...event('evt_2'), secretName: null as unknown as string}
  expect(() => receiveEvents(database, keeper, [event('evt_1'), broken])).toThrow()
  expect(await events().page({}, {}, 10)).toEqual([])
})

test('removes old events, a limited number at a time, but none that is still to be forwarded', async () => {
  const store = events()
  receiveEvents(
    database,
    keeper,
    [1, 2, 3, 4, 5].map(n => event(`evt_${n}`, {receivedAt: n, targets: n < 4 ? [] : [TARGET]})),
  )
  expect(pruneEvents(database, 5, 2)).toBe(2)
  expect(pruneEvents(database, 5, 2)).toBe(1)
  expect(pruneEvents(database, 5, 2)).toBe(0)
  expect((await store.page({}, {}, 9)).map(({eventId}) => eventId)).toEqual(['evt_5', 'evt_4'])
  expect(receiveEvents(database, keeper, [event('evt_1')])).toEqual([{duplicate: false}])
  expect(taken(1e9)).toEqual(['evt_4', 'evt_5'])
})

test('does not forward a duplicate', () => {
  receiveEvents(database, keeper, [event('evt_1')])
  receiveEvents(database, keeper, [event('evt_1', {targets: [TARGET]})])
  expect(forwards().take('me', TARGET, 1e9, 9)).toEqual([])
})

test('adopts forwards of dead processes, not of running ones', () => {
  receiveEvents(database, {...keeper, owner: 'gone'}, [event('evt_1', {targets: [TARGET, 'https://other/']})])
  receiveEvents(database, {...keeper, owner: 'living'}, [event('evt_2', {targets: [TARGET]})])
  const lost = {sequence: 1, target: TARGET, status: null, ms: 1, error: 'timeout'}
  forwards().settle([{...lost, state: 'pending', nextAttemptAt: 9999}])
  expect(forwards().adopt('me', [TARGET], owner => (owner === 'living' ? 'running' : 'gone'), 2000)).toBe(1)
  expect(taken(2000)).toEqual(['evt_1'])
  expect(forwards().take('me', 'https://other/', 1e9, 9)).toEqual([])
})

test('adopts from an owner on another machine only what is long overdue', () => {
  receiveEvents(database, {...keeper, owner: 'there'}, [event('evt_1', {targets: [TARGET]})])
  const due = 1000
  const settled = {sequence: 1, target: TARGET, status: null, ms: 1, error: 'timeout'}
  forwards().settle([{...settled, state: 'pending', nextAttemptAt: due}])
  const adopt = (now: number) => forwards().adopt('me', [TARGET], () => 'elsewhere', now)
  expect([adopt(due - 1), adopt(due + 299)]).toEqual([0, 0])
  expect(forwards().take('me', TARGET, 1e9, 9)).toEqual([])
  expect(adopt(due + 300)).toBe(1)
  expect(forwards().take('me', TARGET, due + 300, 9)).toMatchObject([{eventId: 'evt_1', attempts: 1}])
})

test('knows whether an owner still runs', () => {
  const me = createOwner()
  expect(fateOf(me, me)).toBe('running')
  // The same pid, in a container that was restarted.
  expect(fateOf(createOwner(), me)).toBe('gone')
  expect(fateOf('4194305:1:x', me)).toBe('gone')
  // Another container or host that shares the directory: its pids cannot be checked here.
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
  const worker = startEventWorker(directory)
  const many = Array.from({length: 300}, (_, n) => event(`evt_${n}`, {body: Buffer.alloc(n, n)}))
  const answers = await Promise.all([worker.receive(keeper, many), worker.receive(keeper, many)])
  expect(answers.flat().filter(({duplicate}) => duplicate).length).toBe(300)
  await worker.close()
  await expect(worker.receive(keeper, many)).rejects.toMatchObject({fault: 'failed'})
  const stored = await events().page({}, {after: 0}, 1000)
  expect(stored.map(({body}) => Buffer.from(body))).toEqual(many.map(({body}) => body))
})

test('reports a directory that cannot contain events.db', async () => {
  const worker = startEventWorker(join(directory, 'events.db', 'deeper'))
  const failure = {name: 'StorageError', fault: 'not_writable'}
  await expect(worker.receive(keeper, [event('evt_1')])).rejects.toMatchObject(failure)
  await worker.close()
})
