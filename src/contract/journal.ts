/** The journals of requests, as ports that `state` implements, and the rules that decide whether a reservation may be sent. */
import {usage} from './failure.js'
import {sanitizeLine, shellWord} from './foreign-text.js'
import type {Room} from './hotels.js'
import {underOneName} from './network.js'
import {type Alone, type Client, TOKEN_CLIENT} from './token-cache.js'

/** The price of a reservation, as far as an answer states it. */
export interface Price {
  /** A decimal string. */
  readonly price: string
  /** Null when the answer states no currency. */
  readonly currency: string | null
}

/** The dates, rooms and place of a trip, from the search that found its offer (§2.2). */
export interface Stay {
  readonly check_in: string
  readonly check_out: string
  readonly rooms: readonly Room[]
  /** The destination's id; null if the search was not for a city. */
  readonly city: number | null
}

/**
 * The facts by which a later request with the same client reference is recognised as the same trip, even with another offer.
 */
export interface TripFacts {
  /**
   * SHA-256 in hex of the guests as sent; stored entries have the result of `Journal.fingerprint`. Null when it cannot be
   * compared.
   */
  readonly guests: string | null
  /** Null when this machine did not search for the offer. */
  readonly stay: Stay | null
}

/** The agent that made a reservation through the server for agents. */
export interface MadeBy {
  /** The name and version that the agent's program gave, on one line of at most 100 characters. */
  readonly program: string
  /** The handle that the reservation was prepared under. */
  readonly handle: string
}

/** A reservation that is about to be sent. It is committed to the journal before the first byte is sent. */
export interface ReservationIntent {
  readonly offerId: string
  readonly clientReferenceId: string
  /** False when the reference was generated. The entry is then found by the offer and the rest of the body. */
  readonly referenceGiven: boolean
  readonly idempotencyKey: string
  /** False when the key was generated. */
  readonly keyGiven: boolean
  /** The exact bytes of the request body. */
  readonly body: string
  /** SHA-256 in hex of the body with sorted keys, so that the order of keys in an input file does not matter. */
  readonly bodySha256: string
  /** The same hash of the body without client_reference_id. */
  readonly intentSha256: string
  /** The price of the offer when it was chosen, or null if this machine does not know it. */
  readonly agreed: Price | null
  /** Null for an entry of an earlier version. */
  readonly trip: TripFacts | null
  /** Null when a person or a script makes it. */
  readonly madeBy: MadeBy | null
}

/** A stored intent with its client, its attempts and its outcome. */
export interface JournalEntry
  extends Client,
    Omit<ReservationIntent, 'referenceGiven' | 'keyGiven' | 'body'> {
  readonly id: number
  /** Null once the outcome is known. */
  readonly body: string | null
  /**
   * `unresolved`, `unknown`, `not_sent`, `refused`, `failed`, `forgotten`, or the state of the reservation: `confirmed`,
   * `pending_payment`, …
   */
  readonly outcome: string
  readonly reservationRef: string | null
  /** Number of attempts that may have been sent; 0 means that nothing was sent. */
  readonly attempts: number
  /** Whether an answer was ever lost. */
  readonly lost: boolean
  /** The price of the reservation according to the service; null if it states none or several that differ. */
  readonly booked: Price | null
  /** The service's answer without personal data. */
  readonly result: Record<string, unknown> | null
  /** Unix seconds. */
  readonly createdAt: number
  readonly updatedAt: number
}

/**
 * The reasons why a reservation must not be sent. `other_credential`: another client at this base URL made an attempt that may
 * have booked.
 */
export type Conflict =
  | 'reference_in_use'
  | 'offer_in_use'
  | 'key_differs'
  | 'key_in_use'
  | 'forgotten'
  | 'other_credential'

export type JournalVerdict =
  /**
   * `new`: the intent was committed now. `repeat`: an earlier run committed it, and the outcome is unknown. `resolved`: the
   * outcome is known, and nothing is to be sent.
   */
  | {readonly kind: 'new' | 'repeat' | 'resolved'; readonly entry: JournalEntry}
  /** The earlier `entry` forbids the reservation. */
  | {readonly kind: 'conflict'; readonly conflict: Conflict; readonly entry: JournalEntry}

export interface Settlement {
  /** `unknown`, `refused`, `failed`, or the state of the reservation: `confirmed`, `pending_payment`, … */
  readonly outcome: string
  readonly reservationRef?: string | undefined
  /** The price of the reservation, if the answer states one. */
  readonly booked?: Price | null | undefined
  /** The service's answer without personal data. */
  readonly result?: object | undefined
  /** What cancelling has cost. It is kept in the stored result, as `cancellation: {fee, currency}`. */
  readonly fee?: CancellationFee | undefined
}

