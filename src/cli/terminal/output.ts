/** A result as text for stdout: a table at a terminal, tab-separated lines in a pipe, all sanitised. */
import process from 'node:process'
import {Failure, usage} from '../../contract/failure.js'
import {sanitizeLine} from '../../contract/foreign-text.js'
import {closest} from '../input/match.js'
import {type Painter, painterFor, unpainted} from './colour.js'
import {jsonLines, jsonText} from './json-text.js'
import type {Column, Result} from './result.js'
import {widthOf} from './streams.js'

export interface OutputFlags {
  readonly json?: boolean | undefined
  readonly format?: string | undefined
  readonly columns?: string | undefined
  readonly query?: string | undefined
  readonly quiet?: boolean | undefined
}

type Row = readonly string[]

export interface OutputTerminal {
  readonly isTTY: boolean
  readonly columns?: number
  readonly paint?: Painter
  /** Takes notes about the result, for stderr. */
  readonly note?: (text: string) => void
  /** Whether rows of the same list were printed before: the head is then left out. */
  readonly continues?: boolean
}

/** The text of `result`, with its last newline. Throws Failure for a query that does not fit it. */
export async function renderResult<Item>(
  result: Result<Item>,
  flags: OutputFlags,
  terminal: OutputTerminal,
): Promise<string> {
  // Names may be foreign texts: those of fields in an answer.
  const chosen = chooseColumns(result, flags.columns)
  const columns = chosen.map(column => ({...column, name: sanitizeLine(column.name, 100)}))
  if (flags.query !== undefined) return renderQuery(result.document, flags.query)
  if (flags.json) return `${jsonText(result.document, 2)}\n`
  // A document without rows is JSON in every format.
  if (result.text !== undefined && result.items.length === 0)
    return flags.format === 'ndjson' ? `${jsonText(result.document)}\n` : cleanLines(result.text)
  // An item without an identifier has no line: an empty one would be taken for a name.
  if (flags.quiet) {
    const idOf = result.id ?? result.columns[0]?.value ?? (() => '')
    return lines(result.items.map(item => cell(idOf(item))).filter(Boolean))
  }
  const isAsked = flags.format !== undefined || flags.columns !== undefined
  if (result.text !== undefined && !isAsked) return cleanLines(result.text)
  const lead = isAsked ? [] : (result.lead?.(terminal.paint ?? unpainted, roomOf(terminal)) ?? [])
  return lines(lead) + (await renderRows(result, columns, flags, terminal))
}

async function renderRows<Item>(
  result: Result<Item>,
  columns: readonly Column<Item>[],
  flags: OutputFlags,
  terminal: OutputTerminal,
): Promise<string> {
  const format = flags.format ?? (terminal.isTTY ? 'table' : 'tsv')
  if (format === 'ndjson') return ndjson(result, columns, flags.columns !== undefined)
  const rows = result.items.map(item => columns.map(column => cell(column.value(item))))
  const names = columns.map(column => column.name)
  if (format === 'csv') return renderCsv(terminal.continues ? rows : [names, ...rows])
  if (result.single)
    return format === 'table'
      ? renderBlock(names, rows[0] ?? [], roomOf(terminal))
      : lines(names.map((name, index) => `${name}\t${rows[0]?.[index] ?? ''}`))
  if (format === 'tsv') return lines(rows.map(row => row.join('\t')))
  return renderTable(columns, rows, terminal)
}

/** An unknown column is empty: it was checked before, or depends on the answer, and the work is done by now. */
function chooseColumns<Item>(result: Result<Item>, wanted: string | undefined): readonly Column<Item>[] {
  const find = (name: string) => result.columns.find(column => column.name === name)
  if (wanted !== undefined) return namesIn(wanted).map(name => find(name) ?? {name, value: () => null})
  return result.shown ? result.shown.flatMap(name => find(name) ?? []) : result.columns
}

/** Throws usage, naming the valid columns, if `wanted` names one that is not in `valid`; unless one of them is undefined. */
export function checkColumns(valid: readonly string[] | undefined, wanted: string | undefined): void {
  if (valid === undefined || wanted === undefined) return
  const unknown = namesIn(wanted).find(name => !valid.includes(name))
  if (unknown === undefined) return
  const best = closest(unknown, valid)
  const hint = `${best ? `did you mean ${best}? ` : ''}columns: ${valid.join(', ')}`
  throw usage('unknown_column', `--columns: unknown column ${sanitizeLine(unknown, 40)}`, hint)
}

function namesIn(list: string): string[] {
  return list.split(',').map(name => name.trim())
}

