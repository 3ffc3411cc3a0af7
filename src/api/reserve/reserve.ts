/**
 * Exactly one reservation (§4.4): the intent is committed before the first byte leaves, every repeat sends the bytes of
 * the journal under the same key, and a reservation that may exist is never reported as a failure.
 */

import {createHash} from 'node:crypto'
import {Failure, usage} from '../../contract/failure.js'
import {
  isNeverSent,
  type Journal,
  type JournalEntry,
  type JournalVerdict,
  type ReservationIntent,
  sealedElsewhere,
  verdictOn,
} from '../../contract/journal.js'
import {isObject} from '../../contract/json.js'
import type {ReservationRequest} from '../../contract/reservations.js'
import {conflictFailure, neverSent, outcomeUnknown} from './failures.js'
import type {ReserveOutcome} from './outcome.js'
import {type ReserveParts, record, Sending, TIMEOUT_SECONDS} from './sending.js'

export type {ReserveParts, Stage} from './sending.js'

/**
 * Makes the reservation, or returns the one an earlier run of the same made. Throws Failure: usage when an earlier one
 * conflicts, refused or not_allowed when nothing was made, unreachable when nothing was sent, outcome_unknown when a
 * reservation may exist. What the journal throws before sending passes.
 */
export function reserve(parts: ReserveParts, intent: ReservationIntent): Promise<ReserveOutcome> {
  const {journal, clock} = parts
  const begin = () => journal.begin(intent, clock.now())
  return once(parts, intent.offerId, {begin, peek: () => journal.peek(intent)})
}

/**
 * Finds out how the reservation with this client reference ended: from the journal, or by sending it once more. Throws
 * Failure as `reserve` does, and usage `never_sent` where nothing of it was sent.
 */
export async function resume(parts: ReserveParts, clientReferenceId: string): Promise<ReserveOutcome> {
  const {journal, clock} = parts
  const peek = async () => verdictOn(await findEntry(journal, clientReferenceId))
  const begin = async () => {
    const verdict = await peek()
    const {entry} = verdict
    if (!isNeverSent(entry)) return verdict
    // Its process is gone: no other one works on this offer now.
    await record(parts, () => journal.notSent(entry.id, entry.attempts, clock.now()))
    throw neverSent(entry)
  }
  const {entry} = await peek()
  return once(parts, entry.offerId, {begin, peek})
}

/** The newest entry with this client reference. Throws usage when there is none. */
export async function findEntry(journal: Journal, clientReferenceId: string): Promise<JournalEntry> {
  const entry = await journal.find(clientReferenceId)
  if (entry) return entry
  throw usage(
    'unknown_reference',
    'this machine has tried no reservation with that client reference, at this base URL and with this client',
    'list attempts: bookctl journal',
  )
}

interface Judging {
  /** The verdict to act on, while no other process works on the offer. */
  readonly begin: () => Promise<JournalVerdict>
  /** The verdict while another process does, with nothing written. */
  readonly peek: () => Promise<JournalVerdict | undefined>
}

async function once(parts: ReserveParts, offerId: string, {begin, peek}: Judging): Promise<ReserveOutcome> {
  const {journal, timeoutSeconds = TIMEOUT_SECONDS, journalKept = true, signal} = parts
  parts.onStage?.('waiting')
  const done = await journal.alone(
    offerId,
    timeoutSeconds * 1000,
    async () => {
      // Stopped while it waited for another process.
      if (signal?.aborted)
        throw new Failure('interrupted', 'stopped; nothing was sent', {code: 'interrupted'})
      const verdict = await begin()
      if (verdict.kind === 'conflict') throw conflictFailure(verdict)
      const stored = storedOutcome(verdict)
      if (stored) return stored
      if (verdict.entry.body === null) throw sealedElsewhere(verdict.entry.clientReferenceId)
      return new Sending(parts, verdict.entry).send()
    },
    async () => storedOutcome(await peek()),
  )
  if (!done.gaveUp) return done.value
  const verdict = await peek()
  if (verdict?.kind === 'conflict') throw conflictFailure(verdict)
  if (verdict) throw outcomeUnknown(verdict.entry, 'another process is still making it', journalKept)
  throw new Failure('unreachable', 'another process is still busy with this offer; nothing was sent', {
    code: 'busy',
    hint: 'run the command again',
  })
}

/** The outcome an earlier run recorded; undefined while there is none. Throws Failure when nothing was made. */
function storedOutcome(verdict: JournalVerdict | undefined): ReserveOutcome | undefined {
  if (verdict?.kind !== 'resolved') return undefined
  const {entry} = verdict
  if (isNeverSent(entry)) throw neverSent(entry)
  if (entry.reservationRef === null) {
    throw new Failure('refused', 'the service refused this reservation when it was sent', {
      code: 'refused_earlier',
      hint: 'correct what the service refused, then run reserve again',
    })
  }
  const payment = entry.result?.payment as {url?: unknown} | undefined
  return {
    outcome: entry.outcome,
    reservation: entry.result,
    reservation_ref: entry.reservationRef,
    status: typeof entry.result?.status === 'string' ? entry.result.status : null,
    payment_url: typeof payment?.url === 'string' ? payment.url : null,
    idempotency_key: entry.idempotencyKey,
    client_reference_id: entry.clientReferenceId,
    attempts: entry.attempts,
    repeated: true,
  }
}

type Given = Pick<ReservationIntent, 'referenceGiven' | 'idempotencyKey' | 'keyGiven'>

/** The intent to send `request` (§2.4), which is written as bytes here and nowhere else. */
export function intentOf(request: ReservationRequest, given: Given): ReservationIntent {
  const {client_reference_id, ...rest} = request
  return {
    ...given,
    offerId: request.offer_id,
    clientReferenceId: client_reference_id,
    body: JSON.stringify(request),
    bodySha256: sha256OfJson(request),
    intentSha256: sha256OfJson(rest),
  }
}

function sha256OfJson(value: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(sorted(value)))
    .digest('hex')
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isObject(value)) return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]))
}
