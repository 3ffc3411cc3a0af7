/**
 * Exactly one reservation (§4.4): the intent is committed before the first byte leaves, every repeat carries the same
 * key and body, and what may have happened is never called a failure.
 */
import {Failure, usage} from '../../contract/failure.js'
import type {Journal, JournalEntry, JournalVerdict, ReservationIntent} from '../../contract/journal.js'
import {isNeverSent, verdictOn} from '../../contract/journal.js'
import {unanswered} from '../answers/refusals.js'
import type {ReadReservation} from '../answers/reservations.js'
import {type Answer, SendError} from '../types.js'
import {conflictFailure, neverSent, outcomeUnknown, refused} from './failures.js'
import {bookingOf, meaningOf, sha256OfJson, withoutPeople} from './outcome.js'
import type {ReserveHooks, ReserveIntent, ReserveOutcome, ReserveParts} from './parts.js'
import {type Progress, sendReservation} from './send.js'

export type {Journal, JournalEntry, JournalVerdict, ReservationIntent} from '../../contract/journal.js'
export type {ReserveHooks, ReserveIntent, ReserveOutcome, ReserveParts, Stage} from './parts.js'

/** Ours: §4.4 shows no time limit. */
const TIMEOUT_SECONDS = 120

/**
 * Makes the reservation, or returns the one an earlier run of the same made. Throws Failure: usage when an earlier
 * one stands in the way, refused or not_allowed when the service says no and nothing can have happened, unreachable
 * when nothing was sent, outcome_unknown when a reservation may exist. What the journal throws before sending passes.
 */
export async function reserve(
  parts: ReserveParts,
  wanted: ReserveIntent,
  hooks: ReserveHooks = {},
): Promise<ReserveOutcome> {
  const intent = intentOf(wanted, parts.newKey)
  const seconds = parts.timeoutSeconds ?? TIMEOUT_SECONDS
  hooks.onStage?.('waiting')
  const done = await parts.journal.alone(
    intent.offerId,
    seconds * 1000,
    async () => {
      refuseStopped(parts)
      return act(parts, parts.journal.begin(intent, parts.clock.now()), hooks)
    },
    () => storedOutcome(parts.journal.look(intent)),
  )
  if (!done.gaveUp) return done.value
  const verdict = parts.journal.look(intent)
  if (verdict?.kind === 'conflict') throw conflictFailure(verdict)
  if (verdict) throw outcomeUnknown(verdict.entry, 'another process is still making it', isKept(parts))
  throw new Failure('unreachable', 'another process is still busy with this offer; nothing was sent', {
    code: 'busy',
    hint: 'run the command again',
  })
}

/**
 * Finds out how the reservation with this client reference ended: by the journal, or by sending it once more. Throws Failure
 * as `reserve` does, and usage `never_sent` where nothing of it was sent: then it makes nothing.
 */
export async function resume(
  parts: ReserveParts,
  clientReferenceId: string,
  hooks: ReserveHooks = {},
): Promise<ReserveOutcome> {
  const first = findEntry(parts.journal, clientReferenceId)
  const seconds = parts.timeoutSeconds ?? TIMEOUT_SECONDS
  hooks.onStage?.('waiting')
  const done = await parts.journal.alone(
    first.offerId,
    seconds * 1000,
    async () => {
      refuseStopped(parts)
      const entry = findEntry(parts.journal, clientReferenceId)
      if (!isNeverSent(entry)) return act(parts, verdictOn(entry), hooks)
      // Its process is gone: nobody else works on this offer now.
      record(hooks, () => parts.journal.notSent(entry.id, entry.attempts, parts.clock.now()))
      throw neverSent(entry)
    },
    () => storedOutcome(verdictOn(findEntry(parts.journal, clientReferenceId))),
  )
  if (done.gaveUp) throw outcomeUnknown(first, 'another process is still making it', isKept(parts))
  return done.value
}

/** Whoever waited for another process begins nothing once it is stopped. Throws Failure `interrupted`. */
function refuseStopped({signal}: ReserveParts): void {
  if (signal?.aborted) throw new Failure('interrupted', 'stopped; nothing was sent', {code: 'interrupted'})
}

function isKept(parts: ReserveParts): boolean {
  return parts.journalKept ?? true
}

/** The newest entry with this client reference. Throws usage when there is none. */
export function findEntry(journal: Journal, clientReferenceId: string): JournalEntry {
  const entry = journal.find(clientReferenceId)
  if (entry) return entry
  throw usage(
    'unknown_reference',
    'this machine has tried no reservation with that client reference, at this base URL and with this client',
    'see what it tried with: bookctl journal',
  )
}

/** What the journal is asked about `wanted`; `newKey` makes the key when none was chosen. */
export function intentOf(wanted: ReserveIntent, newKey: () => string): ReservationIntent {
  const {request, referenceGiven, idempotencyKey} = wanted
  const {client_reference_id, ...rest} = request
  return {
    offerId: request.offer_id,
    clientReferenceId: client_reference_id,
    referenceGiven,
    idempotencyKey: idempotencyKey ?? newKey(),
    keyGiven: idempotencyKey !== undefined,
    body: JSON.stringify(request),
    bodySha256: sha256OfJson(request),
    intentSha256: sha256OfJson(rest),
  }
}

