/**
 * Giving up on an entry of the journal whose outcome can never be learned. What it holds of people goes; its
 * reference, key, offer and hash stay for ever, so that the same request is never sent a second time.
 */
import {join} from 'node:path'
import {type Failure, usage} from '../../../contract/failure.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import {type JournalEntry, NOT_SENT} from '../../../contract/journal.js'
import {STATE_NAME} from '../../../state/file-names.js'

import type {Client, State} from '../../../state/state.js'
import {StorageError} from '../../../storage/errors.js'
import {checkIdentifier} from '../../input/checks.js'
import {type DryChange, dryRun} from '../../session/dry-run.js'
import {type Result, single} from '../../terminal/result.js'

type Entry = JournalEntry & Client

/** Nothing stands behind these: offer and reference are free already, and nothing of people is held. */
const NOTHING_HELD = ['refused', 'failed', 'cancelled', 'expired', NOT_SENT]
/** Ours: as long as a reservation may take to be sent. */
const WAIT_MILLISECONDS = 5000

/** The newest entry with that client reference. Throws usage when there is none, or several clients have one. */
export function findForgettable(state: State, reference: string, baseUrl: string | undefined): Entry {
  const all = state.journal.list().filter(entry => entry.clientReferenceId === reference)
  const entries = baseUrl === undefined ? all : all.filter(entry => entry.baseUrl === baseUrl)
  const [entry] = entries
  if (entry === undefined) {
    checkIdentifier('client_reference_id', 'REFERENCE', reference)
    const hint = 'see what it tried with: bookctl journal'
    throw usage('unknown_reference', 'this machine has tried no reservation with that client reference', hint)
  }
  if (entries.some(other => other.baseUrl !== entry.baseUrl || other.clientId !== entry.clientId)) {
    const urls = [...new Set(entries.map(other => other.baseUrl))].join(', ')
    throw usage('ambiguous_reference', 'several clients have tried that reference', `--base-url, of: ${urls}`)
  }
  if (entry.reservationRef === null && NOTHING_HELD.includes(entry.outcome)) throw nothingHeld(entry)
  return entry
}

function nothingHeld({outcome}: Entry): Failure {
  const words = `nothing was reserved (${sanitizeLine(outcome, 40)}), and nothing of people is kept`
  return usage('nothing_to_forget', words, 'the reference and the offer are free')
}

/** What a person should know before agreeing. */
export function describeForgetting(entry: Entry): string[] {
  const {clientReferenceId, offerId, outcome, attempts, reservationRef} = entry
  const made =
    reservationRef === null ? 'a reservation may exist' : `the reservation ${reservationRef} exists`
  return [
    `Reference  ${clientReferenceId}, offer ${offerId}`,
    `Outcome    ${outcome} after ${attempts} attempt(s): ${attempts === 0 ? 'nothing was sent' : made}`,
    'Forgetting removes what was sent of people, and the way to resume or show it from here.',
    'It cancels nothing. The same request is not sent again; book anew from a new search.',
  ]
}

/** For `--dry-run`. */
export function describeForgetChange({clientReferenceId, outcome}: Entry, state: State): Result {
  const file = join(state.directory, STATE_NAME)
  const changes: DryChange[] = [
    {file, action: 'set', what: `outcome of ${clientReferenceId}`, before: outcome, after: 'forgotten'},
    {file, action: 'remove', what: `request and answer kept of ${clientReferenceId}`},
  ]
  return dryRun([], changes)
}

/** Forgets the entry, while no process is sending it. Throws StorageError `busy` when one does. */
export async function forgetEntry(state: State, entry: Entry, now: number): Promise<Result> {
  const journal = state.journal.forClient({baseUrl: entry.baseUrl, clientId: entry.clientId})
  const done = await journal.alone(
    entry.offerId,
    WAIT_MILLISECONDS,
    async () => journal.forget(entry.id, now),
    () => undefined,
  )
  if (done.gaveUp)
    throw new StorageError('busy', 'another process is sending this reservation', 'run the command again')
  const row = {
    client_reference_id: entry.clientReferenceId,
    offer_id: entry.offerId,
    outcome: 'forgotten',
    previous_outcome: entry.outcome,
    reservation_ref: entry.reservationRef,
    idempotency_key: entry.idempotencyKey,
  }
  return single(row, row, entry.clientReferenceId)
}
