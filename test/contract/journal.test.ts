/** The verdict about a new reservation, given earlier entries: every rule, and the cases next to it. */
import {describe, expect, test} from 'vitest'
import {
  decide,
  entryMeant,
  isBookedBy,
  type JournalEntry,
  type ReservationIntent,
  replacedBy,
  verdictOn as verdictOnEntry,
} from '../../src/contract/journal.js'
import {TOKEN_CLIENT} from '../../src/contract/token-cache.js'

const client = {baseUrl: 'https://example.com/v1', clientId: 'cid_1'}
const intent: ReservationIntent = {
  offerId: 'off_1',
  clientReferenceId: 'ref-1',
  idempotencyKey: 'key-1',
  body: '{}',
  bodySha256: 'body-1',
  intentSha256: 'intent-1',
  referenceGiven: true,
  keyGiven: false,
  agreed: null,
  trip: null,
  madeBy: null,
}
const {referenceGiven: _, keyGiven: __, ...written} = intent
const state = {outcome: 'unknown', reservationRef: null, attempts: 1, lost: true, booked: null, result: null}
const same: JournalEntry = {...written, ...state, ...client, id: 1, createdAt: 1, updatedAt: 1}
/** An entry with another offer, reference, key and body. */
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
  const verdict = decide([entry], {...intent, ...more}, client)
  if (verdict === undefined) return 'new'
  expect(verdict.entry).toBe(entry)
  return verdict.kind === 'conflict' ? verdict.conflict : verdict.kind
}

test.each<[outcome: Partial<JournalEntry>, isBooked: boolean]>([
  [{outcome: 'confirmed', reservationRef: 'R-1'}, true],
  [{outcome: 'failed', reservationRef: 'R-1'}, true],
  [{outcome: 'cancelled', reservationRef: 'R-1'}, true],
  [{outcome: 'unknown'}, true],
  [{outcome: 'unresolved'}, true],
  [{outcome: 'forgotten'}, true],
  [{outcome: 'unresolved', attempts: 0}, false],
  [{outcome: 'not_sent', attempts: 0}, false],
  [{outcome: 'refused'}, false],
  [{outcome: 'failed'}, false],
])('whether a client has booked an attempt that is %j', (outcome, isBooked) => {
  expect(isBookedBy({...same, ...outcome}, client)).toBe(isBooked)
  expect(isBookedBy({...same, ...outcome, clientId: TOKEN_CLIENT}, client)).toBe(isBooked)
  expect(isBookedBy({...same, ...outcome, clientId: 'cid_2'}, client)).toBe(false)
})

