/** The offers that searches have found (§2.3), as a port. No personal data is in them. */
import type {Room} from './hotels.js'
import type {Client} from './token-cache.js'

/** Offers are removed this long after their search. */
export const OFFER_RETENTION_SECONDS = 24 * 3600

/** Details of an offer, so that `reserve` can show as much as the search did. */
export interface SeenDetails {
  readonly refundable: boolean | null
  readonly free_cancellation_until: string | null
  /** The terms as api/answers/terms-and-fees.ts reads them; null for those of earlier versions that were too long. */
  readonly terms: object | null
  /** The city of the search; null if it was not for a city. */
  readonly city: number | null
  /** The currency of the search, which applies to a price without one; undefined for an offer stored by an earlier version. */
  readonly currency?: string
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
  /** From the search. */
  readonly nationality: string
  readonly check_in: string
  readonly check_out: string
  readonly rooms: readonly Room[]
  /** Unix seconds, on this machine's clock. */
  readonly searched_at: number
  readonly expires_at: number
  /** The client reference of the reservation made from it here. */
  readonly used_by_reference: string | null
}

/** An offer as a search returns it. */
export type OfferFound = Omit<SeenOffer, 'used_by_reference'>

export interface OfferStore {
  /** Stores the offers of one search and removes those older than OFFER_RETENTION_SECONDS at `now` (Unix seconds). */
  remember(client: Client, offers: Iterable<OfferFound>, now: number): Promise<void>
  find(client: Client, offerId: string): Promise<SeenOffer | undefined>
  /** One of the latest search of the client that found any. */
  latest(client: Client): Promise<SeenOffer | undefined>
  /** Offers of all clients that can still be reserved at `now` (Unix seconds), newest first. */
  valid(now: number): Promise<SeenOffer[]>
  markUsed(client: Client, offerId: string, clientReferenceId: string): Promise<void>
}
