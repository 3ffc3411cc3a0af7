/** Reads the trips of a CSV file. A row is a guest, and rows with the same client_reference_id are one trip. */
import {sanitizeLine} from '../../../contract/foreign-text.js'
import {invalid} from '../../input/checks.js'
import {PAST_DATE_FORMS, readDay} from '../../input/dates.js'
import type {Fields} from '../../input/guests.js'
import {closest, didYouMean, listOfNames} from '../../input/match.js'
import {
  GUEST_COLUMN_NAMES,
  GUEST_COLUMNS,
  type GuestColumn,
  TRIP_COLUMN_NAMES,
  TRIP_COLUMNS,
  type TripColumn,
  WHY,
} from './columns.js'
import type {Row} from './csv-rows.js'
import type {Mistakes, Place} from './mistakes.js'
import {type Cell, diallingPrefix, type Reading, readBoolean, type TripDraft} from './trips.js'

const COLUMN_NAMES = [...TRIP_COLUMN_NAMES, ...GUEST_COLUMN_NAMES, WHY]

/** The index of each column in a row. */
export type Header = ReadonlyMap<string, number>

/** Returns the columns in the header. Unknown and repeated columns are mistakes. */
export function readHeader(header: Row, rows: readonly Row[], mistakes: Mistakes): Header {
  const found = new Map<string, number>()
  for (const [index, cell] of header.cells.entries()) {
    const name = cell.trim().toLowerCase()
    if (name === '') {
      const row = rows.find(({cells}) => (cells[index] ?? '').trim() !== '')
      if (row) mistakes.add({line: row.line}, `cell ${index + 1} has no column: its header is empty`)
      continue
    }
    const place = {line: header.line, column: headerName(cell.trim(), index)}
    const known = COLUMN_NAMES.find(column => column === name)
    const meant = known ?? closest(name, COLUMN_NAMES)
    if (known === undefined)
      mistakes.add(place, 'there is no such column', meant ? didYouMean(meant) : listOfNames(COLUMN_NAMES))
    else if (found.has(known)) mistakes.add(place, 'is there twice')
    // Cells below a mistyped header are read as those of the column that was probably meant.
    if (meant !== undefined && !found.has(meant)) found.set(meant, index)
  }
  if (!found.has('client_reference_id'))
    mistakes.add(
      {line: header.line, column: 'client_reference_id'},
      'is missing: the first line must name the columns',
    )
  return found
}

/**
 * Returns the name of a column for an error message, or its number if the text does not look like a name: in a file
 * without a header, it may be the identity number of a guest.
 */
function headerName(text: string, index: number): string {
  return /^\p{L}[\p{L}\p{M}\p{N} _.-]*$/u.test(text) ? sanitizeLine(text, 40) : String(index + 1)
}

/**
 * Groups the rows by trip, in the order of their first rows. A row without a reference or with too many cells is a
 * mistake.
 */
export function groupRows(header: Header, headerRow: Row, rows: readonly Row[], mistakes: Mistakes): Row[][] {
  const width = headerRow.cells.length
  const groups = new Map<string, Row[]>()
  for (const row of rows) {
    if (row.cells.slice(width).some(cell => cell.trim() !== '')) {
      mistakes.add({line: row.line}, `has ${row.cells.length} cells, and the header has ${width}`)
      continue
    }
    const reference = textAt(header, row, 'client_reference_id')
    if (reference === '') {
      mistakes.add({line: row.line, column: 'client_reference_id'}, 'is missing')
      continue
    }
    const group = groups.get(reference)
    if (group) group.push(row)
    else groups.set(reference, [row])
  }
  return [...groups.values()]
}

/** Returns the text of a cell. A line end in it becomes a space, because every field is a single line. */
function textAt(header: Header, {cells}: Row, column: string): string {
  const index = header.get(column)
  const text = index === undefined ? '' : (cells[index] ?? '')
  return text.replace(/\s*[\r\n]\s*/g, ' ').trim()
}

