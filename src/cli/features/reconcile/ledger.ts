/** Reads a partner's own books from a CSV file. The user names its columns. One run reports all mistakes. */
import {usage} from '../../../contract/failure.js'
import {isIdentifier} from '../../../contract/identifiers.js'
import {checkCurrency, invalid} from '../../input/checks.js'
import {checkEncoding, readBytes} from '../../input/files.js'
import {readPairs} from '../../input/guests.js'
import {closest, didYouMean} from '../../input/match.js'
import {combined} from '../../input/usage-errors.js'
import {type Row as CsvRow, readRows} from '../batch/csv-rows.js'
import {Mistakes} from '../batch/mistakes.js'
import {Books} from './books.js'
import {readLedgerAmount} from './ledger-amounts.js'
import {type Standing, standingOfWord} from './standing.js'

const FIELDS = ['reference', 'price', 'currency', 'status'] as const
type Field = (typeof FIELDS)[number]

/** The header of the column for each field. Fields without a column are not compared. */
export type LedgerColumns = ReadonlyMap<string, string>

const MOST_FILE_BYTES = 32 * 1024 * 1024

/** Reads `--ledger-columns`: `reference=Booking,price=Total`. Throws a usage error if it is invalid. */
export function readLedgerColumns(field: string, text: string): LedgerColumns {
  const {pairs, errors} = readPairs(field, text, FIELDS)
  if (errors.length > 0) throw combined(errors)
  if (!pairs.has('reference')) throw invalid(field, 'must name the column of the reference: reference=NAME')
  for (const [name, header] of pairs) if (header === '') throw invalid(field, `${name} has no column`)
  return pairs
}

/**
 * Reads the ledger at `path` (`-`: standard input). Without `columns`, its header must have the names of the fields.
 * Throws one usage error that names the line and column of every cell that cannot be read.
 */
export async function readLedger(path: string, columns: LedgerColumns | undefined): Promise<Books> {
  const bytes = await readBytes('--ledger', path, MOST_FILE_BYTES)
  checkEncoding('--ledger', bytes)
  const mistakes = new Mistakes('csv')
  const books = new Books(false)
  let header: Header | undefined
  let width = 0
  let rows = 0
  readRows(bytes, mistakes, row => {
    if (header === undefined) {
      header = readHeader(row, columns, mistakes)
      width = row.cells.length
      return
    }
    rows++
    if (!header.has('reference')) return
    if (row.cells.slice(width).some(cell => cell.trim() !== ''))
      return mistakes.add({line: row.line}, `has ${row.cells.length} cells, and the header has ${width}`)
    addEntry(books, row, header, mistakes)
  })
  if (mistakes.count > 0) throw mistakes.toFailure()
  if (rows === 0) throw invalid('--ledger', header === undefined ? 'is empty' : 'has a header and no rows')
  return books
}

/** The index of each field's column, and its header as written. */
type Header = ReadonlyMap<Field, {readonly index: number; readonly name: string}>

function readHeader({line, cells}: CsvRow, columns: LedgerColumns | undefined, mistakes: Mistakes): Header {
  const plain = (name: string) => name.normalize('NFKC').trim().replace(/\s+/g, ' ').toLowerCase()
  const names = cells.map(plain)
  const header = new Map<Field, {index: number; name: string}>()
  for (const field of FIELDS) {
    const name = columns === undefined ? field : columns.get(field)
    if (name === undefined) continue
    const index = names.indexOf(plain(name))
    const isTwice = index !== names.lastIndexOf(plain(name))
    if (index >= 0 && !isTwice) header.set(field, {index, name})
    else if (isTwice) mistakes.add({line, column: name}, 'is there twice')
    else if (columns !== undefined || field === 'reference') {
      const meant = closest(plain(name), names.filter(Boolean))
      const hint =
        meant === undefined
          ? 'name the columns as the first line of the file does: --ledger-columns'
          : didYouMean(meant)
      mistakes.add({line, column: name}, 'is missing', hint)
    }
  }
  return header
}

function addEntry(books: Books, row: CsvRow, header: Header, mistakes: Mistakes): void {
  const textOf = (field: Field) =>
    row.cells[header.get(field)?.index ?? -1]?.replace(/\s+/g, ' ').trim() ?? ''
  /** Reads a cell. Returns null if it is empty. If it cannot be read, adds a mistake and returns null. */
  const read = <Value>(field: Field, reader: (text: string) => Value): Value | null => {
    const text = textOf(field)
    if (text === '') return null
    try {
      return reader(text)
    } catch (error) {
      mistakes.addThrown({line: row.line, column: header.get(field)?.name}, error)
      return null
    }
  }
  const reference = textOf('reference')
  const place = {line: row.line, column: header.get('reference')?.name}
  if (reference === '') mistakes.add(place, 'is missing')
  else if (!isIdentifier('client_reference_id', reference) && !isIdentifier('reservation_ref', reference))
    mistakes.add(place, 'must be your client reference or the reference of the reservation')
  const ownCurrency = read('currency', text => checkCurrency('', text))
  const price = read('price', text => readLedgerAmount(text, ownCurrency))
  const standing = read('status', readStanding)
  books.add({
    reference,
    reservationRef: null,
    standing: standing ?? 'made',
    status: books.shared(textOf('status') || null),
    amount: books.shared(price?.amount ?? null),
    currency: books.shared(price?.currency ?? ownCurrency),
    line: row.line,
    isExpected: true,
    found: undefined,
    isFoundLive: false,
  })
}

function readStanding(text: string): Standing {
  const standing = standingOfWord(text)
  if (standing) return standing
  throw usage(
    'invalid_input',
    `must be confirmed, pending or cancelled, not ${JSON.stringify(text.slice(0, 40))}`,
  )
}
