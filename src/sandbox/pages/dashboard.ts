/** `/`: how to connect, the clock, contents, clients, the latest of everything, and the reset. */

import {ERROR_CODES} from '../../contract/error-codes.js'
import {EVENT_TYPE_NAMES, RESERVATION_STATUSES} from '../../contract/events.js'
import {DELIVERY_ATTEMPTS, VOUCHER_LINK_VALIDITY_SECONDS} from '../../contract/limits.js'
import {fromMinor, moneyText} from '../../contract/money.js'
import type {Reservation} from '../../contract/reservations.js'
import {notFound, Refusal} from '../base/answers.js'
import {counted, dateInWords, fullName, instantAsWritten, maskIdentity, occupancy} from '../base/wording.js'
import {FAULT_KIND_NAMES, FAULT_KINDS, FAULT_NUMBERS, FAULT_OPERATIONS, faultField} from '../http/faults.js'
import {API_PATH, KEPT_REQUESTS, type LoggedRequest} from '../http/requests.js'
import {listClients, MAIN_CLIENT, startUpSecret} from '../store/clients.js'
import {countAll, countByStatus} from '../store/lists.js'
import * as store from '../store/reservations.js'
import {listReservations} from '../store/reservations.js'
import {signVoucherLink} from '../store/sealed-ids-and-links.js'
import {
  eventWithOrigin,
  findDelivery,
  findEvent,
  type ListedDelivery,
  type ListedEvent,
  listDeliveries,
  listEvents,
  listSubscriptions,
} from '../store/webhooks.js'
import {
  address,
  brief,
  button,
  card,
  code,
  copied,
  facts,
  filterOf,
  html,
  httpStatus,
  jsonText,
  link,
  list,
  listView,
  moveButton,
  nothing,
  PAGE_SIZE,
  type Piece,
  pagingOf,
  pathOf,
  price,
  select,
  shown,
  soft,
  status,
  time,
  type View,
  type Visit,
} from './components.js'

const LATEST = {after: null, limit: 5}

/** A minute; just over the lifetime of an offer; that of a voucher link and of a token; the last delay of §6.4; a day. */
const STEPS = {'+1 min': 60, '+16 min': 960, '+1 h': 3600, '+2 h': 7200, '+8 h': 28_800, '+24 h': 86_400}

export const CLOCK_UNITS: Record<string, number> = {seconds: 1, minutes: 60, hours: 3600, days: 86_400}

