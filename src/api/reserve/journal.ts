/** The journal as reserve.ts needs it: it is handed in, so that the HTTP core stays off the disk. */

/** What is about to be sent, committed before it is. */
export interface ReservationIntent {
  readonly offerId: string
  readonly clientReferenceId: string
  /** False when the reference was made up for this run: then the offer and the rest of the body find the entry. */
  readonly referenceGiven: boolean
  readonly idempotencyKey: string
  /** False when the key was made up for this run. */
  readonly keyGiven: boolean
  /** The exact request body. */
  readonly body: string
  /** SHA-256, hex, of the body with its keys sorted. */
  readonly bodySha256: string
  /** The same without client_reference_id. */
  readonly intentSha256: string
}

export interface JournalEntry {
  readonly id: number
  readonly clientReferenceId: string
  readonly offerId: string
  readonly idempotencyKey: string
  /** Null once the outcome is known. */
  readonly body: string | null
  /** `unresolved`, `unknown`, `not_sent`, `refused`, `failed`, `forgotten`, or the reservation's own: `confirmed`, `pending_payment`, … */
  readonly outcome: string
  readonly reservationRef: string | null
  /** Attempts that may have gone on the wire; 0 means that nothing was sent. */
  readonly attempts: number
  /** The service's answer without people's data. */
  readonly result: Record<string, unknown> | null
}

export type JournalVerdict =
  /** `new`: committed now. `repeat`: begun earlier, outcome not known. `resolved`: nothing is to be sent. */
  | {readonly kind: 'new' | 'repeat' | 'resolved'; readonly entry: JournalEntry}
  | {
      readonly kind: 'conflict'
      readonly conflict: 'reference_in_use' | 'offer_in_use' | 'key_differs' | 'key_in_use' | 'forgotten'
      readonly entry: JournalEntry
    }

/** The journal of one client at one base URL. Times are Unix seconds. What it throws comes from the disk. */
export interface Journal {
  /** Runs `work` while no other process does so for this offer; as `TokenCache.alone`. */
  alone<T>(
    offerId: string,
    waitMilliseconds: number,
    work: () => Promise<T>,
    peek: () => T | undefined,
  ): Promise<{gaveUp: false; value: T} | {gaveUp: true}>
  /** Commits the intent, unless an earlier one stands in its place or in its way; one transaction. */
  begin(intent: ReservationIntent, now: number): JournalVerdict
  /** What `begin` would say, with nothing written; undefined when it would make a new entry. */
  look(intent: ReservationIntent): JournalVerdict | undefined
  /** Counts one attempt, durably. Returns how many there are now. */
  attempt(id: number, now: number): number
  /** Records that nothing was ever sent: its `attempts`, all of this run, did not leave. The body goes. */
  notSent(id: number, attempts: number, now: number): void
  /** Records how it ended; the body stays only when `outcome` is `unknown`. */
  settle(
    id: number,
    settlement: {outcome: string; reservationRef?: string | undefined; result?: object | undefined},
    now: number,
  ): void
  /** The newest entry with this client reference. */
  find(clientReferenceId: string): JournalEntry | undefined
}
