/** What making a reservation is given, and what comes of it. */

import type {Journal} from '../../contract/journal.js'
import type {ReservationRequest} from '../../contract/reservations.js'
import type {Api, Clock} from '../types.js'

export interface ReserveParts {
  readonly api: Api
  readonly journal: Journal
  readonly clock: Clock
  /** A new UUID. */
  readonly newKey: () => string
  /** Bound on sending, repeats and waiting for another process; 120 unless told. */
  readonly timeoutSeconds?: number
  /** Whether the journal outlives this process; true unless told. Decides the next step after a lost answer. */
  readonly journalKept?: boolean
  /** Once it is aborted nothing more is sent, and an entry of which nothing was sent is settled as that at once. */
  readonly signal?: AbortSignal
}

/** How far a run has got: what its user has to know who stops it now. */
export type Stage =
  /** Waiting for another process, which may be making the same reservation. */
  | 'waiting'
  /** Nothing of the reservation was ever sent. */
  | 'unsent'
  /** It may have been made. */
  | 'sent'

export interface ReserveIntent {
  /** §2.4's request, parsed. */
  readonly request: ReservationRequest
  /** False when the caller made client_reference_id up: a rerun then finds the first run's by the offer. */
  readonly referenceGiven: boolean
  /** A key the user chose. */
  readonly idempotencyKey?: string
}

export interface ReserveHooks {
  /** Called with what the user should know although the reservation was made. */
  readonly warn?: (message: string) => void
  /** Called whenever the run gets to another stage. */
  readonly onStage?: (stage: Stage) => void
}

export interface ReserveOutcome {
  /** `confirmed`, `pending_payment`, `accepted`, or the service's own word in lower case. */
  readonly outcome: string
  /** As the service sent it; when it was made by an earlier run, what was kept of that, without people's data. */
  readonly reservation: Record<string, unknown> | null
  readonly reservation_ref: string | null
  readonly payment_url: string | null
  readonly idempotency_key: string
  readonly client_reference_id: string
  readonly attempts: number
  /** Whether an earlier run, or another process, had begun it. */
  readonly repeated: boolean
}
