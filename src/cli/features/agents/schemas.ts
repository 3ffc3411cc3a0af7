/**
 * The parts that the results of several tools share. What the service may leave out is null, and further keys may come, so that
 * every answer of a service fits.
 */
import {z} from 'zod'
import {offerId as aboutOfferId} from '../../../contract/hotels.js'
import {IDENTIFIERS, type IdentifierKind} from '../../../contract/identifiers.js'

const identifier = (kind: IdentifierKind) =>
  z.string().regex(IDENTIFIERS[kind].pattern, `must be ${IDENTIFIERS[kind].expected}`)

/** Arguments. */
export const offerIdArgument = identifier('offer_id').meta(aboutOfferId)
export const cursorArgument = z
  .string()
  .optional()
  .describe('next_cursor of the page before, to get the next page; leave it out for the first')

/** Results. */
export const textOrNull = (description: string) => z.string().nullable().describe(description)
const timeOrNull = (description: string) => textOrNull(`${description}, ISO 8601; null: not known`)
export const nextCursor = textOrNull('Pass it as cursor for the next page; null: there are no more')

export const amountOrNull = textOrNull('A decimal amount such as "403.20"; null: not known')
const priceNow = z
  .looseObject({total: amountOrNull, currency: textOrNull('ISO 4217 currency code')})
  .describe('The whole price: all rooms, all nights')

/** What an assistant needs of an offer to choose. */
export const offerFields = {
  offer_id: z.string().describe('Pass it to show_offer and prepare_reservation'),
  hotel_id: textOrNull('Identifier of the hotel'),
  hotel_name: textOrNull('Name of the hotel'),
  stars: z.number().nullable().describe('Category of the hotel'),
  room_name: textOrNull('Kind of room'),
  board: textOrNull('Meals: RO room only, BB breakfast, HB half board, FB full board, AI all inclusive'),
  price: priceNow,
  refundable: z.boolean().nullable().describe('Whether cancelling can give money back; null: not known'),
  free_cancellation_until: timeOrNull('Until when cancelling is free'),
  expires_at: timeOrNull('Until when the offer can be reserved'),
}
