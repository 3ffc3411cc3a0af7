/** Searching reservations on their page: words in any case, also of reservations stored before there was a search. */
import {expect, test} from 'vitest'
import {
  addReservation,
  addSearchTexts,
  listReservations,
  saveReservation,
} from '../../src/sandbox/store/reservations.js'
import {MIGRATIONS} from '../../src/sandbox/store/schema.js'
import {openDatabase} from '../../src/storage/database.js'
import {guest, reservationRecord} from './reservation-record.js'

test('finds words in any case, with and without marks, as the reservation is now', () => {
  const database = openDatabase(':memory:', {migrations: MIGRATIONS})
  const {hotel, contact} = reservationRecord()
  const record = reservationRecord({
    client_reference_id: 'Trip-McX-7',
    hotel: {...hotel, name: 'İstanbul ILICA Oteli'},
    contact: {...contact, name: 'Ayşe', surname: 'Öğüt'},
    guests: [guest({name: 'Brian', surname: 'O’NEILL'})],
  })
  addReservation(database, {clientId: 'cid_sandbox', debitedMinor: 0n, paymentToken: null, record})
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
