/** How `reserve` understands every answer (§3, §4.4). */
import {describe, expect, test} from 'vitest'
import {reserve, resume} from '../../../src/api/reserve/reserve.js'
import {openMemoryJournal} from '../../../src/state/state.js'
import {CLIENT_ID, intentFor, requestFor} from '../../support/booking.js'
import {keepToken, reservingInNoTime, usual} from '../../support/reserving.js'
import {answering, drop, raw, refusing, type Script, ScriptedService} from '../../support/scripted-service.js'

const place = reservingInNoTime()
const {open, sent, keys, scripted, run, resumed, entries, commitThenDrop, expectSameRequests} = place
const UNKNOWN = {kind: 'outcome_unknown'}

const ELSEWHERE = {location: 'http://127.0.0.1:9/'}
const IN_PROGRESS = '{"error":{"code":"idempotency_in_progress"}}'
const continued: Script = (_, response) => {
  response.writeContinue()
  return false
}

/** Answers with a confirmed booking that has another client reference. */
const foreign = (offer_id: string) =>
  answering({
    data: {reservation_ref: 'RSV-OTHER', status: 'CONFIRMED', client_reference_id: 'other-ref', offer_id},
  })

/** Answers with a confirmed booking. `beside` is outside the reservation, `more` inside. */
const confirmed = (beside: object, more: object = {}) =>
  answering({data: {reservation_ref: 'R-9', status: 'CONFIRMED', ...more}, ...beside})

async function closedBaseUrl(): Promise<string> {
  const gone = await ScriptedService.start()
  const {baseUrl} = gone
  gone.close()
  return baseUrl
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
    ['a new word', {reservation_ref: 'R', status: 'ON_REQUEST'}, 'on_request'],
    ['our own word', {reservation_ref: 'R', status: 'UNKNOWN'}, 'status_unknown'],
    ['a word that frees the offer with us', {reservation_ref: 'R', status: 'FAILED'}, 'failed'],
    ['no status', {reservation_ref: 'R'}, 'accepted'],
    ['errors that are none', {reservation_ref: 'R', error: null, errors: [], error_code: '0'}, 'accepted'],
    ['only a link', {reservation_ref: 'R', payment: {url: 'https://p.example/1'}}, 'pending_payment'],
  ])('%s', async (_, body, outcome) => {
    scripted(answering(body))
    expect(await run()).toMatchObject({outcome, reservation_ref: 'R', attempts: 1, repeated: false})
    const {status = null} = body as {status?: string}
    const wrapped = 'data' in body ? 'PENDING_PAYMENT' : status
    const again = {outcome, reservation_ref: 'R', status: wrapped, attempts: 1, repeated: true}
    expect(await run()).toMatchObject(again)
    expect(sent().length).toBe(1)
  })

  test('keeps nothing about people in the journal', async () => {
    const outcome = await run()
    expect(outcome.reservation).toHaveProperty('guests')
    expect((await run()).reservation).toMatchObject({reservation_ref: 'R-1', hotel: {name: 'Otel'}})
    expect(JSON.stringify(await entries())).not.toContain('Öğüt')
    expect(await entries()).toMatchObject([{body: null, outcome: 'confirmed', reservationRef: 'R-1'}])
  })

  test('confirms at the first attempt where 100 Continue, which was not asked for, comes before each answer', async () => {
    scripted(continued)
    expect(await run()).toMatchObject({outcome: 'confirmed', repeated: false})
    expect(sent()).toHaveLength(1)
  })
})

