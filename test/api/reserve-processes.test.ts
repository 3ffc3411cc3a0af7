/** Exactly one reservation, between real processes that are killed (§4.4). */
import {mkdtempSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {afterAll, beforeAll, beforeEach, expect, test} from 'vitest'
import type {ReserveOutcome} from '../../src/api/reserve/outcome.js'
import {eventually} from '../support/eventually.js'
import {ScriptedService} from '../support/scripted-service.js'
import {Worker} from '../support/workers.js'

const PROCESSES = 12
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
  await eventually(() => expect(service.seen('/reservations/hotel')).not.toEqual([]))
  const others = await Promise.all(workers.slice(1).map(worker => worker.run<ReserveOutcome>(job('off_1'))))
  for (const worker of workers) worker.stop()
  expect(await first).toEqual({killed: true})
  expect(new Set(others.map(result => result.value?.reservation_ref))).toEqual(new Set(['R-1']))
  expect(
    new Set(service.seen('/reservations/hotel').map(request => request.headers['idempotency-key'])).size,
  ).toBe(1)
  expect(service.reservations.length).toBe(1)
})
