/** Trip files for `reserve batch`, and its document. */
import {writeFileSync} from 'node:fs'
import {join} from 'node:path'
import type {Home} from '../support/bookctl.js'
import {CONTACT} from '../support/stay.js'

const GUEST = {type: 'ADULT', birth_date: '1990-05-17', gender: 'FEMALE', nationality: 'TR'}

/** The search of two adults from Turkey, three nights in Istanbul, in euro. */
export const SEARCH = {
  city: 101,
  check_in: '2030-06-01',
  check_out: '2030-06-04',
  rooms: [{adults: 2, children_ages: []}],
  client_nationality: 'TR',
  currency: 'EUR',
}

/** Two guests with this surname. */
export const guestsNamed = (surname: string) => [
  {...GUEST, name: 'Ayşe', surname, identity: {type: 'TC', number: '10000000146'}, is_lead: true},
  {...GUEST, name: 'Can', surname, identity: {type: 'PASSPORT', number: 'U1234567'}, is_lead: false},
]

/** A trip of an NDJSON or JSON file. */
export const tripNamed = (reference: string, change: object = {}) => ({
  client_reference_id: reference,
  search: SEARCH,
  contact: CONTACT,
  guests: guestsNamed('Öğüt'),
  payment: {mode: 'account'},
  ...change,
})

/** `count` trips with the references `PREFIX-1`, `PREFIX-2`, …, which search for the same. */
export const tripsNamed = (prefix: string, count: number, change: object = {}) =>
  Array.from({length: count}, (_, index) => tripNamed(`${prefix}-${index + 1}`, change))

/** The same trips as a spreadsheet writes them: with semicolons, a mark and a row for each guest. */
export function sheetOf(references: readonly string[]): string {
  const columns =
    'client_reference_id;city;check_in;nights;room;nationality;currency;contact_name;contact_surname'
  const more =
    'contact_email;contact_phone_country_code;contact_phone_number;name;surname;birth_date;gender;tc;passport'
  const rows = references.flatMap(reference => [
    `${reference};101;2030-06-01;3;2;TR;EUR;Ayşe;Öğüt;ayse@example.com;90;5321234567;Ayşe;Öğüt;1990-05-17;FEMALE;10000000146;`,
    `${reference};;;;;;;;;;;;Can;Öğüt;1988-07-12;MALE;;U1234567`,
  ])
  return `\ufeff${columns};${more}\r\n${rows.join('\r\n')}\r\n`
}

/** Writes a file in that home: a text as it is, trips as NDJSON or, by the name, as a JSON array. Returns its path. */
export function tripFile(home: Home, trips: string | readonly object[], name = 'trips.ndjson'): string {
  const path = join(home.directory, name)
  if (typeof trips === 'string') writeFileSync(path, trips)
  else if (name.endsWith('.json')) writeFileSync(path, JSON.stringify(trips))
  else writeFileSync(path, trips.map(trip => `${JSON.stringify(trip)}\n`).join(''))
  return path
}

interface TripResult {
  readonly line: number
  readonly client_reference_id: string
  readonly outcome: string
  readonly repeated: boolean
  readonly reservation_ref: string | null
  readonly status: string | null
  readonly hotel_name: string | null
  readonly price: string | null
  readonly currency: string | null
  readonly charged?: {readonly amount: string; readonly currency: string; readonly rate: string}
  readonly payment_url: string | null
  readonly voucher: string | null
  readonly error: {readonly code: string; readonly message: string; readonly hint: string} | null
}

export interface BatchDocument {
  readonly batch: {
    readonly trips: number
    readonly confirmed: number
    readonly pending: number
    readonly refused: number
    readonly unknown: number
    readonly not_sent: number
    readonly repeated: number
    readonly totals: readonly {readonly currency: string; readonly amount: string}[]
  }
  readonly trips: readonly TripResult[]
}

/** Runs `reserve batch FILE` with --json and returns its document. */
export function batch(home: Home, path: string, ...flags: string[]) {
  return home.json<BatchDocument>(['reserve', 'batch', path, ...flags])
}

export const outcomesOf = ({trips}: BatchDocument) => trips.map(({outcome}) => outcome)
export const errorsOf = ({trips}: BatchDocument) => trips.map(({error}) => error?.code ?? null)
