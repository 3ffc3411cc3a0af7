/** What `reserve` makes of every answer, and of what was tried before (§3, §4.4). */
import {mkdtempSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {afterAll, beforeAll, beforeEach, describe, expect, test} from 'vitest'
import {intentOf} from '../../src/api/reserve/intent.js'
import {reserve, resume} from '../../src/api/reserve/reserve.js'
import {Failure} from '../../src/contract/failure.js'
import type {ReservationIntent} from '../../src/contract/journal.js'
import {openMemoryJournal} from '../../src/state/state.js'
import {StorageError} from '../../src/storage/errors.js'
import {
  CLIENT_ID,
  connect,
  intentFor,
  type Parts,
  type PartsOptions,
  requestFor,
  tokenClientAt,
} from '../support/booking.js'
import {answer, refuse, type Script, ScriptedService} from '../support/scripted-service.js'

let service: ScriptedService
let directory: string
const opened: Parts[] = []
/** Waits cost nothing: the clock is moved on instead. */
let slept = 0
const clock = {
  now: () => Date.now() / 1000 + slept,
  sleep: async (milliseconds: number) => {
    slept += milliseconds / 1000
  },
}

beforeAll(async () => {
  service = await ScriptedService.start()
  service.tokenMilliseconds = 0
})
afterAll(() => service.close())

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'bookctl-test-'))
  service.forget()
  service.reservations.length = 0
  service.script = () => false
  service.honoursKey = true
  return async () => {
    for (const parts of opened.splice(0)) await parts.close()
    rmSync(directory, {recursive: true, force: true})
  }
})

/** The parts of a new process. */
function open(options: Partial<PartsOptions> = {}): Parts {
  const parts = connect({directory, baseUrl: service.baseUrl, clock, ...options})
  opened.push(parts)
  return parts
}

const run = (intent: ReservationIntent = intentFor('off_1', 'ref-1')) => reserve(open().reserveParts, intent)
const sent = () => service.seen('/reservations/hotel')
const keys = () => sent().map(request => String(request.headers['idempotency-key']))
const entries = () => open().state.journal.list({client: {baseUrl: service.baseUrl, clientId: CLIENT_ID}})

/** Answers the nth reservation request with the nth script, and later ones with the last. */
function scripted(...scripts: Script[]): void {
  service.script = (request, response) => {
    if (request.path !== '/reservations/hotel') return false
    const script = scripts[Math.min(sent().length, scripts.length) - 1] as Script
    return script(request, response)
  }
}
const usual: Script = () => false
const continued: Script = (_, response) => {
  response.writeContinue()
  return false
}
const drop: Script = (_, response) => {
  response.destroy()
  return true
}
const commitThenDrop: Script = (request, response) => {
  service.commit(request)
  return drop(request, response)
}
const refusing =
  (status: number, code = 'no'): Script =>
  (_, response) => {
    refuse(response, status, code)
    return true
  }
const answering =
  (body: object, status = 201): Script =>
  (_, response) => {
    answer(response, status, body)
    return true
  }
const raw =
  (status: number, body: string, headers: Record<string, string> = {}): Script =>
  (_, response) => {
    response.writeHead(status, headers).end(body)
    return true
  }

