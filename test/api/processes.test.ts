/** Exactly one reservation and one token, between real processes of which some are killed (§4.4, §5.6, §5.7). */
import {mkdtempSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {afterAll, beforeAll, beforeEach, expect, test} from 'vitest'
import type {ReserveOutcome} from '../../src/api/reserve/outcome.js'
import {openState} from '../../src/state/state.js'
import {tokenClientAt} from '../support/booking.js'
import {eventually} from '../support/eventually.js'
import {type Received, ScriptedService} from '../support/scripted-service.js'
import {type Result, Worker} from '../support/workers.js'

/** Enough to compete on a few cores; more only take longer to start. */
const PROCESSES = Number(process.env.BOOKCTL_TEST_PROCESSES ?? 8)
let service: ScriptedService
let workers: Worker[]
let directory: string

beforeAll(async () => {
  service = await ScriptedService.start()
  workers = await Worker.startMany(PROCESSES)
})

afterAll(() => {
  for (const worker of workers) worker.stop()
  service.close()
})

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'bookctl-test-'))
  service.forget()
  service.script = () => false
  return () => rmSync(directory, {recursive: true, force: true})
})

const parts = () => ({directory, baseUrl: service.baseUrl, timeoutSeconds: 60})
const reserve = (worker: Worker) => worker.run<ReserveOutcome>({do: 'reserve', offer: 'off_1', ...parts()})
const showAccount = (worker: Worker) => worker.run({do: 'account', ...parts()})
const ran = async <T>(job: (worker: Worker) => Promise<Result<T>>): Promise<T[]> => {
  const results = await Promise.all(workers.map(job))
  expect(results.filter(({value}) => value === undefined)).toEqual([])
  return results.map(({value}) => value as T)
}

/** Stores a token obtained `ageSeconds` ago, which the service does not know. */
function keepToken(ageSeconds: number): void {
  const state = openState(directory)
  const obtainedAt = Date.now() / 1000 - ageSeconds
  const scopes = ['account:read']
  const token = {
    access_token: 'stored',
    scopes,
    askedScopes: scopes,
    obtainedAt,
    expiresAt: obtainedAt + 7200,
  }
  state.tokens.put(tokenClientAt(service.baseUrl), token)
  state.close()
}

/** Kills the process that `job` runs in once its request to `path` has arrived, while all others wait for it. */
async function killIn<T>(
  path: string,
  job: (worker: Worker) => Promise<Result<T>>,
  act: (request: Received) => void = () => {},
): Promise<T[]> {
  const victim = await Worker.start()
  service.script = request => {
    if (request.path !== path || service.seen(path).length > 1) return false
    act(request)
    return new Promise(() => {})
  }
  const killed = job(victim)
  await eventually(() => expect(service.seen(path)).toHaveLength(1))
  const others = ran(job)
  victim.kill()
  expect(await killed).toEqual({killed: true})
  return others
}

test('many processes make the same reservation once: one key, one request, one token', async () => {
  const outcomes = await ran(reserve)
  expect(new Set(outcomes.map(({reservation_ref}) => reservation_ref))).toEqual(new Set(['R-1']))
  expect(new Set(outcomes.map(({client_reference_id}) => client_reference_id)).size).toBe(1)
  expect(outcomes.filter(({repeated}) => !repeated)).toHaveLength(1)
  expect(service.seen('/reservations/hotel')).toHaveLength(1)
  expect(service.seen('/oauth/token')).toHaveLength(1)
})

test('the sender is killed: the others end with the same reservation under the same key', async () => {
  service.reservations.length = 0
  const outcomes = await killIn('/reservations/hotel', reserve, request => service.commit(request))
  expect(new Set(outcomes.map(({reservation_ref}) => reservation_ref))).toEqual(new Set(['R-1']))
  const keys = service.seen('/reservations/hotel').map(({headers}) => headers['idempotency-key'])
  expect(new Set(keys).size).toBe(1)
  expect(service.reservations).toHaveLength(1)
})

test('an expired token is renewed by one request', async () => {
  keepToken(7300)
  await ran(showAccount)
  expect(service.seen('/oauth/token')).toHaveLength(1)
  expect(service.seen('/account')).toHaveLength(PROCESSES)
})

test('a token the service no longer knows is renewed by one request, with one repeat each', async () => {
  keepToken(10)
  await ran(showAccount)
  expect(service.seen('/oauth/token')).toHaveLength(1)
  expect(service.seen('/account').length).toBeLessThanOrEqual(2 * PROCESSES)
})

test('the process that requests the token is killed: the others succeed with one more request', async () => {
  keepToken(7300)
  await killIn('/oauth/token', showAccount)
  expect(service.seen('/oauth/token')).toHaveLength(2)
})
