/**
 * Compares books with the reservations of a service as they are read. Missing information is not a difference: what the
 * list of the service does not state is looked up later.
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
  /** The other reservation, or the other line of the ledger, if something is there twice. */
  readonly other?: string | number
}

/** An entry, and the reservation that was found for it. */
export interface Pair {
  readonly entry: Entry
  readonly row: Row
}

/** How much could not be compared, by reason. */
export interface Uncompared {
  /** The number of reservations for which the service states no price. */
  price: number
  /** The number of reservations for which the service states no status. */
  status: number
  /** The number of entries for which it is unknown whether the service has them. */
  entries: number
  /** The number of reservations without a client reference, which may belong to an entry. */
  references: number
  /** The number of reservations without the time when they were made. */
  times: number
}

/** Returns the reservations sorted by the time when they were made. Those without a time come first. */
export function oldestFirst(rows: readonly Row[]): Row[] {
  const madeAt = ({createdAt}: Row) => instantOf(createdAt ?? '') ?? 0
  return rows.toSorted((left, right) => madeAt(left) - madeAt(right))
}

export class Comparison {
  checked = 0
  readonly differences: Difference[] = []
  readonly uncompared: Uncompared = {price: 0, status: 0, entries: 0, references: 0, times: 0}
  /** Pairs whose reservation is not fully described in the list. */
  readonly incomplete: Pair[] = []
  /** Entries with an unknown outcome, with the reservation that the service has. */
  readonly open: Pair[] = []
  /** Reservations that belong to no entry. */
  private strangers: Row[] = []
  /** Reservations whose client reference has entries, but in another state. */
  private loose: Row[] = []
  private readonly trips = new TripIndex()
  /** Reservations for the same guests, hotel and dates as another. */
  readonly doubles: {readonly row: Row; readonly other: string}[] = []
  private readonly twice = new Set<string>()
  /** Entries that differ, and references of reservations without an entry. */
  private readonly differing = new Set<Entry | string>()

  constructor(
    readonly books: Books,
    readonly window: Window,
  ) {}

  get agreed(): number {
    return this.checked - this.differing.size
  }

  /**
   * Adds a reservation of the list. `trip` is a key (SHA-256 in hex) that reservations for the same guests, hotel and
   * dates share.
   */
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
   * Pairs the remaining reservations with entries by their client references, bookings first. A refused attempt is not
   * paired if a booking was already found for its reference. Must be called after the whole list was added.
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

  /** Compares a pair by what is known about it. */
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
   * Settles entries with the same reference as one whose reservation was found. In a ledger, two bookings are a
   * difference, but a booking and its cancellation are not. Must be called after the whole list was added.
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

  /** Returns the entries that the service should have, but for which no reservation was found. */
  missing(): Entry[] {
    return this.books.entries.filter(
      ({found, isExpected, standing}) => found === undefined && isExpected && isLive(standing),
    )
  }

  /** Returns the entries with an unknown outcome for which no reservation was found. */
  unresolved(): Entry[] {
    return this.books.entries.filter(
      ({found, isExpected, standing}) => found === undefined && isExpected && standing === 'open',
    )
  }

  /** Records that `entry` is about the same reservation as the entry `other`. */
  addSecondLine(entry: Entry, other: Entry): void {
    this.checked++
    entry.found = other.found
    const difference = {kind: 'twice', entry, row: undefined, other: other.line ?? other.reference} as const
    this.differ(difference, entry)
  }

  /** Records that the service has no reservation for `entry`. */
  addMissing(entry: Entry): void {
    this.checked++
    this.differ({kind: 'missing_there', entry, row: undefined}, entry)
  }

  /** Records that the outcome of `entry` is unknown here. */
  addUnresolved(entry: Entry, row: Row | undefined): void {
    this.checked++
    this.differ({kind: 'unresolved', entry, row}, entry)
  }

  /** Removes and returns the reservations that belong to no entry. */
  takeStrangers(): Row[] {
    return this.strangers.splice(0)
  }

  addStranger(row: Row): void {
    if (isLiveRow(row) || row.hasFee) this.strangers.push(row)
    // A reservation that ended without costs need not be in any books.
    else if (isWithinAsWritten(this.window, row.createdAt)) this.checked++
  }

  /**
   * Records reservations that belong to no entry. The difference is `twice` if another booking has the same client
   * reference, otherwise `missing_here`.
   */
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

  /**
   * Records that `row` is for the same guests, hotel and dates as the reservation `other`, unless that was already
   * found by its reference.
   */
  addDouble(row: Row, other: string): void {
    const entry = this.entryOf(row)
    const isCompared = entry ? this.isCompared(entry, row) : isWithinAsWritten(this.window, row.createdAt)
    if (!this.twice.has(row.reservationRef) && isCompared)
      this.differ({kind: 'twice', entry, row, other}, entry ?? row.reservationRef)
  }

  /** Returns the entry whose reservation is `row`, or undefined. */
  entryOf({reservationRef, reference}: Row): Entry | undefined {
    const named = [...this.books.under(reservationRef), ...this.books.under(reference ?? '')]
    return named.find(entry => entry.found === reservationRef)
  }

  /** Reports whether a pair is within the compared period. A ledger does not say when its entries were made. */
  private isCompared(entry: Entry, {createdAt}: Row): boolean {
    const isWithin = isWithinAsWritten(this.window, createdAt)
    return this.books.isJournal ? entry.isExpected || isWithin === true : isWithin !== false
  }

  /** Adds a difference. `item` is the entry, or the reference of a reservation without one. */
  private differ(difference: Difference, item: Entry | string): void {
    this.differences.push(difference)
    if (difference.kind === 'twice' && difference.row) this.twice.add(difference.row.reservationRef)
    this.differing.add(item)
  }
}

/**
 * Compares amounts exactly. Returns the kind of difference, or undefined. A ledger may contain the price or what the
 * account was charged; an amount without a currency is compared with both.
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
