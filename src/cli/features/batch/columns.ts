/** The columns of a CSV trip file, each with the field that corresponds to it in JSON. */

/**
 * The columns of a trip. All rows of a trip have the same values in them. They are read in this order, because a
 * departure is read after the arrival.
 */
export const TRIP_COLUMNS = {
  client_reference_id: 'client_reference_id',
  offer_id: 'offer_id',
  city: 'search.city',
  check_in: 'search.check_in',
  check_out: 'search.check_out',
  nights: 'search.nights',
  room: 'search.rooms',
  nationality: 'client_nationality',
  currency: 'search.currency',
  hotel_id: 'choose.hotel_id',
  board: 'choose.board',
  refundable: 'choose.refundable',
  max_price: 'choose.max_price',
  pay: 'payment.mode',
  contact_name: 'contact.name',
  contact_surname: 'contact.surname',
  contact_email: 'contact.email',
  contact_phone_country_code: 'contact.phone_country_code',
  contact_phone_number: 'contact.phone_number',
} as const

export type TripColumn = keyof typeof TRIP_COLUMNS

/** The columns of the guest in a row, each with the field of a guest (§2.4). */
export const GUEST_COLUMNS = {
  type: 'type',
  name: 'name',
  surname: 'surname',
  birth_date: 'birth_date',
  gender: 'gender',
  guest_nationality: 'nationality',
  tc: 'identity.number',
  passport: 'identity.number',
  lead: 'is_lead',
} as const

export type GuestColumn = keyof typeof GUEST_COLUMNS

/** The column in which --failed gives the reason why a trip is not booked. It is ignored when a file is read. */
export const WHY = 'why'

export const TRIP_COLUMN_NAMES = Object.keys(TRIP_COLUMNS) as TripColumn[]
export const GUEST_COLUMN_NAMES = Object.keys(GUEST_COLUMNS) as GuestColumn[]
