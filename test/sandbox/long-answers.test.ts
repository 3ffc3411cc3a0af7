/** A sandbox that finds many offers in each search: those beyond the hotels of a city are like all others. */
import {afterEach, expect, test} from 'vitest'
import {startSandbox, TEST_START, type TestSandbox} from '../support/sandbox.js'
import {refusalOf} from './each-sandbox.js'
import {readPdf} from './pdf.js'

let sandbox: TestSandbox
afterEach(() => sandbox.close())

test('a hotel beyond those of its city keeps its hours and its telephone', async () => {
  sandbox = await startSandbox({inProcess: true, offers: 200})
  const client = await sandbox.client()
  const last = (await client.search()).at(-1)
  const {reservation_ref} = (await client.convert(last)).json.data
  const hotel = await client.get(`/hotels/${last.hotel.hotel_id}`)
  const path = `/reservations/${reservation_ref}`
  const {url} = (await client.get(`${path}/voucher`)).voucher
  const pdf = await sandbox.sandbox.handle(new Request(url))
  const {text} = await readPdf(new Uint8Array(await pdf.arrayBuffer()))
  for (const fact of [hotel.phone, `from ${hotel.check_in_from}`, `until ${hotel.check_out_until}`]) {
    expect(text).toContain(fact)
  }

  await sandbox.advance(Date.parse(`2030-07-10T${hotel.check_in_from}:00+03:00`) / 1000 - TEST_START)
  const late = await sandbox.client()
  expect(await refusalOf(late.call('GET', `${path}/cancellation-quote`))).toBe('409 not_cancellable')
  expect(await refusalOf(late.call('PATCH', path, {contact: {name: 'X'}}))).toBe('409 not_updatable')
})