export function overview(visit: Visit): View {
  const {path, origin, service} = visit
  const {database, requests, faults} = service
  const latest = (name: string, rows: Parameters<typeof list>[1]['rows']) => {
    const caption = `Latest ${name}`
    const all = rows.length > 0 && html`<p>${link(name, undefined, `All ${name}`)}</p>`
    return card(name, caption, html`${list(visit, {caption, rows, empty: nothing(`No ${name} yet.`)})}${all}`)
  }
  const baseUrl = origin + API_PATH
  const id = MAIN_CLIENT
  const secret = startUpSecret(id)
  const credentials = facts({
    'Base URL': copied(baseUrl, 'the base URL'),
    'Client id': copied(id, 'the client id'),
    'Client secret': copied(secret, 'the client secret'),
    'In a terminal': copied('eval "$(bookctl sandbox env)"', 'the command'),
  })
  const connect = html`${credentials}
<p>Or in any other shell:</p>
<pre tabindex="0" aria-label="Lines for a shell"><code>export BOOKCTL_BASE_URL=${baseUrl}
export BOOKCTL_CLIENT_ID=${id}
export BOOKCTL_CLIENT_SECRET=${secret}</code></pre>
<p><a href="/openapi.json">OpenAPI description</a> <span class="soft">Every local sandbox starts with these credentials; they are not secret.</span></p>`
  const steps = Object.entries(STEPS).map(([text, seconds]) => moveButton(visit, text, seconds))
  const clock = html`<div class="actions">${steps}</div>
<form method="post" action="/ui/clock" class="actions"><input type="hidden" name="back" value="${path}">
<label>Advance by<input type="number" name="amount" min="0" step="any" required inputmode="decimal"></label>
${select('unit', 'Unit', Object.keys(CLOCK_UNITS), 'minutes')}<button>Advance</button></form>
<p class="soft">Advancing the clock runs everything that falls due, each at its own time: offers and tokens expire, payments run out,
events are sent again. The clock only moves forward.</p>`
  const count = (name: string, number: number, more?: Piece) =>
    html`<li>${link(name, undefined, html`<strong>${number}</strong> ${name}`)} ${more}</li>`
  const tally = (table: 'reservations' | 'deliveries') => {
    const byStatus = countByStatus(database, table)
    const each = byStatus.map(
      ([word, number]) => html`<span class="nowrap">${number} ${status(word)}</span> `,
    )
    return count(
      table,
      byStatus.reduce((total, [, number]) => total + number, 0),
      html`${each}`,
    )
  }
  const contents = html`<ul class="counts">${tally('reservations')}
${count('events', countAll(database, 'events'))}${tally('deliveries')}
${count('subscriptions', countAll(database, 'subscriptions'))}
${count('requests', requests.length, soft(`the last ${KEPT_REQUESTS} at most`))}${count('faults', faults.length)}</ul>`
  const clients = listClients(database).map(({client_id, name, balance_minor, currency, scopes}) => ({
    Client: html`${code(client_id)}<br><span class="soft">${shown(name)}</span>`,
    Secret: copied(startUpSecret(client_id), `the secret of ${client_id}`),
    Balance: price(fromMinor(BigInt(balance_minor), currency), currency),
    Credit: price(fromMinor(0n, currency), currency),
    Scopes: soft(scopes),
  }))
  const reset = html`
<details><summary>Reset the sandbox</summary>
<p>Deletes all reservations, events, deliveries, subscriptions, tokens and faults, and sets the clock back. This cannot be undone.</p>
${button('/ui/reset', 'Delete everything', {}, 'danger')}</details>`
  const main = html`${latest('reservations', reservationRows(visit, listReservations(database, {}, LATEST).items))}
${latest('requests', requestRows(visit, requests.slice(-LATEST.limit).reverse()))}
<div class="pair">${card('where', 'Connect', connect)}${card('clock', 'Advance the clock', clock)}</div>
${latest('events', eventRows(visit, listEvents(database, {}, LATEST).items))}
${latest('deliveries', deliveryRows(visit, listDeliveries(database, {}, LATEST).items))}
${card('counts', 'Contents', contents)}
${card('clients', 'Clients', list(visit, {caption: 'Clients', rows: clients}))}
${card('reset', 'Reset', reset)}`
  return {title: 'Overview', main}
}

const FIRST_STEP =
  'bookctl hotels search --city 101 --check-in 2030-06-01 --nights 3 --room 2 --nationality TR'
const LISTEN = 'bookctl webhooks listen --subscribe'

export function reservationList(visit: Visit): View {
  const wanted = filterOf(visit, 'status')
  const search = filterOf(visit, 'search')
  const {items, next} = store.listReservations(
    visit.service.database,
    {status: wanted, search},
    pagingOf(visit),
  )
  const filters = [
    html`<label>Reference or name<input type="search" name="search" value="${search ?? ''}" maxlength="200"></label>`,
    select('status', 'Status', RESERVATION_STATUSES, wanted, 'any'),
  ]
  const none = nothing('No reservations yet. Search for an offer, then book it:', FIRST_STEP)
  const empty = wanted === null && search === null ? none : nothing('No reservations match.')
  return listView(visit, {
    caption: 'Reservations',
    rows: reservationRows(visit, items),
    empty,
    filters,
    next,
  })
}

function reservationRows({now}: Visit, found: readonly store.StoredReservation[]) {
  return found.map(({record}) => ({
    Reservation: html`${link('reservations', record.reservation_ref)}<br><span class="soft">${brief(record.client_reference_id)}</span>`,
    Status: status(record.status),
    'Lead guest': brief(fullName(record.guests.find(guest => guest.is_lead) ?? record.contact)),
    Hotel: html`${brief(record.hotel.name)}<br><span class="soft">${brief(record.hotel.city.name)}</span>`,
    'Check-in': html`<span class="nowrap">${record.check_in}</span> <span class="soft nowrap">${counted(record.nights, 'night')}</span>`,
    Price: price(record.price.total, record.price.currency),
    Created: time(record.created_at, now),
  }))
}

