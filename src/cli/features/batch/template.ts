/** Trip files for --template. They can be run against the local sandbox. */
import {stringify} from 'csv-stringify/sync'
import {addDays} from '../../../contract/dates.js'
import {today} from '../../input/dates.js'
import {GUEST_COLUMN_NAMES, TRIP_COLUMN_NAMES} from './columns.js'

const CONTACT = {
  name: 'Ayşe',
  surname: 'Öğüt',
  email: 'ayse@example.com',
  phone_country_code: '+90',
  phone_number: '5321234567',
}

const LEAD = {name: 'Ayşe', surname: 'Öğüt', birth_date: '1990-05-17', gender: 'FEMALE'}
const SECOND = {name: 'Jürgen', surname: 'Groß', birth_date: '1988-11-02', gender: 'MALE'}
const TC = '10000000146'
const PASSPORT = 'C01X00T47'
const REFERENCE = 'GROUP-1'

/** Returns a trip file with one trip for two guests to Istanbul (101 in the local sandbox), 30 days from today. */
export async function templateText(format: 'csv' | 'ndjson'): Promise<string> {
  const check_in = addDays(today(), 30)
  const check_out = addDays(check_in, 3)
  if (format === 'ndjson') {
    const trip = {
      client_reference_id: REFERENCE,
      search: {
        city: 101,
        check_in,
        check_out,
        rooms: [{adults: 2, children_ages: []}],
        client_nationality: 'TR',
        currency: 'EUR',
      },
      choose: {refundable: true, max_price: '2000 EUR'},
      contact: CONTACT,
      guests: [
        {type: 'ADULT', ...LEAD, nationality: 'TR', identity: {type: 'TC', number: TC}, is_lead: true},
        {
          type: 'ADULT',
          ...SECOND,
          nationality: 'DE',
          identity: {type: 'PASSPORT', number: PASSPORT},
          is_lead: false,
        },
      ],
      payment: {mode: 'account'},
    }
    return `${JSON.stringify(trip)}\n`
  }
  const columns = [...TRIP_COLUMN_NAMES, ...GUEST_COLUMN_NAMES]
  const contact = Object.fromEntries(Object.entries(CONTACT).map(([name, text]) => [`contact_${name}`, text]))
  const search = {city: '101', check_in, check_out, room: '2', nationality: 'TR', currency: 'EUR'}
  const choose = {refundable: 'true', max_price: '2000 EUR'}
  const first = {...search, ...choose, pay: 'account', ...contact}
  const rows = [
    {
      client_reference_id: REFERENCE,
      ...first,
      type: 'ADULT',
      ...LEAD,
      guest_nationality: 'TR',
      tc: TC,
      lead: 'true',
    },
    {client_reference_id: REFERENCE, type: 'ADULT', ...SECOND, guest_nationality: 'DE', passport: PASSPORT},
  ]
  return stringify(rows, {header: true, columns})
}
