/** Looks up single reservations at the service, if the list does not contain them or does not describe them fully. */
import {listReservations, showReservation} from '../../../api/operations/reservations.js'
import type {Api} from '../../../api/types.js'
import {Failure} from '../../../contract/failure.js'
import {isIdentifier} from '../../../contract/identifiers.js'
import {isNotFound} from '../../../contract/operations.js'
import type {Row} from './books.js'
import {readRow} from './rows.js'

/** The result of a lookup. `none`: the service has no such reservation. `unclear`: that could not be found out. */
export type Found = Row | 'none' | 'unclear'

/** Maximum number of lookups. The other reservations are compared as far as the list describes them. */
const MOST_LOOKUPS = 1000

export class Lookups {
  private count = 0
  /** Whether the service can show single reservations, as far as is known. */
  private showsSingle = true

  constructor(private readonly api: Api) {}

  /** Returns a reservation by the service's reference. Throws a Failure if the service fails. */
  async show(reservationRef: string): Promise<Found> {
    if (!this.showsSingle || !isIdentifier('reservation_ref', reservationRef) || !this.takeTurn())
      return 'unclear'
    try {
      return readRow(await showReservation(this.api, reservationRef)).row
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      const {kind, details} = error
      if (kind === 'refused' && isNotFound(details)) return 'none'
      if (kind === 'usage' || kind === 'not_allowed') this.showsSingle = false
      else if (details.code !== 'another_reservation' && kind !== 'refused') throw error
      return 'unclear'
    }
  }

  /**
   * Returns the reservations with a client reference, or `unclear` if the service does not filter its list by it.
   * Throws a Failure if the service fails.
   */
  async find(reference: string): Promise<readonly Row[] | 'unclear'> {
    if (!this.takeTurn()) return 'unclear'
    let rows: Row[]
    try {
      const {reservations} = await listReservations(this.api, {query: {client_reference_id: reference}})
      rows = reservations.map(found => readRow(found).row)
    } catch (error) {
      // A service that does not filter its list may refuse the request.
      if (error instanceof Failure && error.kind === 'refused') return 'unclear'
      throw error
    }
    const named = rows.filter(row => row.reference === reference)
    return named.length === 0 && rows.length > 0 ? 'unclear' : named
  }

  private takeTurn(): boolean {
    this.count++
    return this.count <= MOST_LOOKUPS
  }
}
