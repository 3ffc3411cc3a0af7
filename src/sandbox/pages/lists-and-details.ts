/** A list and a page of each: reservations, events, deliveries, subscriptions, the last requests, and the faults injected into them. */

import {ERROR_CODES} from '../../contract/error-codes.js'
import {EVENT_TYPE_NAMES, RESERVATION_STATUSES} from '../../contract/events.js'
import {DELIVERY_ATTEMPTS, VOUCHER_LINK_VALIDITY_SECONDS} from '../../contract/limits.js'
import {moneyText} from '../../contract/money.js'
import type {Guest, Reservation} from '../../contract/reservations.js'
import {notFound, Refusal} from '../base/answers.js'
import {counted, dateInWords, fullName, instantAsWritten, maskIdentity, occupancy} from '../base/wording.js'
import {FAULT_KIND_NAMES, FAULT_KINDS, FAULT_NUMBERS, FAULT_OPERATIONS, faultField} from '../http/faults.js'
import {KEPT_REQUESTS, type LoggedRequest} from '../http/requests.js'
import {type Attempt, findDelivery, type ListedDelivery, listDeliveries} from '../store/deliveries.js'
import {eventWithOrigin, findEvent, type ListedEvent, listEvents} from '../store/events.js'
import {
  findReservation,
  listReservations,
  requireReservation,
  type StoredReservation,
} from '../store/reservations.js'
import {signVoucherLink} from '../store/sealed-ids-and-links.js'
import {listSubscriptions} from '../store/subscriptions.js'
import {
  address,
  brief,
  button,
  card,
  code,
  detailView,
  facts,
  filterOf,
  html,
  httpStatus,
  identifier,
  jsonText,
  linkTo,
  linkToOne,
  listView,
  moveButton,
  nothing,
  PAGE_SIZE,
  type Piece,
  pager,
  pagingOf,
  pathOf,
  price,
  select,
  shown,
  soft,
  status,
  table,
  time,
  type View,
  type Visit,
  word,
} from './components.js'

const FIRST_STEP =
  'bookctl hotels search --city 101 --check-in 2030-06-01 --nights 3 --room 2 --nationality TR'

export function reservationList(visit: Visit): View {
  const wanted = filterOf(visit, 'status')
  const search = filterOf(visit, 'search')
  const found = listReservations(visit.service.database, {status: wanted, search}, pagingOf(visit))
  const filters = [
    html`<label>Reference or name<input type="search" name="search" value="${search ?? ''}" maxlength="200"></label>`,
    select('status', 'Status', RESERVATION_STATUSES, wanted, 'any'),
  ]
  const none =
    wanted === null && search === null
      ? nothing('No reservations yet. Search for an offer, then book it:', FIRST_STEP)
      : nothing('No reservations match.')
  return listView(visit, 'Reservations', filters, reservationTable(visit, found.items, none), found)
}

export function reservationTable({now}: Visit, found: readonly StoredReservation[], empty?: Piece): Piece {
  const rows = found.map(({record}) => ({
    Reservation: html`${linkToOne('reservations', record.reservation_ref)}<br><span class="soft">${brief(record.client_reference_id)}</span>`,
    Status: status(record.status),
    'Lead guest': brief(fullName(record.guests.find(guest => guest.is_lead) ?? record.contact)),
    Hotel: html`${brief(record.hotel.name)}<br><span class="soft">${brief(record.hotel.city.name)}</span>`,
    'Check-in': html`<span class="nowrap">${record.check_in}</span> <span class="soft nowrap">${counted(record.nights, 'night')}</span>`,
    Price: price(record.price.total, record.price.currency),
    Created: time(record.created_at, now),
  }))
  return table('Reservations', rows, empty)
}

