/** The names under which services put each fact, in snake_case, best name first. Support for another name is added here. */

/** The names in `text`, between spaces. */
function names(text: string): readonly string[] {
  return text.trim().split(/\s+/)
}

/** The name of a thing in an object about it, or where it is the record itself. */
export const ANY_NAME = names('name title display_name label')
export const CURRENCY = names('currency currency_code currency_iso')
/** Names of a price that includes everything. Beside a lower price, it is unknown which of the two is paid. */
const WHOLE = names(`gross_price gross_amount gross_total total_gross final_price final_total
  total_with_tax total_with_taxes total_incl_tax total_incl_taxes total_including_tax total_including_taxes
  price_with_tax price_with_taxes price_incl_tax price_incl_taxes price_including_tax price_including_taxes`)
/** Names of the amount in an object that is a sum of money. */
export const AMOUNT = [...names('amount total value price total_price total_amount gross'), ...WHOLE]
export const STATE = names('status state')
/** Fields which say that an amount without a point may still have decimals. */
export const MINOR = {
  /** Anywhere around the amount. */
  always:
    names(`minor_units minor_unit in_minor_units amount_in_minor_units amounts_in_minor_units minor in_minor
    cents in_cents amount_in_cents amounts_in_cents price_in_cents prices_in_cents`),
  /** Beside the amount, or in its currency. */
  besideAmount: names(`exponent currency_exponent decimals decimal_places currency_decimals scale amount_scale
    price_scale precision fraction_digits multiplier factor divisor denominator`),
  /** A value of 1 changes nothing. */
  factors: names('multiplier factor divisor denominator'),
} as const
/** Fields which say that an amount is not the whole price, or not money. */
export const UNIT = {
  beside:
    names(`price_type price_unit price_basis price_per price_period price_kind rate_type rate_unit rate_basis
    rate_per amount_type amount_unit amount_per pricing_type pricing_unit pricing_basis pricing_model`),
  inside:
    names(`type unit units kind basis per period mode frequency currency price_type price_unit price_basis
    rate_type rate_basis amount_type amount_unit pricing_type pricing_model`),
  words:
    /^((per|each|a|by)_)?(nights?|nightly|days?|daily|persons?|guests?|adults?|pax|rooms?)(_.*)?$|^(average_)?per_|^(%|per_?cent(age|s)?|points?|(in_)?minor(_units?|_currency)?|cents?|pence|penn(y|ies)|kurus)$/,
} as const
/** Names of an envelope around the answer. */
export const ENVELOPES = names('data result response payload')

/** Names of what is beside a record rather than part of it. */
export const BESIDE = names('meta links request_id status success')

/** Nouns in the names of ids, such as `property_code`. */
export const NOUNS = {
  hotel: names('hotel property accommodation'),
  tour: names('tour activity product'),
  offer: names('offer'),
} as const
export const ID = {
  own: names('id code'),
  /** Other fields by which a record may be requested. */
  others: names('slug key uuid reference'),
} as const

export const OFFER = {
  hotelName: names('hotel_name property_name accommodation_name hotel property accommodation'),
  stars: names('stars star_rating hotel_stars star_category category_stars hotel_category star'),
  starsOfHotel: names('category_code category_name category class rating'),
  roomName: names('room_name room_type_name room_description room_type room'),
  roomText: names('name title display_name label description text'),
  roomKind: names('type category code'),
  board:
    names(`board_code board board_basis board_type meal_plan meal_code meal meal_type board_name meal_name
    meal_plan_name`),
  ofBoard: names('code name title display_name label type'),
  refundable: names('refundable is_refundable fully_refundable refundable_tag free_cancellation'),
  notRefundable: names('non_refundable is_non_refundable nonrefundable'),
  freeUntil: names(`free_cancellation_until free_cancellation_before free_cancellation_deadline
    free_cancellation_date last_free_cancellation_date free_cancel_until refundable_until cancellation_deadline`),
  expiry: names('expires_at expires_on expiry expiration expiry_date expiration_date valid_until expires'),
} as const

