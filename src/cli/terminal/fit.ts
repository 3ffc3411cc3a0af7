/**
 * How wide the columns of a table are: as wide as their texts while there is room for all. Otherwise texts are cut, the
 * widest column first; then columns are left out, minor ones first, then the last. What identifies something is not cut.
 */
import {textWidth} from './text-width.js'

export interface TableColumn {
  readonly name: string
  readonly isMinor?: boolean
  /** Shown whole, on several lines. */
  readonly wraps?: boolean
}

export interface FittedColumn extends TableColumn {
  /** Its place in a row. */
  readonly index: number
  readonly isNumber: boolean
  /** In columns of the terminal. */
  readonly width: number
}

export interface Fit {
  readonly shown: readonly FittedColumn[]
  /** Names of the columns there is no room for. */
  readonly leftOut: readonly string[]
}

interface Measured extends FittedColumn {
  /** It may be cut while it is wider than this. */
  readonly shortest: number
}

/** A text cut shorter than this says nothing. */
const SHORTEST_TEXT = 9

export const GAP = '  '

const IDENTIFIES =
  /(^|_)(id|ref|reference|key|url|address|secret|token|path|command|sha256)$|^(profile|name)$/
const NUMBER = /^-?\d[\d., ]*(\s?[A-Z]{3}|%| ms| s)?$/
const TIME = /^\d{4}-\d\d-\d\d( \d\d:\d\d\S*)?$/

/** Fits `columns` into `room` columns of the terminal; undefined where that would leave a single one of several. */
export function fitColumns(
  columns: readonly TableColumn[],
  rows: readonly (readonly string[])[],
  room: number,
): Fit | undefined {
  const shown = columns.map((column, index) => measure(column, index, rows))
  const leftOut: string[] = []
  for (;;) {
    const widths = widthsWithin(shown, room)
    if (widths) return {shown: shown.map((column, at) => ({...column, width: widths[at] ?? 0})), leftOut}
    const minor = shown.findLastIndex(({isMinor}) => isMinor)
    leftOut.unshift(...shown.splice(minor, 1).map(({name}) => name))
    if (shown.length < 2) return undefined
  }
}

/** The column at the width of its longest text. */
function measure(column: TableColumn, index: number, rows: readonly (readonly string[])[]): Measured {
  const cells = rows.map(row => row[index] ?? '').filter(cell => cell !== '')
  const all = (shape: RegExp) => cells.length > 0 && cells.every(cell => shape.test(cell))
  const identifies = IDENTIFIES.test(column.name)
  const isTime = all(TIME)
  const isNumber = !identifies && !isTime && all(NUMBER)
  const mayBeCut = !identifies && !isTime && !isNumber
  const shortest = mayBeCut ? Math.max(SHORTEST_TEXT, longestWord(column)) : Number.POSITIVE_INFINITY
  const width = cells.reduce((widest, cell) => Math.max(widest, textWidth(cell)), 0)
  return {...column, index, isNumber, shortest, width}
}

/** A width for each column; undefined when there is no room even with every text at its shortest. */
function widthsWithin(columns: readonly Measured[], room: number): readonly number[] | undefined {
  const total = (widths: readonly number[]) =>
    widths.reduce((sum, width) => sum + width, GAP.length * (widths.length - 1))
  const whole = columns.map(column => Math.max(column.width, textWidth(headOf(column))))
  if (total(whole) <= room) return whole
  let widths = columns.map(column => Math.max(column.width, longestWord(column)))
  while (total(widths) > room) {
    const cuttable = widths.map((width, at) => (width > (columns[at]?.shortest ?? 0) ? width : 0))
    const widest = Math.max(...cuttable)
    if (widest === 0) return undefined
    const at = cuttable.indexOf(widest)
    widths = widths.with(at, widest - 1)
  }
  return widths
}

/** What is over a column. */
export function headOf({name}: TableColumn): string {
  return name.toUpperCase().replaceAll('_', ' ')
}

/** The least width of a head that is broken between its words. */
function longestWord(column: TableColumn): number {
  return Math.max(...headOf(column).split(' ').map(textWidth))
}