export function reservationDetail(visit: Visit): View {
  const reference = visit.parameters.reservation_ref ?? ''
  const {record, clientId} = requireReservation(visit.service.database, reference)
  const filter = {reservationRef: record.reservation_ref}
  const events = listEvents(visit.service.database, filter, pagingOf(visit))
  const none = nothing('No events yet. The first comes when the reservation is paid, declined or expires.')
  const main = html`${actionsOn(visit, record)}
<div class="pair">
${card('stay', 'Stay', stay(record))}
${card('booking', 'Booking', booking(visit, record, clientId))}
</div>
${card('guests', 'Guests', guestTable(record.guests))}
<div class="pair">
${card('price', 'Price', priceFacts(record))}
${card('payment', 'Payment', paymentFacts(visit, record))}
</div>
${card('events', 'Events', html`${eventTable(visit, events.items, none)}${pager(visit, events)}`)}`
  return detailView('Reservation', record.reservation_ref, main)
}

function actionsOn(visit: Visit, record: Reservation): Piece {
  const {payment, reservation_ref} = record
  if (record.status === 'CONFIRMED') {
    const {path} = signVoucherLink(visit.service.database, reservation_ref, visit.now)
    const link = html`<p><a href="${path}">Open the voucher (PDF)</a> ${soft(`the link is valid for ${VOUCHER_LINK_VALIDITY_SECONDS / 60} minutes`)}</p>`
    return card('do', 'Voucher', link)
  }
  if (record.status !== 'PENDING_PAYMENT') return html``
  const action = `${pathOf(['reservations', reservation_ref])}/payment`
  const left = Math.ceil(Date.parse(payment.expires_at ?? record.created_at) / 1000 - visit.now)
  const choices = html`
<p>Pay by ${time(payment.expires_at, visit.now)}, as the customer does on the <a href="${payment.url ?? ''}">payment page</a>, or here:</p>
<div class="actions">${button(action, `Pay ${moneyText(payment.amount, payment.currency)}`, {result: 'paid'}, 'strong')}
${button(action, 'Decline the payment', {result: 'failed'}, 'danger')}
${moveButton(visit, 'Let the payment expire', Math.max(left, 0))}</div>`
  return card('do', 'Waiting for payment', choices)
}

function stay(record: Reservation): Piece {
  const {hotel} = record
  const rooms = record.rooms.map(
    room => html`<div>${shown(room.room_name)}, ${occupancy([room])}, ${shown(room.board.name)}</div>`,
  )
  return facts({
    Hotel: html`${shown(hotel.name)} ${soft(counted(hotel.stars, 'star'))}`,
    Address: html`${shown(hotel.address)}, ${shown(hotel.city.name)}, ${hotel.country_code}`,
    'Check-in': dateInWords(record.check_in),
    'Check-out': html`${dateInWords(record.check_out)} ${soft(counted(record.nights, 'night'))}`,
    Rooms: html`${rooms}`,
    Nationality: record.client_nationality,
    Remarks: record.remarks === null ? soft('none') : shown(record.remarks),
  })
}

function booking(visit: Visit, record: Reservation, clientId: string): Piece {
  const {contact, cancellation} = record
  const phone = `${contact.phone_country_code} ${contact.phone_number}`
  return facts({
    Status: status(record.status),
    Client: code(clientId),
    'Partner reference': code(record.client_reference_id),
    'Hotel confirmation': record.hotel_confirmation_number ? code(record.hotel_confirmation_number) : '–',
    Offer: code(record.offer_id),
    Contact: html`${shown(fullName(contact))}<br>${shown(contact.email)}<br>${shown(phone)}`,
    Created: time(record.created_at, visit.now),
    Updated: time(record.updated_at, visit.now),
    Confirmed: time(record.confirmed_at, visit.now),
    ...(cancellation && {
      Ended: html`${time(cancellation.cancelled_at, visit.now)} ${shown(cancellation.reason)}`,
      Fee: moneyText(cancellation.fee, cancellation.currency),
      Refund: moneyText(cancellation.refund_amount, cancellation.currency),
    }),
  })
}

