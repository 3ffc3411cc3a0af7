/** Writes the books that a service with many reservations is compared with: a journal, and a ledger. */
import {writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {STATE} from '../../../src/state/databases.js'
import {createDigest} from '../../../src/state/journal.js'
import {openDatabase} from '../../../src/storage/database.js'

const referenceOf = (n: number) => `RSV-${String(n).padStart(10, '0')}`
const amountOf = (n: number) => `${100 + (n % 900)}.50`

/** Writes a journal of `count` confirmed reservations of `client` into `directory`, in one transaction. */
export function writeJournal(directory: string, client: {baseUrl: string; clientId: string}, count: number) {
  const database = openDatabase(join(directory, STATE.name), STATE)
  const sql = `INSERT INTO reservations (base_url, client_id, client_reference_id, offer_id, idempotency_key, body, body_sha256,
    intent_sha256, outcome, reservation_ref, attempts, result, agreed, booked, trip, created_at, updated_at)
    VALUES (?, ?, ?, ?, ?, NULL, ?, ?, 'confirmed', ?, 1, ?, ?, ?, ?, ?, ?)`
  database.transaction(() => {
    for (let n = 0; n < count; n++) {
      const price = {price: amountOf(n), currency: 'EUR'}
      const hotel = {
        hotel_id: `h${n % 500}`,
        name: `Hotel ${n % 500}`,
        stars: 4,
        city: {id: 101, name: 'Istanbul'},
      }
      const result = {
        reservation_ref: referenceOf(n),
        status: 'CONFIRMED',
        hotel,
        check_in: '2030-06-01',
        check_out: '2030-06-04',
      }
      const trip = {
        guests: 'a'.repeat(64),
        stay: {check_in: '2030-06-01', check_out: '2030-06-04', rooms: [], city: 101},
      }
      const texts = [result, price, price, trip].map(value => JSON.stringify(value)) as [
        string,
        string,
        string,
        string,
      ]
      const hash = String(n).padStart(64, '0')
      const at = Date.UTC(2030, 0, 1) / 1000 + n * 60
      database.run(
        sql,
        client.baseUrl,
        client.clientId,
        `TRIP-${n}`,
        `off_${n}`,
        `key-${n}`,
        hash,
        hash,
        referenceOf(n),
        ...texts,
        at,
        at,
      )
    }
    database.run('DELETE FROM journal_digest')
    createDigest(database)
  })
  database.close()
}

/** Writes a ledger of the same reservations, and returns its path. */
export function writeLedger(directory: string, count: number): string {
  const path = join(directory, 'ledger.csv')
  const lines = Array.from(
    {length: count},
    (_, n) => `2030-06-01,TRIP-${n},"${amountOf(n).replace('.', ',')}",EUR,Confirmed,Hotel ${n % 500}`,
  )
  writeFileSync(path, ['Date,Booking,Total,Currency,State,Hotel', ...lines, ''].join('\r\n'))
  return path
}
