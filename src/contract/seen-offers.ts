/** The port for offers that searches have found (§2.3). They contain no personal data. */
import type {Room} from './hotels.js'
import type {Client} from './token-cache.js'

/** Offers are deleted this long after their search. */
export const OFFER_RETENTION_SECONDS = 24 * 3600

/** Details of an offer, so that `reserve` can show as much as the search did. */
export interface SeenDetails {
  readonly refundable: boolean | null
  readonly free_cancellation_until: string | null
  /**
   * The terms as api/answers/terms-and-fees.ts reads them; null for an offer of an earlier version whose terms were too long.
   */
  readonly terms: object | null
  /** The id of the city in the search; null if the destination was not a city. */
  readonly city: number | null
  /** The currency of the search, which applies to a price without one; undefined for an offer stored by an earlier version. */
  readonly currency?: string
  /** What the service said the account would be charged, with the rate; undefined where it said nothing. */
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
  /** The nationality in the search. The dates and the rooms come from the search as well. */
  readonly nationality: string
  readonly check_in: string
  readonly check_out: string
  readonly rooms: readonly Room[]
  /** Unix seconds on this machine's clock. */
  readonly searched_at: number
  readonly expires_at: number
  /** The client reference of the reservation that this machine made from the offer. */
  readonly used_by_reference: string | null
}

/** An offer as a search returns it. */
export type OfferFound = Omit<SeenOffer, 'used_by_reference'>

export interface OfferStore {
  /** Stores the offers of one search. Deletes offers older than OFFER_RETENTION_SECONDS at `now` (Unix seconds). */
  remember(client: Client, offers: Iterable<OfferFound>, now: number): Promise<void>
  find(client: Client, offerId: string): Promise<SeenOffer | undefined>
  /** Returns the offer with its client, or with each of the clients that have seen it. */
  findAll(offerId: string): Promise<(SeenOffer & Client)[]>
  /** Returns an offer of the client's latest search that found any. */
  latest(client: Client): Promise<SeenOffer | undefined>
  /** Returns the offers of all clients that are still valid at `now` (Unix seconds), newest first. */
  valid(now: number): Promise<SeenOffer[]>
  markUsed(client: Client, offerId: string, clientReferenceId: string): Promise<void>
}
