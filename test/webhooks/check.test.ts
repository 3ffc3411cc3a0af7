/** What is said of one captured request: from where its signature and its id are taken, and what of a body is looked at. */
import {describe, expect, test} from 'vitest'
import type {CapturedRequest} from '../../src/webhooks/captures/captures.js'
import {type CheckTerms, check, MOST_KEPT_BYTES} from '../../src/webhooks/diagnose/check.js'
import {DEFAULT_HEADER_NAMES} from '../../src/webhooks/signature/headers.js'
import {EVENT, SIGNING_SECRET, signatureOf} from '../support/webhook-files.js'

const T = 1_700_000_000
const VALID = {
  ...{valid: true, reason: 'ok', event_id: 'evt_01', type: 'reservation.confirmed', timestamp: T},
  ...{age_seconds: 10, secret: 'file', findings: []},
}

const termsOf = (more: Partial<CheckTerms> = {}): CheckTerms => ({
  secrets: [{name: 'file', secret: SIGNING_SECRET}],
  otherSecrets: () => [],
  names: DEFAULT_HEADER_NAMES,
  now: () => T + 10,
  toleranceSeconds: 300,
  inVain: {count: 0},
  ...more,
})

const requestOf = (more: Partial<CapturedRequest> = {}): CapturedRequest => ({
  format: 'http',
  headers: {'x-service-signature': signatureOf(EVENT, T), 'x-service-event-id': 'evt_01'},
  receivedAt: undefined,
  body: Buffer.from(EVENT),
  afterwards: {surplus: undefined, notes: ['a note']},
  ...more,
})

async function* inPieces(...pieces: (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) yield Buffer.from(piece as string)
}

