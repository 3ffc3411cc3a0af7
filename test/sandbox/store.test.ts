/**
 * The query plans of the sandbox's stores: every look-up uses an index and never scans a whole table. Reservations are found by
 * words in any case, even those stored before the search existed.
 */
import {expect, test} from 'vitest'
import {type Client, checkCredentials, findClient, findToken} from '../../src/sandbox/store/clients.js'
import * as ledger from '../../src/sandbox/store/ledger.js'
import {addSearch, findOffer} from '../../src/sandbox/store/offers.js'
import * as reservations from '../../src/sandbox/store/reservations.js'
import {
  addReservation,
  addSearchTexts,
  listReservations,
  saveReservation,
} from '../../src/sandbox/store/reservations.js'
import {MIGRATIONS, removeExpired} from '../../src/sandbox/store/schema.js'
import * as deliveries from '../../src/sandbox/store/webhooks.js'
import * as subscriptions from '../../src/sandbox/store/webhooks.js'
import {addEvent, findEvent, listEvents} from '../../src/sandbox/store/webhooks.js'
import {type Database, openDatabase, type Value} from '../../src/storage/database.js'
import {searchRequest} from '../support/sandbox.js'
import {guest, reservationRecord} from './reservation-record.js'

type Work = (database: Database) => unknown

const offerOf = (db: Database) => {
  const {offers} = addSearch(db, 'c', searchRequest(), {now: 1, limit: 1})
  return offers[0]?.offer_id ?? ''
}
const searched = (db: Database, now: number) => {
  addSearch(db, 'c', searchRequest(), {now, limit: 1})
  return now
}

/** Returns the steps of the query plans of every query that `work` makes. */
function plansOf(work: Work): string[] {
  const database = openDatabase(':memory:', {migrations: MIGRATIONS})
  const asked: [string, Value[]][] = []
  const noting =
    <Result>(ask: (sql: string, ...values: Value[]) => Result) =>
    (sql: string, ...values: Value[]) => {
      asked.push([sql, values])
      return ask(sql, ...values)
    }
  const {all, get, run} = database
  work({...database, all: noting(all) as typeof all, get: noting(get) as typeof get, run: noting(run)})
  const steps = asked.flatMap(([sql, values]) =>
    database.all<{detail: string}>(`EXPLAIN QUERY PLAN ${sql}`, ...values).map(({detail}) => detail),
  )
  database.close()
  expect(asked.length).toBeGreaterThan(0)
  return steps
}

const isScan = (step: string) => /^SCAN (?!json_each\b)[a-z_]+/.test(step)

/** Keeps the steps that scan a whole table or sort their rows. */
const costly = (steps: string[]) => steps.filter(step => isScan(step) || step.includes('TEMP B-TREE'))

const nothing = {deliveries: [], subscriptions: []}
const own = {clientId: 'c'}
const first = {after: null, limit: 20}
const later = {after: 500, limit: 20}
const account = {client_id: 'c', currency: 'EUR', balance_minor: 0} as Client
const event = {clientId: 'c', type: 'reservation.confirmed', data: {}, now: 1} as const