describe('the outcome is unknown, and the next run asks with the same key and body', () => {
  test.each<[string, Script[]]>([
    ['2xx without a reservation', [answering({data: {}})]],
    [
      '2xx that refuses, and names another',
      [answering({error: {code: 'no', details: {reservation_ref: 'R-9'}}})],
    ],
    ['2xx that is not JSON', [raw(200, '<html>')]],
    ['501', [refusing(501)]],
    ['a redirect that drops the body', [raw(303, '', ELSEWHERE)]],
    ['a lost answer each time', [drop]],
    ['a lost answer, then a refusal', [drop, refusing(402, 'insufficient_balance')]],
    ['a lost answer, then a redirect that keeps the body', [drop, raw(308, '', ELSEWHERE)]],
    ['500, then a refusal', [refusing(500), refusing(410, 'offer_expired')]],
    ['in progress to the end', [refusing(409, 'idempotency_in_progress')]],
    ['in progress, with no time to ask again', [raw(409, IN_PROGRESS, {'retry-after': '1000'})]],
    ['in progress, then a refusal', [refusing(409, 'still_processing'), refusing(402)]],
    ['a reservation, and an error beside it', [confirmed({error: {code: 'no', message: 'no rooms'}})]],
    ['a reservation, and errors beside it', [confirmed({errors: [{message: 'no'}]})]],
    ['a reservation, and no success', [confirmed({success: false})]],
    ['a reservation in an answer that failed', [confirmed({status: 'error'})]],
    ['a reservation with an error of its own', [confirmed({}, {error: 'no rooms'})]],
    ['another booking', [foreign('off_2')]],
    ['another booking of the same offer', [foreign('off_1')]],
    ['several', [answering({data: [{reservation_ref: 'R-8'}, {reservation_ref: 'R-9'}]})]],
  ])('%s', async (_, scripts) => {
    scripted(...scripts)
    const failure = await run().catch(error => error)
    expect(failure).toMatchObject({
      kind: 'outcome_unknown',
      details: {
        code: 'outcome_unknown',
        hint: expect.stringContaining('bookctl reserve --resume ref-1'),
        result: {
          outcome: 'unknown',
          reservation_ref: null,
          status: null,
          payment_url: null,
          reservation: null,
          client_reference_id: 'ref-1',
          idempotency_key: keys()[0],
          attempts: sent().length,
        },
      },
    })
    const nothing = {outcome: 'unknown', reservationRef: null, result: null, lost: true}
    expect(await entries()).toMatchObject([{...nothing, attempts: sent().length}])
    place.service.script = usual
    expect(await run()).toMatchObject({outcome: 'confirmed', repeated: true})
    expectSameRequests()
  })

  test('a service that ignores the key and says "already used" to the repeat', async () => {
    place.service.honoursKey = false
    scripted(commitThenDrop, usual)
    const message = expect.stringMatching(/offer_already_used.*R-1/)
    await expect(run()).rejects.toMatchObject({...UNKNOWN, message})
    await expect(run()).rejects.toMatchObject(UNKNOWN)
    await expect(resumed()).rejects.toMatchObject(UNKNOWN)
    expect(new Set(keys()).size).toBe(1)
    expect(place.service.reservations.length).toBe(1)
  })

  test.each<[string, Script, RegExp]>([
    ['a page', raw(502, '<html><title>Bad gateway</title></html>'), /answered 502 .*Bad gateway/],
    [
      'a redirect',
      raw(303, '', {location: 'http://h.test:9/x?token=y'}),
      /redirect \(303\) to http:\/\/h\.test:9$/,
    ],
    [
      'another booking',
      foreign('off_2'),
      /client reference other-ref in place of ref-1, offer off_2 in place of off_1.*RSV-OTHER/,
    ],
    [
      'another booking of the same offer',
      foreign('off_1'),
      /other-ref in place of ref-1\b(?!, offer).*RSV-OTHER/,
    ],
  ])('the message has the words of the service: %s', async (_, script, words) => {
    scripted(script)
    await expect(run()).rejects.toMatchObject({...UNKNOWN, message: expect.stringMatching(words)})
  })

  test('with a journal that is not stored, the hint is the same command with the same key', async () => {
    scripted(refusing(500))
    const {journal, close} = openMemoryJournal()
    const parts = {
      ...open().reserveParts,
      journal: journal.forClient({
        baseUrl: place.service.baseUrl,
        clientId: CLIENT_ID,
        clientSecret: undefined,
      }),
      journalKept: false,
    }
    const {details} = await reserve(parts, intentFor('off_1', "it's")).catch(error => error)
    close()
    const {hint} = details
    expect(hint).toContain(`--idempotency-key ${keys()[0]} --client-reference 'it'\\''s'`)
    expect(hint).not.toContain('--resume')
  })

  test('no connection on the run again is still unknown', async () => {
    scripted(refusing(501))
    await expect(run()).rejects.toMatchObject(UNKNOWN)
    const {reserveParts} = open()
    const api = open({baseUrl: await closedBaseUrl()}).api
    await expect(reserve({...reserveParts, api}, intentFor('off_1', 'ref-1'))).rejects.toMatchObject(UNKNOWN)
  })
})

test('an answer that repeats what was sent is about this booking', async () => {
  const echo = {client_reference_id: 'ref-1', offer_id: 'off_1', alternatives: [{offer_id: 'off_2'}]}
  scripted(answering({data: {reservation: {reservation_ref: 'R', status: 'CONFIRMED', ...echo}}}))
  expect(await run()).toMatchObject({outcome: 'confirmed', reservation_ref: 'R'})
})

