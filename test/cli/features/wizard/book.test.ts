/** How the wizard interprets a refusal: first by its code, then by the fields it names, then by its words. */
import {describe, expect, test} from 'vitest'
import {recoverFrom} from '../../../../src/cli/features/wizard/book.js'
import {Draft, SearchAgain} from '../../../../src/cli/features/wizard/draft.js'
import {Failure, type FailureDetails} from '../../../../src/contract/failure.js'

/** Returns `offer` (search again), `payment` (ask again) or `answers` (the user selects what to change). */
function remedyOf(details: FailureDetails): string {
  const draft = new Draft({payment: 'account'})
  try {
    recoverFrom(new Failure('refused', 'no', details), draft)
  } catch (error) {
    if (error instanceof SearchAgain) return 'offer'
    throw error
  }
  return draft.payment === undefined ? 'payment' : 'answers'
}

describe.each<[FailureDetails, string]>([
  [{code: 'guest_count_mismatch', status: 409}, 'answers'],
  [{code: 'rooms_unavailable', status: 400}, 'offer'],
  [{code: 'price_changed', status: 409}, 'offer'],
  [{code: 'insufficient_balance', status: 402}, 'payment'],
  [{code: 'rate_limited', status: 429}, 'answers'],
  [{code: 'validation_failed', status: 400, fields: ['guests[0].birth_date']}, 'answers'],
  [{code: 'validation_failed', status: 400, fields: ['offer_id']}, 'offer'],
  [{code: 'validation_failed', status: 400, fields: ['payment.mode']}, 'payment'],
  [{code: 'validation_failed', status: 400, fields: ['offer_id', 'contact.email']}, 'answers'],
  [{code: 'invalid_room_occupancy', status: 422}, 'answers'],
  [{code: 'RateChanged', status: 409}, 'offer'],
  [{code: 'room_sold_out', status: 400}, 'offer'],
  [{code: 'accreditation_missing', status: 400}, 'answers'],
  [{code: 'http_410', status: 410}, 'offer'],
  [{code: 'http_422', status: 422}, 'answers'],
])('%j', (details, remedy) => test(`→ ${remedy}`, () => expect(remedyOf(details)).toBe(remedy)))
