/** What --failed writes: the trips that are not settled, in the form they came in, with the reason of each. */
import {existsSync, readFileSync} from 'node:fs'
import {stringify as csvText} from 'csv-stringify/sync'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import {stringify} from '../../../contract/json.js'
import {WHY} from './columns.js'
import type {TripFile} from './trip-file.js'
import type {Trip} from './trips.js'

export interface Unsettled {
  readonly trip: Trip
  /** In words; it is written on one line. */
  readonly why: string
}

/**
 * Returns the whole text of the file that --failed writes, with a byte order mark if the file that was read had one. It can be
 * read and run again.
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
  // A line end inside a cell may be another than those of the file.
  return csvText([head, ...rows], {
    delimiter,
    record_delimiter: lineEnd,
    bom: hasMark,
    quoted_match: /[\r\n]/,
  })
}

/** A text that a spreadsheet does not take for a formula. */
function reasonCell(why: string): string {
  const text = sanitizeLine(why)
  return /^[=+\-@]/.test(text) ? `'${text}` : text
}

/** Reports whether --failed may write `path`: it is a new file, or one that an earlier --failed wrote. */
export function mayReplace(path: string): boolean {
  if (!existsSync(path)) return true
  const text = readFileSync(path, 'utf8').trim()
  return text === '' || text === '[]' || text.slice(0, 100_000).includes(WHY)
}
