/** `/ui/reservations` and `/ui/reservations/{ref}`: the reservations of all clients, and what a test customer may do. */
import {RESERVATION_STATUSES} from '../../contract/reservation-statuses.js'
import type {Guest, Reservation} from '../../contract/reservations.js'
import {notFound} from '../base/answers.js'
import {
  counted,
  dateInWords,
  fullName,
  instantAsWritten,
  maskIdentity,
  money,
  occupancy,
} from '../base/wording.js'
import {browseEvents, browseReservations} from '../store/browse.js'
import {findAnyReservation, type StoredReservation} from '../store/reservations.js'
import {signVoucherLink} from '../voucher/link.js'
import {moveButton} from './actions.js'
import {eventTable} from './events.js'
import {filterForm, filterOf, pager, pagingOf, type View, type Visit} from './layout.js'
import {
  brief,
  button,
  code,
  facts,
  html,
  linkToOne,
  nothing,
  type Piece,
  pathOf,
  select,
  shown,
  status,
  table,
  time,
  word,
} from './parts.js'

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
${reservationTable(visit, found.items) ?? (isFiltered ? nothing('No reservations match.') : nothing('No reservations yet. Search for an offer, then book it:', FIRST_STEP))}
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
    ['Reservation', 'Status', 'Lead guest', 'Hotel', 'Check-in', 'Price', 'Created'],
    rows,
  )
}

export function reservationDetail(visit: Visit): View {
  const reference = visit.parameters.reservation_ref ?? ''
  const stored = findAnyReservation(visit.service.database, reference)
  if (!stored) throw notFound('reservation', reference)
  const {record, clientId} = stored
  const filter = {type: null, reservationRef: record.reservation_ref}
  const events = browseEvents(visit.service.database, filter, pagingOf(visit))
  return {
    title: html`Reservation ${code(record.reservation_ref)}`,
    tab: record.reservation_ref,
    main: html`${whatToDo(visit, record)}
<div class="pair">
<section class="card" aria-labelledby="stay"><h2 id="stay">Stay</h2>${stay(record)}</section>
<section class="card" aria-labelledby="booking"><h2 id="booking">Booking</h2>${booking(visit, record, clientId)}</section>
</div>
<section class="card" aria-labelledby="guests"><h2 id="guests">Guests</h2>${guestTable(record.guests)}</section>
<div class="pair">
<section class="card" aria-labelledby="price"><h2 id="price">Price</h2>${price(record)}</section>
<section class="card" aria-labelledby="payment"><h2 id="payment">Payment</h2>${payment(visit, record)}</section>
</div>
<section class="card" aria-labelledby="events"><h2 id="events">Events</h2>
${eventTable(visit, events.items) ?? nothing('No events yet. The first comes when the reservation is paid, declined or expires.')}
${pager(visit, events)}</section>`,
  }
}

function whatToDo(visit: Visit, record: Reservation): Piece {
  if (record.status === 'CONFIRMED') {
    const {path} = signVoucherLink(visit.service.database, record.reservation_ref, visit.now)
    return html`<section class="card" aria-labelledby="do"><h2 id="do">Voucher</h2>
<p><a href="${path}">Open the voucher (PDF)</a> <span class="soft">the link is valid for an hour</span></p></section>`
  }
  if (record.status !== 'PENDING_PAYMENT') return html``
  const action = `${pathOf(['reservations', record.reservation_ref])}/payment`
  const left = Math.ceil(Date.parse(record.payment.expires_at ?? record.created_at) / 1000 - visit.now)
  return html`<section class="card" aria-labelledby="do"><h2 id="do">Waiting for payment</h2>
<p>Pay by ${time(record.payment.expires_at, visit.now)}, as the customer does on the <a href="${record.payment.url ?? ''}">payment page</a>, or here:</p>
<div class="actions">${button(action, `Pay ${money(record.payment.amount, record.payment.currency)}`, {result: 'paid'}, 'strong')}
${button(action, 'Decline the payment', {result: 'failed'}, 'danger')}
${moveButton(visit, 'Let the payment expire', Math.max(left, 0))}</div></section>`
}

