/** Flags and `--input` of `reservations update` → what is sent (ours; §4.9). Everything is checked here. */
import {usage} from '../../../contract/failure.js'
import type {ReservationUpdate} from '../../../contract/reservations.js'
import {completeGuests, type Fields, isFields} from '../../input/guests.js'
import {combined, missing} from '../../input/usage-errors.js'
import type {ReserveFlags} from '../reserve/flags.js'
import {checkedBy, readFields} from '../reserve/reservation.js'

/** The change: flags win over the file. Throws usage naming what is wrong, missing, or that nothing is to change. */
export async function readUpdate(
  flags: Pick<ReserveFlags, 'input' | 'contact' | 'guest'>,
): Promise<ReservationUpdate> {
  const file = await readFile(flags.input)
  const contact = {...(file.contact as Fields | undefined), ...flags.contact}
  const given = flags.guest ?? file.guests
  const guests = Array.isArray(given) && given.every(isFields) ? completeGuests(given) : given
  const update = {
    ...(Object.keys(contact).length > 0 ? {contact} : {}),
    ...(guests === undefined ? {} : {guests}),
  }
  if (Object.keys(update).length === 0) throw missing(['--contact, --guest or --input'])
  const {reservationUpdate} = await import('../../../contract/reservations.js')
  const {lacking, errors, data} = checkedBy(reservationUpdate, update)
  if (data) return data
  throw combined([...(lacking.length > 0 ? [missing(lacking)] : []), ...errors])
}

async function readFile(path: string | undefined): Promise<Fields> {
  const rule = 'must be one JSON object with contact, guests or both'
  const value = await readFields(path, ['contact', 'guests'], rule)
  if (value.contact === undefined || isFields(value.contact)) return value
  throw usage('invalid_input', 'contact: must be an object')
}
