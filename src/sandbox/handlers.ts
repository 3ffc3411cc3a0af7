/**
 * The handlers of the operations (§4). The interface does not show the paths or answers of the operations in §4.9;
 * those here are our choice.
 */
import {dayNumber, instantOf, isoTime, nightsBetween} from '../contract/dates.js'
import {EVENT_TYPE_NAMES, isEventType, RESERVATION_STATUSES} from '../contract/events.js'
import {parseUrl} from '../contract/foreign-text.js'
import type {Offer} from '../contract/hotels.js'
import {SIGNING_SECRET_PREFIX, SUBSCRIPTION_ID_PREFIX} from '../contract/identifiers.js'
import {ACCESS_TOKEN_LIFETIME_SECONDS} from '../contract/limits.js'
import {fromMinor} from '../contract/money.js'
import {isLoopbackHost} from '../contract/network.js'
import {isScope} from '../contract/operations.js'
import type {Account} from '../contract/records.js'
import type {CancellationQuote, VoucherLink} from '../contract/reservations.js'
import type {Subscription} from '../contract/webhooks.js'
import {data, invalidField, notFound, Refusal} from './base/answers.js'
import {randomId, randomSecret} from './base/random.js'
import type {Service} from './base/service.js'
import {convertOffer, usableOffer} from './booking/convert.js'
import * as booking from './booking/pay-change-cancel.js'
import {CITIES, findPlace, type Place} from './catalogue/cities.js'
import {accountCharge, countryList, currencyList, isSoldIn} from './catalogue/countries-and-currencies.js'
import {findHotel} from './catalogue/hotels.js'
import {findTour, runsOn, toursOf} from './catalogue/tours.js'
import {localTime} from './catalogue/zones.js'
import type {Call, Handlers} from './http/perform.js'
import {checkCredentials, forgetToken, issueToken} from './store/clients.js'
import {pageOf, readPaging} from './store/lists.js'
import {addSearch} from './store/offers.js'
import {listReservations, requireReservation, withOrigin} from './store/reservations.js'
import {signVoucherLink} from './store/sealed-ids-and-links.js'
import * as webhooks from './store/webhooks.js'

