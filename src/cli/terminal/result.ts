/** The result of a command, ready to print: the JSON document, and its content as rows for people and pipes. */
import {Failure} from '../../contract/failure.js'
import {sanitizeLine} from '../../contract/foreign-text.js'
import type {Painter} from './colour.js'
import {jsonText} from './json-text.js'

export interface Column<Item> {
  readonly name: string
  readonly value: (item: Item) => unknown
  /** Whether the column is among the first to be left out if the terminal is too narrow. */
  readonly isMinor?: boolean
  /**
   * Whether the column says what a row is about, for example a name. It is narrowed last, and wrapped instead of cut.
   */
  readonly isMain?: boolean
  /** Whether long values are wrapped instead of cut, because they must be readable to the end. */
  readonly wraps?: boolean
}

export interface Result<Item = Record<string, unknown>> {
  readonly document: object
  readonly items: readonly Item[]
  readonly columns: readonly Column<Item>[]
  /** The entries of the document that `--format ndjson` prints, one per line, instead of the items. */
  readonly lines?: readonly object[]
  /** The names of the columns to show (default: all). `--columns` overrides them. */
  readonly shown?: readonly string[]
  /** Returns the identifier of an item, for `--quiet` (default: its first column). */
  readonly id?: (item: Item) => unknown
  /** Printed on stderr if there are no items, at a terminal. */
  readonly whenEmpty?: string
  /** Warnings about the result, printed on stderr. */
  readonly warning?: string | readonly string[]
  /** Whether the result is one record and not a list. A record is printed as `name: value` lines. */
  readonly single?: boolean
  /**
   * Returns lines to print before the rows, unless a format is selected. They must be sanitised and at most `columns`
   * wide.
   */
  readonly lead?: (paint: Painter, columns: number) => readonly string[] | Promise<readonly string[]>
  /** Lines that replace the columns of a single record at a terminal, by name. Missing values are left out. */
  readonly facts?: Readonly<Record<string, string | null | undefined>>
  /**
   * Returns all lines to print at a terminal instead of the table, unless a format is selected. They must be sanitised
   * and at most `columns` wide.
   */
  readonly people?: (paint: Painter, columns: number) => readonly string[]
  /** A text to print instead of rows, such as a token or a script, unless a format is selected. */
  readonly text?: string
}

type Keys<Item> = readonly (keyof Item & string)[]

/** Returns a column for each field in `names`. */
export function columnsOf<Item>(
  names: Keys<Item>,
  layout: Pick<Column<Item>, 'isMinor' | 'isMain' | 'wraps'> = {},
): Column<Item>[] {
  return names.map(name => ({name, value: item => item[name], ...layout}))
}

/** Returns a result that is a list, with a column for each of `names`. The first one is the identifier. */
export function listResult<Item>(document: object, items: readonly Item[], names: Keys<Item>): Result<Item> {
  return {document, items, columns: columnsOf(names)}
}

/** Returns a result that is one record, with a column for each key. Nested values are printed as JSON. */
export function single(document: object, item: object, id: string | null): Result {
  const row = {...item}
  return {document, items: [row], columns: columnsOf(Object.keys(row)), id: () => id, single: true}
}

/**
 * Returns a `lead` that prints a line above the table at a terminal. In a pipe it prints nothing, because every line
 * there is a row.
 */
export function headLine(text: string): NonNullable<Result['lead']> {
  return async (paint, columns) => {
    if (!Number.isFinite(columns)) return []
    const {hang} = await import('./text.js')
    return hang(sanitizeLine(text), columns, 2).map(line => paint('faint', line))
  }
}

/**
 * Returns the error for a result that cannot be printed as requested. The command itself has succeeded, so the error
 * must not suggest that it failed.
 */
export function notShown(document: object, code: string, problem: string, remedy = ''): Failure {
  const hint = `${remedy}do not repeat a change because of this`
  const kept = {result: {result: document}, keepsResult: true}
  return new Failure('service_failed', `the command succeeded, but ${problem}`, {code, hint, ...kept})
}

/** Returns a result that is printed as JSON even at a terminal, for example a template or a request. */
export function jsonResult(document: object): Result {
  return {document, items: [], columns: [], text: `${jsonText(document, 2)}\n`}
}

export const FORMATS = ['table', 'tsv', 'csv', 'ndjson', 'json'] as const
export type Format = (typeof FORMATS)[number]