export function reservationDetail(visit: Visit): View {
  const {now, service, parameters} = visit
  const {record, clientId} = store.requireReservation(service.database, parameters.reservation_ref ?? '')
  const {hotel, contact, cancellation, payment} = record
  const {total, base, taxes, currency, due_at_property} = record.price
  const rooms = record.rooms.map(
    room => html`<div>${shown(room.room_name)}, ${occupancy([room])}, ${shown(room.board.name)}</div>`,
  )
  const stay = facts({
    Hotel: html`${shown(hotel.name)} ${soft(counted(hotel.stars, 'star'))}`,
    Address: html`${shown(hotel.address)}, ${shown(hotel.city.name)}, ${hotel.country_code}`,
    'Check-in': dateInWords(record.check_in),
    'Check-out': html`${dateInWords(record.check_out)} ${soft(counted(record.nights, 'night'))}`,
    Rooms: html`${rooms}`,
    Nationality: record.client_nationality,
    Remarks: record.remarks === null ? soft('none') : shown(record.remarks),
  })
  const phone = `${contact.phone_country_code} ${contact.phone_number}`
  const booking = facts({
    Status: status(record.status),
    Client: code(clientId),
    'Partner reference': code(record.client_reference_id),
    'Hotel confirmation': record.hotel_confirmation_number ? code(record.hotel_confirmation_number) : '–',
    Offer: code(record.offer_id),
    Contact: html`${shown(fullName(contact))}<br>${shown(contact.email)}<br>${shown(phone)}`,
    Created: time(record.created_at, now),
    Updated: time(record.updated_at, now),
    Confirmed: time(record.confirmed_at, now),
    ...(cancellation && {
      Ended: html`${time(cancellation.cancelled_at, now)} ${shown(cancellation.reason)}`,
      Fee: moneyText(cancellation.fee, cancellation.currency),
      Refund: moneyText(cancellation.refund_amount, cancellation.currency),
    }),
  })
  const guests = record.guests.map(guest => ({
    Name: html`${shown(fullName(guest))} ${guest.is_lead && soft('lead')}`,
    Type: shown(guest.type),
    Born: shown(guest.birth_date ?? '–'),
    Gender: shown(guest.gender ?? '–'),
    Nationality: shown(guest.nationality ?? '–'),
    Identity: guest.identity ? shown(`${guest.identity.type} ${maskIdentity(guest.identity.number)}`) : '–',
  }))
  const line = (what: Piece | string, fee: {amount: string; currency: string}) =>
    html`<div>${what}: ${moneyText(fee.amount, fee.currency)}</div>`
  const due = due_at_property.map(each => line(shown(each.description), each))
  const fees = record.cancellation_policies.map(each => line(`from ${instantAsWritten(each.from)}`, each))
  const prices = facts({
    Total: html`<strong class="money">${moneyText(total, currency)}</strong>`,
    Base: moneyText(base, currency),
    Taxes: moneyText(taxes, currency),
    'Due at the hotel': due.length > 0 ? html`${due}` : 'nothing',
    'Cancellation fees': fees.length > 0 ? html`${fees}` : 'nothing',
  })
  const paid = facts({
    Mode: payment.mode,
    Status: status(payment.status),
    Amount: price(payment.amount, payment.currency),
    'Pay by': time(payment.expires_at, now),
    Paid: time(payment.paid_at, now),
    ...(payment.failure_code !== null && {Failure: code(payment.failure_code)}),
  })
  const filter = {reservationRef: record.reservation_ref}
  const {items, next} = listEvents(service.database, filter, pagingOf(visit))
  const empty = nothing('No events yet. The first comes when the reservation is paid, declined or expires.')
  const events = list(visit, {caption: 'Events', rows: eventRows(visit, items), empty, next})
  const main = html`${actionsOn(visit, record)}
<div class="pair">${card('stay', 'Stay', stay)}${card('booking', 'Booking', booking)}</div>
${card('guests', 'Guests', list(visit, {caption: 'Guests', rows: guests}))}
<div class="pair">${card('price', 'Price', prices)}${card('payment', 'Payment', paid)}</div>
${card('events', 'Events', events)}`
  return {title: 'Reservation', id: record.reservation_ref, main}
}

