/**
 * Exactly one reservation (§4.4): the intent is committed, and each attempt counted, before a byte leaves, every repeat sends
 * the bytes of the journal under the same key, and a reservation that may exist is never reported as a failure.
 */
import {createHash} from 'node:crypto'
import type {Clock} from '../../contract/dates.js'
import {Failure, usage} from '../../contract/failure.js'
import {
  isNeverSent,
  type Journal,
  type JournalEntry,
  type JournalVerdict,
  type ReservationIntent,
  type Settlement,
  type Stay,
  sealedElsewhere,
  verdictOn,
} from '../../contract/journal.js'
import {canonicalJson} from '../../contract/json.js'
import type {ReservationRequest} from '../../contract/reservations.js'
import {unanswered} from '../answers/refusals.js'
import {priceOfReservation} from '../answers/reservations.js'
import {type Answer, type Api, SendError} from '../types.js'
import {conflictFailure, neverSent, outcomeUnknown, refused} from './failures.js'
import {
  asPrice,
  bookingOf,
  isInProgress,
  meaningOf,
  namesOf,
  type ReserveOutcome,
  withoutPeople,
} from './outcome.js'

export interface ReserveOptions {
  readonly api: Api
  readonly journal: Journal
  readonly clock: Clock
  /** Bound on sending with its repeats, and on waiting for another process (default 120). */
  readonly timeoutSeconds?: number | undefined
  /** Whether the journal outlives this process (default true), so that a lost answer can be resumed. */
  readonly journalKept?: boolean
  /** When aborted, nothing more is sent, and an entry of which nothing was sent is settled at once. */
  readonly signal?: AbortSignal | undefined
  /** Takes warnings about a reservation that was made. */
  readonly warn?: (message: string) => void
  readonly onStage?: (stage: Stage) => void
  /** Takes what a stop has begun to record: the process must not end before it is done. Never rejects. */
  readonly onStopping?: (recording: Promise<void>) => void
}

/** How far a run has got: waiting for another, which may be making the same; nothing was ever sent; it may have been made. */
export type Stage = 'waiting' | 'unsent' | 'sent'

/** Not in the interface: §4.4 shows no time limit. */
const TIMEOUT_SECONDS = 120
/** Of the whole time, so that one repeat fits into it. */
const ATTEMPT_SHARE = 0.45

/**
 * Makes the reservation, or returns the one an earlier run of the same made. Throws Failure: usage when an earlier one
 * conflicts, refused or not_allowed when nothing was made, unreachable when nothing was sent, outcome_unknown when a
 * reservation may exist. What the journal throws before sending passes.
 */
export function reserve(options: ReserveOptions, intent: ReservationIntent): Promise<ReserveOutcome> {
  const begin = () => options.journal.begin(intent, options.clock.now())
  return once(options, intent.offerId, {begin, peek: () => options.journal.peek(intent)})
}

/** How it ended: from the journal, or by sending it once more. Throws as `reserve`; usage `never_sent` if nothing was sent. */
export async function resume(options: ReserveOptions, clientReferenceId: string): Promise<ReserveOutcome> {
  const {journal, clock} = options
  const peek = async () => verdictOn(await findEntry(journal, clientReferenceId), journal.client)
  const begin = async () => {
    const verdict = await peek()
    const {entry} = verdict
    if (!isNeverSent(entry)) return verdict
    // Its process is gone: no other one works on this offer now.
    await record(options, () => journal.notSent(entry.id, entry.attempts, clock.now()))
    throw neverSent(entry)
  }
  const {entry} = await peek()
  return once(options, entry.offerId, {begin, peek})
}

/** The entry that is meant by this client reference. Throws a usage error if there is none. */
export async function findEntry(journal: Journal, clientReferenceId: string): Promise<JournalEntry> {
  const entry = await journal.find(clientReferenceId)
  if (entry) return entry
  throw usage(
    'unknown_reference',
    'no reservation was tried with that client reference at this base URL',
    'list attempts: bookctl journal',
  )
}

interface Judging {
  /** The verdict to act on, while no other process works on the offer. */
  readonly begin: () => Promise<JournalVerdict>
  /** The verdict while another process does, with nothing written. */
  readonly peek: () => Promise<JournalVerdict | undefined>
}

async function once(
  options: ReserveOptions,
  offerId: string,
  {begin, peek}: Judging,
): Promise<ReserveOutcome> {
  const {journal, timeoutSeconds = TIMEOUT_SECONDS, journalKept = true, signal} = options
  options.onStage?.('waiting')
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
      if (verdict.entry.body === null) throw sealedElsewhere(verdict.entry)
      return send(options, verdict.entry, verdict.entry.body)
    },
    async () => storedOutcome(await peek()),
  )
  if (!done.gaveUp) return done.value
  const verdict = await peek()
  if (verdict?.kind === 'conflict') throw conflictFailure(verdict)
  if (verdict) throw outcomeUnknown(verdict.entry, 'another process is still making it', journalKept)
  const busy = 'another process is still busy with this offer; nothing was sent'
  throw new Failure('unreachable', busy, {code: 'busy', hint: 'run the command again'})
}