export interface CancellationFee {
  /** A decimal string. */
  readonly fee: string
  readonly currency: string | null
}

/**
 * The journal for one client at one base URL. Attempts of other clients there are visible and may forbid a reservation. Times
 * are Unix seconds. Methods reject with the errors of the store.
 */
export interface Journal {
  readonly client: Client
  /** Lets one process at a time work on an offer id, whatever its client. */
  readonly alone: Alone<string>
  /**
   * Commits the intent in one transaction and returns the verdict. Commits nothing if an earlier entry is the same reservation,
   * or forbids this one.
   */
  begin(intent: ReservationIntent, now: number): Promise<JournalVerdict>
  /**
   * Returns the verdict that `begin` would return, without writing. Returns undefined when `begin` would commit a new entry.
   */
  peek(intent: ReservationIntent): Promise<JournalVerdict | undefined>
  /**
   * Counts one attempt durably, just before it is sent. Returns the number of attempts so far. Throws a usage error if the
   * attempt must not be sent.
   */
  attempt(id: number, now: number): Promise<number>
  /**
   * Records that nothing was sent although `attempts` were counted, and removes the body. Does nothing if another process has
   * counted more attempts.
   */
  notSent(id: number, attempts: number, now: number): Promise<void>
  /** Records the outcome. The body, which contains personal data, is kept only while the outcome is unknown. */
  settle(id: number, settlement: Settlement, now: number): Promise<void>
  /**
   * Gives up an entry: removes its personal data, but not `madeBy`, or the whole entry when nothing was sent. Throws a StorageError when the
   * removed bytes remain in the file.
   */
  forget(id: number, now: number): Promise<void>
  /** Finds the entry that `--resume` selects for a client reference, as `entryMeant` decides. */
  find(clientReferenceId: string): Promise<JournalEntry | undefined>
  /** Like `find`, but for many client references at once. Returns a map by reference. */
  findAll(clientReferenceIds: Iterable<string>): Promise<ReadonlyMap<string, JournalEntry>>
  /** Converts a SHA-256 in hex to the form that this journal stores. In a shared store that is a keyed hash (HMAC). */
  fingerprint(sha256: string): string
}

/** The client whose journal it is, with its secret. */
export interface JournalClient extends Client {
  /**
   * The client secret, which is never stored. Data in a shared store is encrypted with a key derived from it. Undefined or
   * empty with a ready-made token.
   */
  readonly clientSecret: string | undefined
}

interface JournalFilter {
  /** Only entries whose outcome is unknown. */
  readonly unresolved?: boolean
  readonly client?: Client | undefined
  /** Only entries with this client reference, reservation reference, offer, Idempotency-Key or handle. */
  readonly named?: string
  /** Only entries whose `trip.guests` is that of another listed entry. */
  readonly guests?: string
  /** Only entries that agents made. */
  readonly byAgents?: boolean
  /**
   * Only entries whose outcome is unknown, or that changed in this time. `now` (Unix seconds) is this machine's; a shared store
   * uses its own clock.
   */
  readonly openOrChanged?: {readonly withinSeconds: number; readonly now: number}
}

export interface JournalStore {
  /** With `isBatch`, the bodies of settled reservations are erased from the file only when it is closed. */
  forClient(client: JournalClient, options?: {readonly isBatch?: boolean}): Journal
  /** Returns the entries of all clients that match, newest first. */
  list(filter?: JournalFilter): Promise<JournalEntry[]>
  /**
   * Passes the entries of all clients to `visit`, oldest first and without their bodies, `atOnce` (default 500) at a time, because
   * a long journal need not fit into memory. Rejects with a StorageError if the journal is damaged, which may be noticed after the
   * last entry.
   */
  each(visit: (entry: JournalEntry) => void, atOnce?: number): Promise<void>
  /**
   * Records a later status, such as paid. Without a `result`, updates the stored result and removes its payment status; `fee`
   * is added to it.
   */
  noteStatus(client: Client, reservationRef: string, newest: Settlement, now: number): Promise<void>
}

export interface RequestedSubscription {
  readonly id: number
  readonly url: string
  readonly events: readonly string[]
  /** Unix seconds. */
  readonly begunAt: number
}

/**
 * The journal of subscription requests. Each is recorded before it is sent, because after a lost answer a second request could
 * create another subscription.
 */
export interface SubscriptionJournal {
  /**
   * Records a request and returns its id. If the outcome of an earlier request is unknown, returns that request instead.
   * `again` removes such requests first.
   */
  begin(
    client: Client,
    wanted: Pick<RequestedSubscription, 'url' | 'events'>,
    options: {readonly now: number; readonly again: boolean},
  ): Promise<{readonly id: number; readonly earlier?: never} | {readonly earlier: RequestedSubscription}>
  /** Removes a request whose outcome is known. */
  end(id: number): Promise<void>
}

