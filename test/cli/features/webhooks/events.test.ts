/** Received events, selected by the id that the user types. */
import {beforeEach, expect, test} from 'vitest'
import {eventFilter, findEvent, replayResult} from '../../../../src/cli/features/webhooks/events.js'
import type {EventStore} from '../../../../src/contract/stored-events.js'
import {EVENTS, openOwn} from '../../../../src/state/databases.js'
import {createEventStore, receiveEvents} from '../../../../src/state/event-store.js'
import {eventOf} from '../../../support/client.js'
import {closing, ownDirectory} from '../../../support/own.js'
import {rejectionOf} from '../../../support/thrown.js'

let store: EventStore

beforeEach(() => {
  const database = closing(openOwn(EVENTS, ownDirectory()))
  store = createEventStore(database)
  receiveEvents(database, {profile: 'default', owner: 'me'}, [eventOf('evt_1'), eventOf('4711')])
})

test.each(['evt_1', '4711'])('%s is found, in whatever form the service wrote it', async id => {
  expect((await findEvent(store, id)).eventId).toBe(id)
  expect(await eventFilter({id: [id]}, store)).toEqual({ids: [id]})
})

test('an event id that is not known is refused where one event is meant, and chooses none in a filter', async () => {
  expect((await rejectionOf(findEvent(store, 'evt_2'))).details.code).toBe('event_not_found')
  expect(await eventFilter({id: ['evt_2']}, store)).toEqual({ids: ['evt_2']})
})

test.each(['4712', '', 'null', '"evt_1"'])('%j is no event id', async id => {
  expect((await rejectionOf(findEvent(store, id))).message).toMatch(/^EVENT_ID: must be an event id/)
  expect((await rejectionOf(eventFilter({id: ['evt_1', id]}, store))).message).toMatch(/^--id: must be/)
})

test('what an answer to a replay means is said once for each status', () => {
  const {warning} = replayResult([200, 301, 401, 401, 404, 500, null].map(status => ({status}) as never))
  expect([warning].flat().map(text => text?.slice(0, 3))).toEqual(['301', '401', '500'])
})
