/** What was answered is there after SIGKILL, and one file has one sandbox. */
import {randomUUID} from 'node:crypto'
import {chmodSync, readdirSync, readFileSync, statSync} from 'node:fs'
import {join} from 'node:path'
import {expect, test} from 'vitest'
import {createSandbox} from '../../src/sandbox/sandbox.js'
import {connectTo, reservationRequest, startSandbox} from '../support/sandbox.js'
import {advanceClock, killableSandbox, STAY} from './killable.js'

const killable = killableSandbox()

test('a killed sandbox comes back at another port with what it had answered', async () => {
  const first = await killable.start()
  const client = await connectTo(first)
  const offers = await client.search(STAY)
  const body = reservationRequest(offers[0].offer_id)
  const key = randomUUID()
  const made = await client.reserve(body, key)
  const pending = await client.reserve(reservationRequest(offers[1].offer_id, {payment: {mode: 'instant'}}))
  await advanceClock(first, 600)
  await killable.kill()

  const origin = await killable.start()
  const again = await connectTo(origin)
  const shown = await again.call('GET', `/reservations/${made.json.data.reservation_ref}`)
  expect(shown.json.data).toEqual(made.json.data)
  const replayed = await again.reserve(body, key)
  expect([replayed.status, replayed.json]).toEqual([201, made.json])
  const waiting = await again.call('GET', `/reservations/${pending.json.data.reservation_ref}`)
  expect(waiting.json.data.payment.url.startsWith(`${origin}/pay/`)).toBe(true)
  const {balance} = await again.get('/account')
  expect(balance).toBe((100_000 - Number(made.json.data.price.total)).toFixed(2))
  const clock = (await (await fetch(`${origin}/_sandbox/clock`)).json()) as {now: string}
  expect(Date.parse(clock.now) - Date.now()).toBeGreaterThan(590_000)
})

test('refuses a file that another sandbox has open, until that one is killed', async () => {
  await killable.start()
  const database = join(killable.directory, 'sandbox.db')
  const busy = expect.objectContaining({
    fault: 'busy',
    message: expect.stringContaining('another local sandbox'),
    hint: expect.stringContaining('--db'),
  })
  expect(() => createSandbox({database})).toThrow(busy)
  await killable.kill()
  createSandbox({database}).close()
})

test('leaves alone the permissions of the directory of a file the user names', () => {
  const {directory} = killable
  chmodSync(directory, 0o755)
  createSandbox({database: join(directory, 'sandbox.db')}).close()
  expect(statSync(directory).mode & 0o777).toBe(0o755)
  expect(statSync(join(directory, 'sandbox.db')).mode & 0o777).toBe(0o600)
})

test('stores no client secret and no token', async () => {
  const {directory} = killable
  const sandbox = await startSandbox({database: join(directory, 'sandbox.db')})
  const client = await sandbox.client()
  await sandbox.close()
  // What is not yet in the file itself is in its log.
  const bytes = Buffer.concat(readdirSync(directory).map(name => readFileSync(join(directory, name))))
  expect(bytes.includes('cid_sandbox')).toBe(true)
  expect(bytes.includes('sk_test_sandbox')).toBe(false)
  expect(bytes.includes(client.token)).toBe(false)
})
