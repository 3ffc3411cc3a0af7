/**
 * A table of plain columns, as wide as its reader's terminal (fit.ts), drawn by cli-table3 without borders. Cells come
 * sanitised.
 */
import CliTable from 'cli-table3'
import {type Painter, styleOfState} from './colour.js'
import {type Fit, type FittedColumn, fitColumns, GAP, headOf, type TableColumn} from './fit.js'
import {cutTo, textWidth} from './text-width.js'
import {wrap} from './wrap.js'

export interface TableParts {
  readonly columns: readonly TableColumn[]
  readonly rows: readonly (readonly string[])[]
  /** Columns of the terminal; infinite in a pipe, where nothing is cut. */
  readonly width: number
  readonly paint: Painter
}

export interface Table extends Pick<Fit, 'leftOut'> {
  /** The names of the columns. */
  readonly head: readonly string[]
  readonly body: readonly string[]
}

/** Narrower terminals get blocks. */
const NARROW = 50

/** The time of cli-table3 grows with the square of its lines; with fixed widths, pieces joined are the same table. */
const LINES_AT_ONCE = 50

const BORDERS = ['top', 'bottom', 'left', 'mid', 'right'].flatMap(side => [side, `${side}-mid`])
const CORNERS = ['top-left', 'top-right', 'bottom-left', 'bottom-right']
const PLAIN = {
  chars: {...Object.fromEntries([...BORDERS, ...CORNERS].map(name => [name, ''])), middle: GAP},
  // Without a head and a border of its own, cli-table3 writes no colour.
  style: {head: [], border: [], 'padding-left': 0, 'padding-right': 0, compact: true},
  // Our cells fit. cli-table3 shortens each to 10 columns for its debug messages, which takes the square of a long
  // text's length; to a mark of 10 columns, it takes nothing.
  truncate: ' '.repeat(10),
}

const TIME = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d(?::?\d\d)?)$/

/** Lays out `rows`; undefined when they do not fit and must be shown as blocks. */
export function layOut({columns, rows, width, paint}: TableParts): Table | undefined {
  if (width < NARROW) return undefined
  const cells = rows.map(row => row.map(readableTime))
  const fitted = fitColumns(columns, cells, width)
  if (fitted === undefined) return undefined
  const {shown, leftOut} = fitted
  const head = shown.map(column => wrap(headOf(column), column.width).map(line => paint('header', line)))
  const body = cells.map(row => shown.map(column => linesOf(column, row[column.index] ?? '', paint)))
  return {head: draw(shown, [head]), body: draw(shown, body), leftOut}
}

/** `2027-05-29T18:00:00+03:00` as `2027-05-29 18:00+03`: nothing but seconds is lost. */
function readableTime(text: string): string {
  return text.replace(TIME, (_, day, time, zone) => `${day} ${time}${zone.replace(/:?00$/, '')}`)
}

/** A cell in its column: cut, or on as many lines as it takes. */
function linesOf(column: FittedColumn, text: string, paint: Painter): string[] {
  const wraps = column.wraps && textWidth(text) > column.width
  const lines = wraps ? wrap(text, column.width, () => false) : [cutTo(text, column.width)]
  const style = /status|outcome|verdict|valid|state/.test(column.name) ? styleOfState(text) : undefined
  return style === undefined ? lines : lines.map(line => paint(style, line))
}

/** The lines of rows whose cells have one line or more. */
function draw(columns: readonly FittedColumn[], rows: readonly (readonly string[])[][]): string[] {
  // cli-table3 would look through all of a cell with several lines for each of them.
  const lines = rows.flatMap(cells => {
    const height = Math.max(...cells.map(cell => cell.length))
    return Array.from({length: height}, (_, at) => cells.map(cell => cell[at] ?? ''))
  })
  const drawn: string[] = []
  for (let at = 0; at < lines.length; at += LINES_AT_ONCE) {
    const table = new CliTable({
      ...PLAIN,
      colWidths: columns.map(({width}) => width),
      colAligns: columns.map(({isNumber}) => (isNumber ? 'right' : 'left')),
    })
    table.push(...lines.slice(at, at + LINES_AT_ONCE))
    drawn.push(...table.toString().split('\n'))
  }
  return drawn.map(line => line.trimEnd())
}
