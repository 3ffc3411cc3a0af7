/** Reads a CSV file as rows, each with the line on which it begins. */
import {CsvError, parse} from 'csv-parse/sync'
import type {Mistakes} from './mistakes.js'

export interface Row {
  /** The line on which the row begins, from 1. */
  readonly line: number
  /** The texts of the cells, without the quotes around them. */
  readonly cells: readonly string[]
}

/** How the file is formatted, so that --failed can write the same format. */
export interface Writing {
  readonly delimiter: string
  readonly lineEnd: string
  readonly hasMark: boolean
}

export interface Sheet extends Writing {
  /** The rows that have text in at least one cell, including the header. */
  readonly rows: readonly Row[]
}

/** Maximum size of a row in bytes. The longest texts of a reservation have 255 characters. */
const MOST_ROW_BYTES = 100_000

const QUOTING = 'a cell with quotes in it must be in quotes, and each quote inside it doubled'

/** Messages for the errors of the parser. */
const PROBLEMS: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quote opens here and is not closed',
  INVALID_OPENING_QUOTE: QUOTING,
  CSV_INVALID_CLOSING_QUOTE: QUOTING,
  CSV_MAX_RECORD_SIZE: `the row is longer than ${MOST_ROW_BYTES} bytes; is a quote in it not closed?`,
}

/** Reads the rows of `bytes`, which must be UTF-8. If a mistake ends the reading, the rows before it are returned. */
export function readSheet(bytes: Uint8Array, mistakes: Mistakes): Sheet {
  const rows: Row[] = []
  const writing = readRows(bytes, mistakes, row => rows.push(row))
  return {rows, ...writing}
}

/** Reads rows as `readSheet` does and passes each to `use`, so that the rows of a long file need not be in memory. */
export function readRows(bytes: Uint8Array, mistakes: Mistakes, use: (row: Row) => void): Writing {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const hasMark = file.subarray(0, 3).equals(Buffer.from('\ufeff'))
  const lineAt = lineCounter(file)
  const delimiter = delimiterOf(file)
  /** The offset at which the last row ended. The next row begins after the empty lines that follow. */
  let end = 0
  const beginning = () => {
    while (file[end] === RETURN || file[end] === NEWLINE) end++
    return end
  }
  const take = (cells: string[], {bytes: recordEnd}: {bytes: number}) => {
    if (cells.some(cell => cell.trim() !== '')) use({line: lineAt(beginning()), cells})
    end = recordEnd
    return null
  }
  try {
    parse(file, {
      bom: true,
      delimiter,
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
      skip_empty_lines: true,
      max_record_size: MOST_ROW_BYTES,
      on_record: take,
    })
  } catch (error) {
    const problem = error instanceof CsvError ? PROBLEMS[error.code] : undefined
    if (!(error instanceof CsvError) || problem === undefined) throw error
    // Inside a quoted cell, the parser counts a line end of two characters as two lines. The line is therefore found by
    // the offset, which the parser reports correctly.
    const isOpen = error.code === 'CSV_QUOTE_NOT_CLOSED'
    mistakes.add({line: lineAt(isOpen ? quoteFrom(file, error.bytes) : beginning())}, problem)
  }
  return {delimiter, lineEnd: lineEndOf(file), hasMark}
}

const QUOTE = 0x22

/** Returns the offset of the quote that opens a cell. `end` is the offset at which the previous cell ended. */
function quoteFrom(file: Buffer, end: unknown): number {
  return file.indexOf(QUOTE, Number(end))
}

const RETURN = 0x0d
const NEWLINE = 0x0a

/** Returns a function that returns the line at an offset. Offsets must not decrease from call to call. */
function lineCounter(file: Buffer) {
  let line = 1
  let at = 0
  return (offset: number) => {
    for (; at < offset; at++) {
      const isEnd = file[at] === NEWLINE || (file[at] === RETURN && file[at + 1] !== NEWLINE)
      if (isEnd) line++
    }
    return line
  }
}

function lineEndOf(file: Buffer): string {
  const at = file.findIndex(byte => byte === NEWLINE || byte === RETURN)
  if (at < 0 || file[at] === NEWLINE) return '\n'
  return file[at + 1] === NEWLINE ? '\r\n' : '\r'
}

/** Returns the delimiter that occurs most often in the header. Spreadsheets in many countries write semicolons. */
function delimiterOf(file: Buffer): string {
  const start = file
    .subarray(0, MOST_ROW_BYTES)
    .toString()
    .replace(/^\ufeff/, '')
    .trimStart()
  const header = start.split(/[\r\n]/, 1)[0] ?? ''
  const counted = [',', ';', '\t'].map(mark => ({mark, count: header.split(mark).length}))
  return counted.sort((a, b) => b.count - a.count)[0]?.mark ?? ','
}
