/** Sends a reservation of the journal: the same key and body each time, every attempt counted before it leaves. */
import type {Answer, Api, Clock} from './api.js'
import {parseJson} from './error-shapes.js'
import type {Journal, JournalEntry} from './reservation-journal.js'
import {meaningOf} from './reserve-outcome.js'
import {retryAfterMilliseconds} from './retry.js'

export interface Attempts {
  /** Attempts of earlier runs. */
  readonly before: number
  /** All so far. */
  now: number
}

/** Ours: so that one repeat fits into the whole time. */
const ATTEMPT_SHARE = 0.45
const FIRST_WAIT_MILLISECONDS = 250
const LONGEST_WAIT_MILLISECONDS = 5000

/**
 * The last answer within `timeoutSeconds`, with what all attempts of this run add up to. While the service says that
 * the key is still being worked on, it is asked again. Throws SendError, and what getting a token throws.
 */
export async function sendReservation(
  parts: {readonly api: Api; readonly journal: Journal; readonly clock: Clock},
  entry: JournalEntry,
  attempts: Attempts,
  timeoutSeconds: number,
): Promise<Answer> {
  const deadline = parts.clock.now() + timeoutSeconds
  let mayHaveActed = false
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
          attempts.now = parts.journal.attempt(entry.id, parts.clock.now())
        },
      },
    })
    mayHaveActed ||= answer.mayHaveActed
    if (meaningOf(answer, mayHaveActed).kind !== 'in_progress') return {...answer, mayHaveActed}
    const wait = Math.min(LONGEST_WAIT_MILLISECONDS, FIRST_WAIT_MILLISECONDS * 2 ** round)
    const asked = retryAfterMilliseconds(answer, parts.clock.now()) ?? 0
    const milliseconds = Math.max(wait, asked)
    mayHaveActed = true
    if (parts.clock.now() + milliseconds / 1000 >= deadline) return {...answer, mayHaveActed}
    await parts.clock.sleep(milliseconds)
  }
}