function guestTable(guests: readonly Guest[]): Piece {
  const rows = guests.map(guest => ({
    Name: html`${shown(fullName(guest))} ${guest.is_lead ? soft('lead') : ''}`,
    Type: shown(guest.type),
    Born: word(guest.birth_date ?? '–'),
    Gender: word(guest.gender ?? '–'),
    Nationality: shown(guest.nationality ?? '–'),
    Identity: guest.identity ? word(`${guest.identity.type} ${maskIdentity(guest.identity.number)}`) : '–',
  }))
  return table('Guests', rows)
}

function priceFacts(record: Reservation): Piece {
  const {total, base, taxes, currency, due_at_property} = record.price
  const line = (what: Piece | string, fee: {amount: string; currency: string}) =>
    html`<div>${what}: ${moneyText(fee.amount, fee.currency)}</div>`
  const due = due_at_property.map(each => line(shown(each.description), each))
  const fees = record.cancellation_policies.map(each => line(`from ${instantAsWritten(each.from)}`, each))
  return facts({
    Total: html`<strong class="money">${moneyText(total, currency)}</strong>`,
    Base: moneyText(base, currency),
    Taxes: moneyText(taxes, currency),
    'Due at the hotel': due.length > 0 ? html`${due}` : 'nothing',
    'Cancellation fees': fees.length > 0 ? html`${fees}` : 'nothing',
  })
}

function paymentFacts(visit: Visit, {payment}: Reservation): Piece {
  return facts({
    Mode: payment.mode,
    Status: status(payment.status),
    Amount: price(payment.amount, payment.currency),
    'Pay by': time(payment.expires_at, visit.now),
    Paid: time(payment.paid_at, visit.now),
    ...(payment.failure_code !== null && {Failure: code(payment.failure_code)}),
  })
}

const STATUSES = ['PENDING', 'DELIVERED', 'ABANDONED']
const LISTEN = 'bookctl webhooks listen --subscribe'
const DELETED = 'the subscription is gone'

export function deliveryList(visit: Visit): View {
  const wanted = filterOf(visit, 'status')
  const subscriptionId = filterOf(visit, 'subscription')
  const found = listDeliveries(visit.service.database, {status: wanted, subscriptionId}, pagingOf(visit))
  const filters = [
    select('status', 'Status', STATUSES, wanted, 'any'),
    html`<label>Subscription<input type="search" name="subscription" value="${subscriptionId ?? ''}" maxlength="100" placeholder="whsub_…"></label>`,
  ]
  const none = nothing('No deliveries. To receive the next event:', LISTEN)
  return listView(visit, 'Deliveries', filters, deliveryTable(visit, found.items, none), found)
}

export function deliveryDetail(visit: Visit): View {
  const id = visit.parameters.delivery_id ?? ''
  const found = findDelivery(visit.service.database, id)
  if (!found) throw notFound('delivery', id)
  const {delivery, url} = found
  const deliveryFacts = facts({
    Status: status(delivery.status),
    Event: html`${linkToOne('events', delivery.event_id)} ${code(delivery.type)}`,
    Subscription: code(delivery.subscription_id),
    'Sent to': url === null ? soft(DELETED) : code(url),
    'Next attempt': delivery.next_attempt_at === null ? 'none' : nextAttempt(visit, found),
  })
  const main = html`${card('facts', 'Delivery', deliveryFacts)}
${card('attempts', 'Attempts', attemptTable(visit, delivery.attempts))}
${url === null ? '' : card('do', 'Send again', redeliver(visit, found))}`
  return detailView('Delivery', delivery.delivery_id, main)
}

function nextAttempt(visit: Visit, {delivery, active}: ListedDelivery): Piece {
  if (!active) return soft('waiting: the subscription is passive')
  return html`number ${delivery.attempts.length + 1} of ${DELIVERY_ATTEMPTS}, ${time(delivery.next_attempt_at, visit.now)}`
}

