/**
 * Renders a result as text for stdout: by default a table at a terminal, and tab-separated lines in a pipe. All text is
 * sanitised.
 */
import process from 'node:process'
import {usage} from '../../contract/failure.js'
import {sanitizeLine} from '../../contract/foreign-text.js'
import {isAmount} from '../../contract/money.js'
import {closest, didYouMean} from '../input/match.js'
import {type Painter, painterFor, unpainted} from './colour.js'
import {jsonLines, jsonText} from './json-text.js'
import {resultOfQuery} from './query.js'
import {type Column, type Format, notShown, type Result} from './result.js'
import {widthOf} from './streams.js'
import {prepareToWrap} from './talk.js'

export interface OutputFlags {
  readonly json?: boolean | undefined
  readonly format?: Format | undefined
  readonly columns?: string | undefined
  readonly query?: string | undefined
  readonly quiet?: boolean | undefined
}

type Row = readonly string[]

interface OutputTerminal {
  readonly isTTY: boolean
  readonly columns?: number
  readonly paint?: Painter
  /** Prints a note about the result, for a person at the terminal. */
  readonly note?: (text: string) => void
  readonly warn?: (text: string) => void
  /** Whether rows of the same list were printed before. The head of the table is then left out. */
  readonly continues?: boolean
}

type View<Item> = ReturnType<typeof viewOf<Item>>

/** Renders `result`, ending in a line feed. Throws a Failure if the query cannot be applied to it. */
export async function renderResult<Item>(result: Result<Item>, flags: OutputFlags, terminal: OutputTerminal) {
  if (flags.query !== undefined) {
    const found = await resultOfQuery(result, flags.query)
    if (found.warning !== undefined) terminal.warn?.(found.warning)
    // Without --format, what was found is printed as JSON (a string without quotes).
    if (flags.json || flags.format === undefined) return found.text ?? ''
    return RENDERERS[flags.format](viewOf(found, flags, terminal))
  }
  if (flags.json) return RENDERERS.json(viewOf(result, flags, terminal))
  // A result without rows is printed as its text in every format, except that ndjson prints its document on one line.
  if (result.text !== undefined && result.items.length === 0)
    return flags.format === 'ndjson' ? `${jsonText(result.document)}\n` : cleanLines(result.text)
  // An item without an identifier gets no line, because a script would read the empty line as a name.
  if (flags.quiet) {
    const idOf = result.id ?? result.columns[0]?.value ?? (() => '')
    return lines(result.items.map(item => cell(idOf(item))).filter(Boolean))
  }
  const view = viewOf(result, flags, terminal)
  const {paint, room} = view
  const isAsked = flags.format !== undefined || flags.columns !== undefined
  if (result.people && isForPeople(flags, terminal)) {
    await prepareToWrap()
    return lines(result.people(paint, room))
  }
  if (result.text !== undefined && !isAsked) return cleanLines(result.text)
  const lead = isAsked || result.items.length === 0 ? [] : await result.lead?.(paint, room)
  const render = RENDERERS[formatOf(flags, terminal)]
  return lines(lead ?? []) + (await render(view))
}

/** Returns a function that formats rows as CSV. The package for it is loaded on first use. */
export async function csvPrinter(): Promise<(rows: readonly (readonly string[])[]) => string> {
  const {stringify} = await import('csv-stringify/sync')
  return rows => stringify([...rows])
}

/** Returns the format in which rows are printed: as selected, else a table at a terminal and tsv in a pipe. */
export function formatOf(
  {format}: Pick<OutputFlags, 'format'>,
  {isTTY}: Pick<OutputTerminal, 'isTTY'>,
): Format {
  return format ?? (isTTY ? 'table' : 'tsv')
}

/** Reports whether the result is for a person: at a terminal, with no other format selected. */
export function isForPeople(flags: OutputFlags, {isTTY}: Pick<OutputTerminal, 'isTTY'>): boolean {
  const {json, format, columns, query, quiet} = flags
  return isTTY && !json && !quiet && [format, columns, query].every(flag => flag === undefined)
}

const RENDERERS: Readonly<Record<Format, <Item>(view: View<Item>) => string | Promise<string>>> = {
  json: ({result}) => `${jsonText(result.document, 2)}\n`,
  ndjson: ({result, columns, isChosen}) => {
    if (!isChosen) return jsonLines(result.single ? [result.document] : (result.lines ?? result.items))
    return jsonLines(result.items.map(item => Object.fromEntries(columns.map(c => [c.name, c.value(item)]))))
  },
  csv: async view => {
    const head = view.terminal.continues || view.columns.length === 0 ? [] : [view.names]
    const csvLines = await csvPrinter()
    return csvLines([...head, ...rowsOf(view)])
  },
  tsv: view => {
    if (!view.result.single) return lines(rowsOf(view).map(row => row.join('\t')))
    const [row = []] = rowsOf(view)
    return lines(view.names.map((name, index) => `${name}\t${row[index] ?? ''}`))
  },
  table: async view => {
    const {result, isChosen, room} = view
    if (!result.single) return renderTable(view)
    const facts = isChosen ? undefined : result.facts
    if (!facts) return renderBlock(view.names, rowsOf(view)[0] ?? [], isChosen, room)
    const names = Object.keys(facts).map(name => sanitizeLine(name, 100))
    return renderBlock(names, Object.values(facts).map(cell), false, room)
  },
}

