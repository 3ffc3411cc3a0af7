/**
 * The pages of the dashboard. `/` shows how to connect, the clock, the clients, the latest records and the reset
 * button. There is a list for each of reservations, ledgers, events, deliveries, subscriptions, requests and faults,
 * and a page for most records. No page shows a signing secret or a whole identity number.
 */
import {html} from 'hono/html'
import {ERROR_CODES} from '../../contract/error-codes.js'
import {EVENT_TYPE_NAMES, RESERVATION_STATUSES} from '../../contract/events.js'
import {DELIVERY_ATTEMPTS, VOUCHER_LINK_VALIDITY_SECONDS} from '../../contract/limits.js'
import {fromMinor, moneyText} from '../../contract/money.js'
import type {Reservation} from '../../contract/reservations.js'
import {notFound, Refusal} from '../base/answers.js'
import {counted, dateInWords, fullName, instantAsWritten, maskIdentity, occupancy} from '../base/wording.js'
import {clientNamed, requireRequest} from '../controls/controls.js'
import {FAULT_KIND_NAMES, FAULT_KINDS, FAULT_NUMBERS, FAULT_OPERATIONS, faultField} from '../http/faults.js'
import {API_PATH, KEPT_REQUESTS, type LoggedRequest} from '../http/requests.js'
import {listClients, MAIN_CLIENT, startUpSecret} from '../store/clients.js'
import {listEntries, openingBalance} from '../store/ledger.js'
import * as reservations from '../store/reservations.js'
import {signVoucherLink} from '../store/sealed-ids-and-links.js'
import * as webhooks from '../store/webhooks.js'
import type {Piece, View, Visit} from './components.js'
import * as ui from './components.js'

const LATEST = {after: null, limit: 5}

/**
 * Useful steps of the clock: a minute; slightly more than the lifetime of an offer; the lifetimes of a voucher link and
 * of a token; the last delay of §6.4; a day.
 */
const STEPS = {'+1 min': 60, '+16 min': 960, '+1 h': 3600, '+2 h': 7200, '+8 h': 28_800, '+24 h': 86_400}

export const CLOCK_UNITS: Record<string, number> = {seconds: 1, minutes: 60, hours: 3600, days: 86_400}