/** The price of a whole offer. */
export const PRICE = {
  /** Never the name of a tax, a fee or a fine. */
  itself: [
    ...names(`total_price total_amount price_total grand_total total price price_amount selling_rate selling_price
    amount net gross`),
    ...WHOLE,
  ],
  /** Objects that lead to it, never amounts (`rooms: 2`). */
  leads:
    names(`offer_retail_rate retail_rate totals inclusive billable_currency request_currency pricing prices
    price_details cost rate rates payment_options payment_types occupancy_pricing rooms`),
  /** Lists of prices of which the first is as good as the others. */
  alternatives: names('prices payment_types total amount'),
  /** Objects that hold the price of the whole also beside a list, whose bare `total` is the number of its items. */
  objects: names('price total_price pricing'),
  currency: [...CURRENCY, 'price_currency', 'total_currency'],
} as const

/** What objects are about, by the name they are under. */
export const ROLES = {
  hotel: /^(hotels?|propert(y|ies)|accommodations?|lodgings?|establishments?)(_(info|details|data|list))?$/,
  room: /^(rooms?|units?)(_?(types?|info|details|data|list))?$/,
  board: /^(boards?|boarding|meals?)(_?(types?|plans?|basis|info))?$/,
  rate: /^(rates?|rate_plans?)$/,
  elsewhere:
    /^(cit(y|ies)|destinations?|regions?|countr(y|ies)|locations?|addresse?s?|areas?|suppliers?|providers?|chains?|brands?|search|query|request|criteria|meta|pagination|partner|account|contact|guests?|currenc(y|ies)|days?|images?|photos?|tax(es)?|fees?|due_at_property)$/,
} as const

/** `room: {description: {text}}`: such an object is about what it is in. */
export const DESCRIPTION = /^(description|type_estimated|content|static|info|details)$/

export const TERMS = {
  due: names(`due_at_property due_at_hotel pay_at_property pay_at_hotel payable_at_property property_fees
    mandatory_fees local_taxes fees_at_property city_tax`),
  policies: names(`cancellation_policies cancellation_policy cancel_policies cancel_penalties
    cancellation_penalties cancellation_rules cancellation_fees`),
  modes: names('payment_modes payment_methods payment_options'),
  left: names('rooms_left allotment rooms_available availability remaining'),
  remarks: names('remarks remark important_information notes'),
} as const
export const POLICY = {
  fee: names('amount fee penalty charge value total price'),
  from: names('from from_date starts_at start start_date date_from after date deadline'),
  percent: names('percent percentage'),
} as const
export const CHARGE = names('description name title type code')

export const RESERVATION = {
  clientReference: names('client_reference_id client_reference partner_reference'),
  hotelName: names('hotel_name property_name'),
  ofHotel: names('name hotel_name property_name title'),
  checkIn: names('check_in checkin check_in_date arrival start_date'),
  checkOut: names('check_out checkout check_out_date departure end_date'),
  /** If a reservation has several of these, they must agree. */
  wholePrice: [
    ...names(`price total_price total total_amount amount pricing price_total grand_total price_amount
    selling_rate selling_price net gross`),
    ...WHOLE,
  ],
  /** Beside the reservation, where a bare \`total\` may count reservations. */
  priceAround: names('price total_price price_total total_amount grand_total pricing'),
  rooms: names('rooms room room_list'),
  roomName: names('room_name room_type_name'),
  guests: names('guests travellers passengers'),
  firstName: names('name first_name given_name'),
  surname: names('surname last_name family_name'),
  reachedBy: names('name surname email phone_country_code phone_number'),
  createdAt: names('created_at created created_on booked_at'),
  updatedAt: names('updated_at updated modified_at'),
  freeUntil: names('free_cancellation_until free_cancellation_before cancellation_deadline'),
  state: names('status state reservation_status booking_status'),
} as const

