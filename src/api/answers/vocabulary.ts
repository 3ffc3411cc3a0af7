/**
 * The field names and patterns by which facts are found. vocabulary.json lists the names that services use for each fact, in
 * snake_case, best name first; add further names there. This file has the patterns, and the lists that combine others.
 */
import NAMES from './vocabulary.json' with {type: 'json'}

export const {
  /** The name of a thing, in an object about that thing. */
  ANY_NAME,
  CURRENCY,
  STATE,
  /** Fields which say that an amount is in minor units. A factor of 1 says the opposite. */
  MINOR,
  /** Field names of envelopes around the content of an answer. */
  ENVELOPES,
  /** Field names beside a record in an envelope, such as paging and status. */
  BESIDE,
  /** Nouns in the names of id fields, such as `property_code`. */
  NOUNS,
  /** Names of id fields. A record may also be requested by an id under one of `others`. */
  ID,
  OFFER,
  TERMS,
  POLICY,
  CHARGE,
  PAYMENT,
  /** What the account is charged. `conversion` are rates beside an amount, where a bare `rate` may be anything. */
  CHARGED,
  LINK,
  VOUCHER_LINK,
  VOUCHERS,
  /** Fields that name the kind of a document. */
  DOCUMENT_KIND,
  COUNTRY,
  CURRENCY_RECORD,
  CITY,
  /** Fields of an offer that name its city. */
  CITY_NAME,
  HOTEL,
  /** Fields of a hotel that contain its coordinates. */
  PLACES,
  ACCOUNT,
  TOUR,
  TOUR_DETAILS,
  SUBSCRIPTION,
  /** The delivery of an event, and its attempts. */
  DELIVERY,
  PAGING,
} = NAMES

/** Names of the amount in an object that is a sum of money. If these names give different amounts, the price is unclear. */
export const AMOUNT = [...NAMES.AMOUNT, ...NAMES.WHOLE]

/** Fields which say that an amount is not the whole price, or not money. */
export const UNIT = {
  ...NAMES.UNIT,
  words:
    /^((per|each|a|by)_)?(nights?|nightly|days?|daily|persons?|guests?|adults?|pax|rooms?)(_.*)?$|^(average_)?per_|^(%|per_?cent(age|s)?|points?|(in_)?minor(_units?|_currency)?|cents?|pence|penn(y|ies)|kurus)$/,
}

/**
 * Names of the price of a whole offer. `itself` never includes taxes, fees or fines. `leads` are names of objects; a bare
 * number there is a count (`rooms: 2`). `alternatives` are lists in which any item's price will do. `objects` count even around
 * a list of offers, where a bare `total` would be the number of items.
 */
export const PRICE = {
  ...NAMES.PRICE,
  itself: [...NAMES.PRICE.itself, ...NAMES.WHOLE],
  currency: [...CURRENCY, ...NAMES.PRICE.currency],
}

/** What an object describes, by the name of the field that contains it. */
export const ROLES = {
  hotel: /^(hotels?|propert(y|ies)|accommodations?|lodgings?|establishments?)(_(info|details|data|list))?$/,
  room: /^(rooms?|units?)(_?(types?|info|details|data|list))?$/,
  board: /^(boards?|boarding|meals?)(_?(types?|plans?|basis|info))?$/,
  rate: /^(rates?|rate_plans?)$/,
  elsewhere:
    /^(cit(y|ies)|destinations?|regions?|countr(y|ies)|locations?|addresse?s?|areas?|suppliers?|providers?|chains?|brands?|search|query|request|criteria|meta|pagination|partner|account|contact|guests?|currenc(y|ies)|days?|images?|photos?|tax(es)?|fees?|due_at_property)$/,
}

/** Names of objects that describe the object they are in, as in `room: {description: {text}}`. */
export const DESCRIPTION = /^(description|type_estimated|content|static|info|details)$/

/**
 * Names in a reservation. All names in `wholePrice` must agree. Around a reservation, a bare `total` may be the number of
 * reservations.
 */
export const RESERVATION = {
  ...NAMES.RESERVATION,
  wholePrice: [...NAMES.RESERVATION.wholePrice, ...NAMES.WHOLE],
}

/** Fields by which an answer identifies its booking. */
export const BOOKING = {
  ...NAMES.BOOKING,
  /** Objects in or beside a reservation that describe the same booking; other objects may describe other bookings. */
  parts: /^(data|attributes|details|offer|booking|reservation|order|request|references?)$/,
  /** A previous reservation, or one that is only mentioned. */
  mentioned:
    /(^|_)(old|older|previous|prior|former|original|existing|replace[sd]?|replacing|supersede[sd]?|conflicts?|conflicting|other|others|related|similar|recent|history)(_|$)/,
}

/** Names of the cost of a cancellation. An `unnamed` amount may be a fee if its object is about cancelling (`about`). */
export const FEE = {
  ...NAMES.FEE,
  about: /quote|cancel|fee|penalt/,
  /** Objects whose fees are not the current cost of cancelling. */
  elsewhere: /(^|_)(polic(y|ies)|prices?|pricing|rates?|rooms?)(_|$)/,
  /** Names of a fee that is a percentage or a number of nights. */
  share: /^(percent(age)?|pct|nights?)$/i,
  /** Fields that name the unit of a number. */
  unit: /(^|_)(type|units?|kind|basis|mode|method|format|calculation|currency|currency_code|in|measure)$/,
  /** `minor_units: 2` may describe the amount or its currency; the answer does not say which. */
  minorUnits: /^(amount_in_|in_)?(minor_units?|cents)$/,
}

/** Fields in the answer to a change that state its outcome. */
export const CHANGE = {
  ...NAMES.CHANGE,
  /** Objects whose state says nothing about the change. */
  ofOthers:
    /(^|_)(payments?|refunds?|vouchers?|invoices?|guests?|rooms?|hotel|polic(y|ies)|prices?|history|previous|meta|links)(_|$)/,
}

/**
 * Fields of an error. `details` are lists of individual problems. A success flag that is false denies a success, whatever the
 * status.
 */
export const ERROR = {
  ...NAMES.ERROR,
  /** Field names that occur only in errors. */
  report: /^errors?(_(code|message|text|description|details?|list))?$/,
  /** Fields about the answer itself. Any other field with a value counts as content. */
  aboutAnswer:
    /^(data|errors?|success|ok|code|message|title|detail|details|type|error_description|meta|(status|request|trace)(_?(id|code))?|timestamp|version|path|warnings?)$/i,
}