/** Returns the draft of the trip in `rows`. Mistakes about its guests are added to those of `reading`. */
export async function draftOfRows(
  header: Header,
  rows: readonly [Row, ...Row[]],
  reading: Reading,
): Promise<TripDraft> {
  const [{line}] = rows
  const cells = new Map<TripColumn, Cell>()
  const repeated: TripDraft['repeated'][number][] = []
  for (const column of TRIP_COLUMN_NAMES) {
    for (const row of rows) {
      const text = textAt(header, row, column)
      const first = cells.get(column)
      const place = {line: row.line, column}
      if (text === '' || text === first?.text) continue
      if (first === undefined) {
        cells.set(column, {text, place})
        continue
      }
      const rule = `as on line ${first.place.line}, or empty: rows with the same client_reference_id are one trip`
      repeated.push({column, text, place, rule})
    }
  }
  const contact: Fields = {}
  for (const [column, {text}] of cells) {
    const [, name] = /^contact_(.*)$/.exec(column) ?? []
    if (name === 'phone_country_code') contact[name] = diallingPrefix(text)
    else if (name !== undefined) contact[name] = text
  }
  const guests: Fields[] = []
  const lines = new Map<string, number>()
  for (const row of rows) {
    const guest = await guestOf(header, row, reading)
    guests.push(guest)
    // The row was probably pasted twice.
    const text = JSON.stringify(guest)
    const earlier = guest.identity === undefined ? undefined : lines.get(text)
    if (earlier !== undefined)
      reading.mistakes.add({line: row.line}, `is the same guest as on line ${earlier}`)
    lines.set(text, row.line)
  }
  const placeOfColumn = (column: TripColumn) => cells.get(column)?.place ?? {line, column}
  return {
    line,
    cells,
    repeated,
    refused: new Set(),
    rooms: undefined,
    contact,
    guests,
    guestsAreRows: true,
    source: {rows},
    placeOfColumn,
    placeOf: path => placeOfGuest(path, rows, guests) ?? placeOfColumn(columnOf(path)),
  }
}

/**
 * How the text of a guest's column is read. Other columns are taken as they are. Each function throws a usage error.
 */
const READERS: Readonly<Partial<Record<GuestColumn, (text: string, reading: Reading) => unknown>>> = {
  birth_date: (text, {day}) => readDay('', text, day, PAST_DATE_FORMS),
  guest_nationality: (text, {readCountry}) => readCountry(text),
  tc: text => ({type: 'TC', number: text}),
  passport: text => ({type: 'PASSPORT', number: text}),
  lead: readBoolean,
}

/**
 * Returns the guest in a row, with the same fields as `--guest` gives. A value that cannot be read is left out and
 * recorded as a mistake.
 */
async function guestOf(header: Header, row: Row, reading: Reading): Promise<Fields> {
  const guest: Fields = {}
  for (const column of GUEST_COLUMN_NAMES) {
    const text = textAt(header, row, column)
    if (text === '') continue
    const isIdentity = column === 'tc' || column === 'passport'
    const field = isIdentity ? 'identity' : GUEST_COLUMNS[column]
    const read = READERS[column]
    try {
      if (field in guest) throw invalid('', 'give one identity: tc or passport')
      guest[field] = read ? await read(text, reading) : text
    } catch (error) {
      reading.mistakes.addThrown({line: row.line, column}, error)
    }
  }
  return guest
}

/** Returns the place in the file of a path such as `guests[1].name`, or undefined for a path outside the guests. */
function placeOfGuest(path: string, rows: readonly Row[], guests: readonly Fields[]): Place | undefined {
  const [, index, field = ''] = /^guests\[(\d+)\]\.(.*)$/.exec(path) ?? []
  const row = rows[Number(index)]
  if (row === undefined) return undefined
  const {identity} = guests[Number(index)] ?? {}
  const isPassport = (identity as {type?: string} | undefined)?.type === 'PASSPORT'
  if (field.startsWith('identity')) return {line: row.line, column: isPassport ? 'passport' : 'tc'}
  const column = GUEST_COLUMN_NAMES.find(name => GUEST_COLUMNS[name] === field)
  return {line: row.line, column: column ?? field}
}

function columnOf(path: string): TripColumn {
  return TRIP_COLUMN_NAMES.find(name => TRIP_COLUMNS[name] === path) ?? 'client_reference_id'
}
