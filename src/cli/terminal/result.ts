/** What a command hands over to be printed: the JSON document, and the same as rows for people and for pipes. */
import {jsonText} from './json-text.js'

export interface Column<Item> {
  /** As `--columns` takes it. */
  readonly name: string
  readonly value: (item: Item) => unknown
  /** Left out before others where a terminal has no room for all. */
  readonly isMinor?: boolean
  /** Shown whole, on several lines where the terminal is narrow: what has to be read to its end. */
  readonly wraps?: boolean
}

export interface Result<Item = Record<string, unknown>> {
  /** The one document of `--json`. */
  readonly document: object
  readonly items: readonly Item[]
  readonly columns: readonly Column<Item>[]
  /** Names of the columns shown unless `--columns` says otherwise; all of them when absent. */
  readonly shown?: readonly string[]
  /** Identifier of an item, for `--quiet`. */
  readonly id: (item: Item) => unknown
  /** Said on stderr, at a terminal, when there are no items. */
  readonly whenEmpty?: string
  /** Warning: the result is incomplete. */
  readonly warning?: string
  /** One thing rather than a list: printed as `name: value` lines. */
  readonly single?: boolean
  /** Printed bare in place of rows, unless a format is asked for: a token, a script. */
  readonly text?: string
}

/** The result for one thing, with a column for each of its keys; nested values are printed as JSON. */
export function single(
  document: object,
  item: Record<string, unknown>,
  id: string | null,
): Result<Record<string, unknown>> {
  const columns = Object.keys(item).map(name => ({name, value: (row: Record<string, unknown>) => row[name]}))
  return {document, items: [item], columns, id: () => id, single: true}
}

/** A document that is JSON for people too: a template, a request. */
export function jsonResult(document: object): Result {
  return {document, items: [], columns: [], id: () => null, text: `${jsonText(document, 2)}\n`}
}

/** The forms a result can take. */
export const FORMATS = ['table', 'tsv', 'csv', 'ndjson', 'json']