describe('a refusal that says there is a reservation already names it, and never says that there is none', () => {
  const json = (status: number, body: object) =>
    raw(status, JSON.stringify(body), {'content-type': 'application/json'})
  test.each<[string, Script, string | null]>([
    ['in the error', json(409, {error: {code: 'offer_already_used', reservation_ref: 'R-9'}}), 'R-9'],
    ['deep down', json(422, {title: 'No', data: {existing: {reservationRef: 'R-9'}}}), 'R-9'],
    ['by its code', json(409, {errors: [{code: 'DuplicateClientReference'}]}), null],
    ['as used again', json(422, {error: {code: 'IDEMPOTENCY_KEY_REUSED'}}), null],
  ])('%s', async (_, script, reference) => {
    scripted(script)
    const error = await run().catch(error => error)
    const result = {reservation_ref: reference, payment_url: null}
    expect(error).toMatchObject({kind: 'refused', details: {result}})
    expect(error.message).toContain(`already belongs to a reservation${reference === null ? '' : ': R-9'}`)
    expect(error.message).not.toContain('othing was reserved')
    expect(error.details.hint).toContain('bookctl journal')
  })

  test.each(['sold_out', 'RateChanged', 'insufficient_balance', 'CARD_REFUSED', 'MistakenGuest'])(
    '%s names none',
    async code => {
      scripted(refusing(409, code))
      const error = await run().catch(error => error)
      expect(error.details.result).toBeUndefined()
    },
  )
})

/** Answers 401, and from then on also refuses new tokens. */
const lockedOut: Script = (request, response) => {
  place.service.script = refusing(401)
  return refusing(401)(request, response)
}
const NEVER_SENT = {kind: 'usage', details: {code: 'never_sent', result: {outcome: 'not_sent', attempts: 0}}}

describe('nothing was reserved, and the next run starts again', () => {
  test.each<[string, Script, string]>([
    ['402', refusing(402, 'insufficient_balance'), 'refused'],
    ['409 already used', refusing(409, 'offer_already_used'), 'refused'],
    ['403', refusing(403, 'insufficient_scope'), 'not_allowed'],
    ['401 twice', refusing(401), 'not_allowed'],
    ['401, then no token', lockedOut, 'not_allowed'],
    ['a redirect that keeps the body', raw(307, '', ELSEWHERE), 'service_failed'],
  ])('%s', async (_, script, kind) => {
    scripted(script)
    await expect(run()).rejects.toMatchObject({kind})
    expect(await entries()).toMatchObject([
      {outcome: kind === 'service_failed' ? 'failed' : 'refused', body: null},
    ])
    place.service.script = usual
    const other = await run(intentFor('off_1', 'ref-1', 'Yılmaz'))
    expect(other).toMatchObject({outcome: 'confirmed', repeated: false})
    expect(keys().at(-1)).not.toBe(keys()[0])
  })

  test('wrong credentials leave an entry of which nothing was sent', async () => {
    const {reserveParts} = open({clientSecret: 'sk_test_wrong'})
    const failing = reserve(reserveParts, intentFor('off_1', 'ref-1'))
    await expect(failing).rejects.toMatchObject({kind: 'not_allowed'})
    expect(await entries()).toMatchObject([{outcome: 'not_sent', attempts: 0, body: null}])
    await expect(resumed()).rejects.toMatchObject(NEVER_SENT)
    expect(sent()).toEqual([])
  })

  test('a service that cannot be reached leaves an entry of which nothing was sent', async () => {
    await open().api.call('account.show')
    const baseUrl = await closedBaseUrl()
    const parts = open({baseUrl})
    const {reserveParts, state} = parts
    await keepToken(parts, baseUrl)
    const api = open({baseUrl}).api
    await expect(reserve({...reserveParts, api}, intentFor('off_1', 'ref-1'))).rejects.toMatchObject({
      kind: 'unreachable',
    })
    expect(await state.journal.list()).toMatchObject([{outcome: 'not_sent', attempts: 0, body: null}])
    await expect(resume({...reserveParts, api}, 'ref-1')).rejects.toMatchObject(NEVER_SENT)
    await expect(
      reserve({...reserveParts, api}, intentFor('off_1', 'ref-1', 'Yılmaz')),
    ).rejects.toMatchObject({kind: 'unreachable'})
    expect((await state.journal.list()).length).toBe(1)
  })
})