export function overview(visit: Visit): View {
  const {path, origin, service} = visit
  const {database, requests} = service
  const latest = (name: string, rows: ui.ListContent['rows']) => {
    const caption = `Latest ${name}`
    const all = rows.length > 0 && html`<p>${ui.link(name, undefined, `All ${name}`)}</p>`
    return ui.card(
      name,
      caption,
      html`${ui.list(visit, {caption, rows, empty: ui.nothing(`No ${name} yet.`)})}${all}`,
    )
  }
  const baseUrl = origin + API_PATH
  const id = MAIN_CLIENT
  const secret = startUpSecret(id)
  const credentials = ui.facts({
    'Base URL': ui.copied(baseUrl, 'the base URL'),
    'Client id': ui.copied(id, 'the client id'),
    'Client secret': ui.copied(secret, 'the client secret'),
    'In a terminal': ui.copied('eval "$(bookctl sandbox env)"', 'the command'),
  })
  const connect = html`${credentials}
<p>Or in any other shell:</p>
<pre tabindex="0" aria-label="Lines for a shell"><code>export BOOKCTL_BASE_URL=${baseUrl}
export BOOKCTL_CLIENT_ID=${id}
export BOOKCTL_CLIENT_SECRET=${secret}</code></pre>
<p><a href="/openapi.json">OpenAPI description</a> <span class="soft">Every local sandbox starts with these credentials; they are not secret.</span></p>`
  const steps = Object.entries(STEPS).map(([text, seconds]) => ui.moveButton(visit, text, seconds))
  const clock = html`<div class="actions">${steps}</div>
<form method="post" action="/ui/clock" class="actions"><input type="hidden" name="back" value="${path}">
<label>Advance by<input type="number" name="amount" min="0" step="any" required inputmode="decimal"></label>
${ui.select('unit', 'Unit', Object.keys(CLOCK_UNITS), 'minutes')}<button>Advance</button></form>
<p class="soft">Advancing the clock runs everything that falls due, each at its own time: offers and tokens expire, payments run out,
events are sent again. The clock only moves forward.</p>`
  const clients = listClients(database).map(({client_id, name, balance_minor, currency, scopes}) => ({
    Client: html`${ui.code(client_id)}<br><span class="soft">${ui.shown(name)}</span><br>${ui.clientLink('certificate', client_id, 'its certificate')}`,
    Secret: ui.copied(startUpSecret(client_id), `the secret of ${client_id}`),
    Balance: ui.clientLink(
      'ledger',
      client_id,
      ui.price(fromMinor(BigInt(balance_minor), currency), currency),
    ),
    Credit: ui.price(fromMinor(0n, currency), currency),
    Scopes: ui.soft(scopes),
  }))
  const reset = html`
<details><summary>Reset the sandbox</summary>
<p>Deletes all reservations, events, deliveries, subscriptions, tokens and faults, and sets the clock back. This cannot be undone.</p>
${ui.button('/ui/reset', 'Delete everything', {}, 'danger')}</details>`
  const main = html`${latest('reservations', reservationRows(visit, reservations.listReservations(database, {}, LATEST).items))}
${latest('requests', requestRows(visit, requests.slice(-LATEST.limit).reverse()))}
<div class="pair">${ui.card('where', 'Connect', connect)}${ui.card('clock', 'Advance the clock', clock)}</div>
${latest('events', eventRows(visit, webhooks.listEvents(database, {}, LATEST).items))}
${latest('deliveries', deliveryRows(visit, webhooks.listDeliveries(database, {}, LATEST).items))}
${ui.card('clients', 'Clients', ui.list(visit, {caption: 'Clients', rows: clients}))}
${ui.card('reset', 'Reset', reset)}`
  return {title: 'Overview', main}
}

const FIRST_STEP =
  'bookctl hotels search --city 101 --check-in 2030-06-01 --nights 3 --room 2 --nationality TR'
const LISTEN = 'bookctl webhooks listen --subscribe'

export function reservationList(visit: Visit): View {
  const wanted = ui.filterOf(visit, 'status')
  const search = ui.filterOf(visit, 'search')
  const {items, next} = reservations.listReservations(
    visit.service.database,
    {status: wanted, search},
    ui.pagingOf(visit),
  )
  const filters = [
    html`<label>Reference or name<input type="search" name="search" value="${search ?? ''}" maxlength="200"></label>`,
    ui.select('status', 'Status', RESERVATION_STATUSES, wanted, 'any'),
  ]
  const none = ui.nothing('No reservations yet. Search for an offer, then book it:', FIRST_STEP)
  const empty = wanted === null && search === null ? none : ui.nothing('No reservations match.')
  return ui.listView(visit, {
    caption: 'Reservations',
    rows: reservationRows(visit, items),
    empty,
    filters,
    next,
  })
}

function reservationRows({now}: Visit, found: readonly reservations.StoredReservation[]) {
  return found.map(({record}) => ({
    Reservation: html`${ui.link('reservations', record.reservation_ref)}<br><span class="soft">${ui.brief(record.client_reference_id)}</span>`,
    Status: ui.status(record.status),
    'Lead guest': ui.brief(fullName(record.guests.find(guest => guest.is_lead) ?? record.contact)),
    Hotel: html`${ui.brief(record.hotel.name)}<br><span class="soft">${ui.brief(record.hotel.city.name)}</span>`,
    'Check-in': html`<span class="nowrap">${record.check_in}</span> <span class="soft nowrap">${counted(record.nights, 'night')}</span>`,
    Price: ui.price(record.price.total, record.price.currency),
    Created: ui.time(record.created_at, now),
  }))
}