function redeliver(visit: Visit, {delivery, active}: ListedDelivery): Piece {
  const next = delivery.next_attempt_at
  const wait = next === null ? 0 : Math.ceil(Date.parse(next) / 1000 - visit.now)
  return html`
<div class="actions">${button(`${pathOf(['deliveries', delivery.delivery_id])}/redeliver`, 'Deliver again now', {}, 'strong')}
${active && wait > 0 ? moveButton(visit, 'Advance the clock to the next attempt', wait) : ''}</div>`
}

function attemptTable(visit: Visit, attempts: readonly Attempt[]): Piece {
  const rows = attempts.map(({n, at, status, ms, error}) => ({
    Attempt: n,
    Time: time(at, visit.now),
    Response: httpStatus(status),
    Duration: ms === null ? '–' : html`<span class="nowrap">${ms} ms</span>`,
    Error: error === null ? soft('none') : shown(error),
  }))
  return table('Attempts', rows, nothing('No attempts yet.'))
}

export function deliveryTable({now}: Visit, found: readonly ListedDelivery[], empty?: Piece): Piece {
  const rows = found.map(({delivery, url}) => {
    const error = delivery.attempts.at(-1)?.error
    const lastError = error ? html`<br><span class="soft">${brief(error)}</span>` : ''
    return {
      'Delivery and event': html`${linkToOne('deliveries', delivery.delivery_id)}<br>${linkToOne('events', delivery.event_id)}`,
      Type: identifier(delivery.type),
      Status: status(delivery.status),
      Attempts: html`${counted(delivery.attempts.length, 'attempt')}${lastError}`,
      'Sent to': url === null ? soft(DELETED) : address(url, 20),
      'Next attempt': time(delivery.next_attempt_at, now),
    }
  })
  return table('Deliveries', rows, empty)
}

export function subscriptionList(visit: Visit): View {
  const found = listSubscriptions(visit.service.database, pagingOf(visit))
  const rows = found.items.map(({subscription: {id, is_active, url, events}, clientId}) => ({
    Subscription: html`${identifier(id)}<br><a href="/ui/deliveries?subscription=${encodeURIComponent(id)}">its deliveries</a>`,
    Status: status(is_active ? 'active' : 'passive'),
    Address: address(url),
    Events: html`${events.map(type => html`<div>${shown(type)}</div>`)}`,
    Client: code(clientId),
  }))
  const none = nothing('No subscriptions. To receive events:', LISTEN)
  return listView(visit, 'Subscriptions', [], table('Subscriptions', rows, none), found)
}

export function eventList(visit: Visit): View {
  const type = filterOf(visit, 'type')
  const found = listEvents(visit.service.database, {type}, pagingOf(visit))
  const hint = 'No events. A reservation that is confirmed, declined or cancelled causes some:'
  const rows = eventTable(visit, found.items, nothing(hint, 'bookctl reserve'))
  return listView(visit, 'Events', [select('type', 'Type', EVENT_TYPE_NAMES, type, 'any')], rows, found)
}

export function eventDetail(visit: Visit): View {
  const {database} = visit.service
  const found = findEvent(database, visit.parameters.event_id ?? '')
  if (!found) throw new Refusal('not_found', 'event not found')
  const {event, clientId} = found
  const deliveries = listDeliveries(database, {eventId: event.id}, pagingOf(visit))
  const none = nothing('No subscribers: no active subscription listed this type at that time.')
  const eventFacts = facts({
    Type: code(event.type),
    Created: time(event.created, visit.now),
    Client: code(clientId),
    Reservation: reservationLink(visit, event.data),
  })
  const main = html`${card('facts', 'Event', eventFacts)}
${card('deliveries', 'Deliveries', html`${deliveryTable(visit, deliveries.items, none)}${pager(visit, deliveries)}`)}
${card('body', 'Body', jsonText(eventWithOrigin(event, visit.origin)))}`
  return detailView('Event', event.id, main)
}

