/** `/ui/reservations` and `/ui/reservations/{ref}`: the reservations of all clients, and what a test customer may do. */

import {RESERVATION_STATUSES} from '../../contract/events.js'
import {VOUCHER_LINK_VALIDITY_SECONDS} from '../../contract/limits.js'
import {moneyText} from '../../contract/money.js'
import type {Guest, Reservation} from '../../contract/reservations.js'
import {counted, dateInWords, fullName, instantAsWritten, maskIdentity, occupancy} from '../base/wording.js'
import {listEvents} from '../store/events.js'
import {listReservations, requireReservation, type StoredReservation} from '../store/reservations.js'
import {signVoucherLink} from '../store/sealed-ids-and-links.js'
import {eventTable} from './events.js'
import {detailView, filterOf, listView, moveButton, pager, pagingOf, type View, type Visit} from './layout.js'
import {
  brief,
  button,
  card,
  code,
  facts,
  html,
  linkToOne,
  nothing,
  type Piece,
  pathOf,
  price,
  select,
  shown,
  soft,
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
