/** The main errand through a real socket: token, search, reserve from the balance, voucher. */
import {afterAll, beforeAll, expect, test} from 'vitest'
import {reservation} from '../../src/contract/reservations.js'
import {reservationRequest, startSandbox, type TestSandbox} from '../support/sandbox.js'

let sandbox: TestSandbox

beforeAll(async () => {
  sandbox = await startSandbox()
})
afterAll(() => sandbox.close())

test('a partner searches, reserves from the balance and fetches the voucher', async () => {
  const client = await sandbox.client()
  const [offer] = await client.search()
  const made = await client.reserve(reservationRequest(offer.offer_id))
  expect(made.status).toBe(201)
  const record = reservation.parse(made.json.data)
  expect(record).toMatchObject({status: 'CONFIRMED', payment: {status: 'PAID'}, nights: 3, live_mode: false})

  const account = await client.call('GET', '/account')
  expect(account.json.data.balance).toBe((100_000 - Number(offer.price.total)).toFixed(2))

  const link = await client.call('GET', `/reservations/${record.reservation_ref}/voucher`)
  expect(link.json.data.voucher.url).toMatch(new RegExp(`^${sandbox.origin}/vouchers/`))
  const pdf = await fetch(link.json.data.voucher.url)
  expect(pdf.headers.get('content-type')).toBe('application/pdf')
  const bytes = new Uint8Array(await pdf.arrayBuffer())
  expect(new TextDecoder().decode(bytes.subarray(0, 5))).toBe('%PDF-')
  expect(pdf.headers.get('content-length')).toBe(String(bytes.length))
})
