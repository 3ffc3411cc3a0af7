/**
 * Lays out a table to fit the terminal: first texts are cut, then minor columns are left out. Identifiers and names are
 * never cut.
 */
import CliTable from 'cli-table3'
import {type Painter, styleOfState} from './colour.js'
import type {Column} from './result.js'
import {cutTo, textWidth, wrap} from './text.js'

type TableColumn = Omit<Column<never>, 'value'>

type FittedColumn = ReturnType<typeof measure>

/** Minimum width of a text that is cut. A shorter one would say nothing. */
const SHORTEST_TEXT = 8

/** Minimum width of a name as long as there are minor columns that can be left out. */
const READABLE_NAME = 20

const GAP = '  '

const IDENTIFIES =
  /(^|_)(id|ref|reference|key|url|address|secret|token|path|command|sha256|type)$|^(profile|name)$/
const NUMBER = /^-?\d[\d., ]*(\s?[A-Z]{3}|%| ms| s)?$/
const SHORT_TIME = /^\d{4}-\d\d-\d\d( \d\d:\d\d\S*)?$/

/**
 * Chooses and measures the columns that fit into a width of `room`. Returns undefined if only one of several columns
 * would remain.
 */
function fitColumns(columns: readonly TableColumn[], rows: readonly (readonly string[])[], room: number) {
  const measured = columns.map((column, index) => measure(column, index, rows))
  const kept = new Set(measured)
  // Minor columns are left out first, from the last one to the first. Then the others are left out in the same order.
  const leaving = [...measured.filter(({isMinor}) => !isMinor), ...measured.filter(({isMinor}) => isMinor)]
  const leftOut: string[] = []
  let ofMain = leaving.at(-1)?.isMinor ? READABLE_NAME : 0
  let needed = leastRoom([...kept], ofMain)
  while (needed > room) {
    const dropped = leaving.pop()
    if (dropped === undefined || kept.size <= 2) return undefined
    kept.delete(dropped)
    leftOut.unshift(dropped.name)
    needed -= leastWidth(dropped, ofMain) + GAP.length
    if (ofMain > 0 && !leaving.at(-1)?.isMinor) {
      ofMain = 0
      needed = leastRoom([...kept], ofMain)
    }
  }
  return {shown: narrowed([...kept], room, ofMain), leftOut}
}

function leastWidth({width, shortest, isMain}: FittedColumn, ofMain: number): number {
  return Math.min(width, Math.max(shortest, isMain ? ofMain : 0))
}

function leastRoom(columns: readonly FittedColumn[], ofMain: number): number {
  return columns.reduce((sum, column) => sum + leastWidth(column, ofMain) + GAP.length, -GAP.length)
}

function measure(column: TableColumn, index: number, rows: readonly (readonly string[])[]) {
  const cells = rows.map(row => row[index] ?? '').filter(cell => cell !== '')
  const all = (shape: RegExp) => cells.length > 0 && cells.every(cell => shape.test(cell))
  const identifies = !column.isMain && IDENTIFIES.test(column.name)
  const isTime = all(SHORT_TIME)
  const isNumber = !identifies && !isTime && all(NUMBER)
  // A text may be cut to its minimum width. Identifiers, times and numbers are never cut.
  const mayBeCut = !identifies && !isTime && !isNumber
  // The width of the head if each of its words is on a line of its own.
  const words = headOf(column).split(' ')
  const ofHead = words.reduce((widest, word) => Math.max(widest, textWidth(word)), 0)
  const shortest = mayBeCut ? Math.max(SHORTEST_TEXT, ofHead) : Number.POSITIVE_INFINITY
  const width = cells.reduce((widest, cell) => Math.max(widest, textWidth(cell)), ofHead)
  return {...column, index, isNumber, shortest, width}
}

/**
 * Narrows the widest columns until all fit into `room`. A name keeps a width of at least `ofMain`. The columns must fit
 * at their minimum widths (`leastRoom`).
 */
function narrowed(columns: readonly FittedColumn[], room: number, ofMain: number) {
  const excess = (all: readonly FittedColumn[]) =>
    all.reduce((sum, {width}) => sum + width, GAP.length * (all.length - 1)) - room
  const whole = columns.map(column => ({...column, width: Math.max(column.width, textWidth(headOf(column)))}))
  if (excess(whole) <= 0) return whole
  // No column is wider than the room, so this takes few steps even for a very long text.
  const shown = columns.map(column => ({...column, width: Math.min(column.width, room)}))
  while (excess(shown) > 0) {
    const narrowable = shown.filter(column => column.width > leastWidth(column, ofMain))
    const others = narrowable.filter(({isMain}) => !isMain)
    const [widest] = (others.length > 0 ? others : narrowable).sort((a, b) => b.width - a.width)
    if (widest === undefined) break
    widest.width -= 1
  }
  return shown
}

function headOf({name}: TableColumn): string {
  return name.toUpperCase().replaceAll('_', ' ')
}