/** The outcome of an entry whose run has ended without sending anything. */
export const NOT_SENT = 'not_sent'

/** Reports whether nothing of the entry was ever sent. */
export function isNeverSent(entry: Pick<JournalEntry, 'outcome' | 'reservationRef' | 'attempts'>): boolean {
  if (entry.reservationRef !== null || entry.attempts > 0) return false
  return entry.outcome === NOT_SENT || entry.outcome === 'unresolved'
}

/** Reports whether the outcome is not known yet. */
export function isOpen({outcome}: Pick<JournalEntry, 'outcome'>): boolean {
  return outcome === 'unresolved' || outcome === 'unknown'
}

/**
 * Reports whether a reservation may exist that is not known: the entry was sent and has no outcome, even if the user gave it
 * up.
 */
export function isUnresolved(entry: JournalEntry): boolean {
  if (entry.outcome === 'forgotten') return entry.reservationRef === null
  return isOpen(entry) && !isNeverSent(entry)
}

/** Returns the verdict on sending the reservation of `entry` again as `client`. */
export function verdictOn(entry: JournalEntry, client: Client): JournalVerdict {
  // The service may treat the same key of another credential as a new key, and book twice.
  if (!isOwn(entry, client) && isUnresolved(entry)) return conflicting('other_credential', entry)
  // The user gave up an entry whose reservation may exist. Sending it again could make a second one.
  if (entry.outcome === 'forgotten') return conflicting('forgotten', entry)
  return {kind: isOpen(entry) ? 'repeat' : 'resolved', entry}
}

function conflicting(conflict: Conflict, entry: JournalEntry): JournalVerdict {
  return {kind: 'conflict', conflict, entry}
}

/** The code of `startedElsewhere`. */
export const BEGUN_ELSEWHERE = 'begun_elsewhere'

export function startedElsewhere() {
  return usage(
    BEGUN_ELSEWHERE,
    'another process started a reservation with the same offer, client reference or key, or this one was given up; nothing more was sent',
    'check its outcome: bookctl journal',
  )
}

/** Describes the credential of an entry for the user who has to use it again. */
export function credentialOf({clientId}: Client): string {
  return clientId === TOKEN_CLIENT
    ? 'a token in BOOKCTL_TOKEN, without BOOKCTL_CLIENT_ID'
    : `the client ${sanitizeLine(clientId, 64)}`
}

export function sealedElsewhere(entry: Client & Pick<JournalEntry, 'clientReferenceId'>) {
  const reference = sanitizeLine(entry.clientReferenceId)
  const message = `the request of the reservation ${reference} was stored under another secret of ${credentialOf(entry)} and cannot be opened with this one; nothing was sent`
  const hint = `find out with the former secret: bookctl reserve --resume ${shellWord(entry.clientReferenceId)}; if that is gone, ask the operator whether it exists`
  return usage('sealed_with_another_secret', message, hint)
}

/**
 * Outcomes without a reservation, after which the offer and the reference are free again. A service may use the same words as a
 * status.
 */
const CLOSED = new Set(['refused', 'failed', NOT_SENT])
/** Outcomes after which the reference is free for another offer. */
const ENDED = new Set(['cancelled', 'expired'])

const isLive = (each: JournalEntry) => each.reservationRef !== null || !CLOSED.has(each.outcome)

function isOwn(entry: Client, client: Client): boolean {
  return entry.clientId === client.clientId
}

/**
 * Reports whether `entry` may belong to `client`. An entry made with a token may, because the token does not name its client.
 */
export function mayBeOwn(entry: Client, client: Client): boolean {
  return isOwn(entry, client) || [entry.clientId, client.clientId].includes(TOKEN_CLIENT)
}

/** Returns the entries at the service of `client`. The different names of this machine count as one service. */
export function atServiceOf<Entry extends Client>(client: Client, entries: readonly Entry[]): Entry[] {
  const service = underOneName(client.baseUrl)
  return entries.filter(each => underOneName(each.baseUrl) === service)
}

/**
 * Returns the verdict on `intent` for `client`, or undefined if a new entry may be made. `entries` are those with the same
 * offer, reference or key, newest first, of any client and base URL.
 */
