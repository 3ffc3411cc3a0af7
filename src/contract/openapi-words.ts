/**
 * What each field means, and one value for it, so that a static mock can be searched and booked. A line each: the ends of the
 * paths to such fields (lower case, from the record on), the meaning, unless the schema has it, and an example as JSON.
 */
import {ACCESS_TOKEN_LIFETIME_SECONDS, OFFER_VALIDITY_SECONDS} from './limits.js'

const TABLE = `
access_token / Bearer token, valid for ${ACCESS_TOKEN_LIFETIME_SECONDS / 3600} hours / "at_4kT0mWq7Zc2Jx9Lr5Vb1Ny8"
token_type / How the token is sent / "Bearer"
expires_in / Lifetime in seconds / ${ACCESS_TOKEN_LIFETIME_SECONDS}
scope / Scopes that were granted, separated by spaces / "hotels:read reservations:read reservations:write"
grant_type / Grant of RFC 6749 / "client_credentials"
client_id / The client's identifier / "cid_sandbox"
client_secret / The client's secret / "sk_test_example"
token / An access token / "at_4kT0mWq7Zc2Jx9Lr5Vb1Ny8"
revoked deleted / Always true / true
account_id / The account's identifier / "acc_sandbox"
account.name / Name of the partner / "Sandbox Travel"
account.mode / Side of the service / "test"
account.status / Whether the account may book / "ACTIVE"
scopes / Scopes the client may ask for / ["hotels:read", "reservations:read", "reservations:write"]
balance / Balance, a decimal amount / "100000.00"
credit_limit / Credit beyond the balance, a decimal amount / "0.00"
available_balance / What can be spent, a decimal amount / "100000.00"
updated_at / When it last changed, ISO 8601 with offset / "2030-06-01T12:05:00Z"
search_id / Identifier of the search / "srch_9dKfQ2m"
destination / Where to / {"type": "CITY", "id": 101}
hotelsearchresult.destination / Where to / {"type": "CITY", "id": 101, "name": "Istanbul", "country_code": "TR"}
destination.type city.type / Kind of destination / "CITY"
destination.id / Identifier of a city; content.cities lists them / 101
destination.name city.name / Name of the city / "Istanbul"
check_in / Day of arrival, a calendar date at the hotel / "2030-07-10"
check_out / Day of departure, a calendar date at the hotel / "2030-07-13"
nights / Number of nights / 3
hotelsearchrequest.rooms / The guests of each room / [{"adults": 1, "children_ages": []}]
rooms / The rooms, one for each that was searched /
adults / Number of adults / 1
children_ages / Age of each child at check-in / []
client_nationality / Nationality of the guests, ISO 3166-1 alpha-2 / "TR"
currency currency.code / ISO 4217 currency code / "EUR"
offers / The offers found /
offer_id / Identifier of an offer, valid for ${OFFER_VALIDITY_SECONDS / 60} minutes / "off_Xq3nV0rL8sYd2mKp6tWz1A"
expires_at / When it stops being valid, ISO 8601 with offset / "2030-06-01T12:15:00Z"
hotel / The hotel /
hotel_id / Identifier of the hotel / 1010007
hotelsummary.name hotel.name / Name of the hotel / "Yakamoz Suites"
stars / Official category / 4
address / Street and district / "Divan Yolu Caddesi No: 12, Fatih"
city / City it is in / {"id": 101, "name": "Istanbul"}
city.id / Identifier of the city / 101
country_code country.code nationality / ISO 3166-1 alpha-2 country code / "TR"
latitude / Degrees north / 41.0082
longitude / Degrees east / 28.9784
timezone / IANA time zone / "Europe/Istanbul"
hotel.description / The hotel in a sentence / "Yakamoz Suites is a 4-star hotel in Istanbul."
phone / Telephone number / "+90 850 641 9476"
check_in_from / / "14:00"
check_out_until / / "12:00"
facilities / What the hotel has / ["Free Wi-Fi", "Bar"]
room_name / Kind of room / "Standard Room"
board / Meals / {"code": "BB", "name": "Bed and breakfast"}
board.code / Code of the meals / "BB"
board.name / The meals in words / "Bed and breakfast"
price / What it costs, all rooms and nights together /
total / Whole price, a decimal amount / "403.20"
base / Price without taxes, a decimal amount / "360.00"
taxes / Taxes in the price, a decimal amount / "43.20"
due_at_property / Charges that the guest pays at the hotel /
dueatproperty.description / What it is for / "Local visitor fee"
dueatproperty.amount / Decimal amount / "144.00"
dueatproperty.currency / ISO 4217 currency code / "TRY"
refundable / Whether cancelling can give anything back / true
free_cancellation_until / Until when cancelling is free; null: never / "2030-07-09T18:00:00+03:00"
cancellation_policies / Fees of cancelling, the earliest first /
cancellationpolicy.from / From when on the fee is due / "2030-07-09T18:00:00+03:00"
amount / Decimal amount / "403.20"
rooms_left / How many are left; null: not known / null
payment_modes / How it can be paid / ["account", "instant"]
remarks / What the hotel says / "Check-in from 14:00, check-out until 12:00."
tour_id / Identifier of the tour / "tour_101_01"
tour.name / Name of the tour / "Topkapı Palace with a local guide"
short_description / The tour in a sentence / "A licensed guide shows you Topkapı Palace."
duration_minutes / Length in minutes / 150
price_from / Lowest price for one person / {"amount": "35.00", "currency": "EUR"}
price_from.amount / Decimal amount / "35.00"
rating / Average of the reviews, up to 5; null: none / 4.4
review_count / Number of reviews / 2355
tags / Keywords / ["culture", "guided"]
date / Only tours that run on this day / "2030-07-11"
country.name / Name in English / "Türkiye"
phone_code phone_country_code / Dialling prefix / "+90"
country.currency / ISO 4217 currency code; empty for none of its own / "TRY"
currency.name / Name in English / "Euro"
minor_units / Digits after the decimal point / 2
reservation_ref / The service's reference of the reservation / "RSV-7K3M9QX2AB"
client_reference_id / The partner's own reference, used once / "PARTNER-2030-0042"
contact / Person to reach about the reservation /
name / Given name / "Ayşe"
surname / Family name / "Öğüt"
email / E-mail address / "ayse@example.com"
phone_number / Number without the prefix / "532 000 00 00"
guests / The guests, exactly one of them with is_lead /
guest.type / ADULT or CHILD / "ADULT"
birth_date / Day of birth / "1990-05-17"
gender / As in the identity document / "FEMALE"
identity / Identity document / {"type": "TC", "number": "12345678950"}
identity.type / Kind of document / "TC"
identity.number / Number of the document / "12345678950"
is_lead / Whether this is the guest the booking is made for / true
payment / How it is paid /
payment.mode / From the account, or by the customer at once / "account"
payment.status / State of the payment / "PAID"
payment.expires_at / Until when it can be paid; null: not to be paid by the customer / null
paid_at / When it was paid / "2030-06-01T12:05:00Z"
failure_code / Why the last try failed / null
hotel_confirmation_number / The hotel's own number / "HC52340917"
reservation.voucher / The voucher / {"status": "READY"}
reservation.voucher.status / Whether it can be downloaded / "READY"
voucherlink.voucher / The link /
voucherlink.voucher.url / / "https://partner.example/vouchers/eyJSU1Yt.c2lnbmF0dXJl"
voucherlink.voucher.expires_at / / "2030-06-01T13:05:00Z"
reservation.cancellation / What cancelling cost; null: not cancelled / null
cancelled_at / When it was cancelled / "2030-06-02T08:00:00Z"
reason / Why, in the partner's words / "requested_by_partner"
fee / Fee of cancelling, a decimal amount / "0.00"
refund_amount / What is given back, a decimal amount / "403.20"
quoted_at / When this was worked out / "2030-06-02T08:00:00Z"
created_at / When it was made / "2030-06-01T12:05:00Z"
confirmed_at / When it was confirmed / "2030-06-01T12:05:00Z"
live_mode / Always false on the local sandbox / false
subscription_id id / Identifier of the subscription / "whsub_5cR8nTq2"
url / / "https://partner.example/hooks"
payment.url / / "https://partner.example/pay/9m6JxTuH5V3v7Bl"
events / Types of events that are sent / ["reservation.confirmed", "voucher.ready"]
is_active / Whether events are sent / true
secret / / "whsec_8mQ1vXn5Jk7Tz3Lr"
event_id eventenvelope.id / Identifier of the event / "evt_2pW6bYh0"
type / Type of the event / "reservation.confirmed"
created / When it happened / "2030-06-01T12:05:00Z"
data / What it is about /
data.object / Kind of record / "reservation"
delivery_id / Identifier of the delivery / "dlv_6tZ3kMd9"
delivery.status / How far the delivery is / "DELIVERED"
next_attempt_at / When it is tried again; null: not again / null
attempts / Every attempt, the first at first /
attempts.n / / 1
at / When / "2030-06-01T12:05:01Z"
attempts.status / / 200
ms / / 42
attempts.error after before / / null
error.error / The refusal /
error.code / Code of the refusal, a stable word / "validation_failed"
message / The refusal in words / "the request is not valid"
request_id / Names the request; the same as X-Request-Id / "req_1sG7dNb4"
retryable / Whether the same request may be sent again / false
details / The fields that are wrong /
details.field / Path to the field / "guests[0].name"
details.code / Code of what is wrong, a stable word / "required"
details.message / What is wrong, in words / "is required"
error_description / / "invalid client_id or client_secret"
limit / / 50
status / State of the reservation / "CONFIRMED"
`

/** The description is empty where the schema has it, the example undefined where it is made of those inside. */
const WORDS = new Map(
  TABLE.trim()
    .split('\n')
    .flatMap(line => {
      const [, paths = '', description = '', text = ''] = /^(.+?) \/ (.*?) ?\/ ?(.*)$/.exec(line) ?? []
      const example: unknown = text === '' ? undefined : JSON.parse(text)
      return paths.split(' ').map(path => [path, {description, example}] as const)
    }),
)

/** For the field at the end of `path`, such as `Offer.rooms.board.name`. Throws RangeError for a field that has none. */
export function wordsFor(path: string) {
  const keys = path.toLowerCase().split('.')
  const found = keys.map((_, start) => WORDS.get(keys.slice(start).join('.'))).find(words => words)
  if (!found) throw new RangeError(`the description has no words for ${path}`)
  return found
}
