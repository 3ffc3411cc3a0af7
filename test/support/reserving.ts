/** For each test, a scripted service and a new directory, with the real parts in between. */
import {mkdtempSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {afterAll, beforeAll, beforeEach, expect} from 'vitest'
import {reserve, resume} from '../../src/api/reserve/reserve.js'
import type {ReservationIntent} from '../../src/contract/journal.js'
import {CLIENT_ID, connect, intentFor, type Parts, type PartsOptions, tokenClientAt} from './booking.js'
import {drop, type Received, type Script, ScriptedService} from './scripted-service.js'

interface Place {
  service: ScriptedService
  directory: string
  /** Opens the parts as a new process would. */
  open(options?: Partial<PartsOptions>): Parts
  /** Returns the reservation requests received so far. */
  sent(): Received[]
  keys(): string[]
  /** Answers the nth reservation request with the nth script, and later ones with the last script. */
  scripted(...scripts: Script[]): void
}

/** Prepares a test file; call it at the top level. `options` are passed to every `open`. */
export function reservingAt(options: Partial<PartsOptions> = {}): Place {
  const opened: Parts[] = []
  const sent = () => place.service.seen('/reservations/hotel')
  const place = {
    open(more: Partial<PartsOptions> = {}) {
      const parts = connect({directory: place.directory, baseUrl: place.service.baseUrl, ...options, ...more})
      opened.push(parts)
      return parts
    },
    sent,
    keys: () => sent().map(({headers}) => String(headers['idempotency-key'])),
    scripted(...scripts: Script[]) {
      place.service.script = (request, response) => {
        if (request.path !== '/reservations/hotel') return false
        return (scripts[Math.min(sent().length, scripts.length) - 1] as Script)(request, response)
      }
    },
  } as Place
  beforeAll(async () => {
    place.service = await ScriptedService.start()
  })
  afterAll(() => place.service.close())
  beforeEach(() => {
    place.directory = mkdtempSync(join(tmpdir(), 'bookctl-test-'))
    place.service.forget()
    place.service.reservations.length = 0
    const usual = {honoursKey: true, tokenMilliseconds: 0, script: () => false}
    Object.assign(place.service, usual)
    return async () => {
      for (const parts of opened.splice(0)) await parts.close()
      rmSync(place.directory, {recursive: true, force: true})
    }
  })
  return place
}

/** Like `reservingAt`, but waits take no time, and helpers make and resume one reservation. */
export function reservingInNoTime() {
  let slept = 0
  const now = () => Date.now() / 1000 + slept
  const sleep = async (milliseconds: number) => {
    slept += milliseconds / 1000
  }
  const place = reservingAt({clock: {now, sleep}})
  const commitThenDrop: Script = (request, response) => {
    place.service.commit(request)
    return drop(request, response)
  }
  return Object.assign(place, {
    commitThenDrop,
    run: (intent: ReservationIntent = intentFor('off_1', 'ref-1')) =>
      reserve(place.open().reserveParts, intent),
    resumed: () => resume(place.open().reserveParts, 'ref-1'),
    entries: () =>
      place.open().state.journal.list({client: {baseUrl: place.service.baseUrl, clientId: CLIENT_ID}}),
    /** Expects the same key and body in every request so far. */
    expectSameRequests() {
      const requests = place.sent().map(({headers, body}) => headers['idempotency-key'] + body)
      expect(new Set(requests).size).toBe(1)
    },
  })
}

/** Stores a valid token for `baseUrl`, so that none is requested. */
export async function keepToken({state}: Parts, baseUrl: string): Promise<void> {
  const scopes = ['reservations:write']
  const token = {access_token: 't', scopes, askedScopes: [], obtainedAt: 0, expiresAt: 9e9}
  await state.tokens.put(tokenClientAt(baseUrl), token)
}

export const usual: Script = () => false