/** Collects what the renderers need. Column names are sanitised, because they may be field names of an answer. */
function viewOf<Item>(result: Result<Item>, flags: OutputFlags, terminal: OutputTerminal) {
  const chosen = chooseColumns(result, flags.columns)
  const columns = chosen.map(column => ({...column, name: sanitizeLine(column.name, 100)}))
  const names = columns.map(({name}) => name)
  const room = terminal.isTTY ? (terminal.columns ?? 80) : Number.POSITIVE_INFINITY
  const {paint = unpainted} = terminal
  return {result, columns, names, isChosen: flags.columns !== undefined, terminal, room, paint}
}

/**
 * Maximum number of rows times columns. A query result of half a megabyte, with 20,000 objects without common keys, had
 * a column for each and used all memory.
 */
const MOST_CELLS = 5_000_000

function rowsOf<Item>({result, columns}: View<Item>): Row[] {
  const {document, items} = result
  if (items.length * columns.length > MOST_CELLS) {
    const problem = `its result has ${items.length} rows of ${columns.length} columns, too many for a table`
    throw notShown(document, 'table_too_large', problem, 'choose some with --columns, or use --json; ')
  }
  return result.items.map(item => columns.map(column => cell(column.value(item))))
}

/**
 * Returns the columns to show. An unknown column is shown empty: names were checked earlier unless they depend on the
 * answer, and now it is too late to refuse.
 */
function chooseColumns<Item>(result: Result<Item>, wanted: string | undefined): readonly Column<Item>[] {
  const find = (name: string) => result.columns.find(column => column.name === name)
  if (wanted !== undefined) {
    const names = namesIn(wanted)
    const chosen = names.map(name => find(name) ?? {name, value: () => null})
    const currency = names.includes('currency') ? find('currency') : undefined
    return currency ? chosen.map(column => withoutCurrency(column, currency)) : chosen
  }
  return result.shown ? result.shown.flatMap(name => find(name) ?? []) : result.columns
}

/** Removes the currency from `120.00 EUR` if the column `currency` is shown too. */
function withoutCurrency<Item>(column: Column<Item>, currency: Column<Item>): Column<Item> {
  const value = (item: Item) => {
    const whole = column.value(item)
    const end = ` ${currency.value(item)}`
    if (typeof whole !== 'string' || !whole.endsWith(end)) return whole
    const amount = whole.slice(0, -end.length)
    return isAmount(amount) ? amount : whole
  }
  return {...column, value}
}

/**
 * Throws a usage error that lists the valid columns if `wanted` has a name that is not in `valid`. Does nothing if
 * either is undefined.
 */
export function checkColumns(valid: readonly string[] | undefined, wanted: string | undefined): void {
  if (valid === undefined || wanted === undefined) return
  const unknown = namesIn(wanted).find(name => !valid.includes(name))
  if (unknown === undefined) return
  const best = closest(unknown, valid)
  const hint = `${best ? `${didYouMean(best)} ` : ''}columns: ${valid.join(', ')}`
  throw usage('unknown_column', `--columns: unknown column ${sanitizeLine(unknown, 40)}`, hint)
}

function namesIn(list: string): string[] {
  return list.split(',').map(name => name.trim())
}

/** Formats a value on one line: a list of strings with spaces between them, other lists and objects as JSON. */
function cell(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value) && value.every(item => typeof item === 'string'))
    return sanitizeLine(value.join(' '))
  return sanitizeLine(typeof value === 'object' ? jsonText(value) : String(value))
}

/** Sanitises each line of a text, such as a script. */
function cleanLines(text: string): string {
  const clean = text.split('\n').map(line => sanitizeLine(line))
  return clean.join('\n')
}

/** Renders `name: value` lines, wrapped to `columns`. With `isWhole`, names without a value are shown too. */
async function renderBlock(names: Row, values: Row, isWhole: boolean, columns: number): Promise<string> {
  const {hang} = await import('./text.js')
  const pairs = names.map((name, index) => [`${name}:`, values[index] ?? ''] as const)
  const shown = isWhole ? pairs : pairs.filter(([, value]) => value !== '')
  const width = shown.reduce((widest, [name]) => Math.max(widest, name.length), 0) + 1
  const line = (name: string, value: string) => `${name.padEnd(width)}${bounded(value, columns)}`.trimEnd()
  return lines(shown.flatMap(([name, value]) => hang(line(name, value), columns, width)))
}

/** Longer values are cut, because they would push the others off the screen. */
const MOST_SHOWN_LENGTH = 2000

function bounded(value: string, columns: number): string {
  if (value.length <= MOST_SHOWN_LENGTH || !Number.isFinite(columns)) return value
  return `${sanitizeLine(value, MOST_SHOWN_LENGTH)} (${value.length} characters; whole with --json)`
}

async function renderTable<Item>(view: View<Item>): Promise<string> {
  const {columns, terminal, isChosen, room, paint} = view
  const rows = rowsOf(view)
  if (rows.length === 0) return ''
  const {layOut} = await import('./table.js')
  const table = layOut({columns, rows, width: room, paint})
  if (table === undefined)
    return (await Promise.all(rows.map(row => renderBlock(view.names, row, isChosen, room)))).join('\n')
  if (table.leftOut.length > 0)
    terminal.note?.(`Columns left out (use --columns, or a wider terminal): ${table.leftOut.join(', ')}`)
  return lines(terminal.continues ? table.body : [...table.head, ...table.body])
}

function lines(texts: readonly string[]): string {
  return texts.map(text => `${text}\n`).join('')
}

/**
 * Returns the properties of `stream`: whether it is a terminal, its width, and the function that colours text for it.
 */
export function terminalOf(stream: NodeJS.WriteStream) {
  return {isTTY: Boolean(stream.isTTY), columns: widthOf(stream), paint: painterFor(stream, process.env)}
}