export const HANDLERS: Handlers = {
  /**
   * Grants the requested scopes that the client has. Throws the Refusal `invalid_scope` if a scope does not exist or
   * none is granted.
   */
  'token.create': ({service, now, body}) => {
    if (body.grant_type !== 'client_credentials') {
      throw new Refusal('unsupported_grant_type', 'grant_type must be client_credentials')
    }
    const client = checkCredentials(service.database, body.client_id, body.client_secret)
    if (!client) throw new Refusal('invalid_client', 'invalid client_id or client_secret')
    const asked = [...new Set(body.scope.split(' ').filter(Boolean))]
    if (!asked.every(isScope)) throw new Refusal('invalid_scope', 'a requested scope does not exist')
    const granted = asked.filter(scope => client.scopes.split(' ').includes(scope))
    if (granted.length === 0)
      throw new Refusal('invalid_scope', 'the client has none of the requested scopes')
    return data({
      access_token: issueToken(service.database, client.client_id, granted, now),
      token_type: 'Bearer',
      expires_in: ACCESS_TOKEN_LIFETIME_SECONDS,
      scope: granted.join(' '),
    })
  },

  /** Also answers 200 for an unknown token (RFC 7009 §2.2). */
  'token.revoke': ({service, body}) => {
    forgetToken(service.database, body.token)
    return data({revoked: true})
  },

  'account.show': ({client}) => {
    const balance = fromMinor(BigInt(client.balance_minor), client.currency)
    const account: Account = {
      account_id: client.account_id,
      name: client.name,
      mode: 'test',
      status: 'ACTIVE',
      client_id: client.client_id,
      scopes: client.scopes.split(' '),
      currency: client.currency,
      balance,
      credit_limit: fromMinor(0n, client.currency),
      available_balance: balance,
      updated_at: isoTime(client.updated_at),
    }
    return data(account)
  },

  'hotels.search': ({service, client, now, body}) => {
    const {check_in, check_out, currency, client_nationality} = body
    const nights = nightsBetween(check_in, check_out)
    const city = checkDestination(body.destination)
    checkDay('check_in', check_in, city, now)
    if (nights > MOST_NIGHTS) {
      const problem = `must be at most ${MOST_NIGHTS} nights after check_in`
      throw invalidField('check_out', 'invalid_value', problem)
    }
    if (!countryList().some(country => country.code === client_nationality)) {
      throw invalidField('client_nationality', 'unknown_value', 'is not a country of /content/countries')
    }
    checkSoldIn(currency)
    const {id, name, country_code} = city
    const limit = service.offers
    const {search_id, expires_at, offers} = addSearch(service.database, client.client_id, body, {now, limit})
    const destination = {type: 'CITY', id, name, country_code}
    const criteria = {destination, check_in, check_out, nights, currency, client_nationality}
    const priced = offers.map(offer => withAccountCharge(offer, client.currency))
    return data({search_id, expires_at, ...criteria, offers: priced})
  },

  'hotels.show': ({service, parameters}) => {
    const id = parameters.hotel_id ?? ''
    const hotel = /^\d{1,9}$/.test(id) ? findHotel(Number(id), service.offers) : undefined
    if (!hotel) throw notFound('hotel', id)
    return data(hotel)
  },

  /** Returns the offer as the search found it, as long as it can be converted. */
  'hotels.price': call => {
    const {offer} = usableOffer(call, call.parameters.offer_id ?? '')
    return data(withAccountCharge(offer, call.client.currency))
  },

  /** Returns all tours of the city on one page, or those that run on `date`. */
  'tours.search': ({now, body}) => {
    const {date, currency} = body
    const city = checkDestination(body.destination)
    if (date !== undefined) checkDay('date', date, city, now)
    checkSoldIn(currency)
    const tours = toursOf(city.id, currency)
    const found = date === undefined ? tours : tours.filter(tour => runsOn(tour, date))
    return pageOf({items: found, next: null}, tours.length)
  },

  /** The price is in the currency of the client's account, because the request has no currency. */
  'tours.show': ({client, parameters}) => {
    const id = parameters.tour_id ?? ''
    const tour = findTour(id, client.currency)
    if (!tour) throw notFound('tour', id)
    return data(tour)
  },

  'content.countries': referenceData(countryList),
  'content.currencies': referenceData(currencyList),
  'content.cities': referenceData(() => CITIES),

  'reservations.create': call => {
    const {client_id: clientId} = call.client
    const record = convertOffer(call)
    const answer = data(booking.withVoucher(call.service, {clientId, record}))
    // The connection is cut before the answer, but a repeat with the same key gets the answer.
    return {...answer, dropAfterCommit: call.body.client_reference_id.endsWith('-unknown_success')}
  },

  'reservations.list': ({service, client, origin, query}) => {
    const paging = readPaging(query)
    const status = query.get('status')
    if (status !== null && !(RESERVATION_STATUSES as readonly string[]).includes(status)) {
      throw invalidField('status', 'invalid_value', `must be one of ${RESERVATION_STATUSES.join(', ')}`)
    }
    const filter = {
      clientId: client.client_id,
      clientReferenceId: query.get('client_reference_id'),
      status,
      createdFrom: readInstant(query, 'created_from'),
      createdTo: readInstant(query, 'created_to'),
    }
    const {items, next} = listReservations(service.database, filter, paging)
    return pageOf(
      {items: items.map(stored => withOrigin(booking.withVoucher(service, stored), origin)), next},
      paging.limit,
    )
  },

  'reservations.show': call =>
    data(withOrigin(booking.withVoucher(call.service, ownReservation(call)), call.origin)),

  'reservations.update': call =>
    data(withOrigin(booking.updateReservation(call.service, ownReservation(call), call.body), call.origin)),

  'reservations.quote': call => {
    const {record} = ownReservation(call)
    const {fee, refund} = booking.quoteCancellation(call.service, record)
    const {reservation_ref, price} = record
    const at = {currency: price.currency, quoted_at: isoTime(call.now)}
    return data({reservation_ref, fee, refund_amount: refund, ...at} satisfies CancellationQuote)
  },

  'reservations.cancel': call =>
    data(
      booking.cancelReservation(
        call.service,
        ownReservation(call),
        call.body.reason || 'requested_by_partner',
      ),
    ),

  'voucher.show': call => {
    const record = booking.withVoucher(call.service, ownReservation(call))
    const {status} = record
    if (status !== 'CONFIRMED') {
      throw new Refusal('reservation_not_confirmed', 'only a confirmed reservation has a voucher', {status})
    }
    if (record.voucher.status === 'PENDING') {
      throw new Refusal('reservation_not_confirmed', 'the voucher is not ready yet; ask again later', {
        status,
      })
    }
    const {path, expiresAt} = signVoucherLink(call.service.database, record.reservation_ref, call.now)
    const voucher = {url: call.origin + path, expires_at: isoTime(expiresAt)}
    return data({reservation_ref: record.reservation_ref, voucher} satisfies VoucherLink)
  },

  /** Creates a subscription. Only this answer contains the signing secret (§2.7). */
  'subscriptions.create': ({service, client, body}) => {
    const subscription: Subscription = {
      id: randomId(SUBSCRIPTION_ID_PREFIX),
      url: checkUrl(service, body.url),
      events: checkEvents(body.events),
      is_active: true,
    }
    const secret = randomSecret(SIGNING_SECRET_PREFIX)
    webhooks.addSubscription(service.database, client.client_id, subscription, secret)
    return data({...subscription, secret})
  },

  'subscriptions.list': ({service, client, query}) => {
    const paging = readPaging(query)
    const {items, next} = webhooks.listSubscriptions(service.database, paging, client.client_id)
    return pageOf({items: items.map(({subscription}) => subscription), next}, paging.limit)
  },

  'subscriptions.show': call => data(ownSubscription(call)),

  'subscriptions.update': call => {
    const {service, body} = call
    const before = ownSubscription(call)
    const updated: Subscription = {
      ...before,
      ...(body.url !== undefined && {url: checkUrl(service, body.url)}),
      ...(body.events !== undefined && {events: checkEvents(body.events)}),
      ...(body.is_active !== undefined && {is_active: body.is_active}),
    }
    webhooks.saveSubscription(service.database, updated)
    return data(updated)
  },

  'subscriptions.delete': call => {
    const {id} = ownSubscription(call)
    webhooks.removeSubscription(call.service.database, id)
    return data({id, deleted: true})
  },

  /** Sends a test event of the first type that the subscription lists. The event is about no stored reservation. */
  'subscriptions.test': call => {
    const {service, client, now} = call
    const {id, events, is_active} = ownSubscription(call)
    if (!is_active) {
      const message = 'the subscription is passive; to send to it, set is_active to true'
      throw new Refusal('subscription_passive', message)
    }
    const reservation = {
      reservation_ref: booking.NO_RESERVATION,
      client_reference_id: 'test',
      status: 'CONFIRMED',
    }
    const event = {
      clientId: client.client_id,
      type: events[0] ?? 'reservation.confirmed',
      data: {object: 'reservation', ...reservation, test: true},
      now,
    }
    const {database} = service
    const {eventId, deliveryIds} = database.transaction(() => webhooks.addEventFor(database, [id], event))
    return data({event_id: eventId, delivery_id: deliveryIds[0]})
  },

  'subscriptions.deliveries': call => {
    const paging = readPaging(call.query)
    const {database} = call.service
    const subscriptionId = call.parameters.subscription_id ?? ''
    // The deliveries of a deleted subscription are kept.
    if (!webhooks.hasDeliveries(database, call.client.client_id, subscriptionId)) ownSubscription(call)
    const {items, next} = webhooks.listDeliveries(database, {subscriptionId}, paging, true)
    return pageOf({items: items.map(({delivery}) => delivery), next}, paging.limit)
  },
}