async function act(
  parts: ReserveParts,
  verdict: JournalVerdict,
  hooks: ReserveHooks,
): Promise<ReserveOutcome> {
  if (verdict.kind === 'conflict') throw conflictFailure(verdict)
  const stored = storedOutcome(verdict)
  if (stored) return stored
  const {entry} = verdict
  const mayHaveActed = !isNeverSent(entry)
  const progress: Progress = {sent: 0, attempts: entry.attempts, mayHaveActed}
  const sending: Sending = {parts, entry, progress, hooks, repeated: mayHaveActed, isSettled: false}
  hooks.onStage?.(mayHaveActed ? 'sent' : 'unsent')
  const stop = () => {
    if (progress.sent === 0 && !mayHaveActed) settleNotSent(sending)
  }
  parts.signal?.addEventListener('abort', stop)
  const seconds = parts.timeoutSeconds ?? TIMEOUT_SECONDS
  const sendParts = {...parts, onSending: () => hooks.onStage?.('sent')}
  try {
    const answer = await sendReservation(sendParts, entry, progress, seconds).catch(error => {
      throw settleFault(sending, error)
    })
    return settleAnswer(sending, answer)
  } finally {
    parts.signal?.removeEventListener('abort', stop)
  }
}

interface Sending {
  readonly parts: ReserveParts
  readonly entry: JournalEntry
  readonly progress: Progress
  readonly hooks: ReserveHooks
  readonly repeated: boolean
  /** Whether it is settled as not sent. */
  isSettled: boolean
}

/** The outcome an earlier run recorded; undefined while there is none. Throws Failure when nothing was made. */
function storedOutcome(verdict: JournalVerdict | undefined): ReserveOutcome | undefined {
  if (verdict?.kind !== 'resolved') return undefined
  const {entry} = verdict
  if (isNeverSent(entry)) throw neverSent(entry)
  if (entry.reservationRef === null) {
    throw new Failure('refused', 'the service refused this reservation when it was sent', {
      code: 'refused_earlier',
      hint: 'run reserve again with what was wrong put right',
    })
  }
  const payment = entry.result?.payment as {url?: unknown} | undefined
  return {
    outcome: entry.outcome,
    reservation: entry.result,
    reservation_ref: entry.reservationRef,
    payment_url: typeof payment?.url === 'string' ? payment.url : null,
    idempotency_key: entry.idempotencyKey,
    client_reference_id: entry.clientReferenceId,
    attempts: entry.attempts,
    repeated: true,
  }
}

/** No answer came, or none was asked for: the Failure, or what the disk threw, with the journal kept in step. */
function settleFault(sending: Sending, error: unknown): unknown {
  if (isNothingDone(sending.progress, error)) return settleNothingDone(sending, error)
  settle(sending, {outcome: 'unknown'})
  const reason = error instanceof Failure ? error.message : 'this machine failed while sending it'
  return outcomeUnknown(counted(sending), error instanceof SendError ? error : reason, isKept(sending.parts))
}

function isNothingDone(progress: Progress, error: unknown): boolean {
  if (progress.mayHaveActed) return false
  if (error instanceof SendError) return !error.mayHaveActed && !error.last.sent
  // A Failure means that no token could be had: at the beginning, or after an answer 401 to all that was sent.
  return error instanceof Failure || progress.sent === 0
}

function settleNothingDone(sending: Sending, error: unknown): unknown {
  const isLost = error instanceof SendError
  if (isLost || sending.progress.sent === 0) settleNotSent(sending)
  else settle(sending, {outcome: 'refused'})
  return isLost ? unanswered(error, false) : error
}

function settleNotSent(sending: Sending): void {
  if (sending.isSettled) return
  sending.isSettled = true
  const {parts, entry, progress, hooks} = sending
  hooks.onStage?.('unsent')
  record(hooks, () => parts.journal.notSent(entry.id, progress.attempts, parts.clock.now()))
}

function settleAnswer(sending: Sending, answer: Answer): ReserveOutcome {
  const meaning = meaningOf(answer, bookingOf(sending.entry), sending.progress.mayHaveActed)
  if (meaning.kind === 'reserved') {
    const {found, outcome} = meaning
    settle(sending, {outcome, reservationRef: found.reservation_ref, result: withoutPeople(found)})
    return outcomeOf(sending, found, outcome)
  }
  if (meaning.kind === 'nothing') {
    settle(sending, {outcome: meaning.outcome})
    throw refused(answer, sending.parts.clock.now())
  }
  settle(sending, {outcome: 'unknown'})
  const reason = meaning.kind === 'unknown' ? meaning.reason : undefined
  throw outcomeUnknown(counted(sending), answer, isKept(sending.parts), reason)
}

function outcomeOf(sending: Sending, found: ReadReservation, outcome: string): ReserveOutcome {
  const {entry, progress, repeated} = sending
  return {
    outcome,
    reservation: found.reservation,
    reservation_ref: found.reservation_ref,
    payment_url: found.payment_url,
    idempotency_key: entry.idempotencyKey,
    client_reference_id: entry.clientReferenceId,
    attempts: progress.attempts,
    repeated,
  }
}

function counted({entry, progress}: Sending): JournalEntry {
  return {...entry, attempts: progress.attempts}
}

function settle({parts, entry, hooks}: Sending, settlement: Parameters<Journal['settle']>[1]): void {
  record(hooks, () => parts.journal.settle(entry.id, settlement, parts.clock.now()))
}

/** What is known must reach the user even when the disk does not take it any more. */
function record(hooks: ReserveHooks, write: () => void): void {
  try {
    write()
  } catch (error) {
    hooks.warn?.(`the outcome could not be written to the journal: ${(error as Error).message}`)
  }
}