test.each<[outcome: Partial<JournalEntry>, verdict: string]>([
  [{outcome: 'unresolved'}, 'repeat'],
  [{outcome: 'unresolved', attempts: 0}, 'repeat'],
  [{outcome: 'unknown'}, 'repeat'],
  [{outcome: 'confirmed', reservationRef: 'R-1'}, 'resolved'],
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

test('a key can be used for only one body, whatever the outcome', () => {
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
  expect(decide([unsent as JournalEntry, sent as JournalEntry], intent, client)?.entry).toBe(sent)
  expect(decide([], intent, client)).toBeUndefined()
})

test('reports the same reservation first, then a conflict of the reference, the offer, the key', () => {
  const byKey = {...other, idempotencyKey: 'key-1'}
  const byOffer = {...other, offerId: 'off_1'}
  const byReference = {...other, clientReferenceId: 'ref-1'}
  const entries = [byKey, byOffer, byReference, same]
  for (let count = entries.length; count > 0; count--) {
    const left = entries.slice(0, count)
    expect(decide(left, intent, client)?.entry).toBe(left.at(-1))
  }
})

describe('entries of other clients at the same base URL', () => {
  const named = {...same, clientId: 'cid_2'}
  const token = {...same, clientId: TOKEN_CLIENT}
  const OPEN = [{outcome: 'unresolved'}, {outcome: 'unknown', attempts: 0}, {outcome: 'forgotten'}]

  test.each(OPEN)('one that is not resolved forbids its offer and its reference: %j', state => {
    for (const entry of [named, token]) {
      for (const shared of [{}, {offerId: 'off_2'}, {clientReferenceId: 'ref-2'}])
        expect(verdictOn({...entry, ...shared, ...state, bodySha256: 'x'})).toBe('other_credential')
      expect(verdictOn({...entry, ...state})).toBe('other_credential')
    }
    expect(verdictOn({...named, ...state, offerId: 'off_2', clientReferenceId: 'ref-2'})).toBe('new')
  })

  test('a reservation of another client forbids its offer, and its reference only if it may be the same client', () => {
    const CONFIRMED = {outcome: 'confirmed', reservationRef: 'R-1'}
    expect(verdictOn({...named, ...CONFIRMED})).toBe('offer_in_use')
    expect(verdictOn({...named, ...CONFIRMED, offerId: 'off_2', bodySha256: 'x'})).toBe('new')
    expect(verdictOn({...named, ...CONFIRMED, outcome: 'forgotten'})).toBe('offer_in_use')
    expect(verdictOn({...token, ...CONFIRMED, offerId: 'off_2', bodySha256: 'x'})).toBe('reference_in_use')
    expect(verdictOn({...token, ...CONFIRMED})).toBe('resolved')
    const byToken = decide([{...same, ...CONFIRMED}], intent, {...client, clientId: TOKEN_CLIENT})
    expect(byToken).toMatchObject({kind: 'resolved'})
    for (const entry of [named, token]) {
      expect(verdictOn({...entry, outcome: 'refused'})).toBe('new')
      expect(verdictOn({...entry, ...UNSENT})).toBe('new')
    }
  })

  test('forbid what this client began and never sent, and nothing that it sent', () => {
    const unresolved = {...named, id: 3}
    expect(decide([unresolved, {...same, ...UNSENT}], intent, client)?.entry).toBe(unresolved)
    expect(decide([unresolved, same], intent, client)).toEqual({kind: 'repeat', entry: same})
  })

  test('of which nothing was sent give way when they share the offer or the reference', () => {
    const unsent = {...named, ...UNSENT}
    const replaced = (entry: JournalEntry) => replacedBy([entry], intent, client).length > 0
    expect(replaced(unsent)).toBe(true)
    expect(replaced({...unsent, offerId: 'off_2', clientReferenceId: 'ref-2'})).toBe(false)
    expect(replaced({...unsent, outcome: 'not_sent'})).toBe(false)
    expect(replaced({...unsent, baseUrl: 'https://other.example/v1'})).toBe(false)
    expect(replaced(named)).toBe(false)
  })

  test('are found by their reference, after a reservation of this client', () => {
    const refused = {...same, id: 4, outcome: 'refused'}
    const confirmed = {...named, id: 5, outcome: 'confirmed', reservationRef: 'R-1'}
    expect(entryMeant([confirmed, named, refused], client)).toBe(named)
    expect(entryMeant([named, same], client)).toBe(same)
    expect(entryMeant([confirmed, refused], client)).toBe(refused)
    expect(entryMeant([confirmed], client)).toBe(confirmed)
    expect(entryMeant([{...confirmed, clientId: TOKEN_CLIENT}, refused], client)?.id).toBe(5)
    expect(verdictOnEntry(named, client)).toMatchObject({kind: 'conflict', conflict: 'other_credential'})
    expect(verdictOnEntry(confirmed, client)).toMatchObject({kind: 'resolved'})
  })
})

test('all names of this machine mean the same service, and another port means another service', () => {
  const at = (host: string) => ({...client, baseUrl: `http://${host}:8080/v1`})
  const names = ['localhost', '127.0.0.1', '[::1]', '127.0.0.5']
  for (const stored of names)
    for (const asked of names)
      expect(decide([{...same, ...at(stored)}], intent, at(asked))?.kind, `${stored} ${asked}`).toBe('repeat')
  const elsewhere = {...same, baseUrl: 'http://localhost:8081/v1'}
  expect(decide([elsewhere], intent, at('localhost'))).toBeUndefined()
  expect(decide([elsewhere], intent, client)).toBeUndefined()
})
