/**
 * Compares books with the reservations of a service, as they come. Missing information is no difference: what the service
 * does not state in the list, or may state elsewhere, is looked up later.
 */
import {instantOf} from '../../../contract/dates.js'
import {compareAmounts} from '../../../contract/money.js'
import {type Books, type Entry, isLiveRow, type Row} from './books.js'
import {agree, isLive} from './standing.js'
import {TripIndex} from './trip-index.js'
import {isWithinAsWritten, type Window} from './window.js'

export type DifferenceKind =
  | 'missing_there'
  | 'missing_here'
  | 'twice'
  | 'price'
  | 'currency'
  | 'status'
  | 'unresolved'

export interface Difference {
  readonly kind: DifferenceKind
  readonly entry: Entry | undefined
  readonly row: Row | undefined
  /** The other reservation, or the other line of the ledger, of one that is there twice. */
  readonly other?: string | number
}

/** An entry and the reservation that was found for it. */
export interface Pair {
  readonly entry: Entry
  readonly row: Row
}

/** What could not be compared, by the reason. */
export interface Uncompared {
  /** The service states no price. */
  price: number
  /** The service states no status. */
  status: number
  /** Whether the service has it was not found out. */
  entries: number
  /** Reservations without a client reference, which an entry may be about. */
  references: number
  /** Reservations that do not say when they were made. */
  times: number
}

/** Returns the reservations by the time when they were made, those without a time first. */
export function oldestFirst(rows: readonly Row[]): Row[] {
  const madeAt = ({createdAt}: Row) => instantOf(createdAt ?? '') ?? 0
  return rows.toSorted((left, right) => madeAt(left) - madeAt(right))
}

export class Comparison {
  checked = 0
  readonly differences: Difference[] = []
  readonly uncompared: Uncompared = {price: 0, status: 0, entries: 0, references: 0, times: 0}
  /** Pairs whose reservations the list does not describe fully. */
  readonly incomplete: Pair[] = []
  /** Entries whose outcome is not known here, with the reservation that the service has. */
  readonly open: Pair[] = []
  /** Reservations that no entry is about. */
  private strangers: Row[] = []
  /** Reservations of a client reference whose entries are in another state. */
  private loose: Row[] = []
  private readonly trips = new TripIndex()
  /** Reservations for the same guests, hotel and dates as another. */
  readonly doubles: {readonly row: Row; readonly other: string}[] = []
  private readonly twice = new Set<string>()
  /** Entries, and references of reservations without one, that differ. */
  private readonly differing = new Set<Entry | string>()

  constructor(
    readonly books: Books,
    readonly window: Window,
  ) {}

  get agreed(): number {
    return this.checked - this.differing.size
  }

  /** Takes a reservation of the list. `trip` is the key, a SHA-256 in hex, that reservations for the same guests, hotel and dates share. */
  take(row: Row, trip: string | undefined): void {
    if (trip !== undefined && isLiveRow(row)) {
      const first = this.trips.add(trip, row.reservationRef)
      if (first !== row.reservationRef) this.doubles.push({row, other: first})
    }
    const entry = this.books.ofReservation(row) ?? this.books.ofReference(row)
    if (entry) this.pair(entry, row)
    else if (this.books.waiting(row.reference).length > 0) this.loose.push(row)
    else this.addStranger(row)
  }

  /**
   * Pairs the rest of the list with entries by their client references, bookings first. A refused attempt is not paired if a
   * booking was found for its reference already. Call it when the whole list was taken.
   */
  pairLoose(): void {
    const {books} = this
    const rows = this.loose.splice(0)
    books.indexReferences(new Set(rows.map(({reference}) => reference ?? '')))
    for (const row of [...rows.filter(isLiveRow), ...rows.filter(row => !isLiveRow(row))]) {
      const isBooked = books.under(row.reference ?? '').some(entry => entry.isFoundLive)
      const entry = books.waiting(row.reference).find(({standing}) => standing !== 'none' || !isBooked)
      if (entry) this.pair(entry, row)
      else this.addStranger(row)
    }
  }

  /** Records that `row` is the reservation of `entry`, and compares them. */
  pair(entry: Entry, row: Row): void {
    entry.found = row.reservationRef
    entry.isFoundLive = isLiveRow(row)
    if (!this.isCompared(entry, row)) return
    const needsPrice =
      entry.amount !== null && isLive(entry.standing) && isLiveRow(row) && row.amount === null
    if (entry.standing === 'open') this.open.push({entry, row})
    else if (needsPrice || row.standing === null) this.incomplete.push({entry, row})
    else this.judge(entry, row)
  }

  /** Compares a pair by what is known. */
  judge(entry: Entry, row: Row): void {
    this.checked++
    const kind = this.differenceOfStates(entry, row)
    if (kind) this.differ({kind, entry, row}, entry)
    if (row.standing === null) this.uncompared.status++
    if (!isLive(entry.standing) || !isLiveRow(row) || entry.amount === null) return
    if (row.amount === null) this.uncompared.price++
    else {
      const kindOfPrice = differenceOfPrices(entry, row)
      if (kindOfPrice) this.differ({kind: kindOfPrice, entry, row}, entry)
    }
  }