export function decide(
  entries: readonly JournalEntry[],
  intent: ReservationIntent,
  client: Client,
): JournalVerdict | undefined {
  const here = atServiceOf(client, entries)
  const verdict = decideAmong(
    here.filter(each => isOwn(each, client)),
    intent,
    client,
  )
  if (verdict && !isNeverSent(verdict.entry)) return verdict
  // The entries that other clients have sent to the same service.
  const sent = here.filter(each => !isOwn(each, client) && !isNeverSent(each))
  const unresolved = sent.find(each => isUnresolved(each) && sharesOfferOrReference(each, intent))
  if (unresolved) return conflicting('other_credential', unresolved)
  const verdictOnSent = decideAmong(
    sent.filter(each => mayBeOwn(each, client)),
    intent,
    client,
  )
  if (verdictOnSent) return verdictOnSent
  // The service converts an offer once, for any client (§8). References are separate for each client.
  const offer = sent.find(each => isLive(each) && each.offerId === intent.offerId)
  return offer ? conflicting('offer_in_use', offer) : verdict
}

function decideAmong(
  entries: readonly JournalEntry[],
  intent: ReservationIntent,
  client: Client,
): JournalVerdict | undefined {
  const {clientReferenceId, offerId, idempotencyKey, bodySha256} = intent
  const same = entries.find(each => isLive(each) && isSame(each, intent))
  if (same) return verdictOnSame(same, intent, client)
  const sent = entries.filter(each => !isNeverSent(each))
  const live = sent.filter(isLive)
  const refuse = (conflict: Conflict, entry: JournalEntry | undefined) =>
    entry && conflicting(conflict, entry)
  const reference = live.find(
    each => each.clientReferenceId === clientReferenceId && !ENDED.has(each.outcome),
  )
  const offer = live.find(each => each.offerId === offerId)
  // A key belongs to one body forever, even if the body was refused.
  const key = sent.find(each => each.idempotencyKey === idempotencyKey && each.bodySha256 !== bodySha256)
  return refuse('reference_in_use', reference) ?? refuse('offer_in_use', offer) ?? refuse('key_in_use', key)
}

/**
 * Returns the entries of which nothing was sent and which a new entry of `client` for `intent` replaces. If their process still
 * runs, its first attempt fails, so only one process sends, even with several clients.
 */
export function replacedBy(
  entries: readonly JournalEntry[],
  intent: ReservationIntent,
  client: Client,
): JournalEntry[] {
  return atServiceOf(client, entries).filter(each => {
    if (!isNeverSent(each)) return false
    if (isOwn(each, client)) return true
    return each.outcome !== NOT_SENT && sharesOfferOrReference(each, intent)
  })
}

/**
 * Returns the entry that a client reference means for `client`, from all entries with that reference, newest first. The order
 * of preference: the client's own reservation, an entry that another client has not resolved, an entry made with a token (which
 * may be the client's own), the newest.
 */
export function entryMeant(entries: readonly JournalEntry[], client: Client): JournalEntry | undefined {
  const here = atServiceOf(client, entries)
  const own = here.filter(each => isOwn(each, client))
  return (
    own.find(each => isLive(each) && !isNeverSent(each)) ??
    here.find(isUnresolved) ??
    here.find(each => isBookedBy(each, client)) ??
    own[0] ??
    here.find(isLive) ??
    here[0]
  )
}

/**
 * Reports whether `client` has booked `entry`, or may have: it was sent, and the service did not refuse it. A reservation that
 * was cancelled since counts.
 */
export function isBookedBy(entry: JournalEntry, client: Client): boolean {
  return isLive(entry) && !isNeverSent(entry) && mayBeOwn(entry, client)
}

/** Returns the entry that each client reference means for `client`, as `entryMeant` decides. `entries` are newest first. */
export function meantAmong(
  entries: readonly JournalEntry[],
  client: Client,
): ReadonlyMap<string, JournalEntry> {
  const named = new Map<string, JournalEntry[]>()
  for (const entry of entries) {
    const others = named.get(entry.clientReferenceId)
    if (others) others.push(entry)
    else named.set(entry.clientReferenceId, [entry])
  }
  const meant = new Map<string, JournalEntry>()
  for (const [reference, ofReference] of named) {
    const entry = entryMeant(ofReference, client)
    if (entry) meant.set(reference, entry)
  }
  return meant
}

function sharesOfferOrReference(entry: JournalEntry, intent: ReservationIntent): boolean {
  return entry.offerId === intent.offerId || entry.clientReferenceId === intent.clientReferenceId
}

function isSame(entry: JournalEntry, intent: ReservationIntent): boolean {
  if (intent.referenceGiven) return entry.bodySha256 === intent.bodySha256
  return entry.intentSha256 === intent.intentSha256
}

function verdictOnSame(
  entry: JournalEntry,
  intent: ReservationIntent,
  client: Client,
): JournalVerdict | undefined {
  const verdict = verdictOn(entry, client)
  if (verdict.kind === 'conflict') return verdict
  if (!intent.keyGiven || entry.idempotencyKey === intent.idempotencyKey) return verdict
  return isNeverSent(entry) ? undefined : conflicting('key_differs', entry)
}
