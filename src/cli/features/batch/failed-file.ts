/**
 * Writes the file of --failed: the trips that were not booked, in the format of the original file, each with its
 * reason.
 */
import {existsSync, readFileSync} from 'node:fs'
import {stringify as csvText} from 'csv-stringify/sync'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import {stringify} from '../../../contract/json.js'
import {WHY} from './columns.js'
import type {TripFile} from './trip-file.js'
import type {Trip} from './trips.js'

export interface Unsettled {
  readonly trip: Trip
  /** The reason in words. It is written on one line. */
  readonly why: string
}

/**
 * Returns the text of the --failed file. It begins with a byte order mark if the original file did. It can be run
 * again.
 */
export function failedText(file: TripFile, unsettled: readonly Unsettled[]): string {
  if (file.sheet === undefined) {
    const records = unsettled.map(({trip, why}) => {
      const record = 'record' in trip.source ? trip.source.record : {}
      return {...record, [WHY]: sanitizeLine(why)}
    })
    if (file.format === 'json') return `${stringify(records, 2)}\n`
    return records.map(record => `${stringify(record)}\n`).join('')
  }
  const {header, delimiter, lineEnd, hasMark} = file.sheet
  const place = header.findIndex(cell => cell.trim().toLowerCase() === WHY)
  const head = place < 0 ? [...header, WHY] : header
  const at = place < 0 ? header.length : place
  const rows = unsettled.flatMap(({trip: {source}, why}) => {
    const given = 'rows' in source ? source.rows : []
    return given.map(({cells}) =>
      head.map((_, index) => (index === at ? reasonCell(why) : (cells[index] ?? ''))),
    )
  })
  // A line end inside a cell may differ from those between rows.
  return csvText([head, ...rows], {
    delimiter,
    record_delimiter: lineEnd,
    bom: hasMark,
    quoted_match: /[\r\n]/,
  })
}

/** Returns the reason as a cell that a spreadsheet does not interpret as a formula. */
function reasonCell(why: string): string {
  const text = sanitizeLine(why)
  return /^[=+\-@]/.test(text) ? `'${text}` : text
}

/** Reports whether --failed may write to `path`: there is no file, or one that an earlier --failed wrote. */
export function mayReplace(path: string): boolean {
  if (!existsSync(path)) return true
  const text = readFileSync(path, 'utf8').trim()
  return text === '' || text === '[]' || text.slice(0, 100_000).includes(WHY)
}
