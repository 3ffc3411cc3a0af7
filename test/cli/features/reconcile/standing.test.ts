/** What the words of a ledger and the states of a service mean, and which of them agree. */
import {describe, expect, test} from 'vitest'
import {agree, standingOfState, standingOfWord} from '../../../../src/cli/features/reconcile/standing.js'

describe('a word of a ledger', () => {
  test.each([
    ['confirmed', ['confirmed', 'CONFIRMED', ' Confirmed ', 'booked', 'OK', 'paid']],
    ['pending', ['pending', 'PENDING_PAYMENT', 'Pending payment', 'awaiting-payment', 'unpaid']],
    ['cancelled', ['cancelled', 'Canceled', 'CANCELLATION', 'cxl', 'void']],
    ['expired', ['expired']],
  ])('%s', (standing, words) => {
    for (const word of words) expect([word, standingOfWord(word)]).toEqual([word, standing])
  })

  test.each(['', 'maybe', 'confirmed?', '1', 'not confirmed'])('%j has no meaning', word => {
    expect(standingOfWord(word)).toBeUndefined()
  })
})

test('an unknown state of the service counts as a booking, one that ended does not', () => {
  expect(
    ['CONFIRMED', 'COMPLETED', 'REJECTED_BY_HOTEL', 'CANCELLED_BY_PARTNER', 'EXPIRED'].map(standingOfState),
  ).toEqual(['confirmed', 'made', 'cancelled', 'cancelled', 'expired'])
})

test('a pending entry agrees with a later payment or expiry in a journal, but not in a ledger', () => {
  for (const there of ['pending', 'confirmed', 'expired'] as const)
    expect([there, agree('pending', there, true)]).toEqual([there, true])
  expect(agree('pending', 'cancelled', true)).toBe(false)
  expect(agree('pending', 'confirmed', false)).toBe(false)
  expect(agree('pending', 'expired', false)).toBe(false)
})

test('a booking and none never agree, and two that ended do', () => {
  for (const isJournal of [true, false]) {
    expect(agree('confirmed', 'cancelled', isJournal)).toBe(false)
    expect(agree('cancelled', 'confirmed', isJournal)).toBe(false)
    expect(agree('none', 'confirmed', isJournal)).toBe(false)
    expect(agree('cancelled', 'expired', isJournal)).toBe(true)
    expect(agree('none', 'cancelled', isJournal)).toBe(true)
    expect(agree('made', 'confirmed', isJournal)).toBe(true)
  }
})
