/** Finds the offers of a batch. Trips share searches, and each trip gets the cheapest offer that fits. */
import type {Money} from '../../../api/answers/amounts.js'
import {type FoundOffer, searchHotels} from '../../../api/operations/hotels.js'
import type {SearchRequest} from '../../../contract/hotels.js'
import {canonicalJson} from '../../../contract/json.js'
import type {SeenDetails} from '../../../contract/seen-offers.js'
import type {Connection} from '../../session/connect.js'
import {filterOffers, offerFound} from '../catalogue/hotels.js'
import type {Choice} from './trips.js'

/** An offer is used only if it is valid for at least this long, so that it does not expire before it is booked. */
const LEAST_SECONDS_LEFT = 20

/** Maximum number of searches whose offers are kept for trips with the same criteria. An older search is repeated. */
const MOST_SEARCHES_KEPT = 100

/** The part of an offer that is kept, because a batch may have thousands of offers. */
export interface BatchOffer extends Omit<FoundOffer, 'raw' | 'expires_at'> {
  readonly details: SeenDetails
  /** Unix seconds on this machine's clock. */
  readonly expiresAt: number
}

function shortened(request: SearchRequest, offer: FoundOffer, searchedAt: number): BatchOffer {
  const {raw: _, expires_at: __, ...facts} = offer
  const {expires_at, details} = offerFound(request, offer, searchedAt)
  const {refundable = null, free_cancellation_until = null, charge} = details ?? {}
  return {
    ...facts,
    // A price without a currency is in the currency of the search.
    price: {...offer.price, currency: offer.price.currency ?? request.currency},
    details: {
      refundable,
      free_cancellation_until,
      terms: null,
      city: request.destination.id,
      ...(charge && {charge}),
    },
    expiresAt: expires_at,
  }
}

/** Returns the price of an offer, or undefined if it is unknown. */
export function priceOf({price: {total, currency}}: BatchOffer): Money | undefined {
  return total === null ? undefined : {amount: total, currency}
}

interface OfferFound {
  readonly offer: BatchOffer | undefined
  /** The number of offers that the search found. */
  readonly found: number
}

export class BatchOffers {
  private readonly searches = new Map<string, Promise<BatchOffer[]>>()
  private readonly used: Set<string>

  /** `usedBefore` are offers that earlier runs booked. A service may find the same offers again. */
  constructor(
    private readonly connection: Pick<Connection, 'api' | 'clock'>,
    private readonly usedBefore: ReadonlySet<string> = new Set(),
  ) {
    this.used = new Set(usedBefore)
  }

  /**
   * Returns the cheapest offer that fits, if there is one, for the plan, and the number of all offers. Reserves no
   * offer for the trip. Throws a Failure if the search fails.
   */
  async show(request: SearchRequest, choose: Choice): Promise<OfferFound> {
    const key = canonicalJson(request)
    const offers = await (this.searches.get(key) ?? this.search(key, request))
    return {offer: this.cheapest(offers, request, choose, this.usedBefore), found: offers.length}
  }

  /**
   * Returns the cheapest offer that fits, if there is one, for this trip only, and the number of all offers. If another
   * trip has used that offer or it has expired, the search is repeated; a more expensive offer of the old search is
   * never taken instead. `planned` is the offer in the plan, which was the cheapest. Throws a Failure if the search
   * fails.
   */
  async take(request: SearchRequest, choose: Choice, planned?: BatchOffer): Promise<OfferFound> {
    if (planned && !this.used.has(planned.offer_id) && this.isFresh(planned)) {
      this.used.add(planned.offer_id)
      return {offer: planned, found: 1}
    }
    const key = canonicalJson(request)
    const shared = (await this.searches.get(key)?.catch(() => [])) ?? []
    const known = this.cheapest(shared, request, choose, this.usedBefore)
    if (known && !this.used.has(known.offer_id) && this.isFresh(known)) {
      this.used.add(known.offer_id)
      return {offer: known, found: shared.length}
    }
    const offers = await this.search(key, request)
    const offer = this.cheapest(offers, request, choose, this.used)
    if (offer) this.used.add(offer.offer_id)
    return {offer, found: offers.length}
  }

  private search(key: string, request: SearchRequest): Promise<BatchOffer[]> {
    const {api} = this.connection
    const searching = searchHotels(api, request).then(({offers, searchedAt}) =>
      offers.map(offer => shortened(request, offer, searchedAt)),
    )
    this.searches.delete(key)
    this.searches.set(key, searching)
    // If a search failed, later trips do not share the failure.
    searching.catch(() => {
      if (this.searches.get(key) === searching) this.searches.delete(key)
    })
    const [oldest = key] = this.searches.keys()
    if (this.searches.size > MOST_SEARCHES_KEPT) this.searches.delete(oldest)
    return searching
  }

  private isFresh({expiresAt}: BatchOffer): boolean {
    return expiresAt - this.connection.clock.now() >= LEAST_SECONDS_LEFT
  }

  /** Returns the first of the cheapest offers that are not in `used`. An offer with an unknown price is never taken. */
  private cheapest(
    offers: readonly BatchOffer[],
    {currency}: SearchRequest,
    {hotelId, board, refundable = false, maxPrice}: Choice,
    used: ReadonlySet<string>,
  ): BatchOffer | undefined {
    const wanted = {sort: 'price', board, refundable, 'max-price': maxPrice, currency}
    const free = offers.filter(
      offer =>
        !used.has(offer.offer_id) &&
        (hotelId === undefined || offer.hotel_id === hotelId) &&
        offer.price.total !== null &&
        (offer.price.currency ?? currency).toUpperCase() === currency.toUpperCase(),
    )
    return filterOffers(free, wanted)[0]
  }
}
