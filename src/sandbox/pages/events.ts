/** `/ui/events`, `/ui/deliveries` and the page of each, `/ui/subscriptions`; none shows a signing secret. */
import {EVENT_TYPE_NAMES} from '../../contract/events.js'
import {DELIVERY_ATTEMPTS} from '../../contract/limits.js'
import {notFound, Refusal} from '../base/answers.js'
import {counted} from '../base/wording.js'
import {type Attempt, findDelivery, type ListedDelivery, listDeliveries} from '../store/deliveries.js'
import {eventWithOrigin, findEvent, type ListedEvent, listEvents} from '../store/events.js'
import {findReservation} from '../store/reservations.js'
import {listSubscriptions} from '../store/subscriptions.js'
import {detailView, filterOf, listView, moveButton, pager, pagingOf, type View, type Visit} from './layout.js'
import {
  address,
  brief,
  button,
  card,
  code,
  facts,
  html,
  httpStatus,
  identifier,
  jsonText,
  linkToOne,
  nothing,
  type Piece,
  pathOf,
  select,
  shown,
  soft,
  status,
  table,
  time,
} from './parts.js'

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
