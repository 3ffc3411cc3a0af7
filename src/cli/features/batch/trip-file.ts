/** Reads the file of `reserve batch`: CSV, NDJSON or a JSON array. Nothing is sent before the whole file was read. */
import {extname} from 'node:path'
import {usage} from '../../../contract/failure.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import {invalid} from '../../input/checks.js'
import {today} from '../../input/dates.js'
import {checkEncoding, decode, readBytes} from '../../input/files.js'
import type {Preferences} from '../../session/resolve.js'
import {TRIP_COLUMNS, type TripColumn} from './columns.js'
import {type Row, readSheet, type Writing} from './csv-rows.js'
import {draftOfRows, groupRows, readHeader} from './csv-trips.js'
import {draftOfRecord, recordsOfArray, recordsOfLines, type TripRecord} from './json-trips.js'
import {lineText, Mistakes, type Place, type TripFormat} from './mistakes.js'
import {countryReader, type Reading, readTrip, type Trip} from './trips.js'

export interface TripFile {
  readonly format: TripFormat
  readonly trips: Trip[]
  /** The format of a CSV file, with its header as written. */
  readonly sheet?: (Writing & {readonly header: readonly string[]}) | undefined
}

export interface ReadTripOptions {
  readonly inputFormat?: TripFormat | undefined
  /** Nationality, currency and contact from the settings, for trips without them. */
  readonly preferred?: Preferences | undefined
  /** The date from which dates are in the future, YYYY-MM-DD (default: today). */
  readonly day?: string | undefined
}

/** Maximum number of trips in a file, and maximum size of a file in bytes, enough for ten guests per trip. */
export const MOST_TRIPS = 10_000
const MOST_FILE_BYTES = 32 * 1024 * 1024

const FORMATS: Readonly<Record<string, TripFormat>> = {
  '.csv': 'csv',
  '.tsv': 'csv',
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
  '.json': 'json',
}

/**
 * Reads the trips of the file at `path` (`-`: standard input). Throws one usage error that names every mistake by its
 * line and column. The JSON result of the error has the first hundred as `mistakes`, and their total number as
 * `mistake_count`.
 */
export async function readTripFile(path: string, options: ReadTripOptions = {}): Promise<TripFile> {
  const {inputFormat, preferred = {}, day = today()} = options
  const format = inputFormat ?? FORMATS[extname(path).toLowerCase()]
  if (format === undefined) {
    const what = path === '-' ? 'standard input' : sanitizeLine(path, 200)
    const hint = 'say it with --input-format csv, ndjson or json'
    throw usage('invalid_input', `FILE: the format of ${what} is not known by its name`, hint)
  }
  const bytes = await readBytes('FILE', path, MOST_FILE_BYTES)
  checkEncoding('FILE', bytes)
  const mistakes = new Mistakes(format)
  const reading: Reading = {
    mistakes,
    preferred,
    day,
    readCountry: countryReader(mistakes),
    offerLines: new Map(),
  }
  const file = format === 'csv' ? await readCsv(bytes, reading) : await readRecords(bytes, format, reading)
  if (mistakes.count > 0) throw mistakes.toFailure()
  return file
}

/** Returns the place of a value of a trip, for a mistake that is found after reading. `column` is its name in CSV. */
export function placeIn({format}: TripFile, {line}: Trip, column: TripColumn): Place {
  return {line, column: format === 'csv' ? column : TRIP_COLUMNS[column]}
}

async function readCsv(bytes: Uint8Array, reading: Reading): Promise<TripFile> {
  const {mistakes} = reading
  const {rows: all, ...writing} = readSheet(bytes, mistakes)
  const [headerRow, ...rows] = all
  if (headerRow === undefined || rows.length === 0) {
    if (mistakes.count > 0) throw mistakes.toFailure()
    throw invalid('FILE', headerRow === undefined ? 'is empty' : 'has a header and no rows')
  }
  const file = (trips: Trip[]): TripFile => ({
    format: 'csv',
    trips,
    sheet: {...writing, header: headerRow.cells},
  })
  const header = readHeader(headerRow, rows, mistakes)
  if (!header.has('client_reference_id')) return file([])
  const groups = groupRows(header, headerRow, rows, mistakes) as [Row, ...Row[]][]
  checkCount(
    groups.map(([{line}]) => line),
    mistakes,
  )
  const trips: Trip[] = []
  for (const group of groups.slice(0, MOST_TRIPS)) {
    const trip = await readTrip(await draftOfRows(header, group, reading), reading)
    if (trip) trips.push(trip)
  }
  return file(trips)
}

async function readRecords(
  bytes: Uint8Array,
  format: 'ndjson' | 'json',
  reading: Reading,
): Promise<TripFile> {
  const {mistakes} = reading
  const text = decode('FILE', bytes)
  if (text.trim() === '') throw invalid('FILE', 'is empty')
  let records: TripRecord[]
  try {
    records = format === 'json' ? recordsOfArray(text, mistakes) : recordsOfLines(text, mistakes)
  } catch (error) {
    if (error instanceof SyntaxError) throw usage('invalid_json', `FILE: ${error.message}`)
    throw error
  }
  if (records.length === 0 && mistakes.count === 0) throw invalid('FILE', 'has no trips')
  checkCount(
    records.map(({line}) => line),
    mistakes,
  )
  const trips: Trip[] = []
  const lines = new Map<string, number>()
  for (const record of records.slice(0, MOST_TRIPS)) {
    const draft = draftOfRecord(record, mistakes)
    const reference = draft.cells.get('client_reference_id')
    if (reference === undefined && !draft.refused.has('client_reference_id'))
      mistakes.add(draft.placeOfColumn('client_reference_id'), 'is missing')
    const earlier = lines.get(reference?.text ?? '')
    if (reference !== undefined && earlier !== undefined)
      mistakes.add(reference.place, `is that of ${lineText(format, earlier)} already`)
    else if (reference !== undefined) lines.set(reference.text, record.line)
    const trip = await readTrip(draft, reading)
    if (trip) trips.push(trip)
  }
  return {format, trips}
}

/** Adds a mistake if there are too many trips. `lines` are the lines on which they begin. */
function checkCount(lines: readonly number[], mistakes: Mistakes): void {
  const line = lines[MOST_TRIPS]
  const limit = MOST_TRIPS.toLocaleString('en')
  if (line !== undefined) mistakes.add({line}, `too many trips: at most ${limit} in a file; split it`)
}
