/** The journals of what is requested, as ports stored by `state`, and the verdict on a reservation that is about to be made. */
import {usage} from './failure.js'
import {sanitizeLine, shellWord} from './foreign-text.js'
import type {Room} from './hotels.js'
import {underOneName} from './network.js'
import {type Alone, type Client, TOKEN_CLIENT} from './token-cache.js'

/** What a reservation costs, as far as an answer says. */
export interface Price {
  /** Decimal string. */
  readonly price: string
  /** Null when the answer does not say. */
  readonly currency: string | null
}

/** When and where a trip is, of the search that found its offer (§2.2). */
export interface Stay {
  readonly check_in: string
  readonly check_out: string
  readonly rooms: readonly Room[]
  /** The destination's id; null if the search was not for a city. */
  readonly city: number | null
}

/** By what a later request with the same client reference is recognised as the same trip, whatever its offer is. */
export interface TripFacts {
  /** SHA-256, hex, of the guests as sent; in the journal as `Journal.fingerprint` makes it. Null when it cannot be compared. */
  readonly guests: string | null
  /** Null when this machine did not search for the offer. */
  readonly stay: Stay | null
}

/** What is about to be sent, committed before it is. */
export interface ReservationIntent {
  readonly offerId: string
  readonly clientReferenceId: string
  /** False when the reference was generated: then the offer and the rest of the body find the entry. */
  readonly referenceGiven: boolean
  readonly idempotencyKey: string
  /** False when the key was generated. */
  readonly keyGiven: boolean
  /** The exact request body: these bytes are sent. */
  readonly body: string
  /** SHA-256, hex, of the body with its keys sorted, so that their order in an input file does not matter. */
  readonly bodySha256: string
  /** The same without client_reference_id. */
  readonly intentSha256: string
  /** What the offer cost when it was chosen; null when that is not known here. */
  readonly agreed: Price | null
  /** Null for an entry of an earlier version. */
  readonly trip: TripFacts | null
}

/** With the client that made it. */
export interface JournalEntry
  extends Client,
    Omit<ReservationIntent, 'referenceGiven' | 'keyGiven' | 'body'> {
  readonly id: number
  /** Null once the outcome is known. */
  readonly body: string | null
  /**
   * `unresolved`, `unknown`, `not_sent`, `refused`, `failed`, `forgotten`, or the reservation's own: `confirmed`,
   * `pending_payment`, …
   */
  readonly outcome: string
  readonly reservationRef: string | null
  /** Attempts that may have gone on the wire; 0 means that nothing was sent. */
  readonly attempts: number
  /** Whether an answer was ever lost. */
  readonly lost: boolean
  /** What the service says that the reservation costs; null while it does not, or not in one way. */
  readonly booked: Price | null
  /** The service's answer without personal data. */
  readonly result: Record<string, unknown> | null
  /** Unix seconds. */
  readonly createdAt: number
  readonly updatedAt: number
}

/** `other_credential`: another client at this base URL made an attempt that may have booked. */
export type Conflict =
  | 'reference_in_use'
  | 'offer_in_use'
  | 'key_differs'
  | 'key_in_use'
  | 'forgotten'
  | 'other_credential'

export type JournalVerdict =
  /** `new`: committed now. `repeat`: an earlier run's, outcome not known. `resolved`: nothing is to be sent. */
  | {readonly kind: 'new' | 'repeat' | 'resolved'; readonly entry: JournalEntry}
  /** `entry` forbids it. */
  | {readonly kind: 'conflict'; readonly conflict: Conflict; readonly entry: JournalEntry}

export interface Settlement {
  /** `unknown`, `refused`, `failed`, or the reservation's own: `confirmed`, `pending_payment`, … */
  readonly outcome: string
  readonly reservationRef?: string | undefined
  /** What it costs, if the answer says. */
  readonly booked?: Price | null | undefined
  /** The service's answer without personal data. */
  readonly result?: object | undefined
}

