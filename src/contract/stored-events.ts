/** The webhook events received, and those still to be forwarded, as ports. Times are Unix seconds. */

/** Event ids are known for longer than the retries of §6.4 last. */
export const EVENT_RETENTION_SECONDS = 32 * 24 * 3600

export interface NewEvent {
  readonly eventId: string
  readonly type: string | null
  readonly receivedAt: number
  /** Name of the signing secret that matched. */
  readonly secretName: string
  /** Names and values in turn, as they came. */
  readonly rawHeaders: readonly string[]
  readonly body: Uint8Array
  /** Addresses to forward it to. */
  readonly targets: readonly string[]
}

export interface StoredEvent extends Omit<NewEvent, 'targets'> {
  /** Grows with every event received. */
  readonly sequence: number
  readonly profile: string
}

/** The outcome of the last attempt to forward an event to one address. */
interface ForwardOutcome {
  readonly state: 'pending' | 'done' | 'given_up'
  readonly status: number | null
  readonly ms: number | null
  readonly error: string | null
}

export interface EventForward extends ForwardOutcome {
  readonly target: string
  readonly attempts: number
}

export interface DueForward extends Omit<StoredEvent, 'profile' | 'secretName'> {
  readonly target: string
  /** Attempts before this one. */
  readonly attempts: number
}

/** The result of one attempt, and the next one. */
export interface ForwardResult extends ForwardOutcome {
  readonly sequence: number
  readonly target: string
  /** Used while it is pending. */
  readonly nextAttemptAt: number
}

export interface EventFilter {
  readonly ids?: readonly string[] | undefined
  readonly types?: readonly string[] | undefined
  readonly since?: number | undefined
}

/** The events, for commands that read them. */
export interface EventStore {
  /** A page of what matches: newest first with `before`, oldest first with `after`, which are sequence numbers left out. */
  page(filter: EventFilter, from: {before?: number} | {after: number}, limit: number): Promise<StoredEvent[]>
  /** The state of forwarding the event, for each address. */
  forwardsOf(sequence: number): Promise<EventForward[]>
  /** Removes at most `limit` events received before `time`, but none that is still to be forwarded; returns their number. */
  prune(time: number, limit: number): Promise<number>
}

/** What a listening process keeps the events of a profile in. Calls reject with what the store throws. */
export interface EventKeeper extends Pick<EventStore, 'prune'> {
  /** Stores events, durable when it resolves; reports for each whether its id was known. */
  receive(events: readonly NewEvent[]): Promise<{duplicate: boolean}[]>
  /** Adopts the forwards of processes that no longer run, due at once; returns their number. */
  adopt(targets: readonly string[], now: number): Promise<number>
  /** Due forwards of this process, oldest first; each is given out once until its result is recorded. */
  take(target: string, now: number, limit: number): Promise<DueForward[]>
  /** Whether no other process may send it now: one that waited long for its turn may have been given to another. */
  holds(forward: Pick<DueForward, 'sequence' | 'target'>): boolean
  /** Records attempts in one transaction. */
  settle(results: readonly ForwardResult[]): Promise<void>
  /** Resolves when all calls are done and the store is closed. */
  close(): Promise<void>
}

/** Names and values in turn, a line each: headers contain no line breaks. */
export function packHeaders(rawHeaders: readonly string[]): string {
  return rawHeaders.join('\n')
}

/** The columns of an event that are not its fields as they are. */
interface PackedRow {
  readonly sequence: number | string
  readonly headers: string
  readonly body: ArrayBuffer | Uint8Array
}

/** A row of either store, whose other columns have the names of the fields. */
export type EventRow<Event> = Omit<Event, 'sequence' | 'rawHeaders' | 'body'> & PackedRow

export function fromEventRow<Row extends PackedRow>({sequence, headers, body, ...fields}: Row) {
  const rawHeaders = headers === '' ? [] : headers.split('\n')
  return {...fields, sequence: Number(sequence), rawHeaders, body: new Uint8Array(body)}
}
