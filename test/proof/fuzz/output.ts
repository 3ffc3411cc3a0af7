/** What is printed of foreign texts: one record is one line, cells come back as they went in, and nothing is obeyed. */
import fc from 'fast-check'
import {jsonText} from '../../../src/cli/terminal/json-text.js'
import {renderResult} from '../../../src/cli/terminal/output.js'
import {sanitizeLine} from '../../../src/contract/foreign-text.js'
import {anyText, must, property} from './property.js'
import {dangerousIn} from './sanitiser.js'

type Row = Record<string, unknown>
const value = fc.oneof(
  {weight: 4, arbitrary: anyText},
  fc.jsonValue({maxDepth: 2}),
  fc.array(anyText, {maxLength: 3}),
)
const rows: fc.Arbitrary<Row[]> = fc.array(fc.record({offer_id: value, hotel_name: value, price: value}), {
  minLength: 1,
  maxLength: 4,
})
const NAMES = ['offer_id', 'hotel_name', 'price']
const resultOf = (items: readonly Row[]) => ({
  document: {items},
  items,
  columns: NAMES.map(name => ({name, value: (row: Row) => row[name]})),
  id: (row: Row) => row.offer_id,
})

/** A cell as it is printed: texts as they are, lists of texts side by side, everything else as JSON. */
function cellOf(cell: unknown): string {
  if (cell === null || cell === undefined) return ''
  if (Array.isArray(cell) && cell.every(each => typeof each === 'string')) return sanitizeLine(cell.join(' '))
  return sanitizeLine(typeof cell === 'object' ? jsonText(cell) : String(cell))
}

/** RFC 4180, read by the letter. */
function readCsv(text: string): string[][] {
  const read: string[][] = [[]]
  let cell = ''
  let isQuoted = false
  for (let at = 0; at < text.length; at++) {
    const character = text[at] as string
    if (isQuoted && character === '"' && text[at + 1] === '"') cell += text[at++]
    else if (character === '"' && (isQuoted || cell === '')) isQuoted = !isQuoted
    else if (!isQuoted && (character === ',' || character === '\n')) {
      read.at(-1)?.push(cell)
      cell = ''
      if (character === '\n') read.push([])
    } else cell += character
  }
  return read.slice(0, -1)
}

export const output = [
  property('output: csv and tsv come back cell by cell, and one row is one line', rows, async items => {
    const cells = items.map(row => NAMES.map(name => cellOf(row[name])))
    const csv = await renderResult(resultOf(items), {format: 'csv'}, {isTTY: false})
    must(JSON.stringify(readCsv(csv)) === JSON.stringify([NAMES, ...cells]), csv)
    const tsv = await renderResult(resultOf(items), {format: 'tsv'}, {isTTY: false})
    must(
      JSON.stringify(
        tsv
          .slice(0, -1)
          .split('\n')
          .map(line => line.split('\t')),
      ) === JSON.stringify(cells),
      tsv,
    )
    for (const text of [csv, tsv]) must(dangerousIn(text.replaceAll(/[\n\t]/g, '')) === undefined, text)
  }),
  property('output: JSON and its lines are the same values', rows, async items => {
    const same = JSON.stringify(items)
    const lines = await renderResult(resultOf(items), {format: 'ndjson'}, {isTTY: true})
    must(
      JSON.stringify(
        lines
          .slice(0, -1)
          .split('\n')
          .map(line => JSON.parse(line)),
      ) === same,
      lines,
    )
    const whole = await renderResult(resultOf(items), {json: true}, {isTTY: true})
    must(JSON.stringify(JSON.parse(whole).items) === same, whole)
  }),
  property(
    'output: tables and blocks at a terminal of any width hold nothing that is obeyed',
    fc.tuple(rows, fc.integer({min: 20, max: 200})),
    async ([items, columns]) => {
      for (const flags of [{}, {format: 'table'}, {quiet: true}]) {
        const text = await renderResult(resultOf(items), flags, {isTTY: true, columns})
        must(dangerousIn(text.replaceAll('\n', '')) === undefined, text)
      }
    },
    {weight: 10},
  ),
]