export interface TableOptions {
  readonly columns: readonly TableColumn[]
  readonly rows: readonly (readonly string[])[]
  /** The width of the terminal in columns. Infinite in a pipe, where nothing is cut. */
  readonly width: number
  readonly paint: Painter
}

/** In a terminal narrower than this, rows are shown as blocks. */
const NARROW = 50

/**
 * How many lines are drawn at a time, because the time of cli-table3 grows with their square. The widths are fixed, so
 * the parts fit together.
 */
const LINES_AT_ONCE = 50

/**
 * With more lines or columns than this, lines are padded without cli-table3, with the same result. cli-table3 takes
 * about 30 µs per cell: half a minute for 100,000 offers, and minutes for a line of 100,000 cells.
 */
export const MOST_LINES_DRAWN = 1000
const MOST_COLUMNS_DRAWN = 100

/**
 * Matches characters whose width cli-table3 may get wrong, because its string-width of 2019 gives newer emoji one
 * column. Lines with such characters are padded without cli-table3.
 */
const COUNTED_OTHERWISE = /\u00ad|[\u0300-\uffff]/

const BORDERS = ['top', 'bottom', 'left', 'mid', 'right'].flatMap(side => [side, `${side}-mid`])
const CORNERS = ['top-left', 'top-right', 'bottom-left', 'bottom-right']
const PLAIN = {
  chars: {...Object.fromEntries([...BORDERS, ...CORNERS].map(name => [name, ''])), middle: GAP},
  // Without a style for head and border, cli-table3 adds no colour.
  style: {head: [], border: [], 'padding-left': 0, 'padding-right': 0, compact: true},
  // For debug messages, cli-table3 shortens each cell to 10 columns, in a time that grows with the square of its
  // length. With a truncation mark of 10 columns it takes no time.
  truncate: ' '.repeat(10),
}

const TIME = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d(?::?\d\d)?)$/

/** Lays out `rows` as a table. Returns undefined if they do not fit; they must then be shown as blocks. */
export function layOut({columns, rows, width, paint}: TableOptions) {
  if (width < NARROW) return undefined
  // This shows `2027-05-29T18:00:00+03:00` as `2027-05-29 18:00+03`. Only the seconds are lost.
  const readable = (_: string, day: string, time: string, zone: string) =>
    `${day} ${time}${zone.replace(/:?00$/, '')}`
  const cells = rows.map(row => row.map(text => text.replace(TIME, readable)))
  const fitted = fitColumns(columns, cells, width)
  if (fitted === undefined) return undefined
  const {shown, leftOut} = fitted
  const head = shown.map(column => wrap(headOf(column), column.width).map(line => paint('header', line)))
  const body = cells.map(row => shown.map(column => linesOf(column, row[column.index] ?? '', paint)))
  return {head: draw(shown, [head]), body: draw(shown, body), leftOut}
}

/** Returns the lines of a cell: one line that is cut to the width of the column, or several if the column wraps. */
function linesOf(column: FittedColumn, text: string, paint: Painter): string[] {
  const wraps = column.wraps || column.isMain
  const lines =
    wraps && textWidth(text) > column.width
      ? wrap(text, column.width, () => false)
      : [cutTo(text, column.width)]
  const style = /status|outcome|verdict|valid|state/.test(column.name) ? styleOfState(text) : undefined
  return style === undefined ? lines : lines.map(line => paint(style, line))
}

/** Draws rows whose cells have one or more lines each. */
function draw(columns: readonly FittedColumn[], rows: readonly (readonly string[])[][]): string[] {
  // Cells are split into lines here, because cli-table3 would scan a whole cell for each of its lines.
  const lines = rows.flatMap(cells => {
    const height = cells.reduce((most, cell) => Math.max(most, cell.length), 0)
    return Array.from({length: height}, (_, at) => cells.map(cell => cell[at] ?? ''))
  })
  const most = columns.length > MOST_COLUMNS_DRAWN ? 0 : MOST_LINES_DRAWN
  const drawn: string[] = []
  for (let at = 0; at < lines.length; at += LINES_AT_ONCE) {
    const some = lines.slice(at, at + LINES_AT_ONCE)
    if (at >= most || some.some(cells => cells.some(cell => COUNTED_OTHERWISE.test(cell)))) {
      drawn.push(...some.map(cells => padded(columns, cells)))
    } else {
      drawn.push(...drawTable(columns, some))
    }
  }
  return drawn.map(line => line.trimEnd())
}

function drawTable(columns: readonly FittedColumn[], lines: readonly string[][]): string[] {
  const table = new CliTable({
    ...PLAIN,
    colWidths: columns.map(({width}) => width),
    colAligns: columns.map(({isNumber}) => (isNumber ? 'right' : 'left')),
  })
  table.push(...lines)
  return table.toString().split('\n')
}

function padded(columns: readonly FittedColumn[], cells: readonly string[]): string {
  const all = columns.map(({width, isNumber}, index) => {
    const text = cells[index] ?? ''
    const space = ' '.repeat(Math.max(0, width - textWidth(text)))
    return isNumber ? space + text : text + space
  })
  return all.join(GAP)
}
