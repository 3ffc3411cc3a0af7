/**
 * The partner's side of the comparison: the entries of the journal, or of a ledger instead, which can be found by their
 * references.
 */
import {isLive, type Standing} from './standing.js'

/** What the books say about one reservation. */
export interface Entry {
  /** The id of the journal entry. */
  readonly id?: number
  /** The client reference. In a ledger, it may also be the reference of the reservation. */
  readonly reference: string
  /** The service's reference, if the journal has it. */
  readonly reservationRef: string | null
  readonly standing: Standing
  /** The state as written in the books. */
  readonly status: string | null
  /** A decimal string, or null. */
  readonly amount: string | null
  readonly currency: string | null
  /** When the journal recorded the entry, in whole Unix seconds. */
  readonly createdAt?: number
  /** The line in the ledger. */
  readonly line?: number
  /** Whether the service should have the reservation, because it belongs to this client and to the compared period. */
  readonly isExpected: boolean
  /**
   * The reference of the service's reservation that was matched with the entry. `isFoundLive` says whether that
   * reservation is a booking.
   */
  found: string | undefined
  isFoundLive: boolean
}

/** What was read about one reservation in the service's list. */
export interface Row {
  readonly reservationRef: string
  readonly reference: string | null
  /** Null if the service does not state it. */
  readonly standing: Standing | null
  readonly status: string | null
  readonly amount: string | null
  readonly currency: string | null
  /** What the account was charged, if that is in another currency than the price. */
  readonly charged: {readonly amount: string; readonly currency: string | null} | null
  /** When the reservation was made, as written by the service. */
  readonly createdAt: string | null
  /** Whether the cancellation had a fee. */
  readonly hasFee: boolean
}

/** Reports whether a row is a booking, or may be one. */
export function isLiveRow({standing}: Pick<Row, 'standing'>): boolean {
  return standing === null || isLive(standing)
}

const MOST_WORDS = 5000

export class Books {
  readonly entries: Entry[] = []
  private readonly named = new Map<string, Entry | Entry[]>()
  private readonly words = new Map<string, string>()

  constructor(readonly isJournal: boolean) {}

  /**
   * Returns the same string object for equal texts, because many of 100,000 entries have the same words and amounts.
   */
  shared(word: string | null): string | null {
    if (word === null) return null
    const known = this.words.get(word)
    if (known === undefined && this.words.size < MOST_WORDS) this.words.set(word, word)
    return known ?? word
  }

  /** Adds an entry under its reservation's reference or, if that is unknown, under its client reference. */
  add(entry: Entry): void {
    this.entries.push(entry)
    this.index(entry.reservationRef ?? entry.reference, entry)
  }

  /** Makes `under` find the entries with these client references even if their reservations are known. */
  indexReferences(references: ReadonlySet<string>): void {
    for (const entry of this.entries)
      if (entry.reservationRef !== null && references.has(entry.reference)) this.index(entry.reference, entry)
  }

  private index(name: string, entry: Entry): void {
    const others = this.named.get(name)
    if (others === undefined) this.named.set(name, entry)
    else if (Array.isArray(others)) others.push(entry)
    else this.named.set(name, [others, entry])
  }

  /** Replaces what is known about `entry` by `newer`. */
  renew(entry: Entry, newer: Entry): void {
    Object.assign(entry, {...newer, found: entry.found, isFoundLive: entry.isFoundLive})
  }

  /** Returns the entries with this reference of the service, or this client reference if that is indexed. */
  under(name: string): readonly Entry[] {
    const found = this.named.get(name)
    if (found === undefined) return []
    return Array.isArray(found) ? found : [found]
  }

  /** Returns the entry that names the reservation of a row, or undefined. */
  ofReservation({reservationRef, standing}: Row): Entry | undefined {
    const named = this.under(reservationRef).filter(
      entry =>
        entry.reservationRef === reservationRef || (!this.isJournal && entry.reference === reservationRef),
    )
    return named.find(entry => entry.found === undefined && agreesIn(entry, standing)) ?? named[0]
  }

  /**
   * Returns the entry that a row belongs to by its client reference alone, or undefined: one that names no reservation,
   * is not matched yet, and is a booking if the row is one. If a reference was cancelled and booked again, this avoids
   * comparing it with the wrong reservation.
   */
  ofReference({reference, standing}: Row): Entry | undefined {
    return this.waiting(reference).find(entry => agreesIn(entry, standing))
  }

  /** Returns the entries with a client reference that name no reservation and are not matched yet. */
  waiting(reference: string | null): readonly Entry[] {
    if (reference === null) return []
    return this.under(reference).filter(
      entry => entry.reservationRef === null && entry.found === undefined && entry.reference === reference,
    )
  }
}

/** Reports whether an entry and a row are both bookings, or neither is, as far as that is known. */
function agreesIn({standing: here}: Entry, there: Standing | null): boolean {
  if (there === null || here === 'open' || here === 'given_up') return true
  return isLive(here) === isLive(there)
}