/** Adds what an account in `currency` is charged. If the price has the same currency, that is the price itself. */
function withAccountCharge(offer: Offer, currency: string): Offer {
  const {price} = offer
  return {...offer, account_charge: accountCharge(price.total, price.currency, currency)}
}

const MOST_NIGHTS = 30
/** How far ahead a date may be: ten years, so that dates in examples and tests stay valid. */
const MOST_DAYS_AHEAD = 3650

/**
 * Returns a handler that pages through a list of reference data. The list never changes, so the cursor is a position in
 * it.
 */
function referenceData(list: () => readonly unknown[]) {
  return ({query}: Call) => {
    const {limit, after} = readPaging(query)
    const all = list()
    const start = after ?? 0
    const end = start + limit
    return pageOf({items: all.slice(start, end), next: end < all.length ? end : null}, limit)
  }
}

function checkDestination({id}: {readonly id: number}): Place {
  const city = findPlace(id)
  if (!city) throw invalidField('destination.id', 'unknown_value', 'is not a destination of /content/cities')
  return city
}

/**
 * Throws a Refusal if the date is in the past, or too far ahead, in the time zone of the city. `now` is in Unix
 * seconds.
 */
function checkDay(field: string, date: string, city: Place, now: number): void {
  const today = localTime(now, city.timezone).slice(0, 10)
  const ahead = nightsBetween(today, date)
  const past = `must not be in the past: by the sandbox's clock it is ${today} (bookctl sandbox clock)`
  if (ahead < 0) throw invalidField(field, 'invalid_value', past)
  if (ahead > MOST_DAYS_AHEAD) {
    throw invalidField(field, 'invalid_value', `must be at most ${MOST_DAYS_AHEAD} days ahead`)
  }
}

