/** A hotel search: asked, remembered for `reserve`, narrowed. */

import {termsOf} from '../../../api/answers/offer-terms.js'
import {type FoundOffer, type SearchOutcome, searchHotels} from '../../../api/operations/hotels.js'
import {isoTime, nightsBetween} from '../../../contract/dates.js'
import type {SearchRequest} from '../../../contract/hotels.js'
import type {OfferFound} from '../../../state/offer-store.js'
import type {Connection} from '../../session/connect.js'
import type {Column, Result} from '../../terminal/result.js'
import {type Narrowing, narrow} from './narrow.js'

/** Searches and remembers every offer found, also those narrowed away. Throws Failure. */
export async function search(
  connection: Connection,
  request: SearchRequest,
  wanted: Narrowing,
): Promise<Result<FoundOffer>> {
  const outcome = await searchHotels(connection.api, request)
  if (connection.state.writable) remember(connection, request, outcome)
  const offers = narrow(outcome.offers, wanted)
  return {
    document: {
      search: {...request, nights: nightsBetween(request.check_in, request.check_out)},
      searched_at: isoTime(outcome.searchedAt),
      expires_at: isoTime(outcome.expiresAt),
      offers,
    },
    items: offers,
    columns: OFFER_COLUMNS,
    shown: ['offer_id', 'hotel_name', 'stars', 'room_name', 'board', 'price', 'free_cancellation_until'],
    id: offer => offer.offer_id,
    whenEmpty: outcome.offers.length > 0 ? 'No offer is left after narrowing.' : 'No offers were found.',
  }
}

/** Named as in JSON, but for the two halves of the price, which can be had alone. */
export const OFFER_COLUMNS: readonly Column<FoundOffer>[] = [
  {name: 'offer_id', value: offer => offer.offer_id},
  {name: 'hotel_name', value: offer => offer.hotel_name},
  {name: 'stars', value: offer => offer.stars, isMinor: true},
  {name: 'room_name', value: offer => offer.room_name, isMinor: true},
  {name: 'board', value: offer => offer.board, isMinor: true},
  {name: 'price', value: offer => [offer.price.total, offer.price.currency].filter(Boolean).join(' ')},
  {name: 'free_cancellation_until', value: offer => offer.free_cancellation_until, isMinor: true},
  {name: 'refundable', value: offer => offer.refundable},
  {name: 'total', value: offer => offer.price.total},
  {name: 'currency', value: offer => offer.price.currency},
  {name: 'expires_at', value: offer => offer.expires_at},
]

function remember(connection: Connection, request: SearchRequest, outcome: SearchOutcome): void {
  const {baseUrl, clientId} = connection.target
  const seen = seenOffers(request, outcome)
  connection.state.offers.remember({baseUrl, clientId}, seen, connection.clock.now())
}

/** What is kept of each offer, made when it is written: there may be a great many. */
function* seenOffers(request: SearchRequest, outcome: SearchOutcome): Generator<OfferFound> {
  for (const offer of outcome.offers) {
    yield {
      offer_id: offer.offer_id,
      hotel_name: offer.hotel_name,
      stars: offer.stars,
      room_name: offer.room_name,
      board: offer.board,
      total: offer.price.total,
      currency: offer.price.currency,
      details: {
        refundable: offer.refundable,
        free_cancellation_until: offer.free_cancellation_until,
        terms: termsOf(offer.raw),
        city: request.destination.type === 'CITY' ? request.destination.id : null,
      },
      nationality: request.client_nationality,
      check_in: request.check_in,
      check_out: request.check_out,
      rooms: request.rooms,
      searched_at: outcome.searchedAt,
      expires_at: Date.parse(offer.expires_at) / 1000,
    }
  }
}
