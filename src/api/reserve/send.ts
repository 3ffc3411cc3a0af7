/** Sends a reservation of the journal: the same key and body each time, every attempt counted before it leaves. */

import type {Journal, JournalEntry} from '../../contract/journal.js'
import {parseJson} from '../../contract/json.js'
import {pause} from '../http/pause.js'
import {retryAfterMilliseconds} from '../http/retry.js'
import type {Answer, Api, Clock} from '../types.js'
import {bookingOf, meaningOf} from './outcome.js'

/** What has gone on the wire so far; sendReservation keeps it up to date, also when it throws. */
export interface Progress {
  /** Attempts of this run. */
  sent: number
  /** Attempts of all runs. */
  attempts: number
  /** Whether the service may have made the reservation without our having seen it. */
  mayHaveActed: boolean
}

export interface SendParts {
  readonly api: Api
  readonly journal: Journal
  readonly clock: Clock
  /** Once it is aborted nothing more is sent. */
  readonly signal?: AbortSignal | undefined
  /** Called when an attempt is about to leave, after it was counted. */
  readonly onSending: () => void
}

/** Ours: so that one repeat fits into the whole time. */
const ATTEMPT_SHARE = 0.45
const FIRST_WAIT_MILLISECONDS = 250
const LONGEST_WAIT_MILLISECONDS = 5000

/**
 * The last answer within `timeoutSeconds`. While the service says that
 * the key is still being worked on, it is asked again. Throws SendError, and what getting a token throws.
 */
export async function sendReservation(
  parts: SendParts,
  entry: JournalEntry,
  progress: Progress,
  timeoutSeconds: number,
): Promise<Answer> {
  const deadline = parts.clock.now() + timeoutSeconds
  for (let round = 0; ; round++) {
    const secondsLeft = Math.max(1, deadline - parts.clock.now())
    const answer = await parts.api.exchange('reservations.create', {
      // Parsed and written again it is the same text, since it was written by us.
      body: parseJson(Buffer.from(entry.body ?? '')),
      headers: {'idempotency-key': entry.idempotencyKey},
      policy: {
        repeatable: true,
        timeoutSeconds: secondsLeft,
        attemptTimeoutSeconds: secondsLeft * ATTEMPT_SHARE,
        beforeAttempt: () => {
          progress.attempts = parts.journal.attempt(entry.id, parts.clock.now())
          progress.sent++
          parts.onSending()
        },
        ...(parts.signal ? {signal: parts.signal} : {}),
      },
    })
    progress.mayHaveActed ||= answer.mayHaveActed
    if (meaningOf(answer, bookingOf(entry), progress.mayHaveActed).kind !== 'in_progress') return answer
    progress.mayHaveActed = true
    const now = parts.clock.now()
    const wait = Math.min(LONGEST_WAIT_MILLISECONDS, FIRST_WAIT_MILLISECONDS * 2 ** round)
    const milliseconds = Math.max(wait, retryAfterMilliseconds(answer, now) ?? 0)
    if (now + milliseconds / 1000 >= deadline) return answer
    await pause(parts.clock, milliseconds, parts.signal)
  }
}
