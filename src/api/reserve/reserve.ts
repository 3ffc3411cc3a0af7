/**
 * Makes exactly one reservation (§4.4). The intent is committed, and each attempt counted, before a byte is sent. Every repeat
 * sends the bytes in the journal under the same key. A reservation that may exist is never reported as failed.
 */
import {createHash} from 'node:crypto'
import type {Clock} from '../../contract/dates.js'
import {Failure, usage} from '../../contract/failure.js'
import {
  isNeverSent,
  type Journal,
  type JournalEntry,
  type JournalVerdict,
  type MadeBy,
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
  /** Limit on sending with its repeats, and on waiting for another process, in seconds (default 120). */
  readonly timeoutSeconds?: number | undefined
  /** Whether the journal outlives this process (default true), so that a lost answer can be resumed. */
  readonly journalKept?: boolean
  /** When the signal is aborted, nothing more is sent. An entry of which nothing was sent is settled at once. */
  readonly signal?: AbortSignal | undefined
  /** Receives warnings about a reservation that was made. */
  readonly warn?: (message: string) => void
  readonly onStage?: (stage: Stage) => void
  /**
   * Receives a promise that resolves when a stop has recorded its result. The process must not exit before that. The promise
   * never rejects.
   */
  readonly onStopping?: (recording: Promise<void>) => void
}

/**
 * How far a run has got. `waiting`: for another process, which may be making the same reservation. `unsent`: nothing was ever
 * sent. `sent`: the reservation may have been made.
 */
export type Stage = 'waiting' | 'unsent' | 'sent'

/** Not in the interface: §4.4 shows no time limit. */
const TIMEOUT_SECONDS = 120
/**
 * The part of the time limit for one attempt. By default that is 63 s, because a service may take a minute to book and hanging
 * up cancels nothing. The rest is for a repeat, which gets the stored answer if the first attempt has booked meanwhile.
 */
const ATTEMPT_SHARE = 0.525

/**
 * Makes the reservation, or returns the one that an earlier run made for the same intent.
 * Throws a Failure: usage when an earlier one conflicts, refused or not_allowed when nothing was made, unreachable when nothing
 * was sent, outcome_unknown when a reservation may exist. Errors of the journal before sending are not caught.
 */
export function reserve(options: ReserveOptions, intent: ReservationIntent): Promise<ReserveOutcome> {
  const begin = () => options.journal.begin(intent, options.clock.now())
  return once(options, intent.offerId, {begin, peek: () => options.journal.peek(intent)})
}

/**
 * Returns the outcome of an earlier attempt: from the journal, or by sending it once more. Throws as `reserve` does, and a
 * usage Failure `never_sent` if nothing was sent.
 */
export async function resume(options: ReserveOptions, clientReferenceId: string): Promise<ReserveOutcome> {
  const {journal, clock} = options
  const peek = async () => verdictOn(await findEntry(journal, clientReferenceId), journal.client)
  const begin = async () => {
    const verdict = await peek()
    const {entry} = verdict
    if (!isNeverSent(entry)) return verdict
    // The process that wrote the entry is gone, and no other process works on this offer now.
    await record(options, () => journal.notSent(entry.id, entry.attempts, clock.now()))
    throw neverSent(entry)
  }
  const {entry} = await peek()
  return once(options, entry.offerId, {begin, peek})
}

/** Returns the journal entry with this client reference. Throws a usage error if there is none. */
export async function findEntry(journal: Journal, clientReferenceId: string): Promise<JournalEntry> {
  const entry = await journal.find(clientReferenceId)
  if (entry) return entry
  throw usage(
    'unknown_reference',
    'no reservation was tried with that client reference at this base URL',
    'list attempts: bookctl journal',
  )
}

interface Verdicts {
  /** Returns the verdict on the intent. Called when no other process works on the offer. */
  readonly begin: () => Promise<JournalVerdict>
  /** Returns the verdict without writing anything. Called while another process works on the offer. */
  readonly peek: () => Promise<JournalVerdict | undefined>
}

async function once(
  options: ReserveOptions,
  offerId: string,
  {begin, peek}: Verdicts,
): Promise<ReserveOutcome> {
  const {journal, timeoutSeconds = TIMEOUT_SECONDS, journalKept = true, signal} = options
  options.onStage?.('waiting')
  const done = await journal.alone(
    offerId,
    timeoutSeconds * 1000,
    async () => {
      // The command was stopped while it waited for another process.
      if (signal?.aborted)
        throw new Failure('interrupted', 'stopped; nothing was sent', {code: 'interrupted'})
      const verdict = await begin()
      if (verdict.kind === 'conflict') throw conflictFailure(verdict)
      const stored = storedOutcome(verdict)
      if (stored) return stored
      if (verdict.entry.body === null) throw sealedElsewhere(verdict.entry)
      return settleEntry(options, verdict.entry, verdict.entry.body)
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

/** Settles an entry in this run: sends it and records its outcome. `text` is the body of the entry. */
async function settleEntry(
  options: ReserveOptions,
  entry: JournalEntry,
  text: string,
): Promise<ReserveOutcome> {
  const {api, journal, clock, signal, timeoutSeconds = TIMEOUT_SECONDS, journalKept = true} = options
  /** Whether an earlier run may have made the reservation. */
  const repeated = !isNeverSent(entry)
  /** Attempts of this run, including the one that is being counted. */
  let sent = 0
  /** Attempts of all runs. */
  let {attempts} = entry
  let settledNotSent: Promise<void> | undefined
  const settle = (settlement: Settlement) =>
    record(options, () => journal.settle(entry.id, settlement, clock.now()))
  /** Records at most once, because both a stop and the end of the sending call this. */
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
  /**
   * Counts an attempt. The stage is `sent` before the attempt is in the journal, so that a stop meanwhile does not settle the
   * entry as not sent.
   */
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
  /** Settles the entry when there is no answer. Returns the error to throw. */
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
    // The token could not be renewed after a 401, and nothing was made. If an earlier attempt might have acted, the client
    // would have returned the 401 instead of this error.
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

/** Writes to the journal, and only warns if that fails, because the outcome must reach the user even when the disk is full. */
async function record({warn}: ReserveOptions, write: () => Promise<void>): Promise<void> {
  try {
    await write()
  } catch (error) {
    warn?.(`the outcome could not be written to the journal: ${(error as Error).message}`)
  }
}

/** Returns the outcome that an earlier run recorded, or undefined if there is none. Throws a Failure when nothing was made. */
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

/**
 * Returns the intent to send `request` (§2.4), made by an agent if `madeBy` is given. The request is serialised here and nowhere
 * else.
 */
export function intentOf(
  request: ReservationRequest,
  {
    stay,
    madeBy = null,
    ...given
  }: Pick<ReservationIntent, 'referenceGiven' | 'idempotencyKey' | 'keyGiven' | 'agreed'> & {
    readonly stay: Stay | null
    readonly madeBy?: MadeBy | null
  },
): ReservationIntent {
  const {client_reference_id, ...rest} = request
  return {
    ...given,
    trip: {guests: sha256OfJson(request.guests), stay},
    madeBy,
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