/** Fields by which an answer identifies the booking it is about. */
export const BOOKING = {
  clientReference: names('client_reference_id client_reference'),
  /** Objects inside a reservation or beside it that are about it; others may be about other bookings. */
  parts: /^(data|attributes|details|offer|booking|reservation|order|request|references?)$/,
  /** A reservation that existed before, or is only mentioned. */
  mentioned:
    /(^|_)(old|older|previous|prior|former|original|existing|replace[sd]?|replacing|supersede[sd]?|conflicts?|conflicting|other|others|related|similar|recent|history)(_|$)/,
} as const

/** What cancelling costs. */
export const FEE = {
  /** Names that say it is the fee of cancelling. */
  explicit: names(`cancellation_fee cancel_fee cancellation_penalty cancellation_charge cancellation_cost
    cancellation_fee_amount penalty penalty_amount penalty_fee`),
  others: names('fee fee_amount total_fee fee_total charge charge_amount total_charge'),
  refund: names('refund_amount refund refundable_amount refunded_amount amount_refunded'),
  ofCancellation: names('fee cancellation_fee penalty charge'),
  /** No fee, but it may be meant as one in an object that is `about` cancelling: `{"quote": {"amount": …}}`. */
  unnamed: names('amount total value'),
  about: /quote|cancel|fee|penalt/,
  /** Objects whose fees are not the current cost of cancelling. */
  elsewhere: /(^|_)(polic(y|ies)|prices?|pricing|rates?|rooms?)(_|$)/,
  /** A fee that is a share. */
  share: /^(percent(age)?|pct|nights?)$/i,
  /** Says what a number counts. */
  unit: /(^|_)(type|units?|kind|basis|mode|method|format|calculation|currency|currency_code|in|measure)$/,
  /** `minor_units: 2` may describe the amount beside it or its currency; the answer does not say which. */
  minorUnits: /^(amount_in_|in_)?(minor_units?|cents)$/,
} as const

export const PAYMENT = {
  holders: names('payment payment_link'),
  /** Its state, beside the payment. */
  state: names('payment_status payment_state'),
  mode: names('mode method type'),
  /** A failed payment: why, and until when it may be tried again. */
  reason: names('failure_code failure_reason failure_message decline_code error_code reason'),
  until: names('expires_at expires expiry valid_until pay_by due_at due_by deadline'),
  url: names('payment_url payment_link checkout_url'),
} as const

export const LINK = names('url link href redirect_url')
export const VOUCHER_LINK = names('voucher_url voucher_link pdf_url pdf_link download_url download_link')
export const VOUCHERS = names('voucher vouchers')
/** Fields that say what kind of document it is. */
export const DOCUMENT_KIND = names('type kind document_type rel name')

export const COUNTRY = {
  code: names('code country_code country_iso country_iso2 iso2 alpha2 alpha_2 iso iso_code id'),
  name: names('name country_name display_name title label description country'),
  phone_code: names('phone_code dial_code dialling_code calling_code phone_prefix'),
  currency: names('currency currency_code'),
} as const
export const CURRENCY_RECORD = {
  code: names('code currency_code iso_code iso currency id'),
  name: names('name currency_name display_name title label description'),
  minor_units: names('minor_units minor_unit decimals decimal_places exponent'),
} as const
export const CITY = {
  id: names('id city_id destination_id code city_code'),
  name: names('name city_name destination_name display_name title label description city'),
  country_code: names('country_code country_iso country_iso2 iso2 alpha2 alpha_2 country'),
  latitude: names('latitude lat'),
  longitude: names('longitude lon lng long'),
  timezone: names('timezone time_zone tz'),
} as const

/** The city of an offer. */
export const CITY_NAME = names('city city_name destination destination_name')

