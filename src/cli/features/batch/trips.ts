/** The trips of a file, and how the texts of a row or a record become a trip whose every value was checked. */
import {Failure} from '../../../contract/failure.js'
import type {Room, SearchRequest} from '../../../contract/hotels.js'
import type {JsonObject} from '../../../contract/json.js'
import {MOST_ROOMS} from '../../../contract/limits.js'
import {
  checkCurrency,
  checkIdentifier,
  checkInteger,
  checkText,
  invalid,
  type Maximum,
  readMaximum,
} from '../../input/checks.js'
import {checkCountry} from '../../input/countries.js'
import {readComingDay, readDay} from '../../input/dates.js'
import type {Fields} from '../../input/guests.js'
import {checkDeparture, leaveAfter, MOST_NIGHTS, readCheckOut, readRoom} from '../../input/stay.js'
import type {Preferences} from '../../session/resolve.js'
import type {ReserveFlags} from '../reserve/flags.js'
import {readTyped} from '../reserve/request.js'
import type {TripColumn} from './columns.js'
import type {Row} from './csv-rows.js'
import {lineText, type Mistakes, type Place} from './mistakes.js'

/** A trip whose every value was checked. */
export interface Trip {
  /** The line on which its first row begins, from 1 (CSV, NDJSON); in a JSON array its place, from 1. */
  readonly line: number
  /** client_reference_id */
  readonly reference: string
  /** Either an offer … */
  readonly offerId: string | undefined
  /** … or a search. */
  readonly search: TripSearch | undefined
  readonly choose: Choice
  /**
   * The request of §2.4 as JSON, complete but for the offer of a trip that is searched, and the nationality where only the offer
   * has one. As objects, those of 10,000 trips take 100 MB.
   */
  readonly request: string
  /** Whether a guest without a nationality has that of the client, as with --guest. */
  readonly guestsAreRows: boolean
  /** What is wrong with a check-in that is past: a mistake unless the trip is booked already. */
  readonly past: {readonly place: Place; readonly problem: string} | undefined
  readonly source: TripSource
}

/** The search of §2.2, whose city may be a name that is still to be looked up. */
export interface TripSearch extends Omit<SearchRequest, 'destination'> {
  readonly city: number | string
}

/** What an offer of the search must have. */
export interface Choice {
  readonly hotelId?: string
  readonly board?: string
  readonly refundable?: boolean
  readonly maxPrice?: Maximum
}

/** The rows or the record of a trip as they came in. */
type TripSource = {readonly rows: readonly Row[]} | {readonly record: JsonObject}

/** A text of the file, and its place. */
export interface Cell {
  readonly text: string
  readonly place: Place
}

/** The texts of a trip before they are read. */
export interface TripDraft {
  readonly line: number
  /** In the order of the columns; those that are empty are not there. */
  readonly cells: ReadonlyMap<TripColumn, Cell>
  /** What says again what a cell of `cells` says; `rule` completes an error: `must be …`. */
  readonly repeated: readonly (Cell & {readonly column: TripColumn; readonly rule: string})[]
  /** Columns that were given and refused already: they are not missing too. */
  readonly refused: ReadonlySet<TripColumn>
  /** Those of a record; a row has a text. */
  readonly rooms: Room[] | undefined
  readonly contact: unknown
  readonly guests: unknown
  /** As rows: guests have the nationality of the client unless they name one. */
  readonly guestsAreRows: boolean
  readonly source: TripSource
  /** The place of a field of the request of §2.4, such as `guests[0].name`. */
  readonly placeOf: (path: string) => Place
  /** The place where the value of a column is, or is missing. */
  readonly placeOfColumn: (column: TripColumn) => Place
}

/** What trips are read with. */
export interface Reading {
  readonly mistakes: Mistakes
  readonly preferred: Preferences
  /** YYYY-MM-DD */
  readonly day: string
  readonly readCountry: (text: string) => Promise<string | undefined>
  /** The line of the trip that names an offer. */
  readonly offerLines: Map<string, number>
}

const SEARCH_COLUMNS: readonly TripColumn[] = ['city', 'check_in', 'check_out', 'nights', 'room', 'currency']
const CHOICE_COLUMNS: readonly TripColumn[] = ['hotel_id', 'board', 'refundable', 'max_price']

/** Distinct texts for countries that are looked up in a file with many mistakes: each takes milliseconds. */
const MOST_COUNTRY_TEXTS = 100

