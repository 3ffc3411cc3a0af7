/** Answers as large as a service may send them are laid out and queried whole, in time that grows with their size. */
import {describe, expect, test} from 'vitest'
import {unpainted} from '../../src/cli/terminal/colour.js'
import {type OutputFlags, renderResult} from '../../src/cli/terminal/output.js'
import {layOut, MOST_LINES_DRAWN} from '../../src/cli/terminal/table.js'
import {piecesOf, wrap} from '../../src/cli/terminal/text.js'

const MANY = 130_000
const numbered = <T>(count: number, make: (n: number) => T): T[] =>
  Array.from({length: count}, (_, n) => make(n))

describe('20,000 records with a key of its own each', () => {
  const document = numbered(20_000, n => ({[`key_${n}`]: n}))
  const byQuery = (flags: OutputFlags) =>
    renderResult({document, items: [], columns: []}, {query: '@', ...flags}, {isTTY: false})
  test.each(['table', 'tsv', 'csv'] as const)('are too many columns for %s', async format => {
    const message = expect.stringContaining('20000 rows of 20000 columns, too many for a table')
    const hint = expect.stringContaining('--columns, or use --json')
    await expect(byQuery({format})).rejects.toMatchObject({message, details: {code: 'table_too_large', hint}})
  })

  test('are shown in the columns that are chosen, and as JSON', async () => {
    expect((await byQuery({format: 'csv', columns: 'key_1,key_19999'})).split('\n')[2]).toBe('1,')
    expect(await byQuery({format: 'ndjson'})).toContain('{"key_19999":19999}')
  })
})

test('a list that is too long for a function of a query is a reason in words', async () => {
  const document = {values: numbered(1_000_000, n => n)}
  const query = (expression: string) =>
    renderResult({document, items: [], columns: []}, {query: expression}, {isTTY: false})
  const message = expect.stringContaining('too long for a function of the query')
  await expect(query('max(values)')).rejects.toMatchObject({message, details: {code: 'query_failed'}})
  expect(await query('max_by(values, &@)')).toBe('999999\n')
})

describe('a table', () => {
  const columns = [{name: 'hotel_name', isMain: true}, {name: 'total'}, {name: 'status'}]
  const rows = ['Otel', 'Çırağan', '東京ホテル', 'e\u0301clair', 'İ'].map((name, n) => [
    name,
    `${n}0.00`,
    'FAILED',
  ])
  const paint = (style: string, text: string) => (style === 'header' ? text : `\u001b[31m${text}\u001b[39m`)
  test.each([unpainted, paint])('of many lines goes on as it began', painter => {
    const all = numbered(MANY, n => rows[n % rows.length] ?? [])
    const body = layOut({columns, rows: all, width: 80, paint: painter})?.body ?? []
    expect(body).toHaveLength(MANY)
    expect(MOST_LINES_DRAWN % rows.length).toBe(0)
    expect(new Set(body).size).toBe(rows.length)
    expect(body.slice(-rows.length)).toEqual(body.slice(0, rows.length))
  })

  test.each([
    ['x', 300_000],
    ['word ', 60_000],
    ['東ü', 20_000],
    ['👩‍👩‍👧 ', 20_000],
  ])('takes a long text of "%s" in lines', (piece, count) => {
    const long = piece.repeat(count)
    const table = layOut({columns, rows: [[long, long, 'a']], width: 60, paint: unpainted})
    expect(table?.body.length).toBeGreaterThan(1000)
  })
})

test('graphemes stay whole wherever a long text is looked at', () => {
  for (const grapheme of ['👩‍👩‍👧', 'e\u0301\u0301', '🇹🇷', '東', 'x'])
    for (let before = 250; before < 260; before++) {
      const text = 'a'.repeat(before) + grapheme.repeat(300)
      const pieces = [...piecesOf(text, 1)]
      expect(pieces.join('')).toBe(text)
      expect(pieces.filter(piece => piece !== 'a' && piece !== '')).toEqual(numbered(300, () => grapheme))
    }
  const endless = `e${'\u0301'.repeat(5000)}`
  expect([...piecesOf(`${endless}x`, 1)].filter(Boolean)).toEqual([endless, 'x'])
  expect(wrap('ü東'.repeat(20_000), 40, () => false)).toHaveLength(1539)
})
