/** The ports for received webhook events and those that are still to be forwarded. Times are Unix seconds. */
import {subjectOf} from './events.js'
import {isIdentifier} from './identifiers.js'

/** For how long event ids are kept: longer than the retries of §6.4 last. */
export const EVENT_RETENTION_SECONDS = 32 * 24 * 3600

export interface NewEvent {
  readonly eventId: string
  readonly type: string | null
  readonly receivedAt: number
  /** The name of the signing secret that matched. */
  readonly secretName: string
  /** Header names and values alternately, as received. */
  readonly rawHeaders: readonly string[]
  readonly body: Uint8Array
  /** The reservation that the signed body names (§2.8), or null. */
  readonly reservationRef: string | null
  /** The addresses to forward the event to. */
  readonly targets: readonly string[]
}

export interface StoredEvent extends Omit<NewEvent, 'targets' | 'reservationRef'> {
  /** A number that grows with every received event. */
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
  /** Only used while the state is `pending`. */
  readonly nextAttemptAt: number
}

export interface EventFilter {
  readonly ids?: readonly string[] | undefined
  readonly types?: readonly string[] | undefined
  readonly since?: number | undefined
  /** Only events that name this reservation. */
  readonly reservation?: string | undefined
}

/** Where a page begins. Both are sequence numbers, and the event with that number is not included. */
export type EventPlace = {readonly before?: number} | {readonly after: number}

/** What a listening process reports of itself. It holds no query of a URL, since that may be a secret. */
export interface ListenerReport {
  readonly pid: number
  readonly host: string
  /** When it began to listen. */
  readonly since: number
  readonly url: string
  readonly adminUrl: string | null
  readonly targets: readonly string[]
  /** Why it cannot acknowledge events now; empty while it can. */
  readonly problems: readonly string[]
  /** What is near its limit, as sentences. */
  readonly warnings: readonly string[]
}

/** A listening process as the store knows it: running, or killed, because one that ends in order removes its entry. */
export interface StoredListener extends ListenerReport {
  /** The name of the process, as `createOwner` returns it. */
  readonly owner: string
  readonly profile: string
  /** Seconds since its last report, by the clock of the store. */
  readonly silentSeconds: number
}

/** The forwards of the whole store that are still to be sent. */
export interface Backlog {
  readonly pending: number
  /** Seconds since the oldest of their events was received; null if there are none. */
  readonly oldestPendingSeconds: number | null
  /** When the newest event of the store was received; null if there is none. */
  readonly lastEventAt: number | null
}

/** An address with forwards that are still to be sent to it. It has its query, which may be a secret. */
export interface PendingTarget {
  readonly target: string
  readonly pending: number
}

/** What `webhooks status` reports of the whole store. */
export interface StoreOverview extends Backlog {
  readonly listeners: readonly StoredListener[]
  /** Events of the last hour by type. An event without a type counts under `(no type)`. */
  readonly lastHour: Readonly<Record<string, number>>
  /** Requests refused in the last hour by reason. */
  readonly refusedLastHour: Readonly<Record<string, number>>
  readonly givenUpLastDay: number
  /** How many forwards each address waits for. */
  readonly pendingTargets: readonly PendingTarget[]
  readonly storedBytes: number
}

/** How long counts of refused requests are kept. */
export const REFUSALS_KEPT_SECONDS = 24 * 3600

/** How long the entry of a killed listener is kept if it cannot be found out whether the process still runs. */
export const LISTENER_KEPT_SECONDS = 24 * 3600

/** The port for commands that read stored events. */
export interface EventStore {
  /** Returns a page of the matching events: newest first, or oldest first with `after`. */
  page(filter: EventFilter, from: EventPlace, limit: number): Promise<StoredEvent[]>
  /** Returns the state of forwarding for each address of the event. */
  forwardsOf(sequence: number): Promise<EventForward[]>
  /**
   * Deletes at most `limit` events received before `time` and returns their number. Events that are still to be forwarded stay.
   */
  prune(time: number, limit: number): Promise<number>
  /**
   * Gives up at most `limit` forwards that are still to be sent to `target`, and returns their number. They stay in the list of
   * their events, as given up now.
   */
  giveUpForwards(target: string, limit: number): Promise<number>
  /** Returns the time before which received events may have been removed, or null if none was ever removed. */
  prunedBefore(): Promise<number | null>
  /** Returns who listens, and the figures of the whole store. */
  overview(): Promise<StoreOverview>
}

/** The port in which a listening process stores the events of a profile. Methods reject with the errors of the store. */
export interface EventKeeper extends Pick<EventStore, 'prune' | 'overview'> {
  /** Where the events are, for people: the path of a file, or the address of a shared store without its password. */
  readonly place: string
  /** Stores events and resolves once they are durable. Reports for each event whether its id was already known. */
  receive(events: readonly NewEvent[]): Promise<{duplicate: boolean}[]>
  /** Takes over the forwards of processes that no longer run, due immediately. Returns their number. */
  adopt(targets: readonly string[], now: number): Promise<number>
  /** Returns due forwards of this process, oldest first. Each is returned once until its result is recorded. */
  take(target: string, now: number, limit: number): Promise<DueForward[]>
  /** Reports whether this process may still send the forward. A forward that waited long may have passed to another process. */
  holds(forward: Pick<DueForward, 'sequence' | 'target'>): boolean
  /** Records attempts in one transaction. */
  settle(results: readonly ForwardResult[]): Promise<void>
  /**
   * Records that this process listens, and adds to the counts of refused requests by reason. It writes at least `bytes`, so
   * that a success shows that an event could be stored too. The first call removes the entries of processes that are gone.
   */
  beat(report: ListenerReport, refused: Readonly<Record<string, number>>, bytes: number): Promise<void>
  backlog(): Promise<Backlog>
  /** Removes the entry of this process. Resolves when all calls are done and the store is closed. */
  close(): Promise<void>
}

/** Joins header names and values with line breaks, which headers cannot contain. */
export function packHeaders(rawHeaders: readonly string[]): string {
  return rawHeaders.join('\n')
}

/**
 * Returns the value of the column `reservation_ref` for a new event: empty if the event names no reservation that a user
 * could ask for. The column is null in events that an earlier version stored, which did not have it.
 */
export function packReservation(reservationRef: string | null): string {
  return reservationRef !== null && isIdentifier('reservation_ref', reservationRef) ? reservationRef : ''
}

/** How many candidates are read at once in search of the events of a reservation. */
const LEAST_CANDIDATES = 200

/**
 * Reads a page of the events that name `reservation`, from candidates that a store finds by its column or, in events of an
 * earlier version, by a look for the reference in their bodies. What the body says decides.
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

/** The columns of an event that need conversion. */
interface PackedRow {
  readonly sequence: number | string
  readonly headers: string
  readonly body: ArrayBuffer | Uint8Array
}

/** A row of either store. Its other columns have the names of the fields. */
export type EventRow<Event> = Omit<Event, 'sequence' | 'rawHeaders' | 'body'> & PackedRow

export function fromEventRow<Row extends PackedRow>({sequence, headers, body, ...fields}: Row) {
  const rawHeaders = headers === '' ? [] : headers.split('\n')
  return {...fields, sequence: Number(sequence), rawHeaders, body: new Uint8Array(body)}
}
