/** Exactly one reservation, between real processes that are killed (§4.4). */
import {mkdtempSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {afterAll, beforeAll, beforeEach, expect, test} from 'vitest'
import {type ReserveOutcome, reserve} from '../../src/api/reserve.js'
import {openState} from '../../src/state/state.js'
import {CLIENT_ID, connect, intentFor} from '../support/booking.js'
import {ScriptedService} from '../support/scripted-service.js'
import {KILL_POINTS, Worker} from '../support/workers.js'

const PROCESSES = 30
const KILLS = Number(process.env.BOOKCTL_TEST_KILLS ?? 12)
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

const job = (offer: string, killAt?: string) => ({
  do: 'reserve' as const,
  directory,
  baseUrl: service.baseUrl,
  timeoutSeconds: 60,
  offer,
  ...(killAt === undefined ? {} : {killAt}),
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

/** One reservation there, one key and body on the wire, and the run again shows it. */
async function expectOne(offer: string): Promise<void> {
  const again = await rerun(offer)
  const there = service.reservations.filter(each => each.offer === offer)
  expect(there.map(each => each.ref)).toEqual([again.reservation_ref])
  const sent = service.seen('/reservations/hotel').filter(request => request.body.includes(`"${offer}"`))
  expect(new Set(sent.map(request => request.headers['idempotency-key'] + request.body)).size).toBe(1)
  expect(again).toMatchObject({outcome: 'confirmed', idempotency_key: there[0]?.key})
}

test.each(KILL_POINTS)('killed at %s, then run again', async killAt => {
  const worker = await Worker.start()
  expect(await worker.run(job('off_1', killAt))).toEqual({killed: true})
  await expectOne('off_1')
})

test.each(['on arrival', 'after the service committed', 'in the middle of the answer'])(
  'killed %s, then run again',
  async moment => {
    const worker = await Worker.start()
    service.script = async (request, response) => {
      if (request.path !== '/reservations/hotel' || service.seen(request.path).length > 1) return false
      if (moment !== 'on arrival') service.commit(request)
      if (moment === 'in the middle of the answer') {
        response.writeHead(201, {'content-type': 'application/json'}).write('{"data": {"reservation_ref": "R')
      }
      const ended = new Promise(resolve => worker.process.once('exit', resolve))
      worker.kill()
      await ended
      response.destroy()
      return true
    }
    expect(await worker.run(job('off_1'))).toEqual({killed: true})
    await expectOne('off_1')
  },
)

test(`killed at ${KILLS} random moments, each ends as one reservation`, async () => {
  let milliseconds = 150
  for (let n = 0; n < KILLS; n++) {
    const worker = await Worker.start()
    const started = performance.now()
    const killing = setTimeout(() => worker.kill(), Math.random() * milliseconds)
    const result = await worker.run(job(`off_${n}`))
    if (!result.killed) milliseconds = performance.now() - started
    clearTimeout(killing)
    worker.stop()
    await expectOne(`off_${n}`)
  }
  expect(service.reservations.length).toBe(KILLS)
}, 600_000)

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
}, 120_000)

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
}, 60_000)

test('a killed run is shown as unresolved until it is run again', async () => {
  const worker = await Worker.start()
  await worker.run(job('off_1', 'after-count'))
  const state = openState(directory)
  const client = {baseUrl: service.baseUrl, clientId: CLIENT_ID}
  expect(state.journal.list({unresolved: true, client})).toMatchObject([{outcome: 'unresolved', attempts: 1}])
  await rerun('off_1')
  expect(state.journal.list({unresolved: true, client})).toEqual([])
  expect(state.journal.list({client})).toMatchObject([{outcome: 'confirmed', attempts: 2, body: null}])
  state.close()
})