describe('a request', () => {
  test('whose body is at hand and right has its verdict at once', () => {
    expect(check(requestOf(), termsOf())).toEqual({result: VALID, notes: ['a note']})
  })

  test('whose body comes in pieces has the same', async () => {
    const body = inPieces(EVENT.slice(0, 9), EVENT.slice(9))
    expect(await check(requestOf({body}), termsOf())).toEqual({result: VALID, notes: ['a note']})
  })

  test('is judged at the time and by the tolerance it is given', async () => {
    const checked = await check(
      requestOf({receivedAt: T}),
      termsOf({now: ({receivedAt = 0}) => receivedAt + 6, toleranceSeconds: 5}),
    )
    expect(checked.result).toMatchObject({
      valid: false,
      reason: 'timestamp_outside_tolerance',
      age_seconds: 6,
      secret: 'file',
    })
    expect(checked.notes).toEqual(['a note'])
  })

  test('that has no header and no event has null for what is not known', async () => {
    const {result} = await check(requestOf({headers: undefined, body: Buffer.from('{}')}), termsOf())
    expect(result).toMatchObject({
      ...{valid: false, reason: 'missing_header', event_id: null, type: null, timestamp: null},
      ...{age_seconds: null, secret: null, findings: [{code: 'unexplained'}]},
    })
  })

  test('asked for its headers one by one is asked in lower case', () => {
    const asked: string[] = []
    const values: Record<string, string> = {'x-service-signature': signatureOf(EVENT, T)}
    const header = (key: string) => {
      asked.push(key)
      return values[key]
    }
    expect(check(requestOf({headers: {}, header}), termsOf())).toMatchObject({result: VALID})
    expect(asked).toEqual(['x-service-signature', 'x-service-event-id'])
  })

  test('is judged by what is given apart, whatever its headers say', async () => {
    const wrong = {'x-service-signature': 'x', 'x-service-event-id': 'evt_02'}
    const given = termsOf({signature: signatureOf(EVENT, T), eventId: 'evt_01'})
    expect(check(requestOf({headers: wrong}), given)).toMatchObject({result: VALID})
    const {result} = await check(requestOf(), termsOf({eventId: 'evt_02'}))
    expect(result).toMatchObject({
      valid: false,
      reason: 'event_id_mismatch',
      event_id: 'evt_01',
      findings: [{code: 'event_id_header_changed'}],
    })
  })

  test('whose event was read with it is believed under that, and under no other', async () => {
    const event = {id: 'evt_read', type: null, created: null}
    const headers = {'x-service-signature': signatureOf(EVENT, T), 'x-service-event-id': 'evt_read'}
    expect(check(requestOf({event, headers}), termsOf())).toMatchObject({
      result: {valid: true, event_id: 'evt_read', type: null},
    })
    expect((await check(requestOf({event}), termsOf())).result.reason).toBe('event_id_mismatch')
  })

  test('of which nothing could be read says why', async () => {
    const {result, notes} = await check(requestOf({headers: {}, problem: 'its line is broken'}), termsOf())
    expect(result.findings).toEqual([
      {
        code: 'capture_unreadable',
        explanation: 'Nothing could be checked: its line is broken.',
        fix: 'Capture the request anew, byte for byte: webhooks listen --capture FILE writes what can be read.',
      },
    ])
    expect(notes).toEqual(['a note'])
  })

  test('signed with another secret is not valid, and another known one is named', async () => {
    const otherSecrets = () => [{name: 'whsub_2', secret: 'whsec_other'}]
    const headers = {'x-service-signature': signatureOf(EVENT, T, 'whsec_other')}
    const {result} = await check(requestOf({headers}), termsOf({otherSecrets}))
    expect(result).toMatchObject({valid: false, reason: 'signature_mismatch', secret: null, timestamp: T})
    expect(result.findings[0]?.explanation).toContain('whsub_2')
  })

  test('is explained by its surplus, its time and its original', async () => {
    const cut = EVENT.slice(0, -1)
    const rest = {surplus: Buffer.from('}'), notes: []}
    const {result} = await check(requestOf({body: Buffer.from(cut), afterwards: rest}), termsOf())
    expect(result.findings).toMatchObject([{code: 'content_length_short'}])
    const original = await check(
      requestOf({body: Buffer.from(EVENT.replace('Ay', 'By'))}),
      termsOf({findOriginal: id => (id === 'evt_01' ? Buffer.from(EVENT) : undefined)}),
    )
    expect(original.result.findings[0]?.explanation).toMatch(/original|received/)
  })
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

  test('ends after four hundred requests, and is told', async () => {
    const inVain = {count: 399}
    const terms = termsOf({inVain})
    const codes = async (reason: 'mismatch' | 'late' | 'id') =>
      (await check(broken(reason), terms)).result.findings
    expect(await codes('mismatch')).toMatchObject([{code: 'unexplained'}])
    expect(inVain.count).toBe(400)
    expect((await check(broken('mismatch'), terms)).notes).toEqual(['a note'])
    expect(await codes('mismatch')).toEqual([
      {
        code: 'unexplained',
        explanation: 'Its cause was not looked for: that of 400 requests before it was not found.',
        fix: 'If the secret is the right one, verify this request by itself.',
      },
    ])
    expect(inVain.count).toBe(400)
    // What needs no search is explained all the same.
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

describe('a body too long to be kept', () => {
  const BLANKS = ' '.repeat(MOST_KEPT_BYTES)
  const eventOf = async (...pieces: (string | Uint8Array)[]) => {
    const whole = Buffer.concat(pieces.map(piece => Buffer.from(piece as string)))
    const headers = {'x-service-signature': signatureOf(whole, T)}
    const {result} = await check(requestOf({headers, body: inPieces(...pieces)}), termsOf())
    expect(result).toMatchObject({valid: true, reason: 'ok'})
    return {event_id: result.event_id, type: result.type}
  }
  const NONE = {event_id: null, type: null}

  test('is looked through for its own id and type, wherever they stand and the pieces part', async () => {
    const found = {event_id: 'evt_1', type: 'voucher.ready'}
    expect(await eventOf('{"id":"evt_1","type":"voucher.ready","created":"c","x":"', BLANKS, '"}')).toEqual(
      found,
    )
    expect(
      await eventOf(
        '\t\r\n {"data":{"id":"evt_2","type":"no"},"x":"',
        BLANKS,
        '","id":"ev',
        't_1","type":"voucher.ready"}',
      ),
    ).toEqual(found)
    expect(await eventOf(' ', '\n', '{"id":"evt_1","type":"voucher.ready","x":"', BLANKS, '"}')).toEqual(
      found,
    )
    expect(await eventOf('{"type":"Ayşe","id":"é\\u0041","x":"', BLANKS, '"}')).toEqual({
      event_id: 'éA',
      type: 'Ayşe',
    })
  })

  test('has the first id when it has two, once all else is found', async () => {
    expect(await eventOf('{"id":"evt_1","type":"a","created":"c","x":"', BLANKS, '","id":"evt_2"}')).toEqual({
      event_id: 'evt_1',
      type: 'a',
    })
  })

  test('has no event when it is no object, or its id is none', async () => {
    for (const start of [
      '[{"id":"evt_1"},"',
      '"{"id":"evt_1","',
      'x{"id":"evt_1","x":"',
      '\ufeff{"id":"evt_1","x":"',
      '\u00a0{"id":"evt_1","x":"',
    ])
      expect(await eventOf(start, BLANKS, '"}'), start).toEqual(NONE)
    for (const id of ['""', '5', 'null', '{"a":1}', `"${'x'.repeat(4096)}"`])
      expect(await eventOf(`{"id":${id},"x":"`, BLANKS, '"}'), id.slice(0, 9)).toEqual(NONE)
    expect(await eventOf(Buffer.from('{"id":"'), Buffer.from([0xff]), '","x":"', BLANKS, '"}')).toEqual(NONE)
  })

  test('begins at one byte more than four mebibytes', async () => {
    // Kept, it is parsed whole, and is no JSON; not kept, its id is found.
    const start = '{"id":"evt_1","x":"'
    const rest = BLANKS.slice(start.length)
    expect(await eventOf(start, rest)).toEqual(NONE)
    expect(await eventOf(start, rest, ' ')).toEqual({event_id: 'evt_1', type: null})
  })

  test('is read again only when it is too long and not valid', async () => {
    let readings = 0
    const again = (body: string) => () => {
      readings += 1
      return inPieces(body)
    }
    const short = `${EVENT}\n`
    await check(requestOf({body: inPieces(short)}), termsOf(), again(short))
    await check(requestOf({body: Buffer.from(short)}), termsOf(), again(short))
    await check(requestOf({body: inPieces(EVENT)}), termsOf(), again(EVENT))
    expect(readings).toBe(0)
    const long = `${EVENT}${BLANKS}`
    const {result} = await check(requestOf({body: inPieces(long)}), termsOf(), again(long))
    expect(readings).toBe(1)
    expect(result).toMatchObject({valid: false, event_id: 'evt_01', findings: [{code: 'body_reserialized'}]})
  })
})