export function eventTable(visit: Visit, found: readonly ListedEvent[], empty?: Piece): Piece {
  const rows = found.map(({event, deliveries, delivered}) => ({
    Event: linkToOne('events', event.id),
    Type: identifier(event.type),
    Reservation: reservationLink(visit, event.data),
    Deliveries: deliveries === 0 ? soft('no subscriber') : `${delivered} of ${deliveries} delivered`,
    Created: time(event.created, visit.now),
  }))
  return table('Events', rows, empty)
}

/** An event of a test, or one that was triggered, may be about no reservation. */
function reservationLink({service}: Visit, {reservation_ref}: Record<string, unknown>): Piece {
  if (typeof reservation_ref !== 'string') return soft('–')
  const exists = findReservation(service.database, 'reservation_ref', reservation_ref)
  return exists ? linkToOne('reservations', reservation_ref) : shown(reservation_ref)
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
  const items = found.slice(start, end).reverse()
  const filters = [
    select('operation', 'Operation', FAULT_OPERATIONS.slice(1), operation, 'any'),
    select('outcome', 'Outcome', OUTCOMES, outcome, 'any'),
  ]
  const none = nothing('No matching requests. To send one:', 'bookctl account')
  const next = start > 0 ? start : null
  return listView(visit, 'Requests', filters, requestTable(visit, items, none), {items, next})
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
    Operation: operationOf(found),
    Response: httpStatus(found.status),
    Received: time(found.at, visit.now),
  })
  const main = html`${card('facts', 'Request', requestFacts)}
${card('headers', 'Headers', table('Headers', headers, nothing('None logged.')))}
${card('body', 'Body', found.body === null ? nothing('No JSON body.') : jsonText(found.body))}`
  return detailView('Request', found.request_id, main)
}

export function requestTable({now}: Visit, found: readonly LoggedRequest[], empty?: Piece): Piece {
  const rows = found.map(request => ({
    Request: linkTo(['requests', request.request_id], address(`${request.method} ${request.path}`)),
    Operation: operationOf(request),
    Response: httpStatus(request.status),
    Received: time(request.at, now),
  }))
  return table('Requests', rows, empty)
}

function operationOf({operation}: LoggedRequest): Piece {
  return operation === null ? soft('none') : code(operation)
}

export function faultList({service}: Visit): View {
  const rows = service.faults.map(({operation, kind, left, times, ...more}) => ({
    Operation: code(operation),
    Kind: code(kind),
    Left: `${left} of ${times}`,
    More: html`${Object.entries(more).map(([name, value]) => html`<div>${code(`${name} ${value}`)}</div>`)}`,
  }))
  const active = html`${table('Faults', rows, nothing('No active faults.'))}
${rows.length > 0 ? button('/ui/faults/clear', 'Remove all', {}, 'danger') : ''}`
  const main = html`${card('active', 'Active', active)}${card('inject', 'Inject a fault', faultForm())}`
  return {title: 'Faults', main}
}

/** Fields that do not apply to the kind chosen are hidden by the style, and left out when they are sent. */
function faultForm(): Piece {
  const forKinds = (name: string) => FAULT_KIND_NAMES.filter(kind => faultField(kind, name)).join(' ')
  const number = (name: keyof typeof FAULT_NUMBERS, label: string) =>
    html`<label${name === 'times' ? '' : html` data-for="${forKinds(name)}"`}>${label}<input type="number" name="${name}" min="${FAULT_NUMBERS[name].min}" max="${FAULT_NUMBERS[name].max}"></label>`
  const choices = Object.entries(FAULT_KINDS).map(
    ([kind, [meaning]], n) => html`
<label class="choice"><input type="radio" name="kind" value="${kind}"${n === 0 ? html` checked` : ''}><span>${code(kind)} ${meaning}</span></label>`,
  )
  return html`<p>The next requests of the operation hit the fault, whatever their answer would be. Faults apply in the order they were injected.</p>
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
}
