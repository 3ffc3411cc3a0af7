/**
 * The words by which facts are found. vocabulary.json has the names under which services put each fact, in snake_case, best
 * name first: support for another name is added there. What is a pattern, or made of several lists, is here.
 */
import NAMES from './vocabulary.json' with {type: 'json'}

export const {
  /** The name of a thing in an object about it, or where it is the record itself. */
  ANY_NAME,
  CURRENCY,
  STATE,
  /** Fields which say that an amount without a point may still have decimals; a factor of 1 changes nothing. */
  MINOR,
  /** Names of an envelope around the answer. */
  ENVELOPES,
  /** Names of what is beside a record rather than part of it. */
  BESIDE,
  /** Nouns in the names of ids, such as `property_code`. */
  NOUNS,
  /** A record may also be requested by one of `others`. */
  ID,
  OFFER,
  TERMS,
  POLICY,
  CHARGE,
  PAYMENT,
  LINK,
  VOUCHER_LINK,
  VOUCHERS,
  /** Fields that say what kind of document it is. */
  DOCUMENT_KIND,
  COUNTRY,
  CURRENCY_RECORD,
  CITY,
  /** The city of an offer. */
  CITY_NAME,
  HOTEL,
  /** Where a hotel has its coordinates. */
  PLACES,
  ACCOUNT,
  TOUR,
  TOUR_DETAILS,
  SUBSCRIPTION,
  /** The delivery of an event, and its attempts. */
  DELIVERY,
  PAGING,
} = NAMES

/** Names of the amount in an object that is a sum of money. Beside a lower price, it is unknown which of the two is paid. */
export const AMOUNT = [...NAMES.AMOUNT, ...NAMES.WHOLE]

/** Fields which say that an amount is not the whole price, or not money. */
export const UNIT = {
  ...NAMES.UNIT,
  words:
    /^((per|each|a|by)_)?(nights?|nightly|days?|daily|persons?|guests?|adults?|pax|rooms?)(_.*)?$|^(average_)?per_|^(%|per_?cent(age|s)?|points?|(in_)?minor(_units?|_currency)?|cents?|pence|penn(y|ies)|kurus)$/,
}

/**
 * The price of a whole offer. `itself` is never the name of a tax, a fee or a fine. `leads` are objects, never amounts
 * (`rooms: 2`). Of the lists in `alternatives` the first price is as good as the others. `objects` hold the price of the whole
 * also beside a list, whose bare `total` is the number of its items.
 */
export const PRICE = {
  ...NAMES.PRICE,
  itself: [...NAMES.PRICE.itself, ...NAMES.WHOLE],
  currency: [...CURRENCY, ...NAMES.PRICE.currency],
}

/** What objects are about, by the name they are under. */
export const ROLES = {
  hotel: /^(hotels?|propert(y|ies)|accommodations?|lodgings?|establishments?)(_(info|details|data|list))?$/,
  room: /^(rooms?|units?)(_?(types?|info|details|data|list))?$/,
  board: /^(boards?|boarding|meals?)(_?(types?|plans?|basis|info))?$/,
  rate: /^(rates?|rate_plans?)$/,
  elsewhere:
    /^(cit(y|ies)|destinations?|regions?|countr(y|ies)|locations?|addresse?s?|areas?|suppliers?|providers?|chains?|brands?|search|query|request|criteria|meta|pagination|partner|account|contact|guests?|currenc(y|ies)|days?|images?|photos?|tax(es)?|fees?|due_at_property)$/,
}

/** `room: {description: {text}}`: such an object is about what it is in. */
export const DESCRIPTION = /^(description|type_estimated|content|static|info|details)$/

/** Of several whole prices of a reservation, all must agree. Around it, a bare `total` may count reservations. */
export const RESERVATION = {
  ...NAMES.RESERVATION,
  wholePrice: [...NAMES.RESERVATION.wholePrice, ...NAMES.WHOLE],
}

/** Fields by which an answer identifies the booking it is about. */
export const BOOKING = {
  ...NAMES.BOOKING,
  /** Objects inside a reservation or beside it that are about it; others may be about other bookings. */
  parts: /^(data|attributes|details|offer|booking|reservation|order|request|references?)$/,
  /** A reservation that existed before, or is only mentioned. */
  mentioned:
    /(^|_)(old|older|previous|prior|former|original|existing|replace[sd]?|replacing|supersede[sd]?|conflicts?|conflicting|other|others|related|similar|recent|history)(_|$)/,
}

/** What cancelling costs. An `unnamed` amount may be meant as a fee in an object that is `about` cancelling. */
export const FEE = {
  ...NAMES.FEE,
  about: /quote|cancel|fee|penalt/,
  /** Objects whose fees are not the current cost of cancelling. */
  elsewhere: /(^|_)(polic(y|ies)|prices?|pricing|rates?|rooms?)(_|$)/,
  /** A fee that is a share. */
  share: /^(percent(age)?|pct|nights?)$/i,
  /** Says what a number counts. */
  unit: /(^|_)(type|units?|kind|basis|mode|method|format|calculation|currency|currency_code|in|measure)$/,
  /** `minor_units: 2` may describe the amount beside it or its currency; the answer does not say which. */
  minorUnits: /^(amount_in_|in_)?(minor_units?|cents)$/,
}

/** Fields in the answer to a change that tell its outcome. */
export const CHANGE = {
  ...NAMES.CHANGE,
  /** Objects whose state says nothing about the change. */
  ofOthers:
    /(^|_)(payments?|refunds?|vouchers?|invoices?|guests?|rooms?|hotel|polic(y|ies)|prices?|history|previous|meta|links)(_|$)/,
}

/** Why something was refused. `details` are lists of what is wrong; a false flag denies a success, whatever the status. */
export const ERROR = {
  ...NAMES.ERROR,
  /** Names under which only an error is found. */
  report: /^errors?(_(code|message|text|description|details?|list))?$/,
  /** Fields about the answer itself; any other field that is not empty is content. */
  aboutAnswer:
    /^(data|errors?|success|ok|code|message|title|detail|details|type|error_description|meta|(status|request|trace)(_?(id|code))?|timestamp|version|path|warnings?)$/i,
}
