/** Reservations and vouchers (§2.4 to §2.6, §3, §4.4, §4.5). */
import {z} from 'zod'
import {RESERVATION_STATUSES} from './events.js'
import {nights, offerId, paymentMode, sold, stay} from './hotels.js'
import {IDENTIFIERS} from './identifiers.js'
import {VOUCHER_LINK_VALIDITY_SECONDS} from './limits.js'
import {MOST_REASON_LENGTH} from './operations.js'
import {
  about,
  accountCharge,
  amount,
  amountField,
  calendarDate,
  countryCode,
  currencyCode,
  from,
  lastChanged,
  ours,
  plainText,
  textField,
  timeField,
  timestamp,
} from './records.js'

/**
 * A part of a character class. It lists code points, because tools that read the description interpret `\s` and `\p{…}`
 * differently from each other.
 */
const SPACES_AND_CONTROLS = String.raw`\x00-\x20\x7f-\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff`

const matching = (pattern: RegExp, otherwise: string) => plainText().regex(pattern, otherwise)

const text = matching(new RegExp(`[^${SPACES_AND_CONTROLS}]`), 'must not be empty').trim()

/** §2.4 shows no form. The pattern rejects only texts that cannot be an address; the service checks the rest. */
const email = matching(
  new RegExp(`^[^@${SPACES_AND_CONTROLS}]+@[^${SPACES_AND_CONTROLS}]*[^@${SPACES_AND_CONTROLS}]$`),
  'must be an e-mail address',
).meta(about('E-mail address', 'ayse@example.com'))

const givenName = text.meta(about('Given name', 'Ayşe'))
const familyName = text.meta(about('Family name', 'Öğüt'))

