/**
 * The field names and patterns by which facts are found in answers. vocabulary.json lists, for each fact, the names
 * that services use, in snake_case and best name first; add further names there. This file has the patterns, and lists
 * combined from others.
 */
import NAMES from './vocabulary.json' with {type: 'json'}

export const {
  /** Names for the name of a thing, in an object about that thing. */
  ANY_NAME,
  CURRENCY,
  STATE,
  /** Fields that say that an amount is in minor units. A factor of 1 says that it is not. */
  MINOR,
  /** Field names of envelopes around the content of an answer. */
  ENVELOPES,
  /** Names of fields next to a record in an envelope, such as paging and status. */
  BESIDE,
  /** Nouns of which the names of id fields are made, such as `property` in `property_code`. */
  NOUNS,
  /**
   * Names of id fields. `own` are ids of the record itself; a record may also be requested by an id under one of
   * `others`.
   */
  ID,
  OFFER,
  TERMS,
  POLICY,
  CHARGE,
  PAYMENT,
  /**
   * Names for what the account is charged. `conversion` are names of exchange rates next to an amount, where a bare
   * `rate` is too vague.
   */
  CHARGED,
  LINK,
  VOUCHER_LINK,
  VOUCHERS,
  /** Names of fields that state the kind of a document. */
  DOCUMENT_KIND,
  COUNTRY,
  CURRENCY_RECORD,
  CITY,
  /** Names of fields in an offer that state its city. */
  CITY_NAME,
  HOTEL,
  /** Names of fields in a hotel that contain its coordinates. */
  PLACES,
  ACCOUNT,
  TOUR,
  TOUR_DETAILS,
  SUBSCRIPTION,
  /** Names for the delivery of an event, and for its attempts. */
  DELIVERY,
  PAGING,
} = NAMES

/**
 * Names of the amount inside an object that is a sum of money. If they have different amounts, the price is unclear.
 */
export const AMOUNT = [...NAMES.AMOUNT, ...NAMES.WHOLE]

/** Fields and words which say that an amount is not the whole price, or not money. */
export const UNIT = {
  ...NAMES.UNIT,
  words:
    /^((per|each|a|by)_)?(nights?|nightly|days?|daily|persons?|guests?|adults?|pax|rooms?)(_.*)?$|^(average_)?per_|^(%|per_?cent(age|s)?|points?|(in_)?minor(_units?|_currency)?|cents?|pence|penn(y|ies)|kurus)$/,
}

/**
 * Names of the price of a whole offer.
 * - `itself` are names of the price itself. They never include names of taxes, fees or fines.
 * - `leads` are names of objects that contain the price. A number there is a count (`rooms: 2`).
 * - `alternatives` are lists in which the price of any item will do.
 * - `objects` are accepted even around a list of offers, where a bare `total` would be the number of items.
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

/** Matches names of objects that describe the object around them, as in `room: {description: {text}}`. */
export const DESCRIPTION = /^(description|type_estimated|content|static|info|details)$/

/**
 * Names of fields in a reservation. All names in `wholePrice` must agree. `priceAround` are for objects around a
 * reservation, where a bare `total` may be the number of reservations.
 */
export const RESERVATION = {
  ...NAMES.RESERVATION,
  wholePrice: [...NAMES.RESERVATION.wholePrice, ...NAMES.WHOLE],
}

/** Names of fields by which an answer identifies its booking. */
export const BOOKING = {
  ...NAMES.BOOKING,
  /**
   * Matches objects in or around a reservation that describe the same booking. Other objects may describe other
   * bookings.
   */
  parts: /^(data|attributes|details|offer|booking|reservation|order|request|references?)$/,
  /** Matches fields with an earlier reservation, or with one that the answer only mentions. */
  mentioned:
    /(^|_)(old|older|previous|prior|former|original|existing|replace[sd]?|replacing|supersede[sd]?|conflicts?|conflicting|other|others|related|similar|recent|history)(_|$)/,
}

/**
 * Names for the cost of a cancellation. An amount under an `unnamed` name may be a fee if the name of its object
 * matches `about`.
 */
export const FEE = {
  ...NAMES.FEE,
  about: /quote|cancel|fee|penalt/,
  /** Matches objects whose fees are not the current cost of cancelling. */
  elsewhere: /(^|_)(polic(y|ies)|prices?|pricing|rates?|rooms?)(_|$)/,
  /** Matches names of a fee that is a percentage or a number of nights. */
  share: /^(percent(age)?|pct|nights?)$/i,
  /** Matches names of fields that state the unit of a number. */
  unit: /(^|_)(type|units?|kind|basis|mode|method|format|calculation|currency|currency_code|in|measure)$/,
  /**
   * Matches `minor_units` and the like, which may describe the amount or its currency; the answer does not say which.
   */
  minorUnits: /^(amount_in_|in_)?(minor_units?|cents)$/,
}

/** Fields in the answer to a change that state what became of the change. */
export const CHANGE = {
  ...NAMES.CHANGE,
  /** Matches objects whose state says nothing about the change. */
  ofOthers:
    /(^|_)(payments?|refunds?|vouchers?|invoices?|guests?|rooms?|hotel|polic(y|ies)|prices?|history|previous|meta|links)(_|$)/,
}

/**
 * Fields of an error. `details` are lists of single problems. A flag of `successFlags` that is false means an error,
 * whatever the status.
 */
export const ERROR = {
  ...NAMES.ERROR,
  /** Matches field names that occur only in errors. */
  report: /^errors?(_(code|message|text|description|details?|list))?$/,
  /** Matches fields about the answer itself. Any other field with a value is content. */
  aboutAnswer:
    /^(data|errors?|success|ok|code|message|title|detail|details|type|error_description|meta|(status|request|trace)(_?(id|code))?|timestamp|version|path|warnings?)$/i,
}
