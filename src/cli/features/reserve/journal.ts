/** The journal of reservations, as `journal` prints it. */
import {isoTime} from '../../../contract/dates.js'
import type {State} from '../../../state/state.js'
import type {Result} from '../../terminal/result.js'

export const JOURNAL_COLUMNS = [
  'client_reference_id',
  'offer_id',
  'outcome',
  'reservation_ref',
  'idempotency_key',
  'attempts',
  'created_at',
  'updated_at',
]

/** Entries of every client, newest first. */
export function readJournal(state: State, unresolved: boolean): Result<Record<string, unknown>> {
  const entries = state.journal.list({unresolved}).map(entry => ({
    client_reference_id: entry.clientReferenceId,
    offer_id: entry.offerId,
    outcome: entry.outcome,
    reservation_ref: entry.reservationRef,
    idempotency_key: entry.idempotencyKey,
    attempts: entry.attempts,
    created_at: isoTime(entry.createdAt),
    updated_at: isoTime(entry.updatedAt),
  }))
  return {
    document: {entries},
    items: entries,
    columns: JOURNAL_COLUMNS.map(name => ({name, value: entry => entry[name]})),
    shown: ['client_reference_id', 'outcome', 'reservation_ref', 'attempts', 'updated_at'],
    id: entry => entry.client_reference_id,
    whenEmpty: unresolved ? 'Nothing is unresolved.' : 'Nothing was reserved from this machine yet.',
  }
}