/**
 * The journal as one client at one base URL uses it: attempts of other clients there are seen, and may forbid its own. Times
 * are Unix seconds. What it throws comes from where it is stored.
 */
export interface Journal {
  readonly client: Client
  /** One process at a time for each offer id, of whatever client. */
  readonly alone: Alone<string>
  /** Commits the intent, unless an earlier one takes its place or forbids it; one transaction. */
  begin(intent: ReservationIntent, now: number): Promise<JournalVerdict>
  /** What `begin` would say, with nothing written; undefined when it would make a new entry. */
  peek(intent: ReservationIntent): Promise<JournalVerdict | undefined>
  /** Counts one attempt, durably, right before it is sent; returns their number. Throws a usage error if it must not be sent. */
  attempt(id: number, now: number): Promise<number>
  /** Records that nothing was sent although `attempts` were counted, unless another process counted more. Removes the body. */
  notSent(id: number, attempts: number, now: number): Promise<void>
  /** Records how it ended. The body, which holds personal data, stays only while the outcome is unknown. */
  settle(id: number, settlement: Settlement, now: number): Promise<void>
  /** Gives it up: removes personal data, or all when nothing was sent. Throws StorageError when bytes stay in the file. */
  forget(id: number, now: number): Promise<void>
  /** The entry that `--resume` means by this client reference: see `entryMeant`. */
  find(clientReferenceId: string): Promise<JournalEntry | undefined>
  /** Those that `find` returns for many client references, by reference, in one reading. */
  findAll(clientReferenceIds: Iterable<string>): Promise<ReadonlyMap<string, JournalEntry>>
  /** A hash (hex) as this journal stores it: where others can read it, under a key. */
  fingerprint(sha256: string): string
}

/** Whose journal it is. */
export interface JournalClient extends Client {
  /** Never stored; what is stored elsewhere than on this machine is sealed with it. None or empty with a ready token. */
  readonly clientSecret: string | undefined
}

export interface JournalStore {
  forClient(client: JournalClient): Journal
  /** Entries of all clients, newest first; with `unresolved`, only those whose outcome is unknown. */
  list(filter?: {unresolved?: boolean; client?: Client}): Promise<JournalEntry[]>
  /** Records a later status, such as paid. Without a `result`, the stored one gets it and loses its payment status. */
  noteStatus(client: Client, reservationRef: string, newest: Settlement, now: number): Promise<void>
}

export interface RequestedSubscription {
  readonly id: number
  readonly url: string
  readonly events: readonly string[]
  /** Unix seconds. */
  readonly begunAt: number
}

/** Subscriptions requested, written before they are: after a lost answer a second request could make another. */
export interface SubscriptionJournal {
  /** Records the request, unless the outcome of an earlier one is unknown: then returns that. `again` removes those first. */
  begin(
    client: Client,
    wanted: Pick<RequestedSubscription, 'url' | 'events'>,
    options: {readonly now: number; readonly again: boolean},
  ): Promise<{readonly id: number; readonly earlier?: never} | {readonly earlier: RequestedSubscription}>
  /** The outcome is known. */
  end(id: number): Promise<void>
}

/** The outcome of an entry of which nothing was sent, once its run has ended. */
export const NOT_SENT = 'not_sent'

/** Whether nothing of the entry was ever sent. */
export function isNeverSent(entry: Pick<JournalEntry, 'outcome' | 'reservationRef' | 'attempts'>): boolean {
  if (entry.reservationRef !== null || entry.attempts > 0) return false
  return entry.outcome === NOT_SENT || entry.outcome === 'unresolved'
}

/** Whether the outcome is not known yet. */
export function isOpen({outcome}: Pick<JournalEntry, 'outcome'>): boolean {
  return outcome === 'unresolved' || outcome === 'unknown'
}

/** Whether an unknown reservation may exist: it was sent and has no outcome, also if a person gave it up. */
export function isUnresolved(entry: JournalEntry): boolean {
  if (entry.outcome === 'forgotten') return entry.reservationRef === null
  return isOpen(entry) && !isNeverSent(entry)
}

