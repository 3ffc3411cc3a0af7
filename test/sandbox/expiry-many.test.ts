/** Many payments that expire, each at a moment of its own: the time is moved over them, and others are let in. */
import {expect, test} from 'vitest'
import {reservationRequest, startSandbox, TEST_START} from '../support/sandbox.js'

const MANY = 60

test('each expires, and between them everything else goes on', async () => {
  let time = TEST_START
  // Real time that goes on a little with every look at it.
  const sandbox = await startSandbox({inProcess: true, offers: MANY, clock: () => (time += 0.01)})
  const client = await sandbox.client()
  for (const {offer_id} of await client.search()) {
    const made = await client.reserve(reservationRequest(offer_id, {payment: {mode: 'instant'}}))
    expect(made.status).toBe(201)
  }
  let isMoving = true
  let turns = 0
  const turn = () => {
    turns += 1
    if (isMoving) setImmediate(turn)
  }
  setImmediate(turn)
  await sandbox.advance(3600)
  isMoving = false
  const listed = await client.call('GET', `/reservations?limit=${MANY}`)
  expect(listed.json.data.map(({status}: {status: string}) => status)).toEqual(Array(MANY).fill('EXPIRED'))
  expect(turns).toBeGreaterThan(MANY / 2)
  await sandbox.close()
})