/** Shows the ledger of one client, newest entry first. */
export function ledger(visit: Visit): View {
  const {database} = visit.service
  const client = clientNamed(database, ui.filterOf(visit, 'client') ?? MAIN_CLIENT)
  const {client_id, currency, balance_minor} = client
  const {items, next} = listEntries(database, client, ui.pagingOf(visit))
  const rows = items.map(({at, kind, reservation_ref, amount, balance}) => ({
    Entry: html`${ui.shown(kind)}<br>${ui.time(at, visit.now)}`,
    Reservation: reservationLink(visit, {reservation_ref}),
    Amount: ui.price(amount, currency),
    Balance: ui.price(balance, currency),
  }))
  const list = ui.list(visit, {
    caption: 'Ledger',
    rows,
    empty: ui.nothing('No entries. The first is a reservation that the account pays:', FIRST_STEP),
    next,
  })
  const account = ui.facts({
    Client: ui.code(client_id),
    Balance: ui.price(fromMinor(BigInt(balance_minor), currency), currency),
    'Opening balance': ui.price(openingBalance(database, client), currency),
    'Other clients': ui.otherClients(visit, 'ledger', client_id),
  })
  const main = html`${ui.card('account', 'Account', account)}
${ui.card('entries', 'Bookings, refunds and fees', list)}`
  return {title: 'Ledger', main}
}

export function reservationDetail(visit: Visit): View {
  const {now, service, parameters} = visit
  const {record, clientId} = reservations.requireReservation(
    service.database,
    parameters.reservation_ref ?? '',
  )
  const {hotel, contact, cancellation, payment} = record
  const {total, base, taxes, currency, due_at_property} = record.price
  const rooms = record.rooms.map(
    room => html`<div>${ui.shown(room.room_name)}, ${occupancy([room])}, ${ui.shown(room.board.name)}</div>`,
  )
  const stay = ui.facts({
    Hotel: html`${ui.shown(hotel.name)} ${ui.soft(counted(hotel.stars, 'star'))}`,
    Address: html`${ui.shown(hotel.address)}, ${ui.shown(hotel.city.name)}, ${hotel.country_code}`,
    'Check-in': dateInWords(record.check_in),
    'Check-out': html`${dateInWords(record.check_out)} ${ui.soft(counted(record.nights, 'night'))}`,
    Rooms: html`${rooms}`,
    Nationality: record.client_nationality,
    Remarks: record.remarks === null ? ui.soft('none') : ui.shown(record.remarks),
  })
  const phone = `${contact.phone_country_code} ${contact.phone_number}`
  const booking = ui.facts({
    Status: ui.status(record.status),
    Client: ui.code(clientId),
    'Partner reference': ui.code(record.client_reference_id),
    'Hotel confirmation': record.hotel_confirmation_number ? ui.code(record.hotel_confirmation_number) : '–',
    Offer: ui.code(record.offer_id),
    Contact: html`${ui.shown(fullName(contact))}<br>${ui.shown(contact.email)}<br>${ui.shown(phone)}`,
    Created: ui.time(record.created_at, now),
    Updated: ui.time(record.updated_at, now),
    Confirmed: ui.time(record.confirmed_at, now),
    ...(cancellation && {
      Ended: html`${ui.time(cancellation.cancelled_at, now)} ${ui.shown(cancellation.reason)}`,
      Fee: moneyText(cancellation.fee, cancellation.currency),
      Refund: moneyText(cancellation.refund_amount, cancellation.currency),
    }),
  })
  const guests = record.guests.map(guest => ({
    Name: html`${ui.shown(fullName(guest))} ${guest.is_lead && ui.soft('lead')}`,
    Type: ui.shown(guest.type),
    Born: ui.shown(guest.birth_date ?? '–'),
    Gender: ui.shown(guest.gender ?? '–'),
    Nationality: ui.shown(guest.nationality ?? '–'),
    Identity: guest.identity
      ? ui.shown(`${guest.identity.type} ${maskIdentity(guest.identity.number)}`)
      : '–',
  }))
  const line = (what: Piece | string, fee: {amount: string; currency: string}) =>
    html`<div>${what}: ${moneyText(fee.amount, fee.currency)}</div>`
  const due = due_at_property.map(each => line(ui.shown(each.description), each))
  const fees = record.cancellation_policies.map(each => line(`from ${instantAsWritten(each.from)}`, each))
  const prices = ui.facts({
    Total: html`<strong class="money">${moneyText(total, currency)}</strong>`,
    Base: moneyText(base, currency),
    Taxes: moneyText(taxes, currency),
    'Due at the hotel': due.length > 0 ? html`${due}` : 'nothing',
    'Cancellation fees': fees.length > 0 ? html`${fees}` : 'nothing',
  })
  const paid = ui.facts({
    Mode: payment.mode,
    Status: ui.status(payment.status),
    Amount: ui.price(payment.amount, payment.currency),
    ...(payment.charged && {
      Charged: html`${ui.price(payment.charged.amount, payment.charged.currency)} ${ui.soft(`at the rate ${payment.charged.rate}`)}`,
    }),
    ...(payment.mode === 'account' && {Account: ui.clientLink('ledger', clientId, 'its ledger')}),
    'Pay by': ui.time(payment.expires_at, now),
    Paid: ui.time(payment.paid_at, now),
    ...(payment.failure_code !== null && {Failure: ui.code(payment.failure_code)}),
  })
  const filter = {reservationRef: record.reservation_ref}
  const {items, next} = webhooks.listEvents(service.database, filter, ui.pagingOf(visit))
  const empty = ui.nothing(
    'No events yet. The first comes when the reservation is paid, declined or expires.',
  )
  const events = ui.list(visit, {caption: 'Events', rows: eventRows(visit, items), empty, next})
  const main = html`${actionsOn(visit, record)}
<div class="pair">${ui.card('stay', 'Stay', stay)}${ui.card('booking', 'Booking', booking)}</div>
${ui.card('guests', 'Guests', ui.list(visit, {caption: 'Guests', rows: guests}))}
<div class="pair">${ui.card('price', 'Price', prices)}${ui.card('payment', 'Payment', paid)}</div>
${ui.card('events', 'Events', events)}`
  return {title: 'Reservation', id: record.reservation_ref, main}
}

