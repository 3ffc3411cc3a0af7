/** What an offer says about itself, wherever the service puts it. */
import type {OfferNode} from './offers.js'

export interface OfferFacts {
  readonly hotel_name: string | null
  readonly stars: number | null
  readonly room_name: string | null
  readonly board: string | null
  readonly price: {readonly total: string | null; readonly currency: string | null}
  readonly refundable: boolean | null
  readonly free_cancellation_until: string | null
  /** ISO 8601 with an offset, on the service's clock. */
  readonly expiry: string | null
}

export function factsOf(_offer: OfferNode): OfferFacts {
  return {
    hotel_name: null,
    stars: null,
    room_name: null,
    board: null,
    price: {total: null, currency: null},
    refundable: null,
    free_cancellation_until: null,
    expiry: null,
  }
}