  private differenceOfStates({standing}: Entry, row: Row): DifferenceKind | undefined {
    if (standing === 'open') return 'unresolved'
    if (standing === 'given_up') return isLiveRow(row) ? 'unresolved' : undefined
    return row.standing === null || agree(standing, row.standing, this.books.isJournal) ? undefined : 'status'
  }

  /**
   * Settles entries that have the same name as one whose reservation was found. In a ledger two bookings are a difference, and a
   * booking with its cancellation is none. Call it when the whole list was taken.
   */
  settleSecondEntries(): void {
    const {books} = this
    for (const entry of books.entries) {
      if (entry.found !== undefined) continue
      const named = books.under(entry.reservationRef ?? entry.reference)
      const first = named.find(({found}) => found !== undefined)
      if (first === undefined || (books.isJournal && first.found !== entry.reservationRef)) continue
      if (!books.isJournal && isLive(entry.standing) && isLive(first.standing))
        this.addSecondLine(entry, first)
      entry.found = first.found
    }
  }

  /** Returns the entries that the service should have, and for which no reservation was found. */
  missing(): Entry[] {
    return this.books.entries.filter(
      ({found, isExpected, standing}) => found === undefined && isExpected && isLive(standing),
    )
  }

  /** Returns the entries that are not resolved and for which no reservation was found. */
  unresolved(): Entry[] {
    return this.books.entries.filter(
      ({found, isExpected, standing}) => found === undefined && isExpected && standing === 'open',
    )
  }

  /** Adds that `entry` is about the reservation of the entry `other`. */
  addSecondLine(entry: Entry, other: Entry): void {
    this.checked++
    entry.found = other.found
    const difference = {kind: 'twice', entry, row: undefined, other: other.line ?? other.reference} as const
    this.differ(difference, entry)
  }

  /** Adds that the service has no reservation of `entry`. */
  addMissing(entry: Entry): void {
    this.checked++
    this.differ({kind: 'missing_there', entry, row: undefined}, entry)
  }

  /** Adds that the outcome of `entry` is not known here. */
  addUnresolved(entry: Entry, row: Row | undefined): void {
    this.checked++
    this.differ({kind: 'unresolved', entry, row}, entry)
  }

  /** Takes out the reservations that no entry is about. */
  takeStrangers(): Row[] {
    return this.strangers.splice(0)
  }

  addStranger(row: Row): void {
    if (isLiveRow(row) || row.hasFee) this.strangers.push(row)
    // One that ended without cost need not be in any books.
    else if (isWithinAsWritten(this.window, row.createdAt)) this.checked++
  }

  /** Adds reservations that no entry is about: one of a reference that has another is there twice, the others are missing here. */
  addStrangers(rows: readonly Row[]): void {
    const bookedOf = new Map<string, string>()
    for (const row of oldestFirst(rows)) {
      const {reference, reservationRef} = row
      this.checked++
      const paired = this.books
        .under(reference ?? '')
        .find(entry => entry.found !== undefined && entry.isFoundLive)
      const other = paired?.found ?? bookedOf.get(reference ?? '')
      if (reference !== null && isLiveRow(row) && other === undefined) bookedOf.set(reference, reservationRef)
      if (isLiveRow(row) && other !== undefined && reference !== null)
        this.differ({kind: 'twice', entry: paired, row, other}, reservationRef)
      else this.differ({kind: 'missing_here', entry: undefined, row}, reservationRef)
    }
  }

  /** Adds that `row` is for the same guests, hotel and dates as the reservation `other`, unless their reference says so already. */
  addDouble(row: Row, other: string): void {
    const entry = this.entryOf(row)
    const isCompared = entry ? this.isCompared(entry, row) : isWithinAsWritten(this.window, row.createdAt)
    if (!this.twice.has(row.reservationRef) && isCompared)
      this.differ({kind: 'twice', entry, row, other}, entry ?? row.reservationRef)
  }

  /** Returns the entry whose reservation is `row`. */
  entryOf({reservationRef, reference}: Row): Entry | undefined {
    const named = [...this.books.under(reservationRef), ...this.books.under(reference ?? '')]
    return named.find(entry => entry.found === reservationRef)
  }

  /** Reports whether a pair is within the time that is compared. A ledger does not say when its entries were made. */
  private isCompared(entry: Entry, {createdAt}: Row): boolean {
    const isWithin = isWithinAsWritten(this.window, createdAt)
    return this.books.isJournal ? entry.isExpected || isWithin === true : isWithin !== false
  }

  /** Adds a difference of an item: an entry, or the reference of a reservation without one. */
  private differ(difference: Difference, item: Entry | string): void {
    this.differences.push(difference)
    if (difference.kind === 'twice' && difference.row) this.twice.add(difference.row.reservationRef)
    this.differing.add(item)
  }
}

/**
 * Compares amounts exactly. A ledger may have the price or what the account was charged for it; without its currency an amount is
 * compared with both.
 */
function differenceOfPrices({amount, currency}: Entry, {amount: price, currency: ofPrice, charged}: Row) {
  const sums = [{amount: price, currency: ofPrice}, ...(charged ? [charged] : [])]
  const comparable = sums.filter(
    sum =>
      currency === null || sum.currency === null || sum.currency.toUpperCase() === currency.toUpperCase(),
  )
  if (comparable.length === 0) return 'currency'
  const isSame = comparable.some(sum => sum.amount !== null && compareAmounts(sum.amount, amount ?? '') === 0)
  return isSame ? undefined : 'price'
}
