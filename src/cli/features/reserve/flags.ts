import * as Flags from '@oclif/core/flags'
import type * as Interfaces from '@oclif/core/interfaces'
import {checkUuid} from '../../input/checks.js'
import {checkedFlag, countryFlag, identifierFlag, maximumFlag, waitFlag} from '../../input/flags.js'
import {readContact, readGuest} from '../../input/guests.js'
import type {Preferences} from '../../session/resolve.js'

export const contactFlag = checkedFlag(readContact)
export const guestFlag = checkedFlag(readGuest)

export const reserveFlags = {
  input: Flags.string({
    helpValue: 'FILE|-',
    summary: 'read the request from a JSON file (- for standard input)',
  }),
  'client-reference': Flags.string({
    helpValue: 'REF',
    summary: 'your own reference (default: derived from the request)',
  }),
  pay: Flags.string({
    options: ['account', 'instant'],
    summary: 'from the account balance, or by the customer on a payment page',
  }),
  guest: guestFlag({
    helpValue: 'K=V,…',
    multiple: true,
    summary: 'one guest (repeatable): name, surname, birth_date, gender, nationality, tc or passport, …',
  }),
  contact: contactFlag({
    helpValue: 'K=V,…',
    summary: 'name, surname, email, phone such as +905321234567 (or phone_country_code, phone_number)',
  }),
  nationality: countryFlag({
    helpValue: 'COUNTRY',
    summary: 'client nationality, by name or two-letter code (default: the one searched with)',
  }),
  'max-price': maximumFlag({
    helpValue: 'AMOUNT',
    summary: 'refuse an offer that costs more than 450, or "450 EUR", or is in another currency',
  }),
  'idempotency-key': checkedFlag(checkUuid)({
    helpValue: 'UUID',
    summary: 'use this key (default: a new one)',
  }),
  resume: identifierFlag('client_reference_id')({
    helpValue: 'REF',
    summary: 'find out how the reservation with this client reference ended',
  }),
  'unless-booked': Flags.boolean({
    summary: 'if the client reference is booked already, print that reservation and book nothing',
  }),
  wait: waitFlag('wait until it is paid and confirmed'),
  open: Flags.boolean({summary: 'open the payment page in the browser'}),
  'dry-run': Flags.boolean({summary: 'print the exact request and send nothing'}),
  template: Flags.boolean({summary: 'print an empty request'}),
  yes: Flags.boolean({
    summary: 'do not ask for confirmation; required for a live reservation without a terminal',
  }),
}

export type AllReserveFlags = Interfaces.InferredFlags<typeof reserveFlags> & {
  /** Defaults from the settings; flags and the file of --input win. */
  readonly preferred?: Preferences
  /** The flags that choose the service, as typed, for suggested commands that continue this one. */
  readonly service?: readonly string[]
}
export type ReserveFlags = Partial<AllReserveFlags>
