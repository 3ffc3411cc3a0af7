/** The parts that the rest of the local sandbox works with: database, clock and options. */
import type {ErrorCode} from '../../contract/error-codes.js'
import type {Database} from '../../storage/database.js'

export interface Service {
  readonly database: Database
  /** All times are Unix seconds with a fraction. */
  readonly clock: {
    now(): number
    /** The real time. Deliveries are signed with it, because receivers compare it with their own clock. */
    realNow(): number
    /** Moves the sandbox's clock forward by `seconds`. It cannot be moved back, except by a reset. */
    advance(seconds: number): void
  }
  /** The number of offers that each search finds. If undefined, a search finds the offers of the city's 12 to 20 hotels. */
  readonly offers: number | undefined
  /** Client references ending in `-unknown_soldout` whose first request was dropped. They are in memory only. */
  readonly droppedReferences: Set<string>
  /** Offers that a fault has lost, with the code with which they are refused. They are in memory only. */
  readonly lostOffers: Map<string, ErrorCode>
  /** Client id and client reference, as JSON, of the bookings whose voucher takes longer by a fault. They are in memory only. */
  readonly slowVouchers: Set<string>
  readonly allowHttpLoopback: boolean
  /** Returns the origin at which the sandbox is served, or undefined while it is only called in process. */
  readonly served: () => string | undefined
  readonly closing: AbortSignal
}
