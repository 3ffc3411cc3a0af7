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
export const reservationRefArgument = identifier('reservation_ref').describe(
  'Reference of the reservation, as reserve and list_reservations give it, such as RSV-7K3M9QX2AB',
)
export const cursorArgument = z
  .string()
  .optional()
  .describe('next_cursor of the page before, to get the next page; leave it out for the first')

/** Results. */
export const textOrNull = (description: string) => z.string().nullable().describe(description)
export const timeOrNull = (description: string) => textOrNull(`${description}, ISO 8601; null: not known`)
export const nextCursor = textOrNull('Pass it as cursor for the next page; null: there are no more')

export const amountOrNull = textOrNull('A decimal amount such as "403.20"; null: not known')
const priceNow = z
  .looseObject({total: amountOrNull, currency: textOrNull('ISO 4217 currency code')})
  .describe('The whole price: all rooms, all nights')

export const money = z.looseObject({amount: z.string(), currency: z.string().nullable()})

export const charge = z.looseObject({
  amount: z.string(),
  currency: z.string().nullable(),
  rate: z.string().nullable(),
})

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

export const offerTerms = {
  payment_modes: z
    .array(z.string())
    .nullable()
    .describe('How it can be paid: account, instant; null: not known'),
  cancellation_policies: z
    .array(z.looseObject({from: z.string().nullable(), fee: z.string(), currency: z.string().nullable()}))
    .nullable()
    .describe('What cancelling costs from when on, an amount or a percentage; null: not known'),
  due_at_property: z
    .array(
      z.looseObject({
        description: z.string().nullable(),
        amount: z.string(),
        currency: z.string().nullable(),
      }),
    )
    .nullable()
    .describe('What the guest also pays at the hotel; null: not known'),
  rooms_left: z.number().nullable(),
  remarks: textOrNull('What the hotel says'),
}

export const reservation = z.looseObject({
  reservation_ref: z.string().describe('The reference of the service, for the other tools'),
  status: textOrNull('CONFIRMED, PENDING_PAYMENT, CANCELLED, or another word of the service'),
  client_reference_id: textOrNull("The partner's own reference"),
  hotel_name: textOrNull('Name of the hotel'),
  rooms: textOrNull('Kind and meals of each room'),
  check_in: textOrNull('Day of arrival'),
  check_out: textOrNull('Day of departure'),
  lead_guest: textOrNull('Name of the guest the booking is made for'),
  guest_count: z.number().nullable(),
  price: priceNow,
  payment: z.looseObject({
    mode: textOrNull('account or instant'),
    status: textOrNull('How far the payment is'),
    url: textOrNull('Where the customer pays; give it to the person, do not open it'),
    pay_until: timeOrNull('By when it has to be paid'),
  }),
  voucher: textOrNull('State of the voucher'),
  free_cancellation_until: timeOrNull('Until when cancelling is free'),
  cancellation_fee: money
    .nullable()
    .describe('What the cancellation has cost; null: not cancelled, or not known'),
  created_at: timeOrNull('When it was made'),
  updated_at: timeOrNull('When it was last changed'),
})
