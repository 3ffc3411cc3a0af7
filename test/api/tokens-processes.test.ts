/** Exactly one token, between real processes (§5.6, §5.7). */
import {mkdtempSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {afterAll, beforeAll, beforeEach, expect, test} from 'vitest'
import {openState} from '../../src/state/state.js'
import {tokenClientAt} from '../support/booking.js'
import {ScriptedService} from '../support/scripted-service.js'
import {Worker} from '../support/workers.js'

const PROCESSES = Number(process.env.BOOKCTL_TEST_PROCESSES ?? 12)
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
  service.tokenLifetimeSeconds = 7200
  return () => rmSync(directory, {recursive: true, force: true})
})

/** Puts a token into the cache that was obtained `ageSeconds` ago and lives for `lifetimeSeconds`. */
function keepToken(access_token: string, ageSeconds: number, lifetimeSeconds = 7200): void {
  const state = openState(directory)
  const obtainedAt = Date.now() / 1000 - ageSeconds
  state.tokens.put(tokenClientAt(service.baseUrl), {
    access_token,
    scopes: ['account:read'],
    askedScopes: ['account:read'],
    obtainedAt,
    expiresAt: obtainedAt + lifetimeSeconds,
  })
  state.close()
}

function runAll() {
  const job = {do: 'account', directory, baseUrl: service.baseUrl, timeoutSeconds: 60} as const
  return Promise.all(workers.map(worker => worker.run(job)))
}

const failed = (results: Awaited<ReturnType<typeof runAll>>) =>
  results.filter(result => result.value === undefined)

test(`${PROCESSES} processes with an expired token: one token request, all succeed`, async () => {
  keepToken('expired', 7300)
  expect(failed(await runAll())).toEqual([])
  expect(service.seen('/oauth/token').length).toBe(1)
  expect(service.seen('/account').length).toBe(PROCESSES)
})

test(`${PROCESSES} processes with a token the service no longer knows: one renewal, one repeat each`, async () => {
  keepToken('revoked', 10)
  expect(failed(await runAll())).toEqual([])
  expect(service.seen('/oauth/token').length).toBe(1)
  expect(service.seen('/account').length).toBeLessThanOrEqual(2 * PROCESSES)
})

test('the asking process is killed in its request: the others succeed with one request more', async () => {
  keepToken('expired', 7300)
  const arrived = new Promise<void>(resolve => {
    service.script = async request => {
      if (request.path !== '/oauth/token' || service.seen('/oauth/token').length > 1) return false
      resolve()
      await new Promise(() => {})
      return true
    }
  })
  const victim = await Worker.start()
  const job = {do: 'account', directory, baseUrl: service.baseUrl, timeoutSeconds: 60} as const
  const killed = victim.run(job)
  await arrived
  const others = runAll()
  victim.kill()
  expect(await killed).toEqual({killed: true})
  expect(failed(await others)).toEqual([])
  expect(service.seen('/oauth/token').length).toBe(2)
})