export const contact = z
  .strictObject({
    name: givenName,
    surname: familyName,
    email,
    phone_country_code: matching(
      /^\+[0-9](?:[ -]?[0-9]){0,3}$/,
      'must be a dialling prefix such as +90',
    ).meta(about('Dialling prefix', '+90')),
    phone_number: matching(
      /^\(?[0-9](?:[ ()./-]*[0-9]){3,14}$/,
      'must be the number without its prefix, such as 532 123 45 67',
    ).meta(about('Number without the prefix', '532 000 00 00')),
  })
  .meta({id: 'Contact', ...from('§2.4', 'Contact for the reservation')})

/** §2.4 does not list all values of `type`, `gender` and `identity.type`, so every non-empty text is sent. */
export const guest = z
  .strictObject({
    type: text.meta(about('ADULT or CHILD', 'ADULT')),
    name: givenName,
    surname: familyName,
    birth_date: calendarDate.optional().meta(about('Day of birth', '1990-05-17')),
    gender: text.optional().meta(about('As in the identity document', 'FEMALE')),
    nationality: countryCode.optional(),
    identity: z
      .strictObject({
        type: text.meta(about('Kind of document', 'TC')),
        number: text.meta(about('Number of the document', '12345678950')),
      })
      .optional()
      .meta(about('Identity document', {type: 'TC', number: '12345678950'})),
    is_lead: z.boolean().meta(about('Whether this is the guest the booking is made for', true)),
  })
  .meta({id: 'Guest', ...from('§2.4', 'One guest; which fields are required is not shown')})

const guests = z
  .array(guest)
  .min(1, 'must have at least one guest')
  .meta({description: 'The guests, exactly one of them with is_lead'})
const contactPerson = {description: 'Person to reach about the reservation'}
const mode = paymentMode.meta(about('From the account, or by the customer at once', 'account'))
export const clientReference = about("The partner's own reference, used once", 'PARTNER-2030-0042')
const reservationReference = textField("The service's reference of the reservation", 'RSV-7K3M9QX2AB')

export const reservationRequest = z
  .strictObject({
    offer_id: z
      .string()
      .regex(IDENTIFIERS.offer_id.pattern, `must be ${IDENTIFIERS.offer_id.expected}`)
      .meta(offerId),
    client_reference_id: z
      .string()
      .regex(
        new RegExp(String.raw`^[^${SPACES_AND_CONTROLS}\ud800-\udfff]{1,128}$`, 'u'),
        'must be 1 to 128 characters without spaces',
      )
      .meta(clientReference),
    client_nationality: stay.client_nationality,
    contact: contact.meta(contactPerson),
    guests,
    payment: z.strictObject({mode}).meta({description: 'How it is paid'}),
  })
  .meta({id: 'HotelReservationRequest', ...from('§2.4', 'Turns one offer into a reservation')})

export const payment = z
  .object({
    mode,
    status: z
      .enum(['PENDING', 'PAID', 'FAILED', 'REFUNDED', 'EXPIRED'])
      .meta(about('State of the payment', 'PAID')),
    amount: amount.meta({examples: ['403.20']}),
    currency: currencyCode,
    url: z
      .string()
      .optional()
      .meta({
        ...from('§2.5', 'Where the customer pays; present for `instant` payments'),
        examples: ['https://partner.example/pay/9m6JxTuH5V3v7Bl'],
      }),
    expires_at: timestamp
      .nullable()
      .meta(about('Until when it can be paid; null: not to be paid by the customer', null)),
    paid_at: timestamp.nullable().meta(about('When it was paid', '2030-06-01T12:05:00Z')),
    failure_code: z.string().nullable().meta(about('Why the last try failed', null)),
    charged: accountCharge.optional().meta({
      description: 'What the account was charged; present if it is kept in another currency than the price',
    }),
  })
  .meta({id: 'Payment', ...ours('How the reservation is paid; only `url` is shown in §2.5')})

const cost = {
  fee: amountField('Fee of cancelling, a decimal amount', '0.00'),
  refund_amount: amountField('What is given back, a decimal amount', '403.20'),
  currency: currencyCode,
}
const reason = about("Why, in the partner's words", 'requested_by_partner')

export const cancellation = z
  .object({
    cancelled_at: timeField('When it was cancelled', '2030-06-02T08:00:00Z'),
    reason: z.string().meta(reason),
    ...cost,
  })
  .meta({id: 'Cancellation', ...ours('What cancelling cost')})

export const reservation = z
  .object({
    reservation_ref: reservationReference,
    status: z.enum(RESERVATION_STATUSES).meta(about('State of the reservation', 'CONFIRMED')),
    client_reference_id: z.string().meta(clientReference),
    offer_id: z.string().meta(offerId),
    hotel: sold.hotel,
    rooms: sold.rooms,
    check_in: stay.check_in,
    check_out: stay.check_out,
    nights,
    client_nationality: stay.client_nationality,
    contact: contact.meta(contactPerson),
    guests: z.array(guest).meta({description: 'The guests, exactly one of them with is_lead'}),
    price: sold.price,
    cancellation_policies: sold.cancellation_policies,
    remarks: sold.remarks,
    payment: payment.meta({description: 'How it is paid'}),
    hotel_confirmation_number: z.string().nullable().meta(about("The hotel's own number", 'HC52340917')),
    voucher: z
      .object({
        status: z.enum(['PENDING', 'READY']).meta(about('Whether it can be downloaded', 'READY')),
      })
      .meta(about('The voucher', {status: 'READY'})),
    cancellation: cancellation.nullable().meta(about('What cancelling cost; null: not cancelled', null)),
    created_at: timeField('When it was made', '2030-06-01T12:05:00Z'),
    updated_at: timestamp.meta(lastChanged),
    confirmed_at: timestamp.nullable().meta(about('When it was confirmed', '2030-06-01T12:05:00Z')),
    live_mode: z.literal(false).meta(about('Always false on the local sandbox', false)),
  })
  .meta({
    id: 'Reservation',
    ...from('§2.5', 'A reservation; all but reservation_ref, status and payment.url is ours'),
  })

export const reservationUpdate = z
  .strictObject({contact: contact.partial().optional().meta(contactPerson), guests: guests.optional()})
  .meta({id: 'ReservationUpdate', ...ours('The parts of a reservation that may change')})

export const cancellationRequest = z
  .strictObject({
    reason: plainText(MOST_REASON_LENGTH).optional().meta(reason),
  })
  .meta({id: 'CancellationRequest', ...ours('Why the reservation is cancelled')})

export const cancellationQuote = z
  .object({
    reservation_ref: reservationReference,
    ...cost,
    quoted_at: timeField('When this was worked out', '2030-06-02T08:00:00Z'),
  })
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
    reservation_ref: reservationReference.meta({'x-source': 'ours'}),
    voucher: z
      .object({
        url: textField(
          `signed link to a PDF; valid ${VOUCHER_LINK_VALIDITY_SECONDS / 60} minutes; fetched without Authorization (§2.6)`,
          'https://partner.example/vouchers/eyJSU1Yt.c2lnbmF0dXJl',
        ),
        expires_at: timestamp.meta({
          ...ours('When the link stops working'),
          examples: ['2030-06-01T13:05:00Z'],
        }),
      })
      .meta({description: 'The link'}),
  })
  .meta({id: 'VoucherLink', ...from('§2.6', 'Where to fetch the voucher')})

export type VoucherLink = z.infer<typeof voucherLink>
