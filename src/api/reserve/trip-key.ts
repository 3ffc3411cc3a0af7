/** Decides whether two reservations are for the same trip: the same guests, hotel and dates. */
import {createHash} from 'node:crypto'
import type {JournalEntry} from '../../contract/journal.js'
import {canonicalJson, type Fields, fieldsOf, firstObject, type JsonObject} from '../../contract/json.js'
import type {SeenOffer} from '../../contract/seen-offers.js'
import {textIn} from '../answers/facts.js'
import {factsOfReservation} from '../answers/reservations.js'
import {OFFER, RESERVATION} from '../answers/vocabulary.js'

/**
 * Returns a key that is equal for two journal entries of one client if they have the same guests, hotel and dates,
 * whatever their offers and rooms. Returns undefined if one of these is unknown. The guests are equal if they were sent
 * in the same words. `seen` is the stored offer; it names the hotel if the reservation does not.
 */
export function tripOfEntry(
  {trip, result}: Pick<JournalEntry, 'trip' | 'result'>,
  seen?: Pick<SeenOffer, 'hotel_name' | 'check_in' | 'check_out'>,
): string | undefined {
  const record = result ?? {}
  const facts = factsOfReservation({reservation: record})
  return keyOf({
    guests: trip?.guests ?? null,
    hotel: hotelOf(record, facts.hotel) ?? wordOf(seen?.hotel_name ?? null),
    checkIn: trip?.stay?.check_in ?? facts.check_in ?? seen?.check_in ?? null,
    checkOut: trip?.stay?.check_out ?? facts.check_out ?? seen?.check_out ?? null,
  })
}

/**
 * Returns a key that is equal for two reservations in answers of one service if they have the same guests, hotel and
 * dates. Returns undefined if the record does not state one of these. Guests are compared by name and date of birth,
 * ignoring case and order. The key cannot be compared with that of a journal entry. `facts` are those of the record, if
 * they were already read.
 */
export function tripOfReservation(
  record: JsonObject,
  facts = factsOfReservation({reservation: record}),
): string | undefined {
  const {check_in: checkIn, check_out: checkOut} = facts
  return keyOf({guests: guestsOf(record), hotel: hotelOf(record, facts.hotel), checkIn, checkOut})
}

interface Trip {
  readonly guests: string | null
  readonly hotel: string | null
  readonly checkIn: string | null
  readonly checkOut: string | null
}

/** Returns a hash of the trip. Many keys are held in memory to compare them, and none of them should contain names. */
function keyOf(trip: Trip): string | undefined {
  if (Object.values(trip).some(value => value === null)) return undefined
  return createHash('sha256').update(canonicalJson(trip)).digest('hex')
}

/** Returns the id of the hotel, or its `name` if there is no id. */
function hotelOf(record: JsonObject, name: string | null): string | null {
  const fields = fieldsOf(record)
  const hotel = fieldsOf(firstObject(fields.get('hotel')))
  const id = textIn(fields, OFFER.hotelId) ?? textIn(hotel, OFFER.hotelId) ?? textIn(hotel, OFFER.idOfHotel)
  return id ?? wordOf(name)
}

function guestsOf(record: JsonObject): string | null {
  const fields = fieldsOf(record)
  const list = RESERVATION.guests.map(name => fields.get(name)).find(Array.isArray) ?? []
  const guests = list.map(guest => guestOf(fieldsOf(firstObject(guest))))
  if (guests.length === 0 || guests.includes(null)) return null
  return guests.sort().join('\n')
}

/** Returns the guest as one text, or null for a guest without a family name, which cannot be compared. */
function guestOf(guest: Fields): string | null {
  const surname = wordOf(textIn(guest, RESERVATION.surname))
  if (surname === null) return null
  return [textIn(guest, RESERVATION.firstName), surname, textIn(guest, ['birth_date', 'date_of_birth'])]
    .map(text => wordOf(text) ?? '')
    .join('|')
}

function wordOf(text: string | null): string | null {
  const word = text?.normalize('NFKC').trim().replace(/\s+/g, ' ').toLowerCase()
  return word === undefined || word === '' ? null : word
}
