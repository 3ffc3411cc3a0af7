/** The verdict of earlier journal entries on a reservation that is about to be made. Pure rules, no database. */
import {
  type Conflict,
  isNeverSent,
  type JournalEntry,
  type JournalVerdict,
  NOT_SENT,
  type ReservationIntent,
  verdictOn,
} from './journal.js'

/** Outcomes after which the reference is free for another offer. */
const ENDED = new Set(['cancelled', 'expired'])

/**
 * The verdict on `intent`, given the entries that share its offer, reference or key, newest first; undefined when a
 * new entry may be made (an entry of which nothing was sent, and which differs, gives way to it).
 */
export function decide(
  entries: readonly JournalEntry[],
  intent: ReservationIntent,
): JournalVerdict | undefined {
  const live = entries.filter(entry => !isClosed(entry))
  const same = live.find(entry => isSame(entry, intent))
  if (same) return verdictOnSame(same, intent)
  const find = (
    conflict: Conflict,
    isOne: (entry: JournalEntry) => boolean,
    among: readonly JournalEntry[] = live,
  ) => {
    const entry = among.find(each => !isNeverSent(each) && isOne(each))
    return entry && {kind: 'conflict' as const, conflict, entry}
  }
  const {clientReferenceId, offerId, idempotencyKey, bodySha256} = intent
  return (
    find(
      'reference_in_use',
      each => each.clientReferenceId === clientReferenceId && !ENDED.has(each.outcome),
    ) ??
    find('offer_in_use', each => each.offerId === offerId) ??
    // A key belongs to one body forever, also to one that was refused.
    find(
      'key_in_use',
      each => each.idempotencyKey === idempotencyKey && each.bodySha256 !== bodySha256,
      entries,
    )
  )
}

function isSame(entry: JournalEntry, intent: ReservationIntent): boolean {
  if (intent.referenceGiven) return entry.bodySha256 === intent.bodySha256
  return entry.intentSha256 === intent.intentSha256
}

/** Nothing was reserved, so offer and reference are free again. A service may also use these words as a status. */
const CLOSED = new Set(['refused', 'failed', NOT_SENT])

function isClosed(entry: JournalEntry): boolean {
  return entry.reservationRef === null && CLOSED.has(entry.outcome)
}

function verdictOnSame(entry: JournalEntry, intent: ReservationIntent): JournalVerdict | undefined {
  const verdict = verdictOn(entry)
  if (verdict.kind === 'conflict') return verdict
  if (!intent.keyGiven || entry.idempotencyKey === intent.idempotencyKey) return verdict
  return isNeverSent(entry) ? undefined : {kind: 'conflict', conflict: 'key_differs', entry}
}
