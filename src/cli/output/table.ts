/**
 * A table of plain columns, as wide as its reader's terminal. When there is not room for everything, texts are cut with
 * an ellipsis, the widest first; then columns are left out, minor ones first, then the last; and in a narrow terminal
 * each item becomes a block of `name: value` lines. What identifies something is never cut. Cells come sanitised.
 */
import {type Painter, styleOfState} from './colour.js'
import {hang} from './hang.js'
import {cutTo, piecesOf, textWidth} from './text-width.js'

export interface TableParts {
  readonly columns: readonly {readonly name: string; readonly isMinor?: boolean; readonly wraps?: boolean}[]
  readonly rows: readonly (readonly string[])[]
  /** Columns of the terminal; infinite in a pipe, where nothing is cut. */
  readonly width: number
  readonly paint: Painter
}

export interface Table {
  readonly lines: readonly string[]
  /** How many of them are the names of the columns. */
  readonly headLines: number
  /** Names of the columns there was no room for. */
  readonly leftOut: readonly string[]
}

interface TableColumn {
  readonly name: string
  readonly isMinor: boolean
  readonly wraps: boolean
  readonly cells: readonly string[]
  readonly alignRight: boolean
  readonly mayBeCut: boolean
  readonly natural: number
  width: number
}

/** Ours: narrower terminals get blocks. */
const NARROW = 50
/** Ours: a text cut shorter than this says nothing. */
const SHORTEST_TEXT = 9
const GAP = '  '

const IDENTIFIES =
  /(^|_)(id|ref|reference|key|url|address|secret|token|path|command|sha256)$|^(profile|name)$/
const NUMBER = /^-?\d[\d., ]*(\s?[A-Z]{3}|%| ms| s)?$/
const TIME = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d(?::?\d\d)?)$/

/** Lays out `rows`; undefined when they do not fit and must be shown as blocks. */
export function layOut({columns: told, rows, width, paint}: TableParts): Table | undefined {
  if (width < NARROW) return undefined
  const shown = told.map(({name, isMinor = false, wraps = false}, index) =>
    createColumn(
      {name, isMinor, wraps},
      rows.map(row => readableTime(row[index] ?? '')),
    ),
  )
  const leftOut: string[] = []
  while (!shrinkToFit(shown, width)) {
    const minor = shown.findLastIndex(column => column.isMinor)
    const [last] = shown.splice(minor < 0 ? -1 : minor, 1)
    if (last === undefined || shown.length < 2) return undefined
    leftOut.unshift(last.name)
  }
  const heads = shown.map(column => wrapHead(column))
  const height = Math.max(...heads.map(lines => lines.length))
  const header = Array.from({length: height}, (_, line) =>
    joinCells(
      shown,
      shown.map((_, index) => heads[index]?.[line] ?? ''),
      text => paint('header', text),
    ),
  )
  const body = rows.flatMap((_, row) => {
    const cells = shown.map(column => linesOf(column, column.cells[row] ?? ''))
    return Array.from({length: Math.max(...cells.map(lines => lines.length))}, (_line, line) =>
      joinCells(
        shown,
        cells.map(lines => lines[line] ?? ''),
        (text, column) => paintState(text, column, paint),
      ),
    )
  })
  return {lines: [...header, ...body], headLines: height, leftOut}
}

function createColumn(
  told: {name: string; isMinor: boolean; wraps: boolean},
  cells: readonly string[],
): TableColumn {
  const {name} = told
  const natural = cells.reduce((widest, cell) => Math.max(widest, textWidth(cell)), 0)
  const identifies = IDENTIFIES.test(name)
  const filled = cells.filter(cell => cell !== '')
  const isNumber = !identifies && filled.length > 0 && filled.every(cell => NUMBER.test(cell))
  const isTime = filled.length > 0 && filled.every(cell => /^\d{4}-\d\d-\d\d( \d\d:\d\d\S*)?$/.test(cell))
  const mayBeCut = !identifies && !isNumber && !isTime
  return {...told, cells, alignRight: isNumber && !isTime, mayBeCut, natural, width: natural}
}

/** `2027-05-29T18:00:00+03:00` as `2027-05-29 18:00+03`: nothing but seconds is lost. */
function readableTime(text: string): string {
  return text.replace(TIME, (_, day, time, zone) => `${day} ${time}${zone.replace(/:?00$/, '')}`)
}

/** Sets the widths; false when there is not enough room even with every text at its shortest. */
function shrinkToFit(columns: readonly TableColumn[], width: number): boolean {
  const gaps = GAP.length * (columns.length - 1)
  const total = () => columns.reduce((sum, column) => sum + column.width, gaps)
  const set = (headWidth: (name: string) => number) => {
    for (const column of columns) column.width = Math.max(column.natural, headWidth(column.name))
  }
  set(name => headOf(name).length)
  if (total() <= width) return true
  set(name =>
    Math.max(
      ...headOf(name)
        .split(' ')
        .map(word => word.length),
    ),
  )
  for (let over = total() - width; over > 0; over = total() - width) {
    const widest = columns
      .filter(column => column.mayBeCut && column.width > shortestOf(column))
      .sort((left, right) => right.width - left.width)[0]
    if (widest === undefined) return false
    widest.width -= 1
  }
  return true
}

/** A cell in its column: cut, or on as many lines as it takes. */
function linesOf({wraps, width}: TableColumn, cell: string): string[] {
  if (!wraps) return [cutTo(cell, width)]
  return hang(cell, width, 0).flatMap(line => piecesOf(line, width).map(piece => piece.trimEnd()))
}

function shortestOf({name}: TableColumn): number {
  return Math.max(
    SHORTEST_TEXT,
    ...headOf(name)
      .split(' ')
      .map(word => word.length),
  )
}

function headOf(name: string): string {
  return name.toUpperCase().replaceAll('_', ' ')
}

/** The head on as many lines as its column is narrow. */
function wrapHead({name, width}: TableColumn): string[] {
  const lines: string[] = []
  for (const word of headOf(name).split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= width)
      lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}

function joinCells(
  columns: readonly TableColumn[],
  texts: readonly string[],
  paint: (text: string, column: TableColumn) => string,
): string {
  let line = ''
  let pending = ''
  for (const [index, column] of columns.entries()) {
    const text = texts[index] ?? ''
    const space = ' '.repeat(Math.max(0, column.width - textWidth(text)))
    if (text !== '') line += `${pending}${column.alignRight ? space : ''}${paint(text, column)}`
    // Blanks are written only when something follows them: no line ends in one.
    const after = text === '' || !column.alignRight ? space : ''
    pending = `${text === '' ? pending : ''}${after}${GAP}`
  }
  return line
}

function paintState(text: string, {name}: TableColumn, paint: Painter): string {
  const style = /status|outcome|verdict|valid|state/.test(name) ? styleOfState(text) : undefined
  return style === undefined ? text : paint(style, text)
}