/** What a test customer may do: open the voucher, or pay. */
function actionsOn(visit: Visit, {payment, reservation_ref, status, created_at}: Reservation) {
  if (status === 'CONFIRMED') {
    const {path} = signVoucherLink(visit.service.database, reservation_ref, visit.now)
    const validity = `the link is valid for ${VOUCHER_LINK_VALIDITY_SECONDS / 60} minutes`
    const opened = html`<p><a href="${path}">Open the voucher (PDF)</a> ${soft(validity)}</p>`
    return card('do', 'Voucher', opened)
  }
  if (status !== 'PENDING_PAYMENT') return undefined
  const action = `${pathOf('reservations', reservation_ref)}/payment`
  const left = Math.ceil(Date.parse(payment.expires_at ?? created_at) / 1000 - visit.now)
  const choices = html`
<p>Pay by ${time(payment.expires_at, visit.now)}, as the customer does on the <a href="${payment.url}">payment page</a>, or here:</p>
<div class="actions">${button(action, `Pay ${moneyText(payment.amount, payment.currency)}`, {result: 'paid'}, 'strong')}
${button(action, 'Decline the payment', {result: 'failed'}, 'danger')}
${moveButton(visit, 'Let the payment expire', Math.max(left, 0))}</div>`
  return card('do', 'Waiting for payment', choices)
}

export function eventList(visit: Visit): View {
  const type = filterOf(visit, 'type')
  const {items, next} = listEvents(visit.service.database, {type}, pagingOf(visit))
  const hint = 'No events. A reservation that is confirmed, declined or cancelled causes some:'
  const filters = [select('type', 'Type', EVENT_TYPE_NAMES, type, 'any')]
  const empty = nothing(hint, 'bookctl reserve')
  return listView(visit, {caption: 'Events', rows: eventRows(visit, items), empty, filters, next})
}

function eventRows(visit: Visit, found: readonly ListedEvent[]) {
  return found.map(({event, deliveries, delivered}) => ({
    Event: link('events', event.id),
    Type: code(event.type),
    Reservation: reservationLink(visit, event.data),
    Deliveries: deliveries === 0 ? soft('no subscriber') : `${delivered} of ${deliveries} delivered`,
    Created: time(event.created, visit.now),
  }))
}

/** An event of a test, or one that was triggered, may be about no reservation. */
function reservationLink({service}: Visit, {reservation_ref}: Record<string, unknown>): Piece {
  if (typeof reservation_ref !== 'string') return soft('–')
  const exists = store.findReservation(service.database, 'reservation_ref', reservation_ref)
  return exists ? link('reservations', reservation_ref) : shown(reservation_ref)
}

export function eventDetail(visit: Visit): View {
  const {database} = visit.service
  const found = findEvent(database, visit.parameters.event_id ?? '')
  if (!found) throw new Refusal('not_found', 'event not found')
  const {event, clientId} = found
  const {items, next} = listDeliveries(database, {eventId: event.id}, pagingOf(visit))
  const empty = nothing('No subscribers: no active subscription listed this type at that time.')
  const deliveries = list(visit, {caption: 'Deliveries', rows: deliveryRows(visit, items), empty, next})
  const eventFacts = facts({
    Type: code(event.type),
    Created: time(event.created, visit.now),
    Client: code(clientId),
    Reservation: reservationLink(visit, event.data),
  })
  const main = html`${card('facts', 'Event', eventFacts)}
${card('deliveries', 'Deliveries', deliveries)}
${card('body', 'Body', jsonText(eventWithOrigin(event, visit.origin)))}`
  return {title: 'Event', id: event.id, main}
}

const DELETED = 'the subscription is gone'

export function deliveryList(visit: Visit): View {
  const wanted = filterOf(visit, 'status')
  const subscriptionId = filterOf(visit, 'subscription')
  const filter = {status: wanted, subscriptionId}
  const {items, next} = listDeliveries(visit.service.database, filter, pagingOf(visit))
  const filters = [
    select('status', 'Status', ['PENDING', 'DELIVERED', 'ABANDONED'], wanted, 'any'),
    html`<label>Subscription<input type="search" name="subscription" value="${subscriptionId ?? ''}" maxlength="100" placeholder="whsub_…"></label>`,
  ]
  const empty = nothing('No deliveries. To receive the next event:', LISTEN)
  return listView(visit, {caption: 'Deliveries', rows: deliveryRows(visit, items), empty, filters, next})
}

