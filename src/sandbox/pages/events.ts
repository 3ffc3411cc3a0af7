/** `/ui/events` and `/ui/events/{id}`: what happened, as it is sent to subscribers (§2.8). */
import {EVENT_TYPE_NAMES} from '../../contract/events.js'
import {Refusal} from '../base/answers.js'
import {browseDeliveries, browseEvents, findListedEvent, type ListedEvent} from '../store/browse.js'
import {eventWithOrigin} from '../store/events.js'
import {deliveryTable} from './deliveries.js'
import {filterForm, filterOf, pager, pagingOf, type View, type Visit} from './layout.js'
import {
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
  table,
  time,
} from './parts.js'

export function eventList(visit: Visit): View {
  const type = filterOf(visit, 'type')
  const found = browseEvents(visit.service.database, {type, reservationRef: null}, pagingOf(visit))
  return {
    title: 'Events',
    main: html`<section class="card" aria-label="Events">
${filterForm(visit, [select('type', 'Type', EVENT_TYPE_NAMES, type, 'any')])}
${eventTable(visit, found.items) ?? nothing('No events. A reservation that is confirmed, declined or cancelled causes some:', 'bookctl reserve')}
${pager(visit, found)}</section>`,
  }
}

export function eventDetail(visit: Visit): View {
  const {database} = visit.service
  const found = findListedEvent(database, visit.parameters.event_id ?? '')
  if (!found) throw new Refusal('not_found', 'event not found')
  const {event, clientId} = found
  const filter = {status: null, subscriptionId: null, eventId: event.id}
  const deliveries = browseDeliveries(database, filter, pagingOf(visit))
  return {
    title: html`Event ${code(event.id)}`,
    tab: event.id,
    main: html`<section class="card" aria-labelledby="facts"><h2 id="facts">Event</h2>
${facts([
  ['Type', code(event.type)],
  ['Created', time(event.created, visit.now)],
  ['Client', code(clientId)],
  ['Reservation', reservationLink(event.data)],
])}</section>
<section class="card" aria-labelledby="deliveries"><h2 id="deliveries">Deliveries</h2>
${deliveryTable(visit, deliveries.items) ?? nothing('No subscribers: no active subscription listed this type at that time.')}
${pager(visit, deliveries)}</section>
<section class="card" aria-labelledby="body"><h2 id="body">Body</h2>${jsonText(eventWithOrigin(event, visit.origin))}</section>`,
  }
}

/** Null when there is none. */
export function eventTable({now}: Visit, found: readonly ListedEvent[]): Piece | null {
  if (found.length === 0) return null
  const rows = found.map(({event, deliveries, delivered}) => [
    linkToOne('events', event.id),
    identifier(event.type),
    reservationLink(event.data),
    deliveries === 0
      ? html`<span class="soft">no subscriber</span>`
      : html`${delivered} of ${deliveries} delivered`,
    time(event.created, now),
  ])
  return table('Events', ['Event', 'Type', 'Reservation', 'Deliveries', 'Created'], rows)
}

function reservationLink({reservation_ref, test}: Record<string, unknown>): Piece {
  if (typeof reservation_ref !== 'string') return html`<span class="soft">–</span>`
  return test === true ? shown(reservation_ref) : linkToOne('reservations', reservation_ref)
}