test.each<[string, Work]>([
  ['a client', db => findClient(db, 'c')],
  ['credentials', db => checkCredentials(db, 'c', 's')],
  ['a token', db => findToken(db, 't', 1)],
  ['an offer', db => findOffer(db, 'c', offerOf(db), 1)],
  ['the reservation of an offer', db => reservations.findReservation(db, 'offer_id', 'o', 'c')],
  ['what has expired', db => removeExpired(db, searched(db, 1) + 86_400)],
  ['a reservation', db => reservations.findReservation(db, 'reservation_ref', 'r')],
  ['a reservation of a client', db => reservations.findReservation(db, 'reservation_ref', 'r', 'c')],
  ['a client reference', db => reservations.findReservation(db, 'client_reference_id', 'r', 'c')],
  ['a payment token', db => reservations.findReservation(db, 'payment_token', 't')],
  ['unpaid reservations', db => reservations.findUnpaid(db, 1)],
  ['the next payment to expire', db => reservations.nextPaymentExpiry(db)],
  ['reservations of a client', db => reservations.listReservations(db, own, first)],
  ['a later page of them', db => reservations.listReservations(db, own, later)],
  ['those of a reference', db => reservations.listReservations(db, {...own, clientReferenceId: 'r'}, first)],
  ['those of a status', db => reservations.listReservations(db, {...own, status: 'CONFIRMED'}, later)],
  [
    'those of some days',
    db => reservations.listReservations(db, {...own, createdFrom: 1, createdTo: 2}, later),
  ],
  ['a subscription', db => subscriptions.findSubscription(db, 'c', 's')],
  ['subscriptions of a client', db => subscriptions.listSubscriptions(db, later, 'c')],
  ['the end of a subscription', db => subscriptions.removeSubscription(db, 's')],
  ['an event for its subscribers', db => addEvent(db, event)],
  ['what is due for a subscription', db => deliveries.findDue(db, 's', 1, nothing, 20)],
  ['the last delivery that is due by a time', db => deliveries.lastAttemptBy(db, 1)],
  ['a delivery to be sent', db => deliveries.findForAttempt(db, 'd')],
  ['a delivery', db => deliveries.findDelivery(db, 'd')],
  ['deliveries of a subscription', db => deliveries.listDeliveries(db, {subscriptionId: 's'}, later, true)],
  ['an event', db => findEvent(db, 'e')],
  ['the page of reservations', db => reservations.listReservations(db, {}, later)],
  ['the page of a status', db => reservations.listReservations(db, {status: 'CONFIRMED'}, later)],
  ['the page of events', db => listEvents(db, {}, later)],
  ['the page of a type', db => listEvents(db, {type: 't'}, later)],
  ['the events of a reservation', db => listEvents(db, {reservationRef: 'r'}, first)],
  ['the page of deliveries', db => deliveries.listDeliveries(db, {}, later)],
  [
    'those to a subscription',
    db => deliveries.listDeliveries(db, {status: 'PENDING', subscriptionId: 's'}, later),
  ],
  ['those of an event', db => deliveries.listDeliveries(db, {eventId: 'e'}, first)],
  ['the page of subscriptions', db => subscriptions.listSubscriptions(db, later)],
  ['the page of a ledger', db => ledger.listEntries(db, account, later)],
  ['a ledger from its first entry', db => ledger.listEntries(db, account, first, true)],
  ['the opening balance of a ledger', db => ledger.openingBalance(db, account)],
])('%s: neither scans a table nor sorts', (_, work) => {
  expect(costly(plansOf(work))).toEqual([])
})

test('the newest deliveries are read from the end of their table', () => {
  const steps = plansOf(db => deliveries.listDeliveries(db, {}, first))
  expect(steps[0]).toBe('SCAN deliveries')
  expect(costly(steps.slice(1))).toEqual([])
})

test.each<[string, Work]>([
  ['what is due', db => deliveries.findSubscriptionsDue(db, 1, nothing, 20)],
  ['the next attempt', db => deliveries.nextAttemptAt(db, nothing)],
])('%s is looked up once in the index for each subscription', (_, work) => {
  const steps = plansOf(work)
  expect(steps[0]).toMatch(/^(SCAN|SEARCH) subscriptions$/)
  expect(steps.slice(1).filter(isScan)).toEqual([])
  expect(steps.some(step => /^SEARCH deliveries USING INDEX deliveries_waiting/.test(step))).toBe(true)
})

test('finds words in any case, with and without marks, as the reservation is now', () => {
  const database = openDatabase(':memory:', {migrations: MIGRATIONS})
  const {hotel, contact} = reservationRecord()
  const record = reservationRecord({
    client_reference_id: 'Trip-McX-7',
    hotel: {...hotel, name: 'İstanbul ILICA Oteli'},
    contact: {...contact, name: 'Ayşe', surname: 'Öğüt'},
    guests: [guest({name: 'Brian', surname: 'O’NEILL'})],
  })
  addReservation(database, {clientId: 'cid_sandbox', debitedMinor: 0n, record})
  const finds = (search: string) =>
    listReservations(database, {search}, {after: null, limit: 10}).items.length === 1
  const words = ['trip-mcx', 'TRIP-MCX-7', 'istanbul ılıca', 'OTELİ', 'öĞÜT ayşe', 'ogut', 'o’neill brian']
  expect(words.filter(word => !finds(word))).toEqual([])
  expect(finds('unknown')).toBe(false)

  database.run('UPDATE reservations SET search_text = NULL')
  expect(finds('ogut')).toBe(false)
  addSearchTexts(database)
  expect(finds('ogut')).toBe(true)

  saveReservation(database, {...record, guests: [guest({name: 'Renée', surname: 'Dupont'})]})
  expect([finds('RENEE'), finds('brian')]).toEqual([true, false])
  database.close()
})
