/** Answers as large as a service may send them: shown whole, in a time that grows with their size and no faster. */
import {describe, expect, test} from 'vitest'
import {textIn} from '../../src/api/answers/facts.js'
import {readAnswer, refusalOf} from '../../src/api/answers/refusals.js'
import {createRedactor} from '../../src/api/redact/redact.js'
import {createTrace} from '../../src/api/trace/trace.js'
import {unpainted} from '../../src/cli/terminal/colour.js'
import {type OutputFlags, renderResult} from '../../src/cli/terminal/output.js'
import {layOut, MOST_LINES_DRAWN} from '../../src/cli/terminal/table.js'
import {piecesOf, wrap} from '../../src/cli/terminal/text.js'
import {sanitizeLine} from '../../src/contract/foreign-text.js'
import {fieldsOf} from '../../src/contract/json.js'

const NOW = 1_800_000_000
const MANY = 130_000
const numbered = <T>(count: number, make: (n: number) => T): T[] =>
  Array.from({length: count}, (_, n) => make(n))

test('a record of 130,000 fields gives a name to what is found in it', () => {
  const wide = Object.fromEntries(numbered(MANY, n => [`key_${n}`, n]))
  expect(textIn(fieldsOf({name: {...wide, key_0: ' '}}), ['name'])).toBe('1')
})

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

test('no text is too long for the patterns that make it safe', () => {
  expect(sanitizeLine('\u0301'.repeat(5e6))).toBe('\\u0301'.repeat(5e6))
  const redactor = createRedactor(['hunter2secret'])
  for (const unit of ['1 ', '\u0301', 'x@x.', 'Bearer xxxx', '?token='])
    expect(redactor.text(unit.repeat(4e5)).length).toBeGreaterThan(0)
  expect(redactor.text(`x@x${'.x'.repeat(2e6)} hunter2secret`)).not.toContain('hunter2')
})

const request = {method: 'GET', url: 'https://a.test/v1/account', headers: {authorization: 'Bearer x'}}
const answerOf = (status: number, json: unknown) => ({
  status,
  headers: {},
  body: Buffer.from(JSON.stringify(json)),
})

test('a refusal with long lists of details quotes the first of them', () => {
  for (const details of [
    numbered(MANY, n => ({field: `f${n}`, message: 'wrong'})),
    Object.fromEntries(numbered(MANY, n => [`f${n}`, 'wrong'])),
    {f0: numbered(MANY, () => 'wrong')},
  ]) {
    const sent = {...answerOf(400, {error: {code: 'c', message: 'm', details}}), url: request.url}
    const answer = readAnswer({...sent, attempts: 1, mayHaveActed: false})
    expect(refusalOf(answer, {now: NOW}).message).toMatch(/^the service refused: m \(f0: wrong/)
  }
})

test('-vv shows the beginning of a long body, redacted, and no half of a secret', () => {
  const secret = `hunter2secret${'z'.repeat(40_000)}`
  for (let filler = 0; filler < 40_000; filler += 7993) {
    const lines: string[] = []
    const trace = createTrace({show: line => lines.push(line), bodies: true, secrets: [secret]})
    const body = {token: 't'.repeat(filler), list: ['x'.repeat(filler), secret, ...numbered(MANY, String)]}
    const outcome = answerOf(200, body)
    const times = {attempt: 1, startedAt: NOW, milliseconds: 1, waitMilliseconds: undefined}
    trace.attempt({request, outcome, ...times})
    const shown = lines.join('\n')
    expect(shown).not.toContain('hunter2')
    expect(shown).toMatch(/< \{"token":"\[redacted\]".*\(cut; \d+ bytes\)$/s)
    expect(shown.length).toBeLessThan(5000)
  }
})
