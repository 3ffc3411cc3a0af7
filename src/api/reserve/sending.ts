/** One run's sending of a journal entry (§4.4): each attempt is counted before it leaves, and the outcome is recorded. */
import {Failure} from '../../contract/failure.js'
import {isNeverSent, type Journal, type JournalEntry, type Settlement} from '../../contract/journal.js'
import {unanswered} from '../answers/refusals.js'
import {type Answer, type Api, type Clock, SendError} from '../types.js'
import {outcomeUnknown, refused} from './failures.js'
import {isInProgress, meaningOf, type ReserveOutcome, withoutPeople} from './outcome.js'

export interface ReserveParts {
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

/** How far a run has got, for the message when it is stopped. */
export type Stage =
  /** Waiting for another process, which may be making the same reservation. */
  | 'waiting'
  /** Nothing of the reservation was ever sent. */
  | 'unsent'
  /** It may have been made. */
  | 'sent'

/** Not in the interface: §4.4 shows no time limit. */
export const TIMEOUT_SECONDS = 120
/** Of the whole time, so that one repeat fits into it. */
const ATTEMPT_SHARE = 0.45

export class Sending {
  /** Attempts of this run, with the one that is being counted. */
  private sent = 0
  /** Attempts of all runs. */
  private attempts: number
  /** Whether an earlier run may have made the reservation. */
  private readonly repeated: boolean
  private settledNotSent: Promise<void> | undefined

  constructor(
    private readonly parts: ReserveParts,
    private readonly entry: JournalEntry,
  ) {
    this.attempts = entry.attempts
    this.repeated = !isNeverSent(entry)
  }

  async send(): Promise<ReserveOutcome> {
    const {api, signal, timeoutSeconds = TIMEOUT_SECONDS} = this.parts
    this.parts.onStage?.(this.repeated ? 'sent' : 'unsent')
    const stop = () => {
      if (this.sent > 0 || this.repeated) return
      const recording = this.settleNotSent()
      this.parts.onStopping?.(recording)
    }
    signal?.addEventListener('abort', stop)
    if (signal?.aborted) stop()
    const options = {
      text: this.entry.body ?? '',
      headers: {'idempotency-key': this.entry.idempotencyKey},
      policy: {
        repeatable: true,
        isInProgress,
        timeoutSeconds,
        attemptTimeoutSeconds: timeoutSeconds * ATTEMPT_SHARE,
        beforeAttempt: () => this.count(),
        ...(signal ? {signal} : {}),
      },
    }
    try {
      const answer = await api.exchange('reservations.create', options).catch(async error => {
        throw await this.settleFault(error)
      })
      return await this.settleAnswer(answer)
    } finally {
      signal?.removeEventListener('abort', stop)
    }
  }

  /** Noted as sent from the start: a stop must not settle it as not sent while it is being counted. */
  private async count(): Promise<void> {
    this.sent++
    this.parts.onStage?.('sent')
    try {
      this.attempts = await this.parts.journal.attempt(this.entry.id, this.parts.clock.now())
    } catch (error) {
      this.sent--
      throw error
    }
  }

  private async settleAnswer(answer: Answer): Promise<ReserveOutcome> {
    const {entry, attempts, repeated} = this
    const meaning = meaningOf(answer, entry, repeated || answer.mayHaveActed)
    if (meaning.kind === 'unknown') throw await this.unknown(answer, meaning.reason)
    if (meaning.kind === 'nothing') {
      await this.settle({outcome: meaning.outcome})
      throw refused(answer, this.parts.clock.now())
    }
    const {found, outcome} = meaning
    await this.settle({outcome, reservationRef: found.reservation_ref, result: withoutPeople(found)})
    const {idempotencyKey: idempotency_key, clientReferenceId: client_reference_id} = entry
    return {outcome, ...found, idempotency_key, client_reference_id, attempts, repeated}
  }

  /** No answer came, or none was asked for: the Failure, or what the disk threw. */
  private async settleFault(error: unknown): Promise<unknown> {
    if (error instanceof SendError) {
      if (this.repeated || error.mayHaveActed) return this.unknown(error)
      await this.settleNotSent()
      return unanswered(error, false)
    }
    if (this.sent === 0 && !this.repeated) {
      await this.settleNotSent()
      return error
    }
    // No new token after a 401: had an attempt before it acted, the 401 would be the answer.
    if (error instanceof Failure && error.kind !== 'usage' && !this.repeated) {
      await this.settle({outcome: 'refused'})
      return error
    }
    return this.unknown(
      error instanceof Failure
        ? error.message
        : 'its answer was lost, and this machine could not send it again',
    )
  }

  private async unknown(last: Answer | SendError | string, reason?: string): Promise<Failure> {
    await this.settle({outcome: 'unknown'})
    return outcomeUnknown(
      {...this.entry, attempts: this.attempts},
      last,
      this.parts.journalKept ?? true,
      reason,
    )
  }

  private settle(settlement: Settlement): Promise<void> {
    const {journal, clock} = this.parts
    return record(this.parts, () => journal.settle(this.entry.id, settlement, clock.now()))
  }

  /** Once: a stop and the end of the sending may both come to it. */
  private settleNotSent(): Promise<void> {
    if (this.settledNotSent !== undefined) return this.settledNotSent
    const {journal, clock} = this.parts
    this.parts.onStage?.('unsent')
    this.settledNotSent = record(this.parts, () => journal.notSent(this.entry.id, this.attempts, clock.now()))
    return this.settledNotSent
  }
}

/** The outcome must reach the user even when the disk is full. */
export async function record({warn}: Pick<ReserveParts, 'warn'>, write: () => Promise<void>): Promise<void> {
  try {
    await write()
  } catch (error) {
    warn?.(`the outcome could not be written to the journal: ${(error as Error).message}`)
  }
}