export const HOTEL = {
  hotel_id: names('hotel_id property_id id code'),
  name: names('name hotel_name property_name title'),
  stars: names('stars star_rating category'),
  address: names('address street address_line'),
  city: names('city city_name'),
  country_code: names('country_code country'),
  phone: names('phone phone_number telephone'),
  check_in_from: names('check_in_from check_in_time check_in checkin'),
  check_out_until: names('check_out_until check_out_time check_out checkout'),
  timezone: names('timezone time_zone'),
  latitude: names('latitude lat'),
  longitude: names('longitude lon lng long'),
  facilities: names('facilities amenities'),
  description: names('description short_description about'),
} as const
/** Where a hotel has its coordinates. */
export const PLACES = names('location coordinates geo geo_location geolocation position address')

export const ACCOUNT = {balance: names('available_balance available balance')} as const

export const TOUR = {
  tour_id: names('tour_id tour_code activity_id product_id id code'),
  name: names('name tour_name title display_name label'),
  short_description: names('short_description summary description about'),
  duration_minutes: names('duration_minutes duration_in_minutes duration_mins minutes'),
  price: names('price_from from_price price starting_price total_price amount min_price pricing'),
  city: names('city city_name destination location'),
  country_code: names('country_code country'),
  rating: names('rating average_rating score stars'),
  review_count: names('review_count reviews_count number_of_reviews reviews'),
  tags: names('tags categories themes category'),
} as const
export const TOUR_DETAILS = {
  prices: names('pricing price prices rates'),
  lowestPrice: names('from from_price price_from starting_from starting_at min minimum lowest'),
  hours: names('duration_hours duration_in_hours hours'),
} as const

export const SUBSCRIPTION = {
  secret: names('secret signing_secret webhook_secret'),
  ownId: names('subscription_id webhook_id'),
  id: names('subscription_id webhook_id id'),
  url: names('url endpoint endpoint_url target_url callback_url webhook_url'),
  events: names('events event_types types'),
  eventType: names('type name event'),
  active: names('is_active active enabled'),
} as const

/** The delivery of an event, and its attempts. */
export const DELIVERY = {
  id: names('delivery_id id'),
  event: names('event_id'),
  attempts: names('attempts tries'),
  at: names('at attempted_at sent_at created_at'),
  status: names('status status_code http_status response_status response_code'),
  milliseconds: names('ms duration_ms response_ms response_time_ms'),
  error: names('error error_message failure failure_reason'),
} as const

export const PAGING = {
  holders: names('meta pagination paging page_info links _links'),
  link: names('href url cursor'),
  more: names('has_more has_next has_next_page more'),
  next: names(`after next_cursor next_page_token next_token next next_url next_link next_page_url next_page
    end_cursor`),
  page: names('page current_page page_number'),
  pages: names('total_pages pages page_count last_page'),
  total: names('total total_count total_items total_results total_records total_elements'),
} as const

/** Fields in the answer to a change that tell its outcome. */
export const CHANGE = {
  state: names(`status state cancellation_status cancel_status reservation_status booking_status result
    outcome`),
  taken: names('success ok accepted'),
  cancelled: names('cancelled canceled is_cancelled is_canceled'),
  /** Objects whose state says nothing about the change. */
  ofOthers:
    /(^|_)(payments?|refunds?|vouchers?|invoices?|guests?|rooms?|hotel|polic(y|ies)|prices?|history|previous|meta|links)(_|$)/,
} as const

/** Why something was refused. */
export const ERROR = {
  code: names('code type title'),
  codeInList: names('code id type title'),
  message: names('message detail title'),
  /** Lists of what is wrong with the request. */
  details: names('details errors fields'),
  field: names('field path pointer param property'),
  problem: names('message detail description reason code'),
  needed: names('needed required'),
  available: names('available balance'),
  old: names('old old_price'),
  new: names('new new_price'),
  /** False in an answer that is no success, whatever its HTTP status. */
  successFlags: names('success successful is_success succeeded ok'),
  /** Names under which only an error is found. */
  report: /^errors?(_(code|message|text|description|details?|list))?$/,
  /** Fields about the answer itself; any other field that is not empty is content. */
  aboutAnswer:
    /^(data|errors?|success|ok|code|message|title|detail|details|type|error_description|meta|(status|request|trace)(_?(id|code))?|timestamp|version|path|warnings?)$/i,
} as const
