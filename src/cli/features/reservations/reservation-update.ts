/** Flags and `--input` of `reservations update` → what is sent (ours; §4.9). Everything is checked here. */
import {usage} from '../../../contract/failure.js'
import {plainMessage} from '../../../contract/plain-messages.js'
import type {ReservationUpdate} from '../../../contract/reservations.js'
import {readJson, readText} from '../../input/files.js'
import {completeGuests, type Fields, isFields, refuseUnknown} from '../../input/guests.js'
import {missing} from '../../input/usage-errors.js'
import {fieldOf, isAbsent} from '../reserve/reservation.js'

export interface UpdateFlags {
  readonly input?: string | undefined
  readonly contact?: Fields | undefined
  readonly guest?: readonly Fields[] | undefined
}

/** The change: flags win over the file. Throws usage naming what is wrong, missing, or that nothing is to change. */
export async function readUpdate(flags: UpdateFlags): Promise<ReservationUpdate> {
  const file = await readFile(flags.input)
  const contact = {...asFields(file.contact), ...flags.contact}
  const guests = flags.guest ?? file.guests
  const update = {
    ...(Object.keys(contact).length > 0 ? {contact} : {}),
    ...(guests === undefined ? {} : {guests: fill(guests)}),
  }
  if (Object.keys(update).length === 0) throw missing(['--contact, --guest or --input'])
  const {reservationUpdate} = await import('../../../contract/reservations.js')
  const parsed = reservationUpdate.safeParse(update, {error: plainMessage})
  if (parsed.success) return parsed.data
  const {issues} = parsed.error
  const wrong = issues.find(issue => !isAbsent(issue))
  if (!wrong) throw missing(issues.map(fieldOf))
  const problem = wrong.code === 'unrecognized_keys' ? 'there is no such field' : wrong.message
  throw usage('invalid_input', `${fieldOf(wrong)}: ${problem}`)
}

async function readFile(path: string | undefined): Promise<Fields> {
  if (path === undefined) return {}
  const value = readJson('--input', await readText('--input', path))
  if (!isFields(value))
    throw usage('invalid_input', '--input: must be one JSON object with contact, guests or both')
  refuseUnknown('--input', Object.keys(value), ['contact', 'guests'])
  if (value.contact !== undefined && !isFields(value.contact)) {
    throw usage('invalid_input', 'contact: must be an object')
  }
  return value
}

function fill(guests: unknown): unknown {
  return Array.isArray(guests) && guests.every(isFields) ? completeGuests(guests) : guests
}

function asFields(value: unknown): Fields {
  return isFields(value) ? value : {}
}
