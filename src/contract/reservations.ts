/** Reservations and vouchers (§2.4 to §2.6, §3, §4.4, §4.5). */
import {z} from 'zod'
import {RESERVATION_STATUSES} from './events.js'
import {cancellationPolicy, hotelSummary, offerRoom, paymentMode, price} from './hotels.js'
import {IDENTIFIERS} from './identifiers.js'
import {VOUCHER_LINK_VALIDITY_SECONDS} from './limits.js'
import {MOST_REASON_LENGTH} from './operations.js'
import {amount, calendarDate, countryCode, currencyCode, from, ours, timestamp} from './records.js'

/** For a character class. Spelled out, because `\s` and `\p{…}` differ between the readers of the description. */
const SPACES_AND_CONTROLS = String.raw`\x00-\x20\x7f-\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff`

const matching = (pattern: RegExp, otherwise: string) => z.string().regex(pattern, otherwise)

const text = matching(new RegExp(`[^${SPACES_AND_CONTROLS}]`), 'must not be empty').trim()

/** §2.4 shows no form: what cannot be an address is refused, all else is left to the service. */
const email = matching(
  new RegExp(`^[^@${SPACES_AND_CONTROLS}]+@[^${SPACES_AND_CONTROLS}]*[^@${SPACES_AND_CONTROLS}]$`),
  'must be an e-mail address',
).meta({description: 'E-mail address', examples: ['ayse@example.com']})

export const contact = z
  .strictObject({
    name: text,
    surname: text,
    email,
    phone_country_code: matching(/^\+[0-9](?:[ -]?[0-9]){0,3}$/, 'must be a dialling prefix such as +90'),
    phone_number: matching(
      /^\(?[0-9](?:[ ()./-]*[0-9]){3,14}$/,
      'must be the number without its prefix, such as 532 123 45 67',
    ),
  })
  .meta({id: 'Contact', ...from('§2.4', 'Contact for the reservation')})

/** `type`, `gender` and `identity.type` take more values than §2.4 shows, so other words pass through. */
export const guest = z
  .strictObject({
    type: text.meta({examples: ['ADULT', 'CHILD']}),
    name: text,
    surname: text,
    birth_date: calendarDate.optional(),
    gender: text.meta({examples: ['MALE', 'FEMALE']}).optional(),
    nationality: countryCode.optional(),
    identity: z.strictObject({type: text.meta({examples: ['TC', 'PASSPORT']}), number: text}).optional(),
    is_lead: z.boolean(),
  })
  .meta({id: 'Guest', ...from('§2.4', 'One guest; which fields are required is not shown')})

const guests = z.array(guest).min(1, 'must have at least one guest')

export const reservationRequest = z
  .strictObject({
    offer_id: matching(IDENTIFIERS.offer_id.pattern, `must be ${IDENTIFIERS.offer_id.expected}`),
    client_reference_id: matching(
      new RegExp(`^[^${SPACES_AND_CONTROLS}]{1,128}$`, 'u'),
      'must be 1 to 128 characters without spaces',
    ),
    client_nationality: countryCode,
    contact,
    guests,
    payment: z.strictObject({mode: paymentMode}),
  })
  .meta({id: 'HotelReservationRequest', ...from('§2.4', 'Turns one offer into a reservation')})

export const payment = z
  .object({
    mode: paymentMode,
    status: z.enum(['PENDING', 'PAID', 'FAILED', 'REFUNDED', 'EXPIRED']),
    amount,
    currency: currencyCode,
    url: z.string().optional().meta(from('§2.5', 'Where the customer pays; present for `instant` payments')),
    expires_at: timestamp.nullable(),
    paid_at: timestamp.nullable(),
    failure_code: z.string().nullable(),
  })
  .meta({id: 'Payment', ...ours('How the reservation is paid; only `url` is shown in §2.5')})

const cost = {fee: amount, refund_amount: amount, currency: currencyCode}

export const cancellation = z
  .object({cancelled_at: timestamp, reason: z.string(), ...cost})
  .meta({id: 'Cancellation', ...ours('What cancelling cost')})

export const reservation = z
  .object({
    reservation_ref: z.string(),
    status: z.enum(RESERVATION_STATUSES),
    client_reference_id: z.string(),
    offer_id: z.string(),
    hotel: hotelSummary,
    rooms: z.array(offerRoom),
    check_in: calendarDate,
    check_out: calendarDate,
    nights: z.int(),
    client_nationality: countryCode,
    contact,
    guests: z.array(guest),
    price,
    cancellation_policies: z.array(cancellationPolicy),
    remarks: z.string().nullable(),
    payment,
    hotel_confirmation_number: z.string().nullable(),
    voucher: z.object({status: z.enum(['PENDING', 'READY'])}),
    cancellation: cancellation.nullable(),
    created_at: timestamp,
    updated_at: timestamp,
    confirmed_at: timestamp.nullable(),
    live_mode: z.literal(false),
  })
  .meta({
    id: 'Reservation',
    ...from('§2.5', 'A reservation; all but reservation_ref, status and payment.url is ours'),
  })

export const reservationUpdate = z
  .strictObject({contact: contact.partial().optional(), guests: guests.optional()})
  .meta({id: 'ReservationUpdate', ...ours('The parts of a reservation that may change')})

export const cancellationRequest = z
  .strictObject({
    reason: z.string().max(MOST_REASON_LENGTH, `must be at most ${MOST_REASON_LENGTH} characters`).optional(),
  })
  .meta({id: 'CancellationRequest', ...ours('Why the reservation is cancelled')})

export const cancellationQuote = z
  .object({reservation_ref: z.string(), ...cost, quoted_at: timestamp})
  .meta({id: 'CancellationQuote', ...ours('What cancelling now would cost')})

export type Contact = z.infer<typeof contact>
export type Guest = z.infer<typeof guest>
export type ReservationRequest = z.infer<typeof reservationRequest>
export type Payment = z.infer<typeof payment>
export type Reservation = z.infer<typeof reservation>
export type ReservationUpdate = z.infer<typeof reservationUpdate>
export type CancellationQuote = z.infer<typeof cancellationQuote>

export const voucherLink = z
  .object({
    reservation_ref: z.string().meta(ours('The reservation of the voucher')),
    voucher: z.object({
      url: z.string().meta({
        description: `signed link to a PDF; valid ${VOUCHER_LINK_VALIDITY_SECONDS / 60} minutes; fetched without Authorization (§2.6)`,
      }),
      expires_at: timestamp.meta(ours('When the link stops working')),
    }),
  })
  .meta({id: 'VoucherLink', ...from('§2.6', 'Where to fetch the voucher')})

export type VoucherLink = z.infer<typeof voucherLink>
