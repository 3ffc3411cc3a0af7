/** The port for stored offers, which earlier searches found (§2.3). They contain no personal data. */
import type {Room} from './hotels.js'
import type {Client} from './token-cache.js'

/** How long offers are kept after their search, in seconds. */
export const OFFER_RETENTION_SECONDS = 24 * 3600

/** Details of an offer that `reserve` shows as the search did. */
export interface SeenDetails {
  readonly refundable: boolean | null
  readonly free_cancellation_until: string | null
  /**
   * The cancellation terms as `api/answers/terms-and-fees.ts` reads them. Null for an offer of an earlier version whose
   * terms were too long to store.
   */
  readonly terms: object | null
  /** The id of the city in the search; null if the destination was not a city. */
  readonly city: number | null
  /**
   * The currency of the search, used for a price that has none. Undefined for an offer stored by an earlier version.
   */
  readonly currency?: string
  /**
   * What the service said the account would be charged, with the exchange rate. Undefined if the service said nothing.
   */
  readonly charge?: {readonly amount: string; readonly currency: string | null; readonly rate: string | null}
}

export interface SeenOffer {
  readonly offer_id: string
  readonly hotel_name: string | null
  readonly stars: number | null
  readonly room_name: string | null
  readonly board: string | null
  readonly total: string | null
  readonly currency: string | null
  /** Null for an offer stored by an earlier version. */
  readonly details: SeenDetails | null
  /** The nationality in the search. The dates and rooms below are also those of the search. */
  readonly nationality: string
  readonly check_in: string
  readonly check_out: string
  readonly rooms: readonly Room[]
  /** Unix seconds on this machine's clock, as is `expires_at`. */
  readonly searched_at: number
  readonly expires_at: number
  /** The client reference of the reservation that was made here from the offer, or null. */
  readonly used_by_reference: string | null
}

/** An offer as a search found it, before it can have been used. */
export type OfferFound = Omit<SeenOffer, 'used_by_reference'>

export interface OfferStore {
  /**
   * Stores the offers of one search. Also deletes offers that are older than OFFER_RETENTION_SECONDS at `now` (Unix
   * seconds).
   */
  remember(client: Client, offers: Iterable<OfferFound>, now: number): Promise<void>
  find(client: Client, offerId: string): Promise<SeenOffer | undefined>
  /** Returns the offer once for each client that has seen it. */
  findAll(offerId: string): Promise<(SeenOffer & Client)[]>
  /** Returns one offer of the client's latest search that found any, or undefined. */
  latest(client: Client): Promise<SeenOffer | undefined>
  /** Returns the offers of all clients that are still valid at `now` (Unix seconds), newest first. */
  valid(now: number): Promise<SeenOffer[]>
  markUsed(client: Client, offerId: string, clientReferenceId: string): Promise<void>
}
