/** The report on one captured request: where its signature and id are read from, and how much of a body is examined. */
import {describe, expect, test} from 'vitest'
import type {CapturedRequest} from '../../../src/webhooks/captures/request.js'
import {check, MOST_KEPT_BYTES} from '../../../src/webhooks/diagnose/check.js'
import type {CheckTerms} from '../../../src/webhooks/diagnose/finding.js'
import {EVENT, SIGNING_SECRET, signatureOf} from '../../support/webhook-files.js'
import {checkTerms, T} from '../signed-events.js'

const VALID = {
  valid: true,
  reason: 'ok',
  event_id: 'evt_01',
  type: 'reservation.confirmed',
  timestamp: T,
  age_seconds: 10,
  secret: 'file',
  findings: [],
}

const SECRETS = [
  {name: 'other', secret: 'whsec_other'},
  {name: 'file', secret: SIGNING_SECRET},
]
const termsOf = (more: Partial<CheckTerms> = {}) => checkTerms({secrets: SECRETS, now: () => T + 10, ...more})

const requestOf = (more: Partial<CapturedRequest> = {}): CapturedRequest => ({
  headers: {'x-service-signature': signatureOf(EVENT, T), 'x-service-event-id': 'evt_01'},
  body: Buffer.from(EVENT),
  ...more,
})

async function* inPieces(...pieces: (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) yield Buffer.from(piece as string)
}

describe('a request', () => {
  test('that is valid has the same verdict whole and in pieces', async () => {
    expect(await check(requestOf(), termsOf())).toEqual(VALID)
    const body = inPieces(EVENT.slice(0, 9), EVENT.slice(9))
    expect(await check(requestOf({body}), termsOf())).toEqual(VALID)
  })

  test('without a header and an event has null for unknown fields', async () => {
    const result = await check(requestOf({headers: undefined, body: Buffer.from('{}')}), termsOf())
    const unknown = {event_id: null, type: null, timestamp: null, age_seconds: null, secret: null}
    const findings = [{code: 'unexplained'}]
    expect(result).toMatchObject({valid: false, reason: 'missing_header', ...unknown, findings})
  })

  test('is judged by flags rather than its headers', async () => {
    const wrong = {'x-service-signature': 'x', 'x-service-event-id': 'evt_02'}
    const given = termsOf({signature: signatureOf(EVENT, T), eventId: 'evt_01'})
    expect(await check(requestOf({headers: wrong}), given)).toEqual(VALID)
    const result = await check(requestOf(), termsOf({eventId: 'evt_02'}))
    const findings = [{code: 'event_id_header_changed'}]
    expect(result).toMatchObject({valid: false, reason: 'event_id_mismatch', event_id: 'evt_01', findings})
  })
})

test('a right signature of a malformed id is not valid, whatever the header says, and its cause is named', async () => {
  for (const id of ['evt_\ud800', 'evt_\0']) {
    const body = JSON.stringify({id, type: 'voucher.ready'})
    const headers = {'x-service-signature': signatureOf(body, T)}
    const findings = [
      {code: 'event_id_malformed', explanation: expect.stringContaining(JSON.stringify(id).slice(1, -1))},
    ]
    const refused = {valid: false, reason: 'event_id_mismatch', event_id: id, findings}
    expect(await check(requestOf({headers, body: Buffer.from(body)}), termsOf())).toMatchObject(refused)
    const given = termsOf({eventId: id})
    expect(await check(requestOf({headers, body: Buffer.from(body)}), given)).toMatchObject(refused)
  }
})

describe('looking for causes in vain', () => {
  const broken = (reason: 'mismatch' | 'late' | 'id') =>
    requestOf({
      body: Buffer.from(reason === 'mismatch' ? '{"other":"x"}' : EVENT),
      headers: {
        'x-service-signature': signatureOf(EVENT, reason === 'late' ? T - 900 : T),
        'x-service-event-id': reason === 'id' ? 'evt_02' : 'evt_01',
      },
    })

  test('stops after four hundred requests, and says so', async () => {
    const inVain = {count: 399}
    const terms = termsOf({inVain})
    const codes = async (reason: 'mismatch' | 'late' | 'id') => (await check(broken(reason), terms)).findings
    expect(await codes('mismatch')).toMatchObject([{code: 'unexplained'}])
    expect(inVain.count).toBe(400)
    expect(await codes('mismatch')).toEqual([
      {
        code: 'unexplained',
        explanation: 'The cause was not searched: none was found for 400 requests before this one.',
        fix: 'If the secret is right, verify this request alone.',
      },
    ])
    expect(inVain.count).toBe(400)
    // These causes are explained without a search.
    expect(await codes('late')).toMatchObject([{code: 'stale_retry'}])
    expect(await codes('id')).toMatchObject([{code: 'event_id_header_changed'}])
  })

  test('is counted only where nothing was found', async () => {
    const inVain = {count: 0}
    await check(requestOf({body: Buffer.from(`${EVENT}\n`)}), termsOf({inVain}))
    await check(broken('late'), termsOf({inVain}))
    expect(inVain.count).toBe(0)
    await check(broken('mismatch'), termsOf({inVain}))
    expect(inVain.count).toBe(1)
  })
})

test('checks a body of more than 8 MiB as it streams by, without its event and without a cause', async () => {
  const long = `{"id":"evt_1","x":"${' '.repeat(MOST_KEPT_BYTES)}"}`
  const headers = {'x-service-signature': signatureOf(Buffer.from(long), T)}
  const checked = async (body: string, more = {}) =>
    await check(requestOf({headers: {...headers, ...more}, body: inPieces(body)}), termsOf())
  expect(await checked(long)).toMatchObject({valid: true, event_id: null})
  expect(await checked(`${long}\n`)).toMatchObject({valid: false, findings: [{code: 'unexplained'}]})
  const [finding] = (await checked(long, {'x-service-event-id': 'evt_1'})).findings
  expect(finding?.code).toBe('event_id_header_changed')
  expect(finding?.explanation).toContain('too long')
})