test('sends the bytes of the journal, which are exactly §2.4, with a UUID as key', async () => {
  const intent = intentFor('off_1', 'ref-1')
  const body = JSON.stringify(JSON.parse(intent.body), null, 1)
  await run({...intent, body})
  expect(sent()[0]?.body).toBe(body)
  expect(JSON.parse(sent()[0]?.body ?? '')).toEqual(requestFor('off_1', 'ref-1'))
  expect(keys()[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
})

describe('a success', () => {
  test.each([
    ['CONFIRMED', {reservation_ref: 'R', status: 'CONFIRMED'}, 'confirmed'],
    ['pending', {data: {reservation: {reservation_ref: 'R', status: 'PENDING_PAYMENT'}}}, 'pending_payment'],
    ['cancelled', {reservation_ref: 'R', status: 'CANCELLED'}, 'cancelled'],
    ['a new word', {reservation_ref: 'R', status: 'ON_REQUEST'}, 'on_request'],
    ['our own word', {reservation_ref: 'R', status: 'UNKNOWN'}, 'status_unknown'],
    ['a word that frees the offer with us', {reservation_ref: 'R', status: 'FAILED'}, 'failed'],
    ['no status', {reservation_ref: 'R'}, 'accepted'],
    [
      'no status but a link',
      {reservation_ref: 'R', payment: {url: 'https://pay.example/1'}},
      'pending_payment',
    ],
  ])('%s', async (_, body, outcome) => {
    scripted(answering(body))
    expect(await run()).toMatchObject({outcome, reservation_ref: 'R', attempts: 1, repeated: false})
    const {status = null} = body as {status?: string}
    const wrapped = 'data' in body ? 'PENDING_PAYMENT' : status
    expect(await run()).toMatchObject({
      ...{outcome, reservation_ref: 'R', status: wrapped, attempts: 1, repeated: true},
    })
    expect(sent().length).toBe(1)
  })

  test('keeps nothing about people in the journal', async () => {
    const outcome = await run()
    expect(outcome.reservation).toHaveProperty('guests')
    expect((await run()).reservation).toMatchObject({reservation_ref: 'R-1', hotel: {name: 'Otel'}})
    expect(JSON.stringify(entries())).not.toContain('Öğüt')
    expect(entries()).toMatchObject([{body: null, outcome: 'confirmed', reservationRef: 'R-1'}])
  })
})

describe('the outcome is unknown, and the next run asks with the same key and body', () => {
  test.each<[string, Script[]]>([
    ['2xx without a reservation', [answering({data: {}})]],
    [
      '2xx that refuses, and names another reservation',
      [answering({error: {code: 'offer_already_used', details: {reservation_ref: 'R-of-another'}}})],
    ],
    ['2xx that is not JSON', [raw(200, '<html>')]],
    ['2xx that is empty', [raw(204, '')]],
    ['501', [refusing(501)]],
    ['500 each time', [refusing(500)]],
    ['a redirect of the kind that drops the body', [raw(303, '', {location: 'http://127.0.0.1:9/'})]],
    ['a lost answer each time', [drop]],
    ['100 Continue, which was not asked for, before each answer', [continued]],
    ['a lost answer, then a refusal', [drop, refusing(402, 'insufficient_balance')]],
    ['a lost answer, then 401', [drop, refusing(401)]],
    [
      'a lost answer, then a redirect that keeps the body',
      [drop, raw(308, '', {location: 'http://127.0.0.1:9/'})],
    ],
    ['500, then a refusal', [refusing(500), refusing(410, 'offer_expired')]],
    ['in progress to the end', [refusing(409, 'idempotency_in_progress')]],
    [
      'in progress, with no time to ask again',
      [raw(409, '{"error":{"code":"idempotency_in_progress"}}', {'retry-after': '1000'})],
    ],
    ['in progress, then a refusal', [refusing(409, 'still_processing'), refusing(402)]],
  ])('%s', async (_, scripts) => {
    scripted(...scripts)
    const failure = await run().catch(error => error)
    expect(failure).toMatchObject({
      kind: 'outcome_unknown',
      details: {
        code: 'outcome_unknown',
        hint: expect.stringContaining('bookctl reserve --resume ref-1'),
        result: {
          ...{outcome: 'unknown', reservation_ref: null, status: null, payment_url: null, reservation: null},
          ...{client_reference_id: 'ref-1', idempotency_key: keys()[0], attempts: sent().length},
        },
      },
    })
    expect(entries()).toMatchObject([{outcome: 'unknown', lost: true, attempts: sent().length}])
    service.script = usual
    expect(await run()).toMatchObject({outcome: 'confirmed', repeated: true})
    expect(new Set(sent().map(request => request.headers['idempotency-key'] + request.body)).size).toBe(1)
  })

  test('a service that ignores the key and says "already used" to the repeat', async () => {
    service.honoursKey = false
    scripted(commitThenDrop, usual)
    await expect(run()).rejects.toMatchObject({
      kind: 'outcome_unknown',
      message: expect.stringMatching(/offer_already_used.*R-1/),
    })
    await expect(run()).rejects.toMatchObject({kind: 'outcome_unknown'})
    await expect(resume(open().reserveParts, 'ref-1')).rejects.toMatchObject({kind: 'outcome_unknown'})
    expect(new Set(keys()).size).toBe(1)
    expect(service.reservations.length).toBe(1)
  })

  test.each<[Script, RegExp]>([
    [raw(502, '<html><title>Bad gateway</title></html>'), /answered 502 .*Bad gateway/],
    [
      raw(303, '', {location: 'http://127.0.0.1:9/x?token=y'}),
      /redirect \(303\) to http:\/\/127\.0\.0\.1:9$/,
    ],
  ])('what the service said is named: %#', async (script, words) => {
    scripted(script)
    await expect(run()).rejects.toMatchObject({
      kind: 'outcome_unknown',
      message: expect.stringMatching(words),
    })
  })

  test('with a journal that is not kept, the way on is the same command with the same key', async () => {
    scripted(refusing(500))
    const {journal, close} = openMemoryJournal()
    const parts = {
      ...open().reserveParts,
      journal: journal.forClient({baseUrl: service.baseUrl, clientId: CLIENT_ID}),
      journalKept: false,
    }
    const failure = await reserve(parts, intentFor('off_1', "it's")).catch(error => error)
    close()
    const {hint} = failure.details
    expect(hint).toContain(`--idempotency-key ${keys()[0]} --client-reference 'it'\\''s'`)
    expect(hint).not.toContain('--resume')
  })

  test('no connection on the run again is still unknown', async () => {
    scripted(refusing(501))
    await expect(run()).rejects.toMatchObject({kind: 'outcome_unknown'})
    const {reserveParts} = open()
    const api = open({baseUrl: await closedBaseUrl()}).api
    await expect(reserve({...reserveParts, api}, intentFor('off_1', 'ref-1'))).rejects.toMatchObject({
      kind: 'outcome_unknown',
    })
  })
})

async function closedBaseUrl(): Promise<string> {
  const gone = await ScriptedService.start()
  const {baseUrl} = gone
  gone.close()
  return baseUrl
}

describe('an answer about another booking is not believed', () => {
  const foreign = {reservation_ref: 'RSV-OTHER', status: 'CONFIRMED'}
  test.each<[string, object, string[]]>([
    [
      'another reference and another offer',
      {client_reference_id: 'somebody-else', offer_id: 'off_other'},
      ['client reference somebody-else in place of ref-1', 'offer off_other in place of off_1'],
    ],
    [
      'another reference alone',
      {client_reference_id: 'somebody-else', offer_id: 'off_1'},
      ['client reference somebody-else in place of ref-1'],
    ],
    ['another offer alone', {offer_id: 'off_other'}, ['offer off_other in place of off_1']],
  ])('%s', async (_, echo, words) => {
    scripted(answering({data: {...foreign, ...echo}}))
    const failure = await run().catch(error => error)
    expect(failure).toMatchObject({
      kind: 'outcome_unknown',
      details: {
        code: 'outcome_unknown',
        status: 201,
        hint: expect.stringContaining('bookctl reserve --resume ref-1'),
        result: {outcome: 'unknown', reservation: null},
      },
    })
    for (const word of [...words, 'RSV-OTHER']) expect(failure.message).toContain(word)
    expect(entries()).toMatchObject([{outcome: 'unknown', reservationRef: null, result: null, attempts: 1}])
    await expect(resume(open().reserveParts, 'ref-1')).rejects.toMatchObject({kind: 'outcome_unknown'})
    service.script = usual
    expect(await resume(open().reserveParts, 'ref-1')).toMatchObject({reservation_ref: 'R-1', attempts: 3})
    expect(new Set(sent().map(request => request.headers['idempotency-key'] + request.body)).size).toBe(1)
  })

  test('control characters of the service do not reach the message', async () => {
    scripted(answering({data: {...foreign, client_reference_id: '\u001b[2Jx\ny'}}))
    const {message} = await run().catch(error => error)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is looked for
    expect(message).not.toMatch(/[\u0000-\u001f]/)
    expect(message).toContain('in place of ref-1')
  })

  test('one that repeats what was sent is', async () => {
    const echo = {client_reference_id: 'ref-1', offer_id: 'off_1', alternatives: [{offer_id: 'off_other'}]}
    scripted(answering({data: {reservation: {reservation_ref: 'R', status: 'CONFIRMED', ...echo}}}))
    expect(await run()).toMatchObject({outcome: 'confirmed', reservation_ref: 'R'})
  })
})

test('the answer lost after the service committed: the repeat finds the reservation', async () => {
  scripted(commitThenDrop, usual)
  expect(await run()).toMatchObject({outcome: 'confirmed', reservation_ref: 'R-1', attempts: 2})
  expect(new Set(keys()).size).toBe(1)
  expect(service.reservations.length).toBe(1)
})

test('asks again, under the same key, as long as it is in progress, which is no failed attempt', async () => {
  const working = Array.from({length: 6}, () => refusing(409, 'idempotency_in_progress'))
  scripted(...working, drop, usual)
  expect(await run()).toMatchObject({outcome: 'confirmed', attempts: 8})
  expect(new Set(keys()).size).toBe(1)
})

describe('a refusal that says there is a reservation already names it, and never says that there is none', () => {
  const json = (status: number, body: object) =>
    raw(status, JSON.stringify(body), {'content-type': 'application/json'})
  test.each<[string, Script, string | null]>([
    ['in the error', json(409, {error: {code: 'offer_already_used', reservation_ref: 'R-9'}}), 'R-9'],
    ['deep down', json(422, {title: 'No', data: {existing: {reservationRef: 'R-9'}}}), 'R-9'],
    ['by its code', json(409, {errors: [{code: 'DuplicateClientReference'}]}), null],
  ])('%s', async (_, script, reference) => {
    scripted(script)
    const error = await run().catch(error => error)
    expect(error).toMatchObject({kind: 'refused', details: {result: {reservation_ref: reference}}})
    expect(error.message).toContain(`already belongs to a reservation${reference === null ? '' : ': R-9'}`)
    expect(error.message).not.toContain('othing was reserved')
    expect(error.details.hint).toContain('bookctl journal')
  })

  test.each(['sold_out', 'RateChanged', 'insufficient_balance'])('%s names none', async code => {
    scripted(refusing(409, code))
    const error = await run().catch(error => error)
    expect(error.details.result).toBeUndefined()
  })
})

const NEVER_SENT = {kind: 'usage', details: {code: 'never_sent', result: {outcome: 'not_sent', attempts: 0}}}

describe('nothing was reserved, and the next run begins anew', () => {
  test.each<[string, Script, string]>([
    ['402', refusing(402, 'insufficient_balance'), 'refused'],
    ['409 already used', refusing(409, 'offer_already_used'), 'refused'],
    ['408', refusing(408), 'refused'],
    ['403', refusing(403, 'insufficient_scope'), 'not_allowed'],
    ['401 twice', refusing(401), 'not_allowed'],
    ['a redirect that keeps the body', raw(307, '', {location: 'http://127.0.0.1:9/'}), 'service_failed'],
  ])('%s', async (_, script, kind) => {
    scripted(script)
    await expect(run()).rejects.toMatchObject({kind})
    expect(entries()).toMatchObject([{outcome: kind === 'service_failed' ? 'failed' : 'refused', body: null}])
    service.script = usual
    expect(await run(intentFor('off_1', 'ref-1', 'Yılmaz'))).toMatchObject({
      outcome: 'confirmed',
      repeated: false,
    })
    expect(keys().at(-1)).not.toBe(keys()[0])
  })

  test('wrong credentials leave an entry of which nothing was sent', async () => {
    const {reserveParts} = open({clientSecret: 'sk_test_wrong'})
    await expect(reserve(reserveParts, intentFor('off_1', 'ref-1'))).rejects.toMatchObject({
      kind: 'not_allowed',
    })
    expect(entries()).toMatchObject([{outcome: 'not_sent', attempts: 0, body: null}])
    await expect(resume(open().reserveParts, 'ref-1')).rejects.toMatchObject(NEVER_SENT)
    expect(sent()).toEqual([])
  })

  test('a service that cannot be reached leaves an entry of which nothing was sent', async () => {
    await open().api.call('account.show')
    const baseUrl = await closedBaseUrl()
    const {reserveParts, state} = open({baseUrl})
    const api = open({baseUrl}).api
    const token = {
      access_token: 't',
      scopes: ['reservations:write'],
      askedScopes: [],
      obtainedAt: 0,
      expiresAt: 9e9,
    }
    state.tokens.put(tokenClientAt(baseUrl), token)
    const intent = intentFor('off_1', 'ref-1')
    await expect(reserve({...reserveParts, api}, intent)).rejects.toMatchObject({kind: 'unreachable'})
    expect(state.journal.list()).toMatchObject([{outcome: 'not_sent', attempts: 0, body: null}])
    await expect(resume({...reserveParts, api}, 'ref-1')).rejects.toMatchObject(NEVER_SENT)
    const other = intentFor('off_1', 'ref-1', 'Yılmaz')
    await expect(reserve({...reserveParts, api}, other)).rejects.toMatchObject({kind: 'unreachable'})
    expect(state.journal.list().length).toBe(1)
  })
})

describe('an earlier reservation in the way: nothing is sent', () => {
  test.each([
    ['the same reference, other guests', intentFor('off_1', 'ref-1', 'Yılmaz'), 'reference_in_use'],
    ['the same reference, another offer', intentFor('off_2', 'ref-1'), 'reference_in_use'],
    ['the same offer, another reference', intentFor('off_1', 'ref-2'), 'offer_in_use'],
    ['the same offer, no reference, other guests', intentFor('off_1', undefined, 'Yılmaz'), 'offer_in_use'],
    ['another key', intentFor('off_1', 'ref-1', undefined, 'other'), 'idempotency_key_differs'],
  ])('%s', async (_, intent, code) => {
    await run()
    service.forget()
    const told = {kind: 'usage', details: {code}, message: expect.stringContaining('ref-1')}
    await expect(run(intent)).rejects.toMatchObject(told)
    expect(sent()).toEqual([])
  })

  test('a key of another request', async () => {
    await run(intentFor('off_1', 'ref-1', undefined, 'mine'))
    await expect(run(intentFor('off_2', 'ref-2', undefined, 'mine'))).rejects.toMatchObject({
      details: {code: 'idempotency_key_in_use'},
    })
    expect(keys()).toEqual(['mine'])
  })
})

test('without a reference, the offer and the body find the first run', async () => {
  scripted(refusing(501))
  await expect(run(intentFor('off_1'))).rejects.toMatchObject({kind: 'outcome_unknown'})
  service.script = usual
  await run(intentFor('off_1'))
  expect(new Set(sent().map(request => request.body)).size).toBe(1)
})

test('the order of keys in the request does not make it another one', async () => {
  await run()
  const request = requestFor('off_1', 'ref-1')
  const turned = Object.fromEntries(Object.entries(request).reverse()) as typeof request
  const given = {referenceGiven: true, idempotencyKey: 'another', keyGiven: false}
  expect(await run(intentOf(turned, given))).toMatchObject({repeated: true})
  expect(sent().length).toBe(1)
})

describe('resume', () => {
  test('sends the same body with the same key, or tells what is known', async () => {
    scripted(commitThenDrop, refusing(501))
    await expect(run()).rejects.toMatchObject({kind: 'outcome_unknown'})
    service.script = usual
    expect(await resume(open().reserveParts, 'ref-1')).toMatchObject({
      outcome: 'confirmed',
      reservation_ref: 'R-1',
    })
    const requests = sent().length
    expect(await resume(open().reserveParts, 'ref-1')).toMatchObject({
      outcome: 'confirmed',
      reservation_ref: 'R-1',
    })
    expect(sent().length).toBe(requests)
    expect(new Set(sent().map(request => request.headers['idempotency-key'] + request.body)).size).toBe(1)
  })

  test('says when there was nothing, or when it was refused', async () => {
    await expect(resume(open().reserveParts, 'ref-0')).rejects.toMatchObject({kind: 'usage'})
    scripted(refusing(402))
    await expect(run()).rejects.toMatchObject({kind: 'refused'})
    await expect(resume(open().reserveParts, 'ref-1')).rejects.toMatchObject({kind: 'refused'})
    expect(sent().length).toBe(1)
  })
})

describe('a fault of the disk', () => {
  const fault = () => {
    throw new StorageError('full', 'no space left', 'free some')
  }

  test('before the first byte: nothing is sent', async () => {
    for (const broken of [{begin: fault}, {attempt: fault}]) {
      const {reserveParts} = open()
      const journal = {...reserveParts.journal, ...broken}
      await expect(reserve({...reserveParts, journal}, intentFor('off_1', 'ref-1'))).rejects.toThrow(
        StorageError,
      )
    }
    expect(sent()).toEqual([])
  })

  test('while recording the outcome: it is returned all the same, with a warning', async () => {
    const {reserveParts} = open()
    const journal = {...reserveParts.journal, settle: fault}
    const warnings: string[] = []
    const outcome = await reserve({...reserveParts, journal}, intentFor('off_1', 'ref-1'), {
      warn: message => warnings.push(message),
    })
    expect(outcome).toMatchObject({outcome: 'confirmed', reservation_ref: 'R-1'})
    expect(warnings.length).toBe(1)
    expect(await run()).toMatchObject({reservation_ref: 'R-1', repeated: true})
  })

  test.each([
    ['the disk', fault],
    [
      'the journal',
      () => {
        throw new Failure('usage', 'given up', {code: 'begun_elsewhere'})
      },
    ],
  ])('stopped by %s between two attempts, the outcome is unknown', async (_, stop: () => never) => {
    scripted(drop)
    const {reserveParts} = open()
    let attempts = 0
    const attempt: typeof reserveParts.journal.attempt = (id, now) =>
      ++attempts > 1 ? stop() : reserveParts.journal.attempt(id, now)
    const journal = {...reserveParts.journal, attempt}
    await expect(reserve({...reserveParts, journal}, intentFor('off_1', 'ref-1'))).rejects.toMatchObject({
      kind: 'outcome_unknown',
    })
    expect(entries()).toMatchObject([{outcome: 'unknown', attempts: 1}])
  })
})

test('a wait for another process that ends is unknown, and nothing was sent', async () => {
  const holder = open()
  const {reserveParts} = open({timeoutSeconds: 0.2})
  scripted(refusing(501))
  await expect(run()).rejects.toMatchObject({kind: 'outcome_unknown'})
  service.forget()
  const waiting = () => reserve(reserveParts, intentFor('off_1', 'ref-1'))
  await holder.reserveParts.journal.alone(
    'off_1',
    1000,
    async () => {
      await expect(waiting()).rejects.toMatchObject({
        kind: 'outcome_unknown',
        details: {hint: expect.stringContaining('--resume ref-1')},
      })
    },
    () => undefined,
  )
  expect(sent()).toEqual([])
})