/** Shows what a test customer can do with a reservation: open the voucher, or pay. */
function actionsOn(visit: Visit, {payment, reservation_ref, status, created_at}: Reservation) {
  if (status === 'CONFIRMED') {
    const {path} = signVoucherLink(visit.service.database, reservation_ref, visit.now)
    const validity = `the link is valid for ${VOUCHER_LINK_VALIDITY_SECONDS / 60} minutes`
    const opened = html`<p><a href="${path}">Open the voucher (PDF)</a> ${ui.soft(validity)}</p>`
    return ui.card('do', 'Voucher', opened)
  }
  if (status !== 'PENDING_PAYMENT') return undefined
  const action = `${ui.pathOf('reservations', reservation_ref)}/payment`
  const left = Math.ceil(Date.parse(payment.expires_at ?? created_at) / 1000 - visit.now)
  const choices = html`
<p>Pay by ${ui.time(payment.expires_at, visit.now)}, as the customer does on the <a href="${payment.url}">payment page</a>, or here:</p>
<div class="actions">${ui.button(action, `Pay ${moneyText(payment.amount, payment.currency)}`, {result: 'paid'}, 'strong')}
${ui.button(action, 'Decline the payment', {result: 'failed'}, 'danger')}
${ui.moveButton(visit, 'Let the payment expire', Math.max(left, 0))}</div>`
  return ui.card('do', 'Waiting for payment', choices)
}

export function eventList(visit: Visit): View {
  const type = ui.filterOf(visit, 'type')
  const {items, next} = webhooks.listEvents(visit.service.database, {type}, ui.pagingOf(visit))
  const hint = 'No events. A reservation that is confirmed, declined or cancelled causes some:'
  const filters = [ui.select('type', 'Type', EVENT_TYPE_NAMES, type, 'any')]
  const empty = ui.nothing(hint, 'bookctl reserve')
  return ui.listView(visit, {caption: 'Events', rows: eventRows(visit, items), empty, filters, next})
}

