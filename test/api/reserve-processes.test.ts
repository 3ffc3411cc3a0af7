/** Exactly one reservation, between real processes that are killed (§4.4). */
import {mkdtempSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {afterAll, beforeAll, beforeEach, expect, test} from 'vitest'
import type {ReserveOutcome} from '../../src/api/reserve/outcome.js'
import {reserve} from '../../src/api/reserve/reserve.js'
import {openState} from '../../src/state/state.js'
import {CLIENT_ID, connect, intentFor} from '../support/booking.js'
import {ScriptedService} from '../support/scripted-service.js'
import {Worker} from '../support/workers.js'

const PROCESSES = 30
let service: ScriptedService
let directory: string

beforeAll(async () => {
  service = await ScriptedService.start()
})
afterAll(() => service.close())

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'bookctl-test-'))
  service.forget()
  service.reservations.length = 0
  service.script = () => false
  return () => rmSync(directory, {recursive: true, force: true})
})

const job = (offer: string) => ({
  do: 'reserve' as const,
  directory,
  baseUrl: service.baseUrl,
  timeoutSeconds: 60,
  offer,
})

/** Runs the same command again in this process, with a client reference newly made up. */
async function rerun(offer: string): Promise<ReserveOutcome> {
  const parts = connect({directory, baseUrl: service.baseUrl})
  try {
    return await reserve(parts.reserveParts, intentFor(offer))
  } finally {
    await parts.close()
  }
}

test(`${PROCESSES} processes making the same reservation: one key, one request, one reservation`, async () => {
  const workers = await Worker.startMany(PROCESSES)
  const results = await Promise.all(workers.map(worker => worker.run<ReserveOutcome>(job('off_1'))))
  for (const worker of workers) worker.stop()
  expect(results.filter(result => result.value === undefined)).toEqual([])
  expect(new Set(results.map(result => result.value?.reservation_ref))).toEqual(new Set(['R-1']))
  expect(new Set(results.map(result => result.value?.client_reference_id)).size).toBe(1)
  expect(results.filter(result => !result.value?.repeated).length).toBe(1)
  expect(service.seen('/reservations/hotel').length).toBe(1)
  expect(service.seen('/oauth/token').length).toBe(1)
})

test('the sender among many is killed: the others end with the same reservation under the same key', async () => {
  const workers = await Worker.startMany(6)
  let victim: Promise<unknown> | undefined
  service.script = async request => {
    if (request.path !== '/reservations/hotel' || service.seen(request.path).length > 1) return false
    service.commit(request)
    workers[0]?.kill()
    await victim
    return true
  }
  victim = new Promise(resolve => workers[0]?.process.once('exit', resolve))
  const first = workers[0]?.run(job('off_1'))
  await new Promise<void>(resolve => {
    const timer = setInterval(() => {
      if (service.seen('/reservations/hotel').length === 0) return
      clearInterval(timer)
      resolve()
    }, 5)
  })
  const others = await Promise.all(workers.slice(1).map(worker => worker.run<ReserveOutcome>(job('off_1'))))
  for (const worker of workers) worker.stop()
  expect(await first).toEqual({killed: true})
  expect(new Set(others.map(result => result.value?.reservation_ref))).toEqual(new Set(['R-1']))
  expect(
    new Set(service.seen('/reservations/hotel').map(request => request.headers['idempotency-key'])).size,
  ).toBe(1)
  expect(service.reservations.length).toBe(1)
})

test('a killed run is shown as unresolved until it is run again', async () => {
  const worker = await Worker.start()
  service.script = request => {
    if (request.path === '/reservations/hotel') worker.kill()
    return request.path === '/reservations/hotel'
  }
  await worker.run(job('off_1'))
  service.script = () => false
  const state = openState(directory)
  const client = {baseUrl: service.baseUrl, clientId: CLIENT_ID}
  expect(state.journal.list({unresolved: true, client})).toMatchObject([{outcome: 'unresolved', attempts: 1}])
  await rerun('off_1')
  expect(state.journal.list({unresolved: true, client})).toEqual([])
  expect(state.journal.list({client})).toMatchObject([{outcome: 'confirmed', attempts: 2, body: null}])
  state.close()
})