function stay(record: Reservation): Piece {
  const {hotel} = record
  return facts([
    ['Hotel', html`${shown(hotel.name)} <span class="soft">${counted(hotel.stars, 'star')}</span>`],
    ['Address', html`${shown(hotel.address)}, ${shown(hotel.city.name)}, ${hotel.country_code}`],
    ['Check-in', dateInWords(record.check_in)],
    [
      'Check-out',
      html`${dateInWords(record.check_out)} <span class="soft">${counted(record.nights, 'night')}</span>`,
    ],
    [
      'Rooms',
      html`${record.rooms.map(room => html`<div>${shown(room.room_name)}, ${occupancy([room])}, ${shown(room.board.name)}</div>`)}`,
    ],
    ['Nationality', record.client_nationality],
    ['Remarks', record.remarks === null ? html`<span class="soft">none</span>` : shown(record.remarks)],
  ])
}

function booking(visit: Visit, record: Reservation, clientId: string): Piece {
  const {contact, cancellation} = record
  const cancelled: [string, Piece][] = cancellation
    ? [
        ['Ended', html`${time(cancellation.cancelled_at, visit.now)} ${shown(cancellation.reason)}`],
        ['Fee', html`${money(cancellation.fee, cancellation.currency)}`],
        ['Refund', html`${money(cancellation.refund_amount, cancellation.currency)}`],
      ]
    : []
  return facts([
    ['Status', status(record.status)],
    ['Client', code(clientId)],
    ['Partner reference', code(record.client_reference_id)],
    ['Hotel confirmation', record.hotel_confirmation_number ? code(record.hotel_confirmation_number) : '–'],
    ['Offer', code(record.offer_id)],
    [
      'Contact',
      html`${shown(fullName(contact))}<br>${shown(contact.email)}<br>${shown(`${contact.phone_country_code} ${contact.phone_number}`)}`,
    ],
    ['Created', time(record.created_at, visit.now)],
    ['Updated', time(record.updated_at, visit.now)],
    ['Confirmed', time(record.confirmed_at, visit.now)],
    ...cancelled,
  ])
}

function guestTable(guests: readonly Guest[]): Piece {
  const rows = guests.map(guest => [
    html`${shown(fullName(guest))}${guest.is_lead ? html` <span class="soft">lead</span>` : ''}`,
    shown(guest.type),
    word(guest.birth_date ?? '–'),
    word(guest.gender ?? '–'),
    shown(guest.nationality ?? '–'),
    guest.identity ? word(`${guest.identity.type} ${maskIdentity(guest.identity.number)}`) : html`–`,
  ])
  return table('Guests', ['Name', 'Type', 'Born', 'Gender', 'Nationality', 'Identity'], rows)
}

function price({
  price: {total, base, taxes, currency, due_at_property},
  cancellation_policies,
}: Reservation): Piece {
  const dueThere = due_at_property.map(
    due => html`<div>${shown(due.description)}: ${money(due.amount, due.currency)}</div>`,
  )
  const policies = cancellation_policies.map(
    policy =>
      html`<div>from ${instantAsWritten(policy.from)}: ${money(policy.amount, policy.currency)}</div>`,
  )
  return facts([
    ['Total', html`<strong class="money">${money(total, currency)}</strong>`],
    ['Base', money(base, currency)],
    ['Taxes', money(taxes, currency)],
    ['Due at the hotel', dueThere.length > 0 ? html`${dueThere}` : 'nothing'],
    ['Cancellation fees', policies.length > 0 ? html`${policies}` : 'nothing'],
  ])
}

function payment(visit: Visit, {payment}: Reservation): Piece {
  const failure: [string, Piece][] = payment.failure_code ? [['Failure', code(payment.failure_code)]] : []
  return facts([
    ['Mode', payment.mode],
    ['Status', status(payment.status)],
    ['Amount', html`<span class="money">${money(payment.amount, payment.currency)}</span>`],
    ['Pay by', time(payment.expires_at, visit.now)],
    ['Paid', time(payment.paid_at, visit.now)],
    ...failure,
  ])
}