function eventRows(visit: Visit, found: readonly webhooks.ListedEvent[]) {
  return found.map(({event, deliveries, delivered}) => ({
    Event: ui.link('events', event.id),
    Type: ui.code(event.type),
    Reservation: reservationLink(visit, event.data),
    Deliveries: deliveries === 0 ? ui.soft('no subscriber') : `${delivered} of ${deliveries} delivered`,
    Created: ui.time(event.created, visit.now),
  }))
}

/** Links to the reservation of an event. The reservation of a test event or a triggered event may not exist. */
function reservationLink({service}: Visit, {reservation_ref}: Record<string, unknown>): Piece {
  if (typeof reservation_ref !== 'string') return ui.soft('–')
  const exists = reservations.findReservation(service.database, 'reservation_ref', reservation_ref)
  return exists ? ui.link('reservations', reservation_ref) : ui.shown(reservation_ref)
}

export function eventDetail(visit: Visit): View {
  const {database} = visit.service
  const found = webhooks.findEvent(database, visit.parameters.event_id ?? '')
  if (!found) throw new Refusal('not_found', 'event not found')
  const {event, clientId} = found
  const {items, next} = webhooks.listDeliveries(database, {eventId: event.id}, ui.pagingOf(visit))
  const empty = ui.nothing('No subscribers: no active subscription listed this type at that time.')
  const deliveries = ui.list(visit, {caption: 'Deliveries', rows: deliveryRows(visit, items), empty, next})
  const eventFacts = ui.facts({
    Type: ui.code(event.type),
    Created: ui.time(event.created, visit.now),
    Client: ui.code(clientId),
    Reservation: reservationLink(visit, event.data),
  })
  const main = html`${ui.card('facts', 'Event', eventFacts)}
${ui.card('deliveries', 'Deliveries', deliveries)}
${ui.card('body', 'Body', ui.jsonText(webhooks.eventWithOrigin(event, visit.origin)))}`
  return {title: 'Event', id: event.id, main}
}

const DELETED = 'the subscription is gone'

export function deliveryList(visit: Visit): View {
  const wanted = ui.filterOf(visit, 'status')
  const subscriptionId = ui.filterOf(visit, 'subscription')
  const reservationRef = ui.filterOf(visit, 'reservation')
  const filter = {status: wanted, subscriptionId, reservationRef}
  const {items, next} = webhooks.listDeliveries(visit.service.database, filter, ui.pagingOf(visit))
  const filters = [
    ui.select('status', 'Status', ['PENDING', 'DELIVERED', 'ABANDONED'], wanted, 'any'),
    html`<label>Subscription<input type="search" name="subscription" value="${subscriptionId ?? ''}" maxlength="100" placeholder="whsub_…"></label>`,
    html`<label>Reservation<input type="search" name="reservation" value="${reservationRef ?? ''}" maxlength="100" placeholder="RSV-…"></label>`,
  ]
  const empty = ui.nothing('No deliveries. To receive the next event:', LISTEN)
  return ui.listView(visit, {caption: 'Deliveries', rows: deliveryRows(visit, items), empty, filters, next})
}

function deliveryRows(visit: Visit, found: readonly webhooks.ListedDelivery[]) {
  return found.map(({delivery, url}) => {
    const error = delivery.attempts.at(-1)?.error
    const lastError = error && html`<br><span class="soft">${ui.brief(error)}</span>`
    return {
      'Delivery and event': html`${ui.link('deliveries', delivery.delivery_id)}<br>${ui.link('events', delivery.event_id)}`,
      Type: ui.code(delivery.type),
      Reservation: reservationLink(visit, delivery),
      Status: ui.status(delivery.status),
      Attempts: html`${counted(delivery.attempts.length, 'attempt')}${lastError}`,
      'Sent to': url === null ? ui.soft(DELETED) : ui.address(url, 20),
      'Next attempt': ui.time(delivery.next_attempt_at, visit.now),
    }
  })
}

