/** Flags and `--input` of `reservations update` → what is sent (ours; §4.9). Everything is checked here. */
import {usage} from '../../../contract/failure.js'
import type {ReservationUpdate} from '../../../contract/reservations.js'
import {completeGuests, type Fields, isFields} from '../../input/guests.js'
import {missing} from '../../input/usage-errors.js'
import {fieldOf, parsedBy, readFields} from '../reserve/reservation.js'

export interface UpdateFlags {
  readonly input?: string | undefined
  readonly contact?: Fields | undefined
  readonly guest?: readonly Fields[] | undefined
}

/** The change: flags win over the file. Throws usage naming what is wrong, missing, or that nothing is to change. */
export async function readUpdate(flags: UpdateFlags): Promise<ReservationUpdate> {
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
  return parsedBy(reservationUpdate, update, issue => {
    const problem = issue.code === 'unrecognized_keys' ? 'there is no such field' : issue.message
    return usage('invalid_input', `${fieldOf(issue)}: ${problem}`)
  })
}

async function readFile(path: string | undefined): Promise<Fields> {
  const rule = 'must be one JSON object with contact, guests or both'
  const value = await readFields(path, ['contact', 'guests'], rule)
  if (value.contact === undefined || isFields(value.contact)) return value
  throw usage('invalid_input', 'contact: must be an object')
}
