/** How `reserve` and `resume` treat earlier attempts and a failing disk (§4.4). */
import {describe, expect, test} from 'vitest'
import {intentOf, reserve, resume} from '../../../src/api/reserve/reserve.js'
import {Failure} from '../../../src/contract/failure.js'
import type {Journal} from '../../../src/contract/journal.js'
import {StorageError} from '../../../src/storage/errors.js'
import {intentFor, requestFor} from '../../support/booking.js'
import {reservingInNoTime, usual} from '../../support/reserving.js'
import {drop, refusing} from '../../support/scripted-service.js'

const place = reservingInNoTime()
const {open, sent, keys, scripted, run, resumed, entries, commitThenDrop, expectSameRequests} = place
const UNKNOWN = {kind: 'outcome_unknown'}

test('after a lost answer the repeat finds the reservation', async () => {
  scripted(commitThenDrop, usual)
  expect(await run()).toMatchObject({outcome: 'confirmed', reservation_ref: 'R-1', attempts: 2})
  expect(new Set(keys()).size).toBe(1)
  expect(place.service.reservations.length).toBe(1)
})

test('repeats the same key while the service is processing it', async () => {
  const working = Array.from({length: 6}, () => refusing(409, 'idempotency_in_progress'))
  scripted(...working, drop, usual)
  expect(await run()).toMatchObject({outcome: 'confirmed', attempts: 8})
  expect(new Set(keys()).size).toBe(1)
})

describe('an earlier reservation in the way: nothing is sent', () => {
  test.each([
    ['the same reference, other guests', intentFor('off_1', 'ref-1', 'Yılmaz'), 'reference_in_use'],
    ['the same offer, another reference', intentFor('off_1', 'ref-2'), 'offer_in_use'],
    ['another key', intentFor('off_1', 'ref-1', undefined, 'other'), 'idempotency_key_differs'],
  ])('%s', async (_, intent, code) => {
    await run()
    place.service.forget()
    const refused = {kind: 'usage', details: {code}, message: expect.stringContaining('ref-1')}
    await expect(run(intent)).rejects.toMatchObject(refused)
    expect(sent()).toEqual([])
  })
})

test('without a reference finds the first run by offer and body', async () => {
  scripted(refusing(501))
  await expect(run(intentFor('off_1'))).rejects.toMatchObject(UNKNOWN)
  place.service.script = usual
  await run(intentFor('off_1'))
  expect(new Set(sent().map(request => request.body)).size).toBe(1)
})

test('the order of JSON keys does not matter', () => {
  const request = requestFor('off_1', 'ref-1')
  const turned = Object.fromEntries(Object.entries(request).reverse()) as typeof request
  const {bodySha256, intentSha256} = intentFor('off_1', 'ref-1')
  const given = {referenceGiven: true, idempotencyKey: 'another', keyGiven: false, agreed: null, stay: null}
  expect(intentOf(turned, given)).toMatchObject({bodySha256, intentSha256})
})

describe('resume', () => {
  test('sends the same body with the same key, or returns what is known', async () => {
    scripted(commitThenDrop, refusing(501))
    await expect(run()).rejects.toMatchObject(UNKNOWN)
    place.service.script = usual
    expect(await resumed()).toMatchObject({outcome: 'confirmed', reservation_ref: 'R-1'})
    const requests = sent().length
    expect(await resumed()).toMatchObject({outcome: 'confirmed', reservation_ref: 'R-1'})
    expect(sent().length).toBe(requests)
    expectSameRequests()
  })

  test('reports an unknown reference and an earlier refusal', async () => {
    await expect(resume(open().reserveParts, 'ref-0')).rejects.toMatchObject({kind: 'usage'})
    scripted(refusing(402))
    await expect(run()).rejects.toMatchObject({kind: 'refused'})
    await expect(resumed()).rejects.toMatchObject({kind: 'refused'})
    expect(sent().length).toBe(1)
  })
})

describe('a fault of the disk', () => {
  const fault = () => {
    throw new StorageError('full', 'no space left', 'free some')
  }
  const givenUp = () => {
    throw new Failure('usage', 'given up', {code: 'begun_elsewhere'})
  }
  const warnings: string[] = []
  /** Reserves with a journal in which some methods are replaced. */
  const runWith = (change: (journal: Journal) => Partial<Journal>) => {
    const {reserveParts} = open()
    const {journal} = reserveParts
    const warn = (message: string) => void warnings.push(message)
    const parts = {...reserveParts, journal: {...journal, ...change(journal)}, warn}
    return reserve(parts, intentFor('off_1', 'ref-1'))
  }

  test('before the first byte: sends nothing', async () => {
    await expect(runWith(() => ({begin: fault}))).rejects.toThrow(StorageError)
    await expect(runWith(() => ({attempt: fault}))).rejects.toThrow(StorageError)
    expect(sent()).toEqual([])
  })

  test('while recording the outcome: still returns it, with a warning', async () => {
    const outcome = await runWith(() => ({settle: fault}))
    expect(outcome).toMatchObject({outcome: 'confirmed', reservation_ref: 'R-1'})
    expect(warnings).toHaveLength(1)
    expect(await run()).toMatchObject({reservation_ref: 'R-1', repeated: true})
  })

  test.each([
    ['the disk', fault],
    ['the journal', givenUp],
  ])('stopped by %s between two attempts, the outcome is unknown', async (_, stop: () => never) => {
    scripted(drop)
    let attempts = 0
    const stopped = runWith(({attempt}) => ({
      attempt: (id, now) => (++attempts > 1 ? stop() : attempt(id, now)),
    }))
    await expect(stopped).rejects.toMatchObject(UNKNOWN)
    expect(await entries()).toMatchObject([{outcome: 'unknown', attempts: 1}])
  })
})

test('gives up waiting for another process as unknown if that one may have sent it', async () => {
  const {journal} = open().reserveParts
  const {reserveParts} = open({timeoutSeconds: 0.2})
  scripted(refusing(501))
  await expect(run()).rejects.toMatchObject(UNKNOWN)
  place.service.forget()
  const unknown = {...UNKNOWN, details: {hint: expect.stringContaining('--resume ref-1')}}
  const wait = () => expect(reserve(reserveParts, intentFor('off_1', 'ref-1'))).rejects.toMatchObject(unknown)
  await journal.alone('off_1', 1000, wait, async () => undefined)
  const busy = {kind: 'unreachable', details: {code: 'busy'}}
  const other = () => expect(reserve(reserveParts, intentFor('off_2', 'ref-2'))).rejects.toMatchObject(busy)
  await journal.alone('off_2', 1000, other, async () => undefined)
  expect(sent()).toEqual([])
})