/** The verdict of `client` on asking for the reservation of `entry` once more. */
export function verdictOn(entry: JournalEntry, client: Client): JournalVerdict {
  // Under another credential the same key may be another one to the service, so it could book twice.
  if (!isOwn(entry, client) && isUnresolved(entry)) return conflicting('other_credential', entry)
  // Given up by a person while a reservation may exist: sending it again could make another.
  if (entry.outcome === 'forgotten') return conflicting('forgotten', entry)
  return {kind: isOpen(entry) ? 'repeat' : 'resolved', entry}
}

function conflicting(conflict: Conflict, entry: JournalEntry): JournalVerdict {
  return {kind: 'conflict', conflict, entry}
}

export function startedElsewhere() {
  return usage(
    'begun_elsewhere',
    'another process started a reservation with the same offer, client reference or key, or this one was given up; nothing more was sent',
    'check its outcome: bookctl journal',
  )
}

/** In words, for a person who has to use it. */
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

/** Nothing was reserved, so offer and reference are free again. A service may also use these words as a status. */
const CLOSED = new Set(['refused', 'failed', NOT_SENT])
/** Outcomes after which the reference is free for another offer. */
const ENDED = new Set(['cancelled', 'expired'])

const isLive = (each: JournalEntry) => each.reservationRef !== null || !CLOSED.has(each.outcome)

function isOwn(entry: Client, client: Client): boolean {
  return entry.clientId === client.clientId
}

/** Whether `entry` may be of `client`: a token does not say whose it is, so an entry made with one may be. */
function mayBeOwn(entry: Client, client: Client): boolean {
  return isOwn(entry, client) || [entry.clientId, client.clientId].includes(TOKEN_CLIENT)
}

/** Those at the service of `client`: this machine has several names. */
export function atServiceOf<Entry extends Client>(client: Client, entries: readonly Entry[]): Entry[] {
  const service = underOneName(client.baseUrl)
  return entries.filter(each => underOneName(each.baseUrl) === service)
}

/**
 * The verdict on `intent` of `client`, by the entries with its offer, reference or key, newest first, of whatever client and
 * base URL; undefined: a new one may be made.
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
  // What other clients have sent to the same service.
  const sent = here.filter(each => !isOwn(each, client) && !isNeverSent(each))
  const unresolved = sent.find(each => isUnresolved(each) && sharesOfferOrReference(each, intent))
  if (unresolved) return conflicting('other_credential', unresolved)
  const verdictOnSent = decideAmong(
    sent.filter(each => mayBeOwn(each, client)),
    intent,
    client,
  )
  if (verdictOnSent) return verdictOnSent
  // The service converts an offer once, for whatever client (§8). References are each client's own.
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
  // A key belongs to one body forever, also to one that was refused.
  const key = sent.find(each => each.idempotencyKey === idempotencyKey && each.bodySha256 !== bodySha256)
  return refuse('reference_in_use', reference) ?? refuse('offer_in_use', offer) ?? refuse('key_in_use', key)
}

/**
 * Those of which nothing was sent, and which a new entry of `client` for `intent` replaces. Their process, if it still runs,
 * then fails at its first attempt: of several clients, too, one alone sends.
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
 * The entry that `client` means by a client reference, of all entries with it, newest first: its own reservation, then one
 * that another client has not resolved, then a token's, which may be its own, then the newest.
 */
export function entryMeant(entries: readonly JournalEntry[], client: Client): JournalEntry | undefined {
  const here = atServiceOf(client, entries)
  const own = here.filter(each => isOwn(each, client))
  return (
    own.find(each => isLive(each) && !isNeverSent(each)) ??
    here.find(isUnresolved) ??
    here.find(each => isLive(each) && !isNeverSent(each) && mayBeOwn(each, client)) ??
    own[0] ??
    here.find(isLive) ??
    here[0]
  )
}

/** Those of `entries`, newest first, that `client` means by their client references. */
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