export function deliveryDetail(visit: Visit): View {
  const id = visit.parameters.delivery_id ?? ''
  const found = webhooks.findDelivery(visit.service.database, id)
  if (!found) throw notFound('delivery', id)
  const {delivery, url, active} = found
  const next = delivery.next_attempt_at
  const number = `number ${delivery.attempts.length + 1} of ${DELIVERY_ATTEMPTS}`
  const due = active
    ? html`${number}, ${ui.time(next, visit.now)}`
    : ui.soft('waiting: the subscription is passive')
  const deliveryFacts = ui.facts({
    Status: ui.status(delivery.status),
    Event: html`${ui.link('events', delivery.event_id)} ${ui.code(delivery.type)}`,
    Reservation: reservationLink(visit, delivery),
    Subscription: ui.code(delivery.subscription_id),
    'Sent to': url === null ? ui.soft(DELETED) : ui.code(url),
    'Next attempt': next === null ? 'none' : due,
  })
  const attempts = delivery.attempts.map(({n, at, status, ms, error}) => ({
    Attempt: n,
    Time: ui.time(at, visit.now),
    Response: ui.httpStatus(status),
    Duration: ms === null ? '–' : html`<span class="nowrap">${ms} ms</span>`,
    Error: error === null ? ui.soft('none') : ui.shown(error),
  }))
  const empty = ui.nothing('No attempts yet.')
  const wait = next === null ? 0 : Math.ceil(Date.parse(next) / 1000 - visit.now)
  const again = html`
<div class="actions">${ui.button(`${ui.pathOf('deliveries', id)}/redeliver`, 'Deliver again now', {}, 'strong')}
${active && wait > 0 && ui.moveButton(visit, 'Advance the clock to the next attempt', wait)}</div>`
  const main = html`${ui.card('facts', 'Delivery', deliveryFacts)}
${ui.card('attempts', 'Attempts', ui.list(visit, {caption: 'Attempts', rows: attempts, empty}))}
${url !== null && ui.card('do', 'Send again', again)}`
  return {title: 'Delivery', id, main}
}

export function subscriptionList(visit: Visit): View {
  const {items, next} = webhooks.listSubscriptions(visit.service.database, ui.pagingOf(visit))
  const rows = items.map(({subscription: {id, is_active, url, events}, clientId}) => ({
    Subscription: html`${ui.code(id)}<br><a href="/ui/deliveries?subscription=${encodeURIComponent(id)}">its deliveries</a>`,
    Status: ui.status(is_active ? 'active' : 'passive'),
    Address: ui.address(url),
    Events: html`${events.map(type => html`<div>${ui.shown(type)}</div>`)}`,
    Client: ui.code(clientId),
  }))
  const empty = ui.nothing('No subscriptions. To receive events:', LISTEN)
  return ui.listView(visit, {caption: 'Subscriptions', rows, empty, next})
}

const OUTCOMES = ['succeeded', 'refused', 'failed', 'not answered']

function outcomeOf(status: number | null): string {
  if (status === null) return 'not answered'
  if (status >= 500) return 'failed'
  return status >= 400 ? 'refused' : 'succeeded'
}

export function requestList(visit: Visit): View {
  const operation = ui.filterOf(visit, 'operation')
  const outcome = ui.filterOf(visit, 'outcome')
  const found = visit.service.requests.filter(
    request =>
      (operation === null || request.operation === operation) &&
      (!OUTCOMES.includes(outcome ?? '') || outcomeOf(request.status) === outcome),
  )
  // The newest requests are shown first. `before` counts from the oldest request, so that a page keeps showing the same
  // requests while new ones arrive.
  const end = Math.min(ui.pagingOf(visit).after ?? found.length, found.length)
  const start = Math.max(end - ui.PAGE_SIZE, 0)
  const rows = requestRows(visit, found.slice(start, end).reverse())
  const filters = [
    ui.select('operation', 'Operation', FAULT_OPERATIONS.slice(1), operation, 'any'),
    ui.select('outcome', 'Outcome', OUTCOMES, outcome, 'any'),
  ]
  const empty = ui.nothing('No matching requests. To send one:', 'bookctl account')
  return ui.listView(visit, {caption: 'Requests', rows, empty, filters, next: start > 0 ? start : null})
}

