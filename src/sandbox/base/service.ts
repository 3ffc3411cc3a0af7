/** The parts that the rest of the local sandbox uses: database, clock and options. */
import type {ErrorCode} from '../../contract/error-codes.js'
import type {Database} from '../../storage/database.js'

export interface Service {
  readonly database: Database
  /** Times are Unix seconds with a fraction. */
  readonly clock: {
    now(): number
    /**
     * Returns the real time. Deliveries are signed with it, because receivers compare the signature's time with their
     * own clock.
     */
    realNow(): number
    /** Moves the sandbox's clock forward by `seconds`. It cannot be moved back, except by a reset. */
    advance(seconds: number): void
  }
  /**
   * How many offers each search finds. If undefined, a search finds the offers of the 12 to 20 hotels that each city
   * has.
   */
  readonly offers: number | undefined
  /**
   * Client id and client reference, as JSON, of bookings whose reference ends in `-unknown_soldout` and whose first
   * request was dropped. Only in memory.
   */
  readonly droppedReferences: Set<string>
  /** Offers that an injected fault made unusable, with the error code for requests to book them. Only in memory. */
  readonly lostOffers: Map<string, ErrorCode>
  /** Client id and client reference, as JSON, of bookings whose voucher an injected fault delays. Only in memory. */
  readonly slowVouchers: Set<string>
  readonly allowHttpLoopback: boolean
  /**
   * Returns the origin at which the sandbox is served, or undefined as long as it is only called within the process.
   */
  readonly served: () => string | undefined
  readonly closing: AbortSignal
}
