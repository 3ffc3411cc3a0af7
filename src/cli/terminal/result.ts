/** What a command hands over to be printed: the JSON document, and the same as rows for people and for pipes. */
import {Failure} from '../../contract/failure.js'
import {sanitizeLine} from '../../contract/foreign-text.js'
import type {Painter} from './colour.js'
import {jsonText} from './json-text.js'

export interface Column<Item> {
  readonly name: string
  readonly value: (item: Item) => unknown
  /** Left out before others where a terminal has no room for all. */
  readonly isMinor?: boolean
  /** What a row is about, such as a name: narrowed last, and then whole on several lines. */
  readonly isMain?: boolean
  /** Shown whole, on several lines where the terminal is narrow: what has to be read to its end. */
  readonly wraps?: boolean
}

export interface Result<Item = Record<string, unknown>> {
  readonly document: object
  readonly items: readonly Item[]
  readonly columns: readonly Column<Item>[]
  /** Names of the columns shown (default all); `--columns` overrides them. */
  readonly shown?: readonly string[]
  /** Identifier of an item, for `--quiet` (default: its first column). */
  readonly id?: (item: Item) => unknown
  /** Said on stderr, at a terminal, when there are no items. */
  readonly whenEmpty?: string
  /** Warnings: the result is incomplete, or less than was meant. */
  readonly warning?: string | readonly string[]
  /** One thing rather than a list: printed as `name: value` lines. */
  readonly single?: boolean
  /** Lines before the rows, unless a format is asked for; made safe, and of at most `columns`. */
  readonly lead?: (paint: Painter, columns: number) => readonly string[] | Promise<readonly string[]>
  /** What a person sees of one thing, in place of its columns: `name: value` lines; what is not known is left out. */
  readonly facts?: Readonly<Record<string, string | null | undefined>>
  /** All lines for a person at a terminal in place of the table, unless a format is asked for; safe, of at most `columns`. */
  readonly people?: (paint: Painter, columns: number) => readonly string[]
  /** Printed bare in place of rows, unless a format is asked for: a token, a script. */
  readonly text?: string
}

type Keys<Item> = readonly (keyof Item & string)[]

/** A column for each field of the items that `names` lists. */
export function columnsOf<Item>(
  names: Keys<Item>,
  layout: Pick<Column<Item>, 'isMinor' | 'isMain' | 'wraps'> = {},
): Column<Item>[] {
  return names.map(name => ({name, value: item => item[name], ...layout}))
}

/** A list whose rows have a column for each of `names`, the first of them the identifier. */
export function listResult<Item>(document: object, items: readonly Item[], names: Keys<Item>): Result<Item> {
  return {document, items, columns: columnsOf(names)}
}

/** The result for one thing, with a column for each of its keys; nested values are printed as JSON. */
export function single(document: object, item: object, id: string | null): Result {
  const row = {...item}
  return {document, items: [row], columns: columnsOf(Object.keys(row)), id: () => id, single: true}
}

/** A line above the table at a terminal; in a pipe every line is a row. */
export function headLine(text: string): NonNullable<Result['lead']> {
  return async (paint, columns) => {
    if (!Number.isFinite(columns)) return []
    const {hang} = await import('./text.js')
    return hang(sanitizeLine(text), columns, 2).map(line => paint('faint', line))
  }
}

/** A result that cannot be shown as asked. The work is done by now, so the error must not say otherwise. */
export function notShown(document: object, code: string, problem: string, remedy = ''): Failure {
  const hint = `${remedy}do not repeat a change because of this`
  const kept = {result: {result: document}, keepsResult: true}
  return new Failure('service_failed', `the command succeeded, but ${problem}`, {code, hint, ...kept})
}

/** A document that is JSON for people too: a template, a request. */
export function jsonResult(document: object): Result {
  return {document, items: [], columns: [], text: `${jsonText(document, 2)}\n`}
}

export const FORMATS = ['table', 'tsv', 'csv', 'ndjson', 'json'] as const
export type Format = (typeof FORMATS)[number]
