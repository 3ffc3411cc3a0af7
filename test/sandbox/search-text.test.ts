/** What the sandbox's page finds reservations by: words in any case, also of reservations stored before it kept them. */
import {expect, test} from 'vitest'
import type {Reservation} from '../../src/contract/reservations.js'
import {browseReservations} from '../../src/sandbox/store/browse.js'
import {addReservation, addSearchTexts, saveReservation} from '../../src/sandbox/store/reservations.js'
import {MIGRATIONS} from '../../src/sandbox/store/schema.js'
import {openDatabase} from '../../src/storage/database.js'
import {ADULT, CONTACT, reservationRequest, startSandbox} from '../support/sandbox.js'

async function reservation(): Promise<Reservation> {
  const sandbox = await startSandbox({inProcess: true})
  const client = await sandbox.client()
  const [offer] = await client.search()
  const made = await client.reserve(reservationRequest(offer.offer_id))
  await sandbox.close()
  return {
    ...made.json.data,
    client_reference_id: 'Trip-McX-7',
    hotel: {...made.json.data.hotel, name: 'İstanbul ILICA Oteli'},
    contact: {...CONTACT, name: 'Ayşe', surname: 'Öğüt'},
    guests: [{...ADULT, name: 'Brian', surname: 'O’NEILL'}],
  }
}

test('in any case, with and without marks; as it is now', async () => {
  const database = openDatabase(':memory:', {migrations: MIGRATIONS})
  const record = await reservation()
  addReservation(database, {clientId: 'cid_sandbox', debitedMinor: 0n, paymentToken: null, record})
  const finds = (search: string) =>
    browseReservations(database, {status: null, search}, {before: null, limit: 10}).items.length === 1
  const words = ['trip-mcx', 'TRIP-MCX-7', 'istanbul ılıca', 'OTELİ', 'öĞÜT ayşe', 'ogut', 'o’neill brian']
  expect(words.filter(word => !finds(word))).toEqual([])
  expect(finds('nobody')).toBe(false)

  database.run('UPDATE reservations SET search_text = NULL')
  expect(finds('ogut')).toBe(false)
  addSearchTexts(database)
  expect(finds('ogut')).toBe(true)

  saveReservation(database, {...record, guests: [{...ADULT, name: 'Renée', surname: 'Dupont'}]})
  expect([finds('RENEE'), finds('brian')]).toEqual([true, false])
  database.close()
})
