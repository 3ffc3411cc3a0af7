/** The verdict of earlier entries on a new reservation: every rule, and the cases next to it. */
import {expect, test} from 'vitest'
import {decide, type JournalEntry, type ReservationIntent} from '../../src/contract/journal.js'

const intent: ReservationIntent = {
  offerId: 'off_1',
  clientReferenceId: 'ref-1',
  idempotencyKey: 'key-1',
  body: '{}',
  bodySha256: 'body-1',
  intentSha256: 'intent-1',
  referenceGiven: true,
  keyGiven: false,
}
const {referenceGiven: _, keyGiven: __, ...written} = intent
const state = {outcome: 'unknown', reservationRef: null, attempts: 1, lost: true, result: null}
const same: JournalEntry = {...written, ...state, id: 1, createdAt: 1, updatedAt: 1}
/** An entry that shares neither offer, reference, key nor body. */
const other: JournalEntry = {
  ...same,
  id: 2,
  offerId: 'off_2',
  clientReferenceId: 'ref-2',
  idempotencyKey: 'key-2',
  bodySha256: 'body-2',
  intentSha256: 'intent-2',
}
const UNSENT = {outcome: 'unresolved', attempts: 0}

const verdictOn = (entry: JournalEntry, more: Partial<ReservationIntent> = {}) => {
  const verdict = decide([entry], {...intent, ...more})
  if (verdict === undefined) return 'new'
  expect(verdict.entry).toBe(entry)
  return verdict.kind === 'conflict' ? verdict.conflict : verdict.kind
}

test.each<[outcome: Partial<JournalEntry>, verdict: string]>([
  [{outcome: 'unresolved'}, 'repeat'],
  [{outcome: 'unresolved', attempts: 0}, 'repeat'],
  [{outcome: 'unknown'}, 'repeat'],
  [{outcome: 'confirmed', reservationRef: 'R-1'}, 'resolved'],
  [{outcome: 'cancelled', reservationRef: 'R-1'}, 'resolved'],
  [{outcome: 'refused', reservationRef: 'R-1'}, 'resolved'],
  [{outcome: 'failed', reservationRef: 'R-1'}, 'resolved'],
  [{outcome: 'refused'}, 'new'],
  [{outcome: 'failed'}, 'new'],
  [{outcome: 'not_sent', attempts: 0}, 'new'],
  [{outcome: 'not_sent', reservationRef: 'R-1'}, 'resolved'],
  [{outcome: 'forgotten'}, 'forgotten'],
])('the same reservation that is %j', (outcome, verdict) => {
  expect(verdictOn({...same, ...outcome})).toBe(verdict)
})

test('the same reservation has the same body, except for a generated reference', () => {
  expect(verdictOn({...same, intentSha256: 'x'})).toBe('repeat')
  expect(verdictOn({...same, bodySha256: 'x'})).toBe('reference_in_use')
  const generated = {...same, clientReferenceId: 'ref-2'}
  expect(verdictOn({...generated, bodySha256: 'x'}, {referenceGiven: false})).toBe('repeat')
  expect(verdictOn({...generated, intentSha256: 'x'}, {referenceGiven: false})).toBe('offer_in_use')
})

test('a given key overrides that of an entry of which nothing was sent, and no other', () => {
  const entry = {...same, idempotencyKey: 'key-2'}
  expect(verdictOn(entry)).toBe('repeat')
  expect(verdictOn(entry, {keyGiven: true})).toBe('key_differs')
  expect(verdictOn(same, {keyGiven: true})).toBe('repeat')
  expect(verdictOn({...entry, ...UNSENT}, {keyGiven: true})).toBe('new')
  expect(verdictOn({...entry, ...UNSENT, attempts: 1}, {keyGiven: true})).toBe('key_differs')
  expect(verdictOn({...entry, outcome: 'unknown', attempts: 0}, {keyGiven: true})).toBe('key_differs')
})

test('another reservation with the reference is a conflict, unless it has ended', () => {
  const entry = {...other, clientReferenceId: 'ref-1'}
  expect(verdictOn(entry)).toBe('reference_in_use')
  expect(verdictOn({...entry, outcome: 'confirmed'})).toBe('reference_in_use')
  for (const outcome of ['cancelled', 'expired', 'refused', 'failed'])
    expect(verdictOn({...entry, outcome})).toBe('new')
  expect(verdictOn({...entry, outcome: 'refused', reservationRef: 'R-1'})).toBe('reference_in_use')
})

test('another reservation of the offer is a conflict, even when it has ended', () => {
  const entry = {...other, offerId: 'off_1'}
  for (const outcome of ['unknown', 'confirmed', 'cancelled', 'expired'])
    expect(verdictOn({...entry, outcome})).toBe('offer_in_use')
  expect(verdictOn({...entry, outcome: 'refused'})).toBe('new')
})

test('a key belongs to one body, whatever its outcome', () => {
  const entry = {...other, idempotencyKey: 'key-1'}
  for (const outcome of ['unknown', 'confirmed', 'refused', 'failed'])
    expect(verdictOn({...entry, outcome})).toBe('key_in_use')
  expect(verdictOn({...entry, outcome: 'refused', bodySha256: 'body-1'})).toBe('new')
})

test('an entry of which nothing was sent, or that shares nothing, is no conflict', () => {
  expect(verdictOn(other)).toBe('new')
  for (const shared of [{clientReferenceId: 'ref-1'}, {offerId: 'off_1'}, {idempotencyKey: 'key-1'}]) {
    expect(verdictOn({...other, ...shared, ...UNSENT})).toBe('new')
    expect(verdictOn({...other, ...shared, ...UNSENT, attempts: 1})).not.toBe('new')
    expect(verdictOn({...other, ...shared, outcome: 'unknown', attempts: 0})).not.toBe('new')
    expect(verdictOn({...other, ...shared, outcome: 'not_sent', attempts: 0})).toBe('new')
  }
  const [unsent, sent] = [{...UNSENT}, {}].map(more => ({...other, idempotencyKey: 'key-1', ...more}))
  expect(decide([unsent as JournalEntry, sent as JournalEntry], intent)?.entry).toBe(sent)
  expect(decide([], intent)).toBeUndefined()
})

test('reports the same reservation first, then a conflict of the reference, the offer, the key', () => {
  const byKey = {...other, idempotencyKey: 'key-1'}
  const byOffer = {...other, offerId: 'off_1'}
  const byReference = {...other, clientReferenceId: 'ref-1'}
  const entries = [byKey, byOffer, byReference, same]
  for (let count = entries.length; count > 0; count--) {
    const left = entries.slice(0, count)
    expect(decide(left, intent)?.entry).toBe(left.at(-1))
  }
})