function deliveryRows({now}: Visit, found: readonly ListedDelivery[]) {
  return found.map(({delivery, url}) => {
    const error = delivery.attempts.at(-1)?.error
    const lastError = error && html`<br><span class="soft">${brief(error)}</span>`
    return {
      'Delivery and event': html`${link('deliveries', delivery.delivery_id)}<br>${link('events', delivery.event_id)}`,
      Type: code(delivery.type),
      Status: status(delivery.status),
      Attempts: html`${counted(delivery.attempts.length, 'attempt')}${lastError}`,
      'Sent to': url === null ? soft(DELETED) : address(url, 20),
      'Next attempt': time(delivery.next_attempt_at, now),
    }
  })
}

export function deliveryDetail(visit: Visit): View {
  const id = visit.parameters.delivery_id ?? ''
  const found = findDelivery(visit.service.database, id)
  if (!found) throw notFound('delivery', id)
  const {delivery, url, active} = found
  const next = delivery.next_attempt_at
  const number = `number ${delivery.attempts.length + 1} of ${DELIVERY_ATTEMPTS}`
  const due = active
    ? html`${number}, ${time(next, visit.now)}`
    : soft('waiting: the subscription is passive')
  const deliveryFacts = facts({
    Status: status(delivery.status),
    Event: html`${link('events', delivery.event_id)} ${code(delivery.type)}`,
    Subscription: code(delivery.subscription_id),
    'Sent to': url === null ? soft(DELETED) : code(url),
    'Next attempt': next === null ? 'none' : due,
  })
  const attempts = delivery.attempts.map(({n, at, status, ms, error}) => ({
    Attempt: n,
    Time: time(at, visit.now),
    Response: httpStatus(status),
    Duration: ms === null ? '–' : html`<span class="nowrap">${ms} ms</span>`,
    Error: error === null ? soft('none') : shown(error),
  }))
  const empty = nothing('No attempts yet.')
  const wait = next === null ? 0 : Math.ceil(Date.parse(next) / 1000 - visit.now)
  const again = html`
<div class="actions">${button(`${pathOf('deliveries', id)}/redeliver`, 'Deliver again now', {}, 'strong')}
${active && wait > 0 && moveButton(visit, 'Advance the clock to the next attempt', wait)}</div>`
  const main = html`${card('facts', 'Delivery', deliveryFacts)}
${card('attempts', 'Attempts', list(visit, {caption: 'Attempts', rows: attempts, empty}))}
${url !== null && card('do', 'Send again', again)}`
  return {title: 'Delivery', id, main}
}

export function subscriptionList(visit: Visit): View {
  const {items, next} = listSubscriptions(visit.service.database, pagingOf(visit))
  const rows = items.map(({subscription: {id, is_active, url, events}, clientId}) => ({
    Subscription: html`${code(id)}<br><a href="/ui/deliveries?subscription=${encodeURIComponent(id)}">its deliveries</a>`,
    Status: status(is_active ? 'active' : 'passive'),
    Address: address(url),
    Events: html`${events.map(type => html`<div>${shown(type)}</div>`)}`,
    Client: code(clientId),
  }))
  const empty = nothing('No subscriptions. To receive events:', LISTEN)
  return listView(visit, {caption: 'Subscriptions', rows, empty, next})
}

const OUTCOMES = ['succeeded', 'refused', 'failed', 'not answered']

function outcomeOf(status: number | null): string {
  if (status === null) return 'not answered'
  if (status >= 500) return 'failed'
  return status >= 400 ? 'refused' : 'succeeded'
}