/**
 * Returns a reader of countries that looks up each text once. It looks up none, and returns undefined, when there are too many
 * of them and too many mistakes.
 */
export function countryReader(mistakes: Mistakes): Reading['readCountry'] {
  const read = new Map<string, Promise<string>>()
  return async text => {
    const known = read.get(text)
    if (known) return known
    if (mistakes.areMany && read.size >= MOST_COUNTRY_TEXTS) {
      mistakes.isPartial = true
      return undefined
    }
    const country = checkCountry('', text)
    read.set(text, country)
    return country
  }
}

/** Reads a boolean as spreadsheets and people write it. Throws a usage error for any other text. */
export function readBoolean(text: string): boolean {
  const word = text.toLowerCase()
  if (word === 'true' || word === 'yes' || word === '1') return true
  if (word === 'false' || word === 'no' || word === '0') return false
  throw invalid('', 'must be true or false', text)
}

/** Values of a trip, read. */
interface Values {
  city?: number | string
  check_in?: string
  check_out?: string
  /** As the day of departure. */
  nights?: string
  room?: Room[]
  nationality?: string
  currency?: string
  hotel_id?: string
  board?: string
  refundable?: boolean
  max_price?: Maximum
}

type Reader = (text: string, values: Values, reading: Reading) => unknown

/** How the text of a column is read; others are taken as they are, and checked with the request. Each throws a usage error. */
const READERS: Readonly<Partial<Record<TripColumn, Reader>>> = {
  city: text =>
    /^\d+$/.test(text) ? checkInteger('', text, 1, Number.MAX_SAFE_INTEGER) : checkText('', text),
  check_in: (text, _, {day}) => readDay('', text, day),
  check_out: (text, {check_in}, {day}) =>
    check_in === undefined ? checkDeparture('', text) : readCheckOut('', text, check_in, day),
  nights: (text, {check_in}) => {
    const nights = checkInteger('', text, 1, MOST_NIGHTS)
    return check_in === undefined ? undefined : leaveAfter(check_in, nights, '')
  },
  room: text => {
    const rooms = text.split(/\s+/).map(room => readRoom('', room))
    if (rooms.length > MOST_ROOMS) throw invalid('', `at most ${MOST_ROOMS} rooms`)
    return rooms
  },
  nationality: (text, _, {readCountry}) => readCountry(text),
  currency: text => checkCurrency('', text),
  hotel_id: text => checkIdentifier('other', '', text),
  board: text => checkText('', text),
  refundable: text => readBoolean(text),
  max_price: text => readMaximum('', text),
  contact_phone_country_code: text => diallingPrefix(text),
}

/** Returns a dialling prefix with its plus sign, because spreadsheets keep +90 as the number 90. */
export function diallingPrefix(text: string): string {
  return /^[1-9]\d{0,3}$/.test(text) ? `+${text}` : text
}

