/** The journals of what is requested, as ports stored by `state`, and the verdict on a reservation that is about to be made. */
import {usage} from './failure.js'
import type {Alone, Client} from './token-cache.js'

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
}

export interface JournalEntry extends Omit<ReservationIntent, 'referenceGiven' | 'keyGiven' | 'body'> {
  readonly id: number
  /** Null once the outcome is known. */
  readonly body: string | null
  /** `unresolved`, `unknown`, `not_sent`, `refused`, `failed`, `forgotten`, or the reservation's own: `confirmed`, `pending_payment`, … */
  readonly outcome: string
  readonly reservationRef: string | null
  /** Attempts that may have gone on the wire; 0 means that nothing was sent. */
  readonly attempts: number
  /** Whether an answer was ever lost. */
  readonly lost: boolean
  /** The service's answer without personal data. */
  readonly result: Record<string, unknown> | null
  /** Unix seconds. */
  readonly createdAt: number
  readonly updatedAt: number
}

export type Conflict = 'reference_in_use' | 'offer_in_use' | 'key_differs' | 'key_in_use' | 'forgotten'

export type JournalVerdict =
  /** `new`: committed now. `repeat`: an earlier run's, outcome not known. `resolved`: nothing is to be sent. */
  | {readonly kind: 'new' | 'repeat' | 'resolved'; readonly entry: JournalEntry}
  /** `entry` forbids it. */
  | {readonly kind: 'conflict'; readonly conflict: Conflict; readonly entry: JournalEntry}

export interface Settlement {
  /** `unknown`, `refused`, `failed`, or the reservation's own: `confirmed`, `pending_payment`, … */
  readonly outcome: string
  readonly reservationRef?: string | undefined
  /** The service's answer without personal data. */
  readonly result?: object | undefined
}

/** The journal of one client at one base URL. Times are Unix seconds. What it throws comes from where it is stored. */
export interface Journal {
  /** One process at a time for each offer id. */
  readonly alone: Alone<string>
  /** Commits the intent, unless an earlier one takes its place or forbids it; one transaction. */
  begin(intent: ReservationIntent, now: number): Promise<JournalVerdict>
  /** What `begin` would say, with nothing written; undefined when it would make a new entry. */
  peek(intent: ReservationIntent): Promise<JournalVerdict | undefined>
  /** Counts one attempt, durably, right before it is sent; returns their number. Throws usage when it must not be sent. */
  attempt(id: number, now: number): Promise<number>
  /** Records that nothing was sent although `attempts` were counted, unless another process counted more. Removes the body. */
  notSent(id: number, attempts: number, now: number): Promise<void>
  /** Records how it ended. The body, which holds personal data, stays only while the outcome is unknown. */
  settle(id: number, settlement: Settlement, now: number): Promise<void>
  /** Gives it up: removes personal data, or all when nothing was sent. Throws StorageError when bytes stay in the file. */
  forget(id: number, now: number): Promise<void>
  /** The newest entry with this client reference. */
  find(clientReferenceId: string): Promise<JournalEntry | undefined>
}

/** Whose journal it is. */
export interface JournalClient extends Client {
  /** Never stored; what is stored elsewhere than on this machine is sealed with it. Undefined with a ready token. */
  readonly clientSecret: string | undefined
}

export interface JournalStore {
  forClient(client: JournalClient): Journal
  /** Entries of all clients, newest first; with `unresolved`, only those whose outcome is unknown. */
  list(filter?: {unresolved?: boolean; client?: Client}): Promise<(JournalEntry & Client)[]>
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

/** The verdict on asking for the reservation of `entry` once more. */
export function verdictOn(entry: JournalEntry): JournalVerdict {
  // Given up by a person while a reservation may exist: sending it again could make another.
  if (entry.outcome === 'forgotten') return {kind: 'conflict', conflict: 'forgotten', entry}
  return {kind: isOpen(entry) ? 'repeat' : 'resolved', entry}
}

export function startedElsewhere() {
  return usage(
    'begun_elsewhere',
    'another process started a reservation with the same client reference or key, or this one was given up; nothing more was sent',
    'check its outcome: bookctl journal',
  )
}

export function sealedElsewhere(clientReferenceId: string) {
  const message = `the request of the reservation ${clientReferenceId} was stored under another client secret and cannot be opened with this one; nothing was sent`
  const hint =
    'run it with the former secret; if that is gone, check with the service whether it exists: bookctl journal'
  return usage('sealed_with_another_secret', message, hint)
}

/** Nothing was reserved, so offer and reference are free again. A service may also use these words as a status. */
const CLOSED = new Set(['refused', 'failed', NOT_SENT])
/** Outcomes after which the reference is free for another offer. */
const ENDED = new Set(['cancelled', 'expired'])

/** The verdict on `intent` by the entries with its offer, reference or key, newest first; undefined: a new one may be made. */
export function decide(entries: readonly JournalEntry[], intent: ReservationIntent) {
  const {clientReferenceId, offerId, idempotencyKey, bodySha256} = intent
  const isLive = (each: JournalEntry) => each.reservationRef !== null || !CLOSED.has(each.outcome)
  const same = entries.find(each => isLive(each) && isSame(each, intent))
  if (same) return verdictOnSame(same, intent)
  const sent = entries.filter(each => !isNeverSent(each))
  const live = sent.filter(isLive)
  const refuse = (conflict: Conflict, entry: JournalEntry | undefined) =>
    entry && {kind: 'conflict' as const, conflict, entry}
  const reference = live.find(
    each => each.clientReferenceId === clientReferenceId && !ENDED.has(each.outcome),
  )
  const offer = live.find(each => each.offerId === offerId)
  // A key belongs to one body forever, also to one that was refused.
  const key = sent.find(each => each.idempotencyKey === idempotencyKey && each.bodySha256 !== bodySha256)
  return refuse('reference_in_use', reference) ?? refuse('offer_in_use', offer) ?? refuse('key_in_use', key)
}

function isSame(entry: JournalEntry, intent: ReservationIntent): boolean {
  if (intent.referenceGiven) return entry.bodySha256 === intent.bodySha256
  return entry.intentSha256 === intent.intentSha256
}

function verdictOnSame(entry: JournalEntry, intent: ReservationIntent): JournalVerdict | undefined {
  const verdict = verdictOn(entry)
  if (verdict.kind === 'conflict') return verdict
  if (!intent.keyGiven || entry.idempotencyKey === intent.idempotencyKey) return verdict
  return isNeverSent(entry) ? undefined : {kind: 'conflict', conflict: 'key_differs', entry}
}
