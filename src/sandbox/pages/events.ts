/** `/ui/events` and `/ui/events/{id}`: events as they are sent to subscribers (§2.8). */
import {EVENT_TYPE_NAMES} from '../../contract/events.js'
import {Refusal} from '../base/answers.js'
import {listDeliveries} from '../store/deliveries.js'
import {eventWithOrigin, findEvent, type ListedEvent, listEvents} from '../store/events.js'
import {deliveryTable} from './deliveries.js'
import {detailView, filterOf, listView, pager, pagingOf, type View, type Visit} from './layout.js'
import {
  card,
  code,
  facts,
  html,
  identifier,
  jsonText,
  linkToOne,
  nothing,
  type Piece,
  select,
  shown,
  soft,
  table,
  time,
} from './parts.js'

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
  const eventFacts = facts([
    ['Type', code(event.type)],
    ['Created', time(event.created, visit.now)],
    ['Client', code(clientId)],
    ['Reservation', reservationLink(event.data)],
  ])
  const main = html`${card('facts', 'Event', eventFacts)}
${card('deliveries', 'Deliveries', html`${deliveryTable(visit, deliveries.items, none)}${pager(visit, deliveries)}`)}
${card('body', 'Body', jsonText(eventWithOrigin(event, visit.origin)))}`
  return detailView('Event', event.id, main)
}

export function eventTable({now}: Visit, found: readonly ListedEvent[], empty?: Piece): Piece {
  const rows = found.map(({event, deliveries, delivered}) => [
    linkToOne('events', event.id),
    identifier(event.type),
    reservationLink(event.data),
    deliveries === 0 ? soft('no subscriber') : html`${delivered} of ${deliveries} delivered`,
    time(event.created, now),
  ])
  return table('Events', ['Event', 'Type', 'Reservation', 'Deliveries', 'Created'], rows, empty)
}

function reservationLink({reservation_ref, test}: Record<string, unknown>): Piece {
  if (typeof reservation_ref !== 'string') return soft('–')
  return test === true ? shown(reservation_ref) : linkToOne('reservations', reservation_ref)
}