/** Reads the trip of `draft`. Returns undefined if it has mistakes, which are added to those of `reading`. */
export async function readTrip(draft: TripDraft, reading: Reading): Promise<Trip | undefined> {
  const {cells, placeOfColumn} = draft
  const {mistakes, preferred} = reading
  const countBefore = mistakes.count
  const values: Values = {}
  const refused = new Set(draft.refused)
  const read = (column: TripColumn, text: string) => {
    const reader = READERS[column]
    return reader ? reader(text, values, reading) : text
  }
  for (const [column, {text, place}] of cells) {
    try {
      Object.assign(values, {[column]: await read(column, text)})
    } catch (error) {
      mistakes.addThrown(place, error)
      refused.add(column)
    }
  }
  for (const {column, text, place, rule} of draft.repeated) {
    try {
      const again = await read(column, text)
      const first = (values as Readonly<Record<string, unknown>>)[column]
      const differs = JSON.stringify(again) !== JSON.stringify(first)
      if (differs && !refused.has(column)) mistakes.add(place, `must be ${rule}`)
    } catch (error) {
      mistakes.addThrown(place, error)
    }
  }
  const {check_in: checkIn, check_out: checkOut, nights} = values
  if (checkIn !== undefined && checkOut !== undefined && nights !== undefined && checkOut !== nights)
    mistakes.add(placeOfColumn('nights'), `must be the nights from ${checkIn} to ${checkOut}, or be left out`)

  let past: Trip['past']
  try {
    if (checkIn !== undefined) readComingDay('', checkIn, reading.day)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    past = {place: placeOfColumn('check_in'), problem: error.message}
    mistakes.addUnlessBooked(past.place, past.problem)
  }

  const isGiven = (column: TripColumn) => cells.has(column) || draft.refused.has(column)
  const searched = SEARCH_COLUMNS.filter(
    column => isGiven(column) || (column === 'room' && draft.rooms !== undefined),
  )
  const offerId = cells.get('offer_id')?.text
  if (offerId !== undefined) {
    const earlier = reading.offerLines.get(offerId)
    if (earlier === undefined) reading.offerLines.set(offerId, draft.line)
    else {
      const problem = `is that of ${lineText(mistakes.format, earlier)} already: an offer can be reserved once`
      mistakes.add(placeOfColumn('offer_id'), problem)
    }
    if (searched.length > 0)
      mistakes.add(placeOfColumn('offer_id'), `give an offer or a search, not both (${searched.join(', ')})`)
    for (const column of CHOICE_COLUMNS.filter(isGiven))
      mistakes.add(
        placeOfColumn(column),
        'chooses among the offers of a search; an offer_id is one offer already',
      )
  }
  let search: TripSearch | undefined
  if (offerId === undefined && searched.length === 0) {
    const problem = 'give an offer, or a search: city, check_in, check_out or nights'
    mistakes.add(placeOfColumn('offer_id'), problem)
  } else if (offerId === undefined) {
    search = searchOf(draft, values, refused, reading)
  }

  const mode = cells.get('pay')?.text ?? 'account'
  const nationality = search?.client_nationality ?? values.nationality
  const input: Fields = {
    client_reference_id: cells.get('client_reference_id')?.text,
    ...(nationality !== undefined && {client_nationality: nationality}),
    contact: draft.contact,
    guests: draft.guests,
    payment: {mode},
  }
  const flags: ReserveFlags = {preferred, ...(draft.guestsAreRows && {guest: draft.guests as Fields[]})}
  // Of a trip that is searched the offer is not missing.
  const skipped = offerId === undefined ? ['OFFER_ID'] : []
  const typed = await readTyped(offerId, flags, {input, day: reading.day, refused: skipped})
  mistakes.addFound(typed, path => draft.placeOf(FIELDS_OF_FLAGS[path] ?? path))
  if (mistakes.count > countBefore) return undefined
  const {hotel_id: hotelId, board, refundable, max_price: maxPrice} = values
  const choose: Choice = {
    ...(hotelId !== undefined && {hotelId}),
    ...(board !== undefined && {board}),
    ...(refundable !== undefined && {refundable}),
    ...(maxPrice !== undefined && {maxPrice}),
  }
  const reference = cells.get('client_reference_id')?.text ?? ''
  return {
    line: draft.line,
    reference,
    offerId,
    search,
    choose,
    request: JSON.stringify(typed.request),
    guestsAreRows: draft.guestsAreRows,
    past,
    source: draft.source,
  }
}

/** The field that `readTyped` calls by its flag where it is missing. */
const FIELDS_OF_FLAGS: Readonly<Record<string, string>> = {
  OFFER_ID: 'offer_id',
  '--contact': 'contact',
  '--guest': 'guests',
}

/** Returns the search of a trip, or undefined if a part of it was refused or is missing, which is then a mistake. */
function searchOf(
  {cells, placeOfColumn, rooms}: TripDraft,
  values: Values,
  refused: ReadonlySet<TripColumn>,
  {mistakes, preferred}: Reading,
): TripSearch | undefined {
  const {city, check_in, currency = preferred.currency, nationality = preferred.nationality} = values
  const check_out = values.check_out ?? values.nights
  const needed: readonly [column: TripColumn, value: unknown][] = [
    ['city', city],
    ['check_in', check_in],
    ['nationality', nationality],
    ['currency', currency],
  ]
  for (const [column, value] of needed)
    if (value === undefined && !refused.has(column)) mistakes.add(placeOfColumn(column), 'is missing')
  const departures: readonly TripColumn[] = ['check_out', 'nights']
  if (!departures.some(column => cells.has(column) || refused.has(column)))
    mistakes.add(placeOfColumn('check_out'), 'is missing, and so is nights')
  if (city === undefined || !check_in || !check_out || !nationality || !currency) return undefined
  return {
    city,
    check_in,
    check_out,
    rooms: rooms ?? values.room ?? [{adults: 2, children_ages: []}],
    client_nationality: nationality,
    currency,
  }
}
