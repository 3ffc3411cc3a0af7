/** The offers of a batch: searches that trips share, and the cheapest offer that fits each trip. */
import type {Money} from '../../../api/answers/amounts.js'
import {type FoundOffer, searchHotels} from '../../../api/operations/hotels.js'
import type {SearchRequest} from '../../../contract/hotels.js'
import {canonicalJson} from '../../../contract/json.js'
import type {SeenDetails} from '../../../contract/seen-offers.js'
import type {Connection} from '../../session/connect.js'
import {filterOffers, offerFound} from '../catalogue/hotels.js'
import type {Choice} from './trips.js'

/** An offer is used only if at least this much of its life is left, so that it does not expire on the way. */
const LEAST_SECONDS_LEFT = 20

/** Searches whose offers are kept for trips with the same criteria. An older search is made again. */
const MOST_SEARCHES_KEPT = 100

/** What is kept of an offer: a batch may have thousands. */
export interface BatchOffer extends Omit<FoundOffer, 'raw' | 'expires_at'> {
  readonly details: SeenDetails
  /** Unix seconds, on this machine's clock. */
  readonly expiresAt: number
}

function shortened(request: SearchRequest, offer: FoundOffer, searchedAt: number): BatchOffer {
  const {raw: _, expires_at: __, ...facts} = offer
  const {expires_at, details} = offerFound(request, offer, searchedAt)
  const {refundable = null, free_cancellation_until = null, charge} = details ?? {}
  return {
    ...facts,
    // A price without a currency is in that of the search.
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

/** Returns what an offer costs; undefined if that is not known. */
export function priceOf({price: {total, currency}}: BatchOffer): Money | undefined {
  return total === null ? undefined : {amount: total, currency}
}

interface OfferFound {
  readonly offer: BatchOffer | undefined
  /** How many offers the search found. */
  readonly found: number
}

export class BatchOffers {
  private readonly searches = new Map<string, Promise<BatchOffer[]>>()
  private readonly used: Set<string>

  /** `usedBefore`: offers that earlier runs booked. A service may find the same ones again. */
  constructor(
    private readonly connection: Pick<Connection, 'api' | 'clock'>,
    private readonly usedBefore: ReadonlySet<string> = new Set(),
  ) {
    this.used = new Set(usedBefore)
  }

  /** Finds the cheapest offer that fits, for the plan, if there is one, and the number of all. Uses no offer. Throws Failure. */
  async show(request: SearchRequest, choose: Choice): Promise<OfferFound> {
    const key = canonicalJson(request)
    const offers = await (this.searches.get(key) ?? this.search(key, request))
    return {offer: this.cheapest(offers, request, choose, this.usedBefore), found: offers.length}
  }

  /**
   * Finds the cheapest offer that fits, for this trip alone, if there is one, and the number of all. When another trip has used it or
   * it has expired, the search is made again rather than taking a dearer one. `planned` is the offer of the plan, which was the
   * cheapest. Throws Failure.
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
    // A search that failed is not shared with trips that come later.
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

  /** The first of the cheapest, of those that are not in `used`. An offer whose price is not known is not taken. */
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
