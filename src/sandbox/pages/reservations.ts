/** `/ui/reservations`: the reservations of all clients. */
import {RESERVATION_STATUSES} from '../../contract/reservation-statuses.js'
import {fullName, money} from '../base/wording.js'
import {browseReservations} from '../store/browse.js'
import type {StoredReservation} from '../store/reservations.js'
import {brief, html, linkToOne, nothing, type Piece, select, status, table, time} from './parts.js'
import {filterForm, filterOf, pager, pagingOf, type View, type Visit} from './visit.js'

const FIRST_STEP =
  'bookctl hotels search --city 101 --check-in 2030-06-01 --nights 3 --room 2 --nationality TR'

export function reservationList(visit: Visit): View {
  const wanted = filterOf(visit, 'status')
  const search = filterOf(visit, 'search')
  const found = browseReservations(
    visit.service.database,
    {status: wanted, search: search ?? ''},
    pagingOf(visit),
  )
  const isFiltered = wanted !== null || search !== null
  return {
    title: 'Reservations',
    main: html`<section class="card" aria-label="Reservations">
${filterForm(visit, [
  html`<label>Reference or name<input type="search" name="search" value="${search ?? ''}" maxlength="200"></label>`,
  select('status', 'Status', RESERVATION_STATUSES, wanted, 'any'),
])}
${reservationTable(visit, found.items) ?? (isFiltered ? nothing('No reservation is like that.') : nothing('No reservation yet. Search an offer, then reserve it:', FIRST_STEP))}
${pager(visit, found)}</section>`,
  }
}

/** Null when there is none. */
export function reservationTable({now}: Visit, found: readonly StoredReservation[]): Piece | null {
  if (found.length === 0) return null
  const rows = found.map(({record}) => [
    html`${linkToOne('reservations', record.reservation_ref)}<br><span class="soft">${brief(record.client_reference_id)}</span>`,
    status(record.status),
    brief(fullName(record.guests.find(guest => guest.is_lead) ?? record.contact)),
    html`${brief(record.hotel.name)}<br><span class="soft">${brief(record.hotel.city.name)}</span>`,
    html`<span class="nowrap">${record.check_in}</span> <span class="soft nowrap">${record.nights} nights</span>`,
    html`<span class="money">${money(record.price.total, record.price.currency)}</span>`,
    time(record.created_at, now),
  ])
  return table(
    'Reservations',
    ['Reservation', 'Status', 'Lead guest', 'Hotel', 'Check-in', 'Price', 'Made'],
    rows,
  )
}
