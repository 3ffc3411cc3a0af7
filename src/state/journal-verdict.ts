/** What an earlier entry of the journal means for a reservation that is about to be made. Pure rules, no database. */
import {isNeverSent, NOT_SENT} from '../contract/journal.js'

export interface Intent {
  readonly offerId: string
  readonly clientReferenceId: string
  /** False when the reference was made up for this run: then the offer and the rest of the body find the entry. */
  readonly referenceGiven: boolean
  readonly idempotencyKey: string
  /** False when the key was made up for this run. */
  readonly keyGiven: boolean
  /** The exact request body. */
  readonly body: string
  /** Of the body with its keys sorted, so that the order in an input file does not matter. */
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
  readonly bodySha256: string
  readonly intentSha256: string
  /** `unresolved`, `unknown`, `not_sent`, `refused`, `failed`, `forgotten`, or the reservation's own: `confirmed`, `pending_payment`, … */
  readonly outcome: string
  readonly reservationRef: string | null
  /** Attempts that may have gone on the wire; 0 means that nothing was sent. */
  readonly attempts: number
  /** Whether an answer was ever lost. */
  readonly lost: boolean
  readonly result: Record<string, unknown> | null
  /** Unix seconds. */
  readonly createdAt: number
  readonly updatedAt: number
}

export type Conflict = 'reference_in_use' | 'offer_in_use' | 'key_differs' | 'key_in_use' | 'forgotten'

export type Verdict =
  | {readonly kind: 'new' | 'repeat' | 'resolved'; readonly entry: JournalEntry}
  | {readonly kind: 'conflict'; readonly conflict: Conflict; readonly entry: JournalEntry}

/** Outcomes that leave the reference free, for another offer. */
const ENDED = new Set(['cancelled', 'expired'])

/**
 * The verdict on `intent`, given the entries that share its offer, reference or key, newest first; undefined when a
 * new entry may be made (an entry of which nothing was sent, and which differs, gives way to it).
 */
export function decide(entries: readonly JournalEntry[], intent: Intent): Verdict | undefined {
  const live = entries.filter(entry => !isClosed(entry))
  const same = live.find(entry => isSame(entry, intent))
  if (same) return verdictOnSame(same, intent)
  const inTheWay = live.filter(entry => !isNeverSent(entry))
  const byReference = inTheWay.find(
    entry => entry.clientReferenceId === intent.clientReferenceId && !ENDED.has(entry.outcome),
  )
  if (byReference) return {kind: 'conflict', conflict: 'reference_in_use', entry: byReference}
  const byOffer = inTheWay.find(entry => entry.offerId === intent.offerId)
  if (byOffer) return {kind: 'conflict', conflict: 'offer_in_use', entry: byOffer}
  const byKey = entries.find(
    entry =>
      entry.idempotencyKey === intent.idempotencyKey &&
      entry.bodySha256 !== intent.bodySha256 &&
      !isNeverSent(entry),
  )
  if (byKey) return {kind: 'conflict', conflict: 'key_in_use', entry: byKey}
  return undefined
}

function isSame(entry: JournalEntry, intent: Intent): boolean {
  if (intent.referenceGiven) return entry.bodySha256 === intent.bodySha256
  return entry.intentSha256 === intent.intentSha256
}

/** Nothing was reserved, so that offer and reference are free again. A service may use these words itself. */
const CLOSED = new Set(['refused', 'failed', NOT_SENT])

function isClosed(entry: JournalEntry): boolean {
  return entry.reservationRef === null && CLOSED.has(entry.outcome)
}

function verdictOnSame(entry: JournalEntry, intent: Intent): Verdict | undefined {
  // Given up by a person while a reservation may exist: sending it again could make another.
  if (entry.outcome === 'forgotten') return {kind: 'conflict', conflict: 'forgotten', entry}
  const keyDiffers = intent.keyGiven && entry.idempotencyKey !== intent.idempotencyKey
  if (keyDiffers && isNeverSent(entry)) return undefined
  if (keyDiffers) return {kind: 'conflict', conflict: 'key_differs', entry}
  const open = entry.outcome === 'unresolved' || entry.outcome === 'unknown'
  return {kind: open ? 'repeat' : 'resolved', entry}
}