/** One run's sending of an entry, whose `text` is its body; the outcome is recorded. */
async function send(options: ReserveOptions, entry: JournalEntry, text: string): Promise<ReserveOutcome> {
  const {api, journal, clock, signal, timeoutSeconds = TIMEOUT_SECONDS, journalKept = true} = options
  /** Whether an earlier run may have made the reservation. */
  const repeated = !isNeverSent(entry)
  /** Attempts of this run, with the one that is being counted. */
  let sent = 0
  /** Attempts of all runs. */
  let {attempts} = entry
  let settledNotSent: Promise<void> | undefined
  const settle = (settlement: Settlement) =>
    record(options, () => journal.settle(entry.id, settlement, clock.now()))
  /** Once: a stop and the end of the sending may both come to it. */
  const settleNotSent = () => {
    if (settledNotSent !== undefined) return settledNotSent
    options.onStage?.('unsent')
    settledNotSent = record(options, () => journal.notSent(entry.id, attempts, clock.now()))
    return settledNotSent
  }
  const unknown = async (last: Answer | SendError | string, reason?: string) => {
    await settle({outcome: 'unknown'})
    return outcomeUnknown({...entry, attempts}, last, journalKept, reason)
  }
  /** Noted as sent from the start: a stop must not settle it as not sent while it is being counted. */
  const beforeAttempt = async () => {
    sent++
    options.onStage?.('sent')
    try {
      attempts = await journal.attempt(entry.id, clock.now())
    } catch (error) {
      sent--
      throw error
    }
  }
  /** No answer came, or none was asked for: the Failure, or what the disk threw. */
  const settleFault = async (error: unknown) => {
    if (error instanceof SendError) {
      if (repeated || error.mayHaveActed) return unknown(error)
      await settleNotSent()
      return unanswered(error, false)
    }
    if (sent === 0 && !repeated) {
      await settleNotSent()
      return error
    }
    // No new token after a 401: had an attempt before it acted, the 401 would be the answer.
    if (error instanceof Failure && error.kind !== 'usage' && !repeated) {
      await settle({outcome: 'refused'})
      return error
    }
    const lost = 'its answer was lost, and this machine could not send it again'
    return unknown(error instanceof Failure ? error.message : lost)
  }
  const settleAnswer = async (answer: Answer): Promise<ReserveOutcome> => {
    const meaning = meaningOf(answer, entry, repeated || answer.mayHaveActed)
    if (meaning.kind === 'unknown') throw await unknown(answer, meaning.reason)
    if (meaning.kind === 'nothing') {
      await settle({outcome: meaning.outcome})
      throw refused(answer, clock.now())
    }
    const {found, outcome} = meaning
    const price = priceOfReservation(found.reservation, answer.json)
    const booked = asPrice(price)
    await settle({outcome, reservationRef: found.reservation_ref, booked, result: withoutPeople(found)})
    if (price === 'unclear' && entry.agreed)
      options.warn?.(
        'the answer names different prices for it, so whether it is booked as agreed is not known',
      )
    return {outcome, ...found, ...namesOf({...entry, attempts}), repeated, agreed: entry.agreed, booked}
  }

  options.onStage?.(repeated ? 'sent' : 'unsent')
  const stop = () => {
    if (sent > 0 || repeated) return
    const recording = settleNotSent()
    options.onStopping?.(recording)
  }
  signal?.addEventListener('abort', stop)
  if (signal?.aborted) stop()
  const call = {
    text,
    headers: {'idempotency-key': entry.idempotencyKey},
    policy: {
      repeatable: true,
      isInProgress,
      timeoutSeconds,
      attemptTimeoutSeconds: timeoutSeconds * ATTEMPT_SHARE,
      beforeAttempt,
      ...(signal ? {signal} : {}),
    },
  }
  try {
    const answer = await api.callForAnswer('reservations.create', call).catch(async error => {
      throw await settleFault(error)
    })
    return await settleAnswer(answer)
  } finally {
    signal?.removeEventListener('abort', stop)
  }
}

/** The outcome must reach the user even when the disk is full. */
async function record({warn}: ReserveOptions, write: () => Promise<void>): Promise<void> {
  try {
    await write()
  } catch (error) {
    warn?.(`the outcome could not be written to the journal: ${(error as Error).message}`)
  }
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
  return bookingOf(entry)
}

/** The intent to send `request` (§2.4), which is written as bytes here and nowhere else. */
export function intentOf(
  request: ReservationRequest,
  {
    stay,
    ...given
  }: Pick<ReservationIntent, 'referenceGiven' | 'idempotencyKey' | 'keyGiven' | 'agreed'> & {
    readonly stay: Stay | null
  },
): ReservationIntent {
  const {client_reference_id, ...rest} = request
  return {
    ...given,
    trip: {guests: sha256OfJson(request.guests), stay},
    offerId: request.offer_id,
    clientReferenceId: client_reference_id,
    body: JSON.stringify(request),
    bodySha256: sha256OfJson(request),
    intentSha256: sha256OfJson(rest),
  }
}

function sha256OfJson(value: unknown): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex')
}