async function renderQuery(document: object, query: string): Promise<string> {
  const {search} = await import('@jmespath-community/jmespath')
  const found = evaluate(() => search(JSON.parse(JSON.stringify(document)), query), document)
  return typeof found === 'string' ? `${sanitizeLine(found)}\n` : `${jsonText(found, 2)}\n`
}

/** What a JMESPath expression finds in a value; undefined where it fails. */
export async function finderOf(expression: string): Promise<(value: unknown) => unknown> {
  const {search} = await import('@jmespath-community/jmespath')
  return value => {
    try {
      return search(value as never, expression)
    } catch {
      return undefined
    }
  }
}

/** Checks a JMESPath expression before anything is sent, so that a typing error costs no reservation. Throws usage. */
export async function checkExpression(field: string, text: string): Promise<string> {
  const {compile} = await import('@jmespath-community/jmespath')
  try {
    compile(text)
    return text
  } catch (error) {
    const problem = `${field}: invalid JMESPath expression: ${queryReason(error)}`
    throw usage('invalid_query', problem)
  }
}

/** A query that does not fit the result fails after the work is done, so the error must not say otherwise. */
function evaluate(work: () => unknown, document: object): unknown {
  try {
    return work()
  } catch (error) {
    throw new Failure(
      'service_failed',
      `the command succeeded, but --query cannot be applied to its result: ${queryReason(error)}`,
      {
        code: 'query_failed',
        hint: 'do not repeat a change because of this',
        result: {result: document},
        keepsResult: true,
      },
    )
  }
}

function queryReason(error: unknown): string {
  return sanitizeLine(error instanceof Error ? error.message : '', 200)
}

function ndjson<Item>(result: Result<Item>, columns: readonly Column<Item>[], chosen: boolean): string {
  if (result.single && !chosen) return jsonLines([result.document])
  if (!chosen) return jsonLines(result.items)
  return jsonLines(result.items.map(item => Object.fromEntries(columns.map(c => [c.name, c.value(item)]))))
}

/** One value as one line of text: a list of words with spaces between, other lists and objects as JSON. */
function cell(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value) && value.every(item => typeof item === 'string'))
    return sanitizeLine(value.join(' '))
  return sanitizeLine(typeof value === 'object' ? jsonText(value) : String(value))
}

/** Lines of a script or a token, each harmless. */
function cleanLines(text: string): string {
  return text
    .split('\n')
    .map(line => sanitizeLine(line))
    .join('\n')
}

async function renderCsv(rows: readonly Row[]): Promise<string> {
  const {stringify} = await import('csv-stringify/sync')
  return stringify([...rows])
}

/** `name: value` lines for people, wrapped to `columns`. */
async function renderBlock(names: Row, values: Row, columns: number): Promise<string> {
  const {hang} = await import('./text.js')
  const width = Math.max(...names.map(name => name.length)) + 2
  return lines(
    names.flatMap((name, index) =>
      hang(`${`${name}:`.padEnd(width)}${bounded(values[index] ?? '', columns)}`.trimEnd(), columns, width),
    ),
  )
}

/** A longer value would push the others off the screen. */
const MAX_SHOWN_LENGTH = 2000

function bounded(value: string, columns: number): string {
  if (value.length <= MAX_SHOWN_LENGTH || !Number.isFinite(columns)) return value
  return `${sanitizeLine(value, MAX_SHOWN_LENGTH)} (${value.length} characters; whole with --json)`
}

function roomOf(terminal: OutputTerminal): number {
  return terminal.isTTY ? (terminal.columns ?? 80) : Number.POSITIVE_INFINITY
}

async function renderTable(
  columns: readonly Omit<Column<never>, 'value'>[],
  rows: readonly Row[],
  terminal: OutputTerminal,
): Promise<string> {
  if (rows.length === 0) return ''
  const {layOut} = await import('./table.js')
  const width = roomOf(terminal)
  const table = layOut({columns, rows, width, paint: terminal.paint ?? unpainted})
  const names = columns.map(column => column.name)
  if (table === undefined)
    return (await Promise.all(rows.map(row => renderBlock(names, row, width)))).join('\n')
  if (table.leftOut.length > 0)
    terminal.note?.(`Columns left out (use --columns, or a wider terminal): ${table.leftOut.join(', ')}`)
  return lines(terminal.continues ? table.body : [...table.head, ...table.body])
}

function lines(texts: readonly string[]): string {
  return texts.map(text => `${text}\n`).join('')
}

/** `stream` as a terminal. */
export function terminalOf(stream: NodeJS.WriteStream, env: NodeJS.ProcessEnv = process.env) {
  return {isTTY: Boolean(stream.isTTY), columns: widthOf(stream, env), paint: painterFor(stream, env)}
}
