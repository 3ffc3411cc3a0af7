/** Every query of the sandbox's stores, as SQLite means to run it: a look-up walks an index and never a whole table. */
import {expect, test} from 'vitest'
import {
  browseDeliveries,
  browseEvents,
  browseReservations,
  browseSubscriptions,
  findListedDelivery,
  findListedEvent,
} from '../../src/sandbox/store/browse.js'
import {checkCredentials, findClient, findToken} from '../../src/sandbox/store/clients.js'
import {
  findDeliveryRecord,
  findDue,
  findForAttempt,
  findSubscriptionsDue,
  lastAttemptBy,
  listDeliveryRecords,
  newestDeliveryRecords,
  nextAttemptAt,
} from '../../src/sandbox/store/deliveries.js'
import {addEvent} from '../../src/sandbox/store/events.js'
import {findOffer} from '../../src/sandbox/store/offers.js'
import {
  findAnyReservation,
  findByClientReference,
  findByPaymentToken,
  findUnpaid,
  listReservations,
  nextPaymentExpiry,
} from '../../src/sandbox/store/reservations.js'
import {MIGRATIONS, TABLES} from '../../src/sandbox/store/schema.js'
import {
  findSubscription,
  listOwnSubscriptions,
  removeSubscription,
} from '../../src/sandbox/store/subscriptions.js'
import {type Database, openDatabase, type Value} from '../../src/storage/database.js'

/** Each step of the plans of what `work` asks the database. */
function plansOf(work: (database: Database) => unknown): string[] {
  const database = openDatabase(':memory:', {migrations: MIGRATIONS})
  const asked: [string, Value[]][] = []
  const note = (sql: string, values: Value[]) => void asked.push([sql, values])
  work({
    ...database,
    all: (sql, ...values) => {
      note(sql, values)
      return database.all(sql, ...values)
    },
    get: (sql, ...values) => {
      note(sql, values)
      return database.get(sql, ...values)
    },
    run: (sql, ...values) => {
      note(sql, values)
      return database.run(sql, ...values)
    },
  })
  const steps = asked.flatMap(([sql, values]) =>
    database.all<{detail: string}>(`EXPLAIN QUERY PLAN ${sql}`, ...values).map(({detail}) => detail),
  )
  database.close()
  expect(asked.length).toBeGreaterThan(0)
  return steps
}

const nothing = {deliveries: [], subscriptions: []}
const whose = {clientId: 'c', clientReferenceId: null, status: null, createdFrom: null, createdTo: null}
const first = {before: null, limit: 20}
const later = {before: 500, limit: 20}

const LOOK_UPS: Record<string, (database: Database) => unknown> = {
  'a client': database => findClient(database, 'c'),
  credentials: database => checkCredentials(database, 'c', 's'),
  'a token': database => findToken(database, 't'),
  'an offer': database => findOffer(database, 'c', 'o'),
  'a reservation': database => findAnyReservation(database, 'r'),
  'a client reference': database => findByClientReference(database, 'c', 'r'),
  'a payment token': database => findByPaymentToken(database, 't'),
  'what was not paid': database => findUnpaid(database, 1),
  'the next to expire': database => nextPaymentExpiry(database),
  'reservations of a client': database => listReservations(database, {...whose, before: null, limit: 20}),
  'a later page': database => listReservations(database, {...whose, ...later}),
  'of a reference': database => listReservations(database, {...whose, ...first, clientReferenceId: 'r'}),
  'of a status': database => listReservations(database, {...whose, ...later, status: 'CONFIRMED'}),
  'of some days': database => listReservations(database, {...whose, ...later, createdFrom: 1, createdTo: 2}),
  'a subscription': database => findSubscription(database, 'c', 's'),
  'subscriptions of a client': database => listOwnSubscriptions(database, 'c', {limit: 20, after: 5}),
  'the end of a subscription': database => removeSubscription(database, 's'),
  'an event for its subscribers': database =>
    addEvent(database, {clientId: 'c', type: 'reservation.confirmed', data: {}, now: 1}),
  'what is due for a subscription': database => findDue(database, 's', 1, ['d'], 20),
  'the last that is due by a time': database => lastAttemptBy(database, 1),
  'a delivery to be sent': database => findForAttempt(database, 'd'),
  'a delivery': database => findDeliveryRecord(database, 'd'),
  'deliveries of a subscription': database =>
    listDeliveryRecords(database, {subscriptionId: 's', limit: 20, after: 5}),
  'a delivery on the page': database => findListedDelivery(database, 'd'),
  'an event on the page': database => findListedEvent(database, 'e'),
}

test.each(Object.entries(LOOK_UPS))('%s', (_, work) => {
  const steps = plansOf(work)
  expect(steps.filter(isScan)).toEqual([])
  expect(steps.filter(step => step.includes('TEMP B-TREE'))).toEqual([])
})

const LISTS: Record<string, (database: Database) => unknown> = {
  reservations: database => browseReservations(database, {status: null, search: ''}, later),
  'of a status': database => browseReservations(database, {status: 'CONFIRMED', search: ''}, later),
  events: database => browseEvents(database, {type: null, reservationRef: null}, later),
  'of a type': database => browseEvents(database, {type: 't', reservationRef: null}, later),
  'of a reservation': database => browseEvents(database, {type: null, reservationRef: 'r'}, first),
  deliveries: database =>
    browseDeliveries(database, {status: null, subscriptionId: null, eventId: null}, later),
  'to a subscription': database =>
    browseDeliveries(database, {status: 'PENDING', subscriptionId: 's', eventId: null}, later),
  'of an event': database =>
    browseDeliveries(database, {status: null, subscriptionId: null, eventId: 'e'}, first),
  subscriptions: database => browseSubscriptions(database, later),
}

test.each(Object.entries(LISTS))('a list of the page walks in its own order: %s', (_, work) => {
  const steps = plansOf(work)
  expect(steps.filter(step => step.includes('TEMP B-TREE'))).toEqual([])
  expect(steps.filter(isScan)).toEqual([])
})

test('the newest deliveries are read from the end of their table, which nothing sorts', () => {
  const steps = plansOf(database => newestDeliveryRecords(database, 20))
  expect(steps[0]).toBe('SCAN deliveries')
  expect(steps.slice(1).filter(isScan)).toEqual([])
  expect(steps.filter(step => step.includes('TEMP B-TREE'))).toEqual([])
})

test('what is due looks once into the index for each subscription', () => {
  for (const work of [
    (database: Database) => findSubscriptionsDue(database, 1, nothing, 20),
    (database: Database) => nextAttemptAt(database, nothing),
  ]) {
    const steps = plansOf(work)
    expect(steps[0]).toMatch(/^(SCAN|SEARCH) subscriptions$/)
    expect(steps.slice(1).filter(isScan)).toEqual([])
    expect(steps.some(step => /^SEARCH deliveries USING INDEX deliveries_waiting/.test(step))).toBe(true)
  }
})

function isScan(step: string): boolean {
  return TABLES.some(table => new RegExp(`^SCAN ${table}\\b`).test(step))
}
