/**
 * The ports for received webhook events, and for forwards (deliveries of an event to a local address). Times are Unix
 * seconds.
 */
import {subjectOf} from './events.js'
import {isIdentifier} from './identifiers.js'

/**
 * How long event ids are kept. It is longer than the retries of §6.4 last, so that a late retry is recognised as a
 * duplicate.
 */
export const EVENT_RETENTION_SECONDS = 32 * 24 * 3600

export interface NewEvent {
  readonly eventId: string
  readonly type: string | null
  readonly receivedAt: number
  /** The name of the signing secret that matched. */
  readonly secretName: string
  /** Header names and values in turn, as received: `[name, value, name, value, …]`. */
  readonly rawHeaders: readonly string[]
  readonly body: Uint8Array
  /** The reservation that the signed body names (§2.8), or null. */
  readonly reservationRef: string | null
  /** The addresses to forward the event to. */
  readonly targets: readonly string[]
}

export interface StoredEvent extends Omit<NewEvent, 'targets' | 'reservationRef'> {
  /** The event's number in the store. It grows with every received event. */
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
  /** Number of attempts before this one. */
  readonly attempts: number
}

/** The result of one attempt to forward an event, and the time of the next one. */
export interface ForwardResult extends ForwardOutcome {
  readonly sequence: number
  readonly target: string
  /** When to try again, in Unix seconds. Only used while the state is `pending`. */
  readonly nextAttemptAt: number
}

export interface EventFilter {
  readonly ids?: readonly string[] | undefined
  readonly types?: readonly string[] | undefined
  readonly since?: number | undefined
  /** Only events that name this reservation. */
  readonly reservation?: string | undefined
}

/** Where a page of events begins: before or after the event with this sequence number, which is not included. */
export type EventPlace = {readonly before?: number} | {readonly after: number}

/** What a listening process reports about itself. URLs are without their query, which may contain a secret. */
export interface ListenerReport {
  readonly pid: number
  readonly host: string
  /** When the process began to listen, in Unix seconds. */
  readonly since: number
  readonly url: string
  readonly adminUrl: string | null
  readonly targets: readonly string[]
  /** Why the process cannot acknowledge events at the moment; empty if it can. */
  readonly problems: readonly string[]
  /** Sentences about limits that are nearly reached. */
  readonly warnings: readonly string[]
}

/** A listening process in the store. It is running or was killed: a process that stops in order removes its entry. */
export interface StoredListener extends ListenerReport {
  /** The identifier of the process, as `createOwner` returns it. */
  readonly owner: string
  readonly profile: string
  /** Seconds since the last report of the process, by the clock of the store. */
  readonly silentSeconds: number
}

/** Figures about all forwards in the store that are not sent yet. */
export interface Backlog {
  readonly pending: number
  /** Seconds since the oldest event with a pending forward was received; null if there is none. */
  readonly oldestPendingSeconds: number | null
  /** When the newest event of the store was received, in Unix seconds; null if there is none. */
  readonly lastEventAt: number | null
}

/** An address that forwards are pending for. The address includes its query, which may contain a secret. */
export interface PendingTarget {
  readonly target: string
  readonly pending: number
}

/** What `webhooks status` reports of the whole store. */
export interface StoreOverview extends Backlog {
  readonly listeners: readonly StoredListener[]
  /** The number of events of the last hour by type. Events without a type are under `(no type)`. */
  readonly lastHour: Readonly<Record<string, number>>
  /** The number of requests refused in the last hour, by reason. */
  readonly refusedLastHour: Readonly<Record<string, number>>
  readonly givenUpLastDay: number
  /** The addresses that forwards are pending for. */
  readonly pendingTargets: readonly PendingTarget[]
  readonly storedBytes: number
}

/** How long the counts of refused requests are kept. */
export const REFUSALS_KEPT_SECONDS = 24 * 3600

/** How long the entry of a killed listener is kept if it is unknown whether the process still runs. */
export const LISTENER_KEPT_SECONDS = 24 * 3600

/** The port for commands that read stored events. */
export interface EventStore {
  /** Returns at most `limit` matching events: newest first, or oldest first if `from` has `after`. */
  page(filter: EventFilter, from: EventPlace, limit: number): Promise<StoredEvent[]>
  /** Returns the state of forwarding for each address of the event. */
  forwardsOf(sequence: number): Promise<EventForward[]>
  /**
   * Deletes at most `limit` events received before `time` and returns their number. Events with pending forwards are
   * kept.
   */
  prune(time: number, limit: number): Promise<number>
  /**
   * Gives up at most `limit` pending forwards to `target` and returns their number. They remain listed with their
   * events, in the state `given_up`.
   */
  giveUpForwards(target: string, limit: number): Promise<number>
  /** Returns the time before which received events may have been removed, or null if none was ever removed. */
  prunedBefore(): Promise<number | null>
  /** Returns the listening processes, and the figures of the whole store. */
  overview(): Promise<StoreOverview>
}

