/** Writes the contents of a reservation's voucher (§2.6, §4.5), which the interface does not show. */

import {countries} from 'countries-list'
import type {Hotel} from '../../contract/hotels.js'
import {moneyText} from '../../contract/money.js'
import type {Reservation} from '../../contract/reservations.js'
import {
  counted,
  dateInWords,
  fullName,
  instantAsWritten,
  instantInUtc,
  maskIdentity,
  occupancy,
} from '../base/wording.js'
import {Sheet, SOFT} from './sheet.js'

const READING = `Show it at the reception with an identity document of each guest. Dates and hours are those of the hotel. The price
is paid; only what is due at the hotel is paid there. To change or cancel, ask your travel partner and name the reservation. TEST
means that a local sandbox made this voucher: the hotel does not exist.`

const BRACKETS =
  ' Words in [brackets] are in Latin letters because their own cannot be printed here: a passport may spell them otherwise.'

interface VoucherExtra {
  /** The hotel with all its data; undefined if the catalogue no longer has it. */
  readonly hotel: Hotel | undefined
  readonly partnerName: string
  readonly issuedAt: string
}

/**
 * Renders the voucher as a PDF on A4 pages, with TEST across each page. The same input gives the same bytes. Names in
 * scripts that the font lacks are written in Latin letters.
 */
export function renderVoucher(reservation: Reservation, extra: VoucherExtra): Promise<Uint8Array> {
  const {reservation_ref, client_reference_id, hotel, guests, contact, payment, price} = reservation
  const issued = instantInUtc(extra.issuedAt)
  const title = `Voucher ${reservation_ref}`
  const sheet = new Sheet({title, author: extra.partnerName, issuedAt: new Date(extra.issuedAt)})
  sheet.title('Hotel voucher', `Issued by ${extra.partnerName} on ${issued}`)
  const numbers = [reservation_ref, client_reference_id, reservation.hotel_confirmation_number ?? 'none yet']
  sheet.table({Reservation: 1, 'Partner reference': 1, 'Hotel confirmation number': 1}, [numbers], true)

  const country = (countries as Record<string, {name: string} | undefined>)[hotel.country_code]?.name
  sheet.paragraph(hotel.name, {size: 16, bold: true, after: 1})
  const stars = `${'★'.repeat(hotel.stars)}  ${counted(hotel.stars, 'star')}`
  sheet.paragraph(stars, {color: '#a15c07', after: 2})
  sheet.paragraph(`${hotel.address}, ${hotel.city.name}, ${country ?? hotel.country_code}`, {after: 1})
  sheet.paragraph(`Telephone ${extra.hotel?.phone ?? 'not known'}`, {color: SOFT, after: 8})

  const from = extra.hotel ? `, from ${extra.hotel.check_in_from}` : ''
  const until = extra.hotel ? `, until ${extra.hotel.check_out_until}` : ''
  const checkIn = dateInWords(reservation.check_in) + from
  const checkOut = dateInWords(reservation.check_out) + until
  const length = counted(reservation.nights, 'night')
  sheet.table({'Check-in': 2, 'Check-out': 2, Length: 1}, [[checkIn, checkOut, length]], true)
  sheet.section(counted(reservation.rooms.length, 'room'))
  const rooms = reservation.rooms.map((room, index) => [
    `${index + 1}.  ${room.room_name}`,
    `${room.board.name} (${room.board.code})`,
    occupancy([room]),
  ])
  sheet.table({Room: 4, Board: 3, For: 4}, rooms)

  sheet.section(counted(guests.length, 'guest'))
  const people = guests.map((guest, index) => [
    `${index + 1}.  ${fullName(guest)}`,
    `${guest.type.charAt(0)}${guest.type.slice(1).toLowerCase()}${guest.is_lead ? ', lead guest' : ''}`,
    guest.nationality ?? '–',
    guest.identity ? `${guest.identity.type} ${maskIdentity(guest.identity.number)}` : '–',
  ])
  sheet.table({Name: 6, Type: 3, Nationality: 2, 'Identity document': 3}, people)
  sheet.paragraph(`Contact: ${fullName(contact)}`, {color: SOFT, after: 6})

  const isAccount = payment.mode === 'account'
  const payer = isAccount ? "from the travel partner's account" : 'by the customer on the payment page'
  const paid = payment.paid_at ? `Paid ${instantInUtc(payment.paid_at)}` : payment.status
  sheet.section('Price')
  sheet.paragraph(`${moneyText(price.total, price.currency)} in total, taxes included. ${paid}, ${payer}.`)
  const due = price.due_at_property.map(
    each => `${moneyText(each.amount, each.currency)} – ${each.description}`,
  )
  const atHotel = due.length > 0 ? `Due at the hotel: ${due.join('; ')}.` : 'Nothing is due at the hotel.'
  sheet.paragraph(atHotel, {bold: due.length > 0, after: 6})

  sheet.section('Cancellation')
  const hotelTime = extra.hotel ? `Hotel time, ${extra.hotel.timezone}` : 'Hotel time'
  const bothClocks = (at: string) => [instantAsWritten(at), instantInUtc(at)]
  const steps = reservation.cancellation_policies
  // If the first step already applied when the reservation was made, cancelling was never free.
  const free = steps.slice(0, 1).filter(each => Date.parse(each.from) > Date.parse(reservation.created_at))
  const terms = [
    ...free.map(({from}) => ['before', ...bothClocks(from), 'free of charge']),
    ...steps.map(({from, amount, currency}) => {
      const isWhole = amount === price.total && currency === price.currency
      const fee = moneyText(amount, currency) + (isWhole ? ' (the whole price)' : '')
      return ['from', ...bothClocks(from), fee]
    }),
  ]
  sheet.table({When: 2, [hotelTime]: 5, 'The same in UTC': 4, Fee: 5}, terms)
  if (reservation.remarks) {
    sheet.section('Remarks')
    sheet.paragraph(reservation.remarks, {after: 6})
  }
  sheet.section('How to read this voucher')
  sheet.paragraph(READING + (sheet.isTransliterated ? BRACKETS : ''), {color: SOFT, size: 8.4})
  return sheet.finish(`TEST voucher · Reservation ${reservation_ref} · issued ${issued}`)
}
