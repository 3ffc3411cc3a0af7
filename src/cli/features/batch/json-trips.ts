/** Reads trips from NDJSON or a JSON array. Each trip is an object. */
import {sanitizeLine} from '../../../contract/foreign-text.js'
import {type Room, searchRequest} from '../../../contract/hotels.js'
import {mistakeIn, repeatedKeyLine} from '../../../contract/input-mistakes.js'
import {ExactNumber, isObject, type JsonObject, parseExactly} from '../../../contract/json.js'
import {closest, didYouMean, listOfNames} from '../../input/match.js'
import {checkedBy, withoutEmpty} from '../reserve/request.js'
import {TRIP_COLUMN_NAMES, TRIP_COLUMNS, type TripColumn, WHY} from './columns.js'
import type {Mistakes, Place} from './mistakes.js'
import type {Cell, TripDraft} from './trips.js'

/** An object in the file. `line` is its line, or its position in the array. */
export interface TripRecord {
  readonly line: number
  readonly value: JsonObject
}

/** Maximum nesting of a record. No field of a trip is nested as deeply. */
const MOST_DEPTH = 20

/** Returns the records of NDJSON, one per line. Lines that are not JSON objects are mistakes. */
export function recordsOfLines(text: string, mistakes: Mistakes): TripRecord[] {
  const records: TripRecord[] = []
  for (const [index, line] of text.split(/\r\n|\n|\r/).entries()) {
    if (line.trim() === '') continue
    const place = {line: index + 1}
    const parsed = parsedAt(place, line, mistakes)
    if (parsed) addRecord(records, place, parsed.value, mistakes)
  }
  return records
}

/**
 * Returns the objects of a JSON array. Other values in it are mistakes. Throws a SyntaxError if the text is not a JSON
 * array.
 */
export function recordsOfArray(text: string, mistakes: Mistakes): TripRecord[] {
  const records: TripRecord[] = []
  let values: unknown
  try {
    values = parseExactly(text)
  } catch {
    const {line, column, problem} = mistakeIn(text)
    throw new SyntaxError(`is not JSON: ${problem} at line ${line}, column ${column}`)
  }
  if (!Array.isArray(values)) throw new SyntaxError('must be a JSON array of trips')
  const line = repeatedKeyLine(text)
  if (line !== undefined) throw new SyntaxError(`a field is given twice in an object, at line ${line}`)
  for (const [index, value] of values.entries()) addRecord(records, {line: index + 1}, value, mistakes)
  return records
}

function parsedAt(place: Place, text: string, mistakes: Mistakes): {value: unknown} | undefined {
  try {
    const value = parseExactly(text)
    if (repeatedKeyLine(text) === undefined) return {value}
    mistakes.add(place, 'a field is given twice in an object')
  } catch {
    const {column, problem} = mistakeIn(text)
    mistakes.add(place, `is not JSON: ${problem} at column ${column}`)
  }
  return undefined
}

function addRecord(records: TripRecord[], place: Place, value: unknown, mistakes: Mistakes): void {
  if (!isObject(value)) mistakes.add(place, 'must be a JSON object, a trip')
  else if (isDeeperThan(value, MOST_DEPTH)) mistakes.add(place, 'is nested too deeply for a trip')
  else records.push({line: place.line, value})
}

function isDeeperThan(value: unknown, most: number): boolean {
  let level = [value]
  for (let depth = 0; depth < most; depth++) {
    level = level.flatMap(one => (typeof one === 'object' && one !== null ? Object.values(one) : []))
    if (level.length === 0) return false
  }
  return true
}

const SEARCH_FIELDS = [
  'destination',
  'city',
  'check_in',
  'check_out',
  'nights',
  'rooms',
  'client_nationality',
  'currency',
]
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  '': [
    'client_reference_id',
    'offer_id',
    'search',
    'choose',
    'client_nationality',
    'contact',
    'guests',
    'payment',
    WHY,
  ],
  search: SEARCH_FIELDS,
  choose: ['hotel_id', 'board', 'refundable', 'max_price'],
  payment: ['mode'],
}

/** Returns the draft of the trip in a record. Unknown fields and fields of a wrong type are mistakes. */
export function draftOfRecord({line, value}: TripRecord, mistakes: Mistakes): TripDraft {
  const record = withoutEmpty(value) as JsonObject
  const place = (path: string): Place => ({line, column: path})
  const parts: Record<string, JsonObject> = {'': record}
  for (const [name, valid] of Object.entries(FIELDS)) {
    const part = name === '' ? record : record[name]
    if (part === undefined) continue
    if (!isObject(part)) {
      mistakes.add(place(name), 'must be an object')
      continue
    }
    parts[name] = part
    for (const field of Object.keys(part).filter(field => !valid.includes(field))) {
      const meant = closest(field, valid)
      const path = sanitizeLine(name === '' ? field : `${name}.${field}`, 60)
      mistakes.add(place(path), 'there is no such field', meant ? didYouMean(meant) : listOfNames(valid))
    }
  }
  const {search = {}} = parts
  const cells = new Map<TripColumn, Cell>()
  const refused = new Set<TripColumn>()
  let rooms: Room[] | undefined
  if (search.rooms !== undefined) {
    const found = checkedBy(searchRequest.shape.rooms, search.rooms, 'search', 'rooms')
    mistakes.addFound(found, place)
    if (found.data === undefined) refused.add('room')
    else rooms = found.data
  }
  for (const column of TRIP_COLUMN_NAMES) {
    const path = TRIP_COLUMNS[column]
    const [first, second] = path.includes('.') ? (path.split('.') as [string, string]) : ['', path]
    // Contact and rooms are read as a whole.
    if (first === 'contact' || column === 'room') continue
    const value = parts[first]?.[second]
    if (value === undefined) continue
    if (typeof value === 'object' && !(value instanceof ExactNumber)) {
      mistakes.add(place(path), 'must be text or a number')
      refused.add(column)
    } else {
      cells.set(column, {text: String(value).trim(), place: place(path)})
    }
  }
  if (search.destination !== undefined) {
    const {destination} = searchRequest.shape
    const found = checkedBy(destination, search.destination, 'search', 'destination')
    mistakes.addFound(found, place)
    if (cells.has('city')) mistakes.add(place('search.city'), 'give destination or city, not both')
    else if (found.data === undefined) refused.add('city')
    else cells.set('city', {text: String(found.data.id), place: place('search.destination.id')})
  }
  const repeated: TripDraft['repeated'][number][] = []
  const nationality = search.client_nationality
  if (typeof nationality === 'string') {
    const cell = {text: nationality.trim(), place: place('search.client_nationality')}
    if (!cells.has('nationality')) cells.set('nationality', cell)
    else repeated.push({...cell, column: 'nationality', rule: 'the same as client_nationality, or left out'})
  } else if (nationality !== undefined) {
    mistakes.add(place('search.client_nationality'), 'must be text')
    refused.add('nationality')
  }
  return {
    line,
    cells,
    repeated,
    refused,
    rooms,
    contact: record.contact,
    guests: record.guests,
    guestsAreRows: false,
    source: {record: value},
    placeOf: place,
    placeOfColumn: column => cells.get(column)?.place ?? place(TRIP_COLUMNS[column]),
  }
}