function requestRows({now}: Visit, found: readonly LoggedRequest[]) {
  return found.map(request => ({
    Request: ui.link('requests', request.request_id, ui.address(`${request.method} ${request.path}`)),
    Operation: request.operation === null ? ui.soft('none') : ui.code(request.operation),
    Response: ui.httpStatus(request.status),
    Received: ui.time(request.at, now),
  }))
}

export function requestDetail(visit: Visit): View {
  const found = requireRequest(visit.service, visit.parameters.request_id ?? '')
  const {answer} = found
  const headers = Object.entries(found.headers ?? {}).map(([name, value]) => ({
    Name: ui.code(name),
    Value: ui.shown(value),
  }))
  const requestFacts = ui.facts({
    Sent: ui.address(`${found.method} ${found.path}`),
    Client: found.client_id === null ? ui.soft('unknown') : ui.code(found.client_id),
    Operation: found.operation === null ? ui.soft('none') : ui.code(found.operation),
    Response: ui.httpStatus(found.status),
    Received: ui.time(found.at, visit.now),
  })
  const notKept = found.headers === null && `Not kept: only the last ${KEPT_REQUESTS} requests have it.`
  const empty = ui.nothing(notKept || 'None logged.')
  const noBody = ui.nothing(notKept || 'No JSON body.')
  const main = html`${ui.card('facts', 'Request', requestFacts)}
${ui.card('headers', 'Headers', ui.list(visit, {caption: 'Headers', rows: headers, empty}))}
${ui.card('body', 'Body', found.body === null ? noBody : ui.jsonText(found.body))}
${ui.card('answer', 'Answer', answer === null ? noBody : ui.jsonText(answer))}`
  return {title: 'Request', id: found.request_id, main}
}

/**
 * Shows the active faults and a form to inject one. The style sheet hides fields that do not apply to the chosen kind;
 * the form's action ignores them.
 */
export function faultList(visit: Visit): View {
  const rows = visit.service.faults.map(({operation, kind, left, times, ...more}) => ({
    Operation: ui.code(operation),
    Kind: ui.code(kind),
    Left: `${left} of ${times}`,
    More: html`${Object.entries(more).map(([name, value]) => html`<div>${ui.code(`${name} ${value}`)}</div>`)}`,
  }))
  const active = html`${ui.list(visit, {caption: 'Faults', rows, empty: ui.nothing('No active faults.')})}
${rows.length > 0 && ui.button('/ui/faults/clear', 'Remove all', {}, 'danger')}`
  const choices = Object.entries(FAULT_KINDS).map(
    ([kind, {meaning}], index) => html`
<label class="choice"><input type="radio" name="kind" value="${kind}"${index === 0 && html` checked`}><span>${ui.code(kind)} ${meaning}</span></label>`,
  )
  const forKinds = (name: string) => FAULT_KIND_NAMES.filter(kind => faultField(kind, name)).join(' ')
  const number = (name: keyof typeof FAULT_NUMBERS, label: string) =>
    html`<label${name !== 'times' && html` data-for="${forKinds(name)}"`}>${label}<input type="number" name="${name}" min="${FAULT_NUMBERS[name].min}" max="${FAULT_NUMBERS[name].max}"></label>`
  const form = html`<p>The next requests of the operation hit the fault, whatever their answer would be. Faults apply in the order they were injected.</p>
<form method="post" action="/ui/faults">
<fieldset><legend>Kind</legend>${choices}</fieldset>
<div class="actions">
${ui.select('operation', 'Operation', FAULT_OPERATIONS, '*')}
${number('times', 'Times (default 1)')}
${number('status', 'Status')}
${number('retry_after', 'Retry-After in s')}
${number('latency_ms', 'Delay in ms')}
<div data-for="${forKinds('code')}">${ui.select('code', 'Error code', Object.keys(ERROR_CODES), null, 'default of the status')}</div>
<button class="strong">Inject</button></div></form>`
  return {
    title: 'Faults',
    main: html`${ui.card('active', 'Active', active)}${ui.card('inject', 'Inject a fault', form)}`,
  }
}