export function requestList(visit: Visit): View {
  const operation = filterOf(visit, 'operation')
  const outcome = filterOf(visit, 'outcome')
  const found = visit.service.requests.filter(
    request =>
      (operation === null || request.operation === operation) &&
      (!OUTCOMES.includes(outcome ?? '') || outcomeOf(request.status) === outcome),
  )
  // Newest first; `before` counts from the oldest, so that a page keeps its place while requests come in.
  const end = Math.min(pagingOf(visit).after ?? found.length, found.length)
  const start = Math.max(end - PAGE_SIZE, 0)
  const rows = requestRows(visit, found.slice(start, end).reverse())
  const filters = [
    select('operation', 'Operation', FAULT_OPERATIONS.slice(1), operation, 'any'),
    select('outcome', 'Outcome', OUTCOMES, outcome, 'any'),
  ]
  const empty = nothing('No matching requests. To send one:', 'bookctl account')
  return listView(visit, {caption: 'Requests', rows, empty, filters, next: start > 0 ? start : null})
}

function requestRows({now}: Visit, found: readonly LoggedRequest[]) {
  return found.map(request => ({
    Request: link('requests', request.request_id, address(`${request.method} ${request.path}`)),
    Operation: request.operation === null ? soft('none') : code(request.operation),
    Response: httpStatus(request.status),
    Received: time(request.at, now),
  }))
}

export function requestDetail(visit: Visit): View {
  const found = visit.service.requests.find(each => each.request_id === visit.parameters.request_id)
  if (!found) throw new Refusal('not_found', `request not found; the log keeps the last ${KEPT_REQUESTS}`)
  const headers = Object.entries(found.headers).map(([name, value]) => ({
    Name: code(name),
    Value: shown(value),
  }))
  const requestFacts = facts({
    Sent: address(`${found.method} ${found.path}`),
    Operation: found.operation === null ? soft('none') : code(found.operation),
    Response: httpStatus(found.status),
    Received: time(found.at, visit.now),
  })
  const empty = nothing('None logged.')
  const main = html`${card('facts', 'Request', requestFacts)}
${card('headers', 'Headers', list(visit, {caption: 'Headers', rows: headers, empty}))}
${card('body', 'Body', found.body === null ? nothing('No JSON body.') : jsonText(found.body))}`
  return {title: 'Request', id: found.request_id, main}
}

/** In the form, fields that do not apply to the kind chosen are hidden by the style, and left out when they are sent. */
export function faultList(visit: Visit): View {
  const rows = visit.service.faults.map(({operation, kind, left, times, ...more}) => ({
    Operation: code(operation),
    Kind: code(kind),
    Left: `${left} of ${times}`,
    More: html`${Object.entries(more).map(([name, value]) => html`<div>${code(`${name} ${value}`)}</div>`)}`,
  }))
  const active = html`${list(visit, {caption: 'Faults', rows, empty: nothing('No active faults.')})}
${rows.length > 0 && button('/ui/faults/clear', 'Remove all', {}, 'danger')}`
  const choices = Object.entries(FAULT_KINDS).map(
    ([kind, {meaning}], index) => html`
<label class="choice"><input type="radio" name="kind" value="${kind}"${index === 0 && html` checked`}><span>${code(kind)} ${meaning}</span></label>`,
  )
  const forKinds = (name: string) => FAULT_KIND_NAMES.filter(kind => faultField(kind, name)).join(' ')
  const number = (name: keyof typeof FAULT_NUMBERS, label: string) =>
    html`<label${name !== 'times' && html` data-for="${forKinds(name)}"`}>${label}<input type="number" name="${name}" min="${FAULT_NUMBERS[name].min}" max="${FAULT_NUMBERS[name].max}"></label>`
  const form = html`<p>The next requests of the operation hit the fault, whatever their answer would be. Faults apply in the order they were injected.</p>
<form method="post" action="/ui/faults">
<fieldset><legend>Kind</legend>${choices}</fieldset>
<div class="actions">
${select('operation', 'Operation', FAULT_OPERATIONS, '*')}
${number('times', 'Times (default 1)')}
${number('status', 'Status')}
${number('retry_after', 'Retry-After in s')}
${number('latency_ms', 'Delay in ms')}
<div data-for="${forKinds('code')}">${select('code', 'Error code', Object.keys(ERROR_CODES), null, 'default of the status')}</div>
<button class="strong">Inject</button></div></form>`
  return {
    title: 'Faults',
    main: html`${card('active', 'Active', active)}${card('inject', 'Inject a fault', form)}`,
  }
}