function checkSoldIn(currency: string): void {
  if (isSoldIn(currency)) return
  throw invalidField('currency', 'unknown_value', 'is not a currency of /content/currencies')
}

function ownReservation({service, client, parameters}: Call<unknown>) {
  return requireReservation(service.database, parameters.reservation_ref ?? '', client.client_id)
}

/**
 * Reads a timestamp with an offset, or a date, as Unix seconds, or null. A date stands for its start in UTC, and in
 * `created_to` for its end. Throws the Refusal `validation_failed` for another text.
 */
function readInstant(query: URLSearchParams, name: 'created_from' | 'created_to'): number | null {
  const text = query.get(name)
  if (text === null) return null
  const day = dayNumber(text)
  if (day !== undefined) return (day + (name === 'created_to' ? 1 : 0)) * 86_400
  const instant = /^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:\d\d)$/.test(text) ? instantOf(text) : undefined
  if (instant === undefined) {
    throw invalidField(name, 'invalid_format', 'must be a date, or a timestamp with an offset')
  }
  return instant
}

function ownSubscription({service, client, parameters}: Call<unknown>): Subscription {
  const id = parameters.subscription_id ?? ''
  const found = webhooks.findSubscription(service.database, client.client_id, id)
  if (!found) throw notFound('subscription', id)
  return found
}

/**
 * Matches a text that has only characters of a URI (RFC 3986 §2). Any other URL is returned percent-encoded, as
 * deliveries send it.
 */
const URI_CHARACTERS = /^[\w\-.~:/?#[\]@!$&'()*+,;=%]+$/

/**
 * Returns the URL if it is https (§6), or http on loopback when `--allow-http-loopback` is set. Throws a Refusal
 * otherwise.
 */
function checkUrl(service: Service, text: string): string {
  const url = parseUrl(text)
  if (url === undefined) throw invalidField('url', 'invalid_format', 'must be an https address')
  const allowed =
    url.protocol === 'https:' ||
    (url.protocol === 'http:' && isLoopbackHost(url.hostname) && service.allowHttpLoopback)
  if (!allowed) {
    const details = [{field: 'url', code: 'not_https', message: 'must begin with https://'}]
    throw new Refusal('url_not_https', 'the address of a subscription must be https', {details})
  }
  if (url.username || url.password) throw invalidField('url', 'invalid_value', 'must not contain credentials')
  return URI_CHARACTERS.test(text) ? text : url.href
}

function checkEvents(events: readonly string[]): string[] {
  const unknown = events.findIndex(name => !isEventType(name))
  if (unknown >= 0) {
    throw invalidField(`events[${unknown}]`, 'unknown_value', `must be one of ${EVENT_TYPE_NAMES.join(', ')}`)
  }
  return [...new Set(events)]
}
