/** The trips of a file, and how the texts of a row or a record become a trip with checked values. */
import {Failure} from '../../../contract/failure.js'
import type {Room, SearchRequest} from '../../../contract/hotels.js'
import type {JsonObject} from '../../../contract/json.js'
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
import {
  checkDeparture,
  checkRooms,
  leaveAfter,
  MOST_NIGHTS,
  readCheckOut,
  readRoom,
} from '../../input/stay.js'
import type {Preferences} from '../../session/resolve.js'
import type {ReserveFlags} from '../reserve/flags.js'
import {readTyped} from '../reserve/request.js'
import type {TripColumn} from './columns.js'
import type {Row} from './csv-rows.js'
import {lineText, type Mistakes, type Place} from './mistakes.js'

/** A trip whose values have all been checked. */
export interface Trip {
  /**
   * The line on which the trip's first row begins (CSV, NDJSON), or the trip's position in a JSON array. Both count
   * from 1.
   */
  readonly line: number
  /** The client reference (`client_reference_id`). */
  readonly reference: string
  /** The offer to book. A trip has either this or `search`. */
  readonly offerId: string | undefined
  /** The search that finds an offer. */
  readonly search: TripSearch | undefined
  readonly choose: Choice
  /**
   * The reservation request (§2.4) as JSON. It lacks the offer if there is a search, and the nationality if that comes
   * from the offer. It is not kept as an object, because those of 10,000 trips take 100 MB.
   */
  readonly request: string
  /** Whether a guest without a nationality gets that of the client, as with --guest. */
  readonly guestsAreRows: boolean
  /** The mistake in a check-in that is in the past. It counts unless the trip is already booked. */
  readonly past: {readonly place: Place; readonly problem: string} | undefined
  readonly source: TripSource
}

/** The search of a trip (§2.2). Its city may be a name that still has to be looked up. */
export interface TripSearch extends Omit<SearchRequest, 'destination'> {
  readonly city: number | string
}

/** What an offer must have to be chosen. */
export interface Choice {
  readonly hotelId?: string
  readonly board?: string
  readonly refundable?: boolean
  readonly maxPrice?: Maximum
}

/** The rows or the record that a trip was read from. */
type TripSource = {readonly rows: readonly Row[]} | {readonly record: JsonObject}

/** A text in the file, and its place. */
export interface Cell {
  readonly text: string
  readonly place: Place
}

/** The texts of a trip before they are read. */
export interface TripDraft {
  readonly line: number
  /** The non-empty cells, in the order of the columns. */
  readonly cells: ReadonlyMap<TripColumn, Cell>
  /** Texts that repeat a cell of `cells` in another row. `rule` completes the error message `must be …`. */
  readonly repeated: readonly (Cell & {readonly column: TripColumn; readonly rule: string})[]
  /** Columns that are not reported as missing, because their values were already refused. */
  readonly refused: ReadonlySet<TripColumn>
  /** The rooms of a record. A row has them as text. */
  readonly rooms: Room[] | undefined
  readonly contact: unknown
  readonly guests: unknown
  /** Whether guests come from rows. They then have the nationality of the client unless they have their own. */
  readonly guestsAreRows: boolean
  readonly source: TripSource
  /** Returns the place of a field of the request (§2.4), for example `guests[0].name`. */
  readonly placeOf: (path: string) => Place
  /** Returns the place of a column's value, or where it is missing. */
  readonly placeOfColumn: (column: TripColumn) => Place
}

/** What is needed to read trips. */
export interface Reading {
  readonly mistakes: Mistakes
  readonly preferred: Preferences
  /** The date from which dates are in the future, as YYYY-MM-DD. */
  readonly day: string
  readonly readCountry: (text: string) => Promise<string | undefined>
  /** The line of the trip for each offer that was named so far. */
  readonly offerLines: Map<string, number>
}

const SEARCH_COLUMNS: readonly TripColumn[] = ['city', 'check_in', 'check_out', 'nights', 'room', 'currency']
const CHOICE_COLUMNS: readonly TripColumn[] = ['hotel_id', 'board', 'refundable', 'max_price']

/**
 * Maximum number of different country texts that are looked up in a file with many mistakes, because each takes
 * milliseconds.
 */
const MOST_COUNTRY_TEXTS = 100

/**
 * Returns a function that reads a country and looks up each text once. If there are too many texts and too many
 * mistakes, it looks up nothing and returns undefined.
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

/** Reads a boolean in the ways that spreadsheets and people write it. Throws a usage error for any other text. */
export function readBoolean(text: string): boolean {
  const word = text.toLowerCase()
  if (word === 'true' || word === 'yes' || word === '1') return true
  if (word === 'false' || word === 'no' || word === '0') return false
  throw invalid('', 'must be true or false', text)
}

/** The values of a trip that were read. */
interface Values {
  city?: number | string
  check_in?: string
  check_out?: string
  /** The date of departure that follows from the number of nights. */
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

/**
 * How the text of a column is read. Other columns are taken as they are, and checked with the request. Each function
 * throws a usage error.
 */
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
    checkRooms('', rooms)
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

/** Returns a dialling prefix with its plus sign, because spreadsheets store +90 as the number 90. */
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
  // A trip with a search has no offer yet, so the offer is not reported as missing.
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

/** The names of the fields for flags that `readTyped` reports as missing. */
const FIELDS_OF_FLAGS: Readonly<Record<string, string>> = {
  OFFER_ID: 'offer_id',
  '--contact': 'contact',
  '--guest': 'guests',
}

/** Returns the search of a trip. If a part of it was refused or is missing, adds a mistake and returns undefined. */
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
