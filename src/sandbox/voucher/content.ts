/** The contents of the voucher of a reservation (§2.6, §4.5; all of it is ours). */

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
  /** The hotel in full; undefined where the catalogue no longer has it. */
  readonly hotel: Hotel | undefined
  readonly partnerName: string
  readonly issuedAt: string
}

/** A4 pages, TEST across each. The same input gives the same bytes; what the font lacks is in Latin letters. */
export function renderVoucher(reservation: Reservation, extra: VoucherExtra): Promise<Uint8Array> {
  const {reservation_ref, client_reference_id, hotel_confirmation_number: number} = reservation
  const title = `Voucher ${reservation_ref}`
  const sheet = new Sheet({title, author: extra.partnerName, issuedAt: new Date(extra.issuedAt)})
  sheet.title('Hotel voucher', `Issued by ${extra.partnerName} on ${instantInUtc(extra.issuedAt)}`)
  const columns = 'Reservation 1|Partner reference 1|Hotel confirmation number 1'
  sheet.table(columns, [[reservation_ref, client_reference_id, number ?? 'none yet']], true)
  addHotel(sheet, reservation, extra)
  addStay(sheet, reservation, extra)
  addGuests(sheet, reservation)
  addPayment(sheet, reservation)
  addTerms(sheet, reservation, extra.hotel?.timezone)
  sheet.section('How to read this voucher')
  sheet.paragraph(READING + (sheet.isTransliterated ? BRACKETS : ''), {color: SOFT, size: 8.4})
  return sheet.finish(
    `TEST voucher · Reservation ${reservation_ref} · issued ${instantInUtc(extra.issuedAt)}`,
  )
}

function addHotel(sheet: Sheet, {hotel}: Reservation, extra: VoucherExtra): void {
  const stars = `${'★'.repeat(hotel.stars)}  ${counted(hotel.stars, 'star')}`
  const country = (countries as Record<string, {name: string} | undefined>)[hotel.country_code]?.name
  sheet.paragraph(hotel.name, {size: 16, bold: true, after: 1})
  sheet.paragraph(stars, {color: '#a15c07', after: 2})
  sheet.paragraph(`${hotel.address}, ${hotel.city.name}, ${country ?? hotel.country_code}`, {after: 1})
  sheet.paragraph(`Telephone ${extra.hotel?.phone ?? 'not known'}`, {color: SOFT, after: 8})
}

function addStay(sheet: Sheet, reservation: Reservation, {hotel}: VoucherExtra): void {
  const time = (word: string, hour?: string) => (hour ? `, ${word} ${hour}` : '')
  const checkIn = dateInWords(reservation.check_in) + time('from', hotel?.check_in_from)
  const checkOut = dateInWords(reservation.check_out) + time('until', hotel?.check_out_until)
  const length = counted(reservation.nights, 'night')
  sheet.table('Check-in 2|Check-out 2|Length 1', [[checkIn, checkOut, length]], true)
  sheet.section(counted(reservation.rooms.length, 'room'))
  sheet.table(
    'Room 4|Board 3|For 4',
    reservation.rooms.map((room, index) => [
      `${index + 1}.  ${room.room_name}`,
      `${room.board.name} (${room.board.code})`,
      occupancy([room]),
    ]),
  )
}

function addGuests(sheet: Sheet, {guests, contact}: Reservation): void {
  sheet.section(counted(guests.length, 'guest'))
  sheet.table(
    'Name 6|Type 3|Nationality 2|Identity document 3',
    guests.map((guest, index) => [
      `${index + 1}.  ${fullName(guest)}`,
      `${guest.type.charAt(0)}${guest.type.slice(1).toLowerCase()}${guest.is_lead ? ', lead guest' : ''}`,
      guest.nationality ?? '–',
      guest.identity ? `${guest.identity.type} ${maskIdentity(guest.identity.number)}` : '–',
    ]),
  )
  sheet.paragraph(`Contact: ${fullName(contact)}`, {color: SOFT, after: 6})
}

function addPayment(sheet: Sheet, {payment, price}: Reservation): void {
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
}

function addTerms(sheet: Sheet, reservation: Reservation, timezone: string | undefined): void {
  sheet.section('Cancellation')
  const zone = timezone ? `Hotel time, ${timezone}` : 'Hotel time'
  sheet.table(`When 2|${zone} 5|The same in UTC 4|Fee 5`, termRows(reservation))
  if (reservation.remarks) {
    sheet.section('Remarks')
    sheet.paragraph(reservation.remarks, {after: 6})
  }
}

function termRows({cancellation_policies, price, created_at}: Reservation): string[][] {
  // Where the first step was in force at the time of booking, cancelling was never free.
  const free = cancellation_policies
    .slice(0, 1)
    .filter(({from}) => Date.parse(from) > Date.parse(created_at))
    .map(({from}) => ['before', ...bothClocks(from), 'free of charge'])
  const steps = cancellation_policies.map(({from, amount, currency}) => {
    const whole = amount === price.total && currency === price.currency ? ' (the whole price)' : ''
    return ['from', ...bothClocks(from), moneyText(amount, currency) + whole]
  })
  return [...free, ...steps]
}

function bothClocks(timestamp: string): string[] {
  return [instantAsWritten(timestamp), instantInUtc(timestamp)]
}