/**
 * The port through which a listening process stores the events of a profile. Methods reject with the errors of the
 * store.
 */
export interface EventKeeper extends Pick<EventStore, 'prune' | 'overview'> {
  /**
   * The location of the events for messages: the path of a file, or the address of a shared store without its password.
   */
  readonly place: string
  /**
   * Stores events and resolves once they are durable. Returns for each event, in order, whether its id was already
   * stored.
   */
  receive(events: readonly NewEvent[]): Promise<{duplicate: boolean}[]>
  /**
   * Takes over the pending forwards to `targets` from processes that no longer run, and makes them due at `now`.
   * Returns their number.
   */
  adopt(targets: readonly string[], now: number): Promise<number>
  /**
   * Returns at most `limit` forwards to `target` that belong to this process and are due, oldest first. A forward is
   * not returned again until its result is recorded.
   */
  take(target: string, now: number, limit: number): Promise<DueForward[]>
  /**
   * Reports whether this process may still send the forward. After a long wait, another process may have taken it over.
   */
  holds(forward: Pick<DueForward, 'sequence' | 'target'>): boolean
  /** Records the results of attempts in one transaction. */
  settle(results: readonly ForwardResult[]): Promise<void>
  /**
   * Records that this process listens, and adds `refused` (counts by reason) to the counts of refused requests. It
   * writes at least `bytes`, so that its success shows that an event could be stored too. The first call removes the
   * entries of processes that no longer run.
   */
  beat(report: ListenerReport, refused: Readonly<Record<string, number>>, bytes: number): Promise<void>
  backlog(): Promise<Backlog>
  /** Removes the entry of this process. Resolves when all calls are done and the store is closed. */
  close(): Promise<void>
}

/** Joins header names and values with line breaks, which they cannot contain. */
export function packHeaders(rawHeaders: readonly string[]): string {
  return rawHeaders.join('\n')
}

/** Returns the headers again that `packHeaders` joined. */
export function unpackHeaders(headers: string): string[] {
  return headers === '' ? [] : headers.split('\n')
}

/**
 * Returns the value of the column `reservation_ref` for a new event: empty if the event names no valid reservation
 * reference. The column is null in events that an earlier version stored, because it did not exist then.
 */
export function packReservation(reservationRef: string | null): string {
  return reservationRef !== null && isIdentifier('reservation_ref', reservationRef) ? reservationRef : ''
}

/** The minimum number of candidates read at once in search of the events of a reservation. */
const LEAST_CANDIDATES = 200

/**
 * Returns a page of the events that name `reservation`. `candidates` reads events that may name it: by the column, or
 * by searching the bodies of events that an earlier version stored. The parsed body decides.
 */
export async function pageOfReservation(
  reservation: string,
  from: EventPlace,
  limit: number,
  candidates: (from: EventPlace, limit: number) => Promise<StoredEvent[]>,
): Promise<StoredEvent[]> {
  const most = Math.max(limit, LEAST_CANDIDATES)
  const found: StoredEvent[] = []
  let place: EventPlace = from
  for (;;) {
    const read = await candidates(place, most)
    found.push(...read.filter(({body}) => namesReservation(body, reservation)))
    const last = read.at(-1)?.sequence
    if (found.length >= limit || read.length < most || last === undefined) return found.slice(0, limit)
    place = 'after' in from ? {after: last} : {before: last}
  }
}

function namesReservation(body: Uint8Array, reservation: string): boolean {
  try {
    return subjectOf(JSON.parse(new TextDecoder().decode(body))).reservationRef === reservation
  } catch {
    return false
  }
}

/** The columns of an event that `fromEventRow` converts. */
interface PackedRow {
  readonly sequence: number | string
  readonly headers: string
  readonly body: ArrayBuffer | Uint8Array
}

/** A row of either store (SQLite or PostgreSQL). Its other columns are named like the fields of `Event`. */
export type EventRow<Event> = Omit<Event, 'sequence' | 'rawHeaders' | 'body'> & PackedRow

export function fromEventRow<Row extends PackedRow>({sequence, headers, body, ...fields}: Row) {
  return {
    ...fields,
    sequence: Number(sequence),
    rawHeaders: unpackHeaders(headers),
    body: new Uint8Array(body),
  }
}
