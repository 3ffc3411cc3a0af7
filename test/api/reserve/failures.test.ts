/** No hint leads to a second booking: if a booking exists or may exist, no hint suggests another reference, offer or key. */
import {describe, expect, test} from 'vitest'
import {nextStep} from '../../../src/api/answers/hints.js'
import {conflictFailure, neverSent, refused, repeatHint} from '../../../src/api/reserve/failures.js'
import {checkOffer} from '../../../src/cli/features/reserve/plan.js'
import {ERROR_CODES} from '../../../src/contract/error-codes.js'
import type {Conflict, JournalEntry} from '../../../src/contract/journal.js'
import {CLIENT, intent, offer} from '../../support/client.js'
import {thrownBy} from '../../support/thrown.js'

const {referenceGiven: _, keyGiven: __, ...sent} = intent(1)
const state = {attempts: 1, lost: false, booked: null, id: 1, createdAt: 1, updatedAt: 1}
const result = {hotel: {name: 'Ağa'}, status: 'CONFIRMED', check_in: '2030-01-01', check_out: '2030-01-03'}
const booked = {
  ...sent,
  ...CLIENT,
  ...state,
  outcome: 'confirmed',
  reservationRef: 'R-1',
  result,
  body: null,
} as JournalEntry
const ENTRIES = {
  booked,
  unknown: {...booked, outcome: 'unknown', reservationRef: null, result: null},
  forgotten: {...booked, outcome: 'forgotten', result: null},
}
const CONFLICTS: Conflict[] = [
  ...(['reference_in_use', 'offer_in_use', 'key_differs', 'key_in_use'] as const),
  ...(['forgotten', 'other_credential'] as const),
]

/** Words that lead a person or a script to another booking. A hint may contain them only to advise against it. */
const LEADS_ON =
  /(choose|use|generate|with) (an?other|a new)|search again|leave out --idempotency-key to gen|book after all/

function expectNoLead(hint: string | undefined): void {
  expect(hint).toMatch(/\S/)
  expect(hint).not.toMatch(LEADS_ON)
}

describe.each(Object.entries(ENTRIES))('an earlier attempt that is %s', (name, entry) => {
  test.each(CONFLICTS)('in the way as %s', conflict => {
    const {message, details} = conflictFailure({kind: 'conflict', conflict, entry})
    expectNoLead(details.hint)
    expect(details.result).toMatchObject({client_reference_id: 'ref-1', outcome: entry.outcome})
    if (name !== 'booked') return
    expect(details.result).toMatchObject({reservation_ref: 'R-1', status: 'CONFIRMED'})
    if (conflict === 'forgotten') return
    for (const word of ['R-1', 'confirmed', 'Ağa', '2030-01-01', '2030-01-03'])
      expect(message).toContain(word)
    if (conflict === 'key_differs') return
    expect(details.hint).toContain('bookctl reserve --resume ref-1')
    if (conflict === 'other_credential') return
    expect(details.hint).toContain('bookctl reservations show R-1')
    expect(details.hint).toMatch(/makes a second booking/)
  })
})

test('codes that say that a booking exists already', () => {
  const TAKEN = ['offer_already_used', 'duplicate_client_reference', 'idempotency_key_reused']
  for (const code of TAKEN) expectNoLead(nextStep(code, ERROR_CODES[code as keyof typeof ERROR_CODES]))
  for (const code of [...TAKEN, 'BookingExists', 'REFERENCE_IN_USE', 'offer_taken', 'ALREADY_BOOKED']) {
    const json = {error: {code, message: 'no'}}
    const answer = {
      status: 409,
      headers: {},
      body: Buffer.from(JSON.stringify(json)),
      json,
      requestId: undefined,
    }
    const {details} = refused(answer as never, 0)
    expectNoLead(details.hint)
    expect(details.result, code).toMatchObject({reservation_ref: null})
    expect(details.hint).toContain('check it before you book again')
  }
})

test('an expired offer is searched again only if the journal has no booking of it', () => {
  for (const code of ['offer_expired', 'offer_not_found'])
    expect(nextStep(code, 410)).toContain('if bookctl journal has no booking of it')
})

test('an offer that was used from this machine, even if it has expired', () => {
  const used = {...offer('off_1'), used_by_reference: 'ref-1'}
  const circumstances = {now: 9e9, earlier: undefined, maxPrice: undefined}
  const failure = thrownBy(() =>
    checkOffer(used as never, {client_nationality: 'TR'} as never, circumstances as never),
  )
  expectNoLead(failure.details.hint)
  expect(failure.details.hint).toContain('bookctl reserve --resume ref-1')
})

test('what was never sent may be booked, and a repeat has the same names', () => {
  expect(neverSent({...booked, outcome: 'not_sent', reservationRef: null, attempts: 0}).details.hint).toMatch(
    /^to book it/,
  )
  expect(repeatHint(booked)).toContain('--idempotency-key key-1 --client-reference ref-1')
})
