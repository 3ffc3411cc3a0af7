/** What the record of a reservation says of its course, compared with the events that the local sandbox sent (§6.1). */
import {afterAll, beforeAll, beforeEach, expect, test} from 'vitest'
import {courseOf} from '../../../../src/cli/features/reserve/course.js'
import {dueEvents} from '../../../../src/contract/due-events.js'
import {type SandboxClient, startSandbox, TEST_START, type TestSandbox} from '../../../support/sandbox.js'

let sandbox: TestSandbox
let client: SandboxClient
let now = TEST_START
beforeAll(async () => {
  sandbox = await startSandbox({inProcess: true, clock: () => now})
  client = await sandbox.client()
})
beforeEach(() => {
  now += 60
})
afterAll(() => sandbox.close())

/** Returns the events that the record says were due, and those that the sandbox sent about the reservation. */
async function compare(reference: string) {
  const reservation = await client.get(`/reservations/${reference}`)
  const sent = (await sandbox.listed('events')).filter(({data}) => data.reservation_ref === reference)
  return {
    due: dueEvents(courseOf({reservation})).map(({type, due_at}) => ({type, due_at})),
    sent: sent.map(({type, created}) => ({type, due_at: created})),
  }
}

const pay = (reference: string, result: 'paid' | 'failed') =>
  sandbox.control('POST', `/_sandbox/payments/${reference}`, {result})
const instant = (id: string) => ({client_reference_id: id, payment: {mode: 'instant'}})

test('a reservation on the account was confirmed, and its voucher produced, when it was made', async () => {
  const {reservation_ref} = await client.book({client_reference_id: 'course-1'})
  const {due, sent} = await compare(reservation_ref)
  expect(due.map(({type}) => type)).toEqual(['reservation.confirmed', 'voucher.ready'])
  expect(due).toEqual(sent)
})

test('an instant reservation causes nothing before it is paid, then three events', async () => {
  const {reservation_ref} = await client.book(instant('course-2'))
  expect(await compare(reservation_ref)).toEqual({due: [], sent: []})
  now += 60
  await pay(reservation_ref, 'paid')
  const {due, sent} = await compare(reservation_ref)
  expect(due.map(({type}) => type)).toEqual(['payment.captured', 'reservation.confirmed', 'voucher.ready'])
  expect(due).toEqual(sent)
})

test('a failed payment, and the end of the time to pay, cause an event each', async () => {
  const {reservation_ref} = await client.book(instant('course-3'))
  now += 60
  await pay(reservation_ref, 'failed')
  const failed = await compare(reservation_ref)
  expect(failed.due.map(({type}) => type)).toEqual(['payment.failed'])
  expect(failed.due).toEqual(failed.sent)
  now += 3600
  const {due, sent} = await compare(reservation_ref)
  expect(due.map(({type}) => type)).toEqual(['reservation.cancelled'])
  expect(sent).toContainEqual(due[0])
})

test('a cancelled reservation was confirmed; that it had a voucher is no longer known', async () => {
  const {reservation_ref} = await client.book({client_reference_id: 'course-4'})
  now += 60
  await client.call('POST', `/reservations/${reservation_ref}/cancel`, {})
  const {due, sent} = await compare(reservation_ref)
  expect(due.map(({type}) => type)).toEqual(['reservation.confirmed', 'reservation.cancelled'])
  expect(sent).toEqual(expect.arrayContaining(due))
})

test('a record that names no mode and no times causes only what its words say', () => {
  const at = {due_at: null}
  const due = (reservation: Record<string, unknown>) =>
    dueEvents(courseOf({reservation: {reservation_ref: 'RSV-1', ...reservation}}))
  expect(due({status: 'CONFIRMED'})).toEqual([{type: 'reservation.confirmed', ...at}])
  expect(due({status: 'Confirmed', created_at: '2030-06-01 12:00'})).toEqual([
    {type: 'reservation.confirmed', ...at},
  ])
  expect(due({status: 'ON_REQUEST', payment: {mode: 'account'}})).toEqual([])
  expect(due({status: 'REJECTED', payment: {mode: 'account'}})).toEqual([])
  expect(due({status: 'NOT_CANCELLED'})).toEqual([])
  expect(due({status: 'Cancelled'})).toEqual([{type: 'reservation.cancelled', ...at}])
})
