/** Trip files of tests: written to a directory of the test's own, read, and what is said of their mistakes. */
import {writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {expect} from 'vitest'
import {type ReadTripOptions, readTripFile} from '../../../../src/cli/features/batch/trip-file.js'
import type {ReservationRequest} from '../../../../src/contract/reservations.js'
import {ownDirectory} from '../../../support/own.js'
import {rejectionOf} from '../../../support/thrown.js'

const DAY = '2030-01-15'

/** Reads `content` as a file of that name, on 2030-01-15. `parsed`: the request of each trip as an object. */
export async function read(name: string, content: string | Uint8Array, options: ReadTripOptions = {}) {
  const path = join(ownDirectory(), name)
  writeFileSync(path, content)
  const file = await readTripFile(path, {day: DAY, ...options})
  const trips = file.trips.map(trip => ({
    ...trip,
    parsed: JSON.parse(trip.request) as Partial<ReservationRequest>,
  }))
  return {...file, trips}
}

/** The lines of the usage error that reading throws. */
export async function mistakesOf(name: string, content: string | Uint8Array, options: ReadTripOptions = {}) {
  const {kind, message, details} = await rejectionOf(read(name, content, options))
  expect(kind).toBe('usage')
  return [...(details.lines ?? [message])]
}

export const CONTACT_HEAD =
  'contact_name,contact_surname,contact_email,contact_phone_country_code,contact_phone_number'
export const CONTACT_CELLS = 'Ayşe,Öğüt,a@example.com,+90,5321234567'
export const HEAD = `client_reference_id,city,check_in,check_out,nationality,currency,name,surname,${CONTACT_HEAD}`
/** A whole trip under `HEAD`. */
export const rowOf = (reference: string) =>
  `${reference},101,2030-06-01,2030-06-04,TR,EUR,Ayşe,Öğüt,${CONTACT_CELLS}`

/** A whole trip as a record. */
export const RECORD = {
  client_reference_id: 'A-1',
  search: {
    city: 'Istanbul',
    check_in: '2030-06-01',
    nights: 3,
    rooms: [{adults: 1, children_ages: [4]}],
    currency: 'eur',
  },
  choose: {hotel_id: 1010007, board: 'BB', refundable: true, max_price: '450 EUR'},
  client_nationality: 'TR',
  contact: {
    name: 'Ayşe',
    surname: 'Öğüt',
    email: 'a@example.com',
    phone_country_code: '+90',
    phone_number: '5321234567',
  },
  guests: [
    {name: 'Ayşe', surname: 'Öğüt', birth_date: '1990-05-17', identity: {type: 'TC', number: '10000000146'}},
  ],
}
