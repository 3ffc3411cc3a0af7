/** Waiting for an event in a store that another process fills. Time is a parameter. */
import {beforeEach, expect, test} from 'vitest'
import {waitForEvent} from '../../../../src/cli/features/webhooks/event-wait.js'
import type {EventStore} from '../../../../src/contract/stored-events.js'
import {EVENTS, openOwn} from '../../../../src/state/databases.js'
import {createEventStore, receiveEvents} from '../../../../src/state/event-store.js'
import type {Database} from '../../../../src/storage/database.js'
import {StorageError} from '../../../../src/storage/errors.js'
import {eventOf} from '../../../support/client.js'
import {closing, ownDirectory} from '../../../support/own.js'
import {rejectionOf} from '../../../support/thrown.js'

let database: Database
let store: EventStore
/** What happens during each pause, in order. */
let pauses: (() => void)[]
let seconds: number
let warnings: string[]

beforeEach(() => {
  database = closing(openOwn(EVENTS, ownDirectory()))
  store = createEventStore(database)
  pauses = []
  seconds = 0
  warnings = []
})

function receive(eventId: string, type = 'voucher.ready', reservationRef = 'RSV-1') {
  const body = Buffer.from(JSON.stringify({id: eventId, type, data: {reservation_ref: reservationRef}}))
  receiveEvents(database, {profile: 'default', owner: 'me'}, [eventOf(eventId, {type, reservationRef, body})])
}

const clock = {
  now: () => seconds,
  sleep: async (milliseconds: number) => {
    seconds += milliseconds / 1000
    pauses.shift()?.()
  },
}

const wait = ({isNew = false, within = 5 as number | undefined} = {}) => {
  const filter = {reservation: 'RSV-1', types: ['voucher.ready']}
  const warn = (text: string) => void warnings.push(text)
  return waitForEvent(store, {filter, isNew, seconds: within, clock, warn})
}

test('an event that is stored already is returned at once, the newest first', async () => {
  for (const id of ['evt_1', 'evt_2']) receive(id)
  receive('evt_3', 'reservation.updated')
  expect((await wait()).eventId).toBe('evt_2')
  expect(seconds).toBe(0)
})

test('waits until the event of this type and reservation comes', async () => {
  const others = () => {
    receive('evt_1', 'reservation.confirmed')
    receive('evt_2', 'voucher.ready', 'RSV-2')
  }
  pauses = [others, () => {}, () => receive('evt_3')]
  expect((await wait({within: undefined})).eventId).toBe('evt_3')
})

test('takes only an event that is stored from now on, the first of them', async () => {
  receive('evt_1')
  const two = () => {
    receive('evt_2')
    receive('evt_3')
  }
  pauses = [() => {}, two]
  expect((await wait({isNew: true})).eventId).toBe('evt_2')
})

test('is pending after the time limit, and searches once more before that', async () => {
  const failure = await rejectionOf(wait({within: 2}))
  expect(failure).toMatchObject({kind: 'pending', details: {code: 'event_missing'}})
  expect(failure.message).toBe('voucher.ready of RSV-1 did not come within 2 s')
  expect(seconds).toBeCloseTo(2, 5)
  pauses = [() => receive('evt_1')]
  expect((await wait({within: 0.1})).eventId).toBe('evt_1')
})

const faulty = (fault: 'unreachable' | 'corrupt') => {
  const {page} = store
  const fail = async () => {
    throw new StorageError(fault, `${fault} now`, 'wait')
  }
  store = {...store, page: (...args) => (pauses.length % 2 ? fail() : page(...args))}
}

test('goes on while the store is unreachable, and warns once', async () => {
  faulty('unreachable')
  pauses = [() => {}, () => {}, () => receive('evt_1'), () => {}]
  expect((await wait()).eventId).toBe('evt_1')
  expect(warnings).toEqual(['Warning: unreachable now; it goes on looking'])
})

test('ends with the error of a store that is damaged, or unreachable at the start or at the end', async () => {
  faulty('unreachable')
  pauses = [() => {}]
  await expect(wait()).rejects.toMatchObject({fault: 'unreachable'})
  pauses = [() => {}, () => {}]
  await expect(wait({within: 0.2})).rejects.toMatchObject({fault: 'unreachable'})
  store = createEventStore(database)
  faulty('corrupt')
  pauses = [() => {}, () => {}]
  await expect(wait()).rejects.toMatchObject({fault: 'corrupt'})
})
