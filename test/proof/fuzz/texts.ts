/**
 * Properties of texts that people type and services send: printed texts contain nothing that a terminal obeys, and typed texts
 * are accepted or refused.
 */
import fc from 'fast-check'
import {completeRequest, mistakesIn, readTyped} from '../../../src/cli/features/reserve/request.js'
import {readJson} from '../../../src/cli/input/files.js'
import {readContact, readGuest} from '../../../src/cli/input/guests.js'
import {combined} from '../../../src/cli/input/usage-errors.js'
import {escapeUnsafe, jsonText} from '../../../src/cli/terminal/json-text.js'
import {renderResult} from '../../../src/cli/terminal/output.js'
import {checkExpression} from '../../../src/cli/terminal/query.js'
import {sanitizeLine} from '../../../src/contract/foreign-text.js'
import {reservationRequest as schema} from '../../../src/contract/reservations.js'
import {reservationRequest} from '../../support/sandbox.js'
import {anyText, attempt, dangerousIn, must, mutated, mutatedJson, property, words} from './inputs.js'

/** Words and names as people write them, one for each script, with marks and from right to left. */
const WORDS = [
  'Ayşe Öğüt ığİ',
  'Ελληνικά',
  'Кириллица',
  'Հայերեն',
  'עִבְרִית',
  'العَرَبِيَّة',
  'ܣܘܪܝܝܐ',
  'ދިވެހި',
  'हिन्दी',
  'বাংলা',
  'ਪੰਜਾਬੀ',
  'ગુજરાતી',
  'ଓଡ଼ିଆ',
  'தமிழ்',
  'తెలుగు',
  'ಕನ್ನಡ',
  'മലയാളം',
  'සිංහල',
  'ภาษาไทยที่',
  'ລາວ',
  'བོད་སྐད',
  'မြန်မာ',
  'ქართული',
  '한국어',
  'አማርኛ',
  'ᏣᎳᎩ',
  'ខ្មែរ',
  'ᠮᠣᠩᠭᠣᠯ',
  '東京グランドホテル',
  '北京市',
  'ㄅㄆㄇ',
  'ꦗꦮ',
  'ⵜⴰⵎⴰⵣⵉⵖⵜ',
  '𐎠𐎡𐎢',
  '𠮷野家',
  'Å ä ç ñ ø ß',
  'Việt Nam',
  'ᚠᚢᚦ',
  'Łódź',
  '€ £ ₺ ₽ ¥ ₹',
  '“quotes” – — … ‹›',
  '½ ² № ™ ©',
  '😀 👩🏽‍🚀 🏳️‍🌈 🇹🇷 👩‍👩‍👧‍👦',
  'o\u0308\u0323',
]

const printed = [
  property(
    'terminal: nothing that it obeys or a person does not see comes through, twice is once, and a limit holds',
    fc.tuple(anyText, fc.option(fc.nat(60), {nil: undefined})),
    ([text, length]) => {
      const safe = sanitizeLine(text, length)
      must(dangerousIn(safe) === undefined, dangerousIn(safe), safe)
      must(sanitizeLine(safe, length) === safe, safe, sanitizeLine(safe, length))
      must(safe.length <= (length ?? Number.POSITIVE_INFINITY), safe.length)
    },
  ),
  property(
    'terminal: what people write in any script stays as it is',
    fc.array(fc.constantFrom(...WORDS, '7, 4', "it's", '(a/b)'), {maxLength: 6}),
    all => {
      const text = all.join(' ').normalize('NFC')
      must(sanitizeLine(text) === text, text, sanitizeLine(text))
    },
    {examples: WORDS.map(word => [word])},
  ),
  property('terminal: JSON is safe to show, and the same value', fc.oneof(fc.jsonValue(), anyText), value => {
    const text = jsonText(value)
    // Control characters, characters that move or hide text, and lone surrogates are refused. Characters that are merely
    // invisible may be in JSON.
    must(!/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(text), text)
    must(JSON.stringify(JSON.parse(text)) === JSON.stringify(value), text)
    must(escapeUnsafe(text) === text, text)
  }),
]

type Row = Record<string, unknown>
const value = fc.oneof(
  {weight: 4, arbitrary: anyText},
  fc.jsonValue({maxDepth: 2}),
  fc.array(anyText, {maxLength: 3}),
)
const row: fc.Arbitrary<Row> = fc.record({offer_id: value, hotel_name: value, price: value})
const rows = fc.array(row, {minLength: 1, maxLength: 4})
const NAMES = ['offer_id', 'hotel_name', 'price']
const resultOf = (items: readonly Row[]) => ({
  document: {items},
  items,
  columns: NAMES.map(name => ({name, value: (each: Row) => each[name]})),
  id: (each: Row) => each.offer_id,
})
const linesOf = (text: string) => text.slice(0, -1).split('\n')

/** Formats a cell as it is printed: texts unchanged, lists of texts separated by a space, everything else as JSON. */
function cellOf(cell: unknown): string {
  if (cell === null || cell === undefined) return ''
  if (Array.isArray(cell) && cell.every(each => typeof each === 'string')) return sanitizeLine(cell.join(' '))
  return sanitizeLine(typeof cell === 'object' ? jsonText(cell) : String(cell))
}

/** Reads one line of CSV (RFC 4180) with a comma after the last cell. A cell is quoted or contains no quotes. */
const readCsv = (line: string) =>
  [...`${line},`.matchAll(/(?:"((?:[^"]|"")*)"|([^",]*)),/g)].map(
    ([, quoted, plain = '']) => quoted?.replaceAll('""', '"') ?? plain,
  )

const output = [
  property('output: csv and tsv come back cell by cell, and one row is one line', rows, async items => {
    const cells = items.map(each => NAMES.map(name => cellOf(each[name])))
    const csv = await renderResult(resultOf(items), {format: 'csv'}, {isTTY: false})
    must(JSON.stringify(linesOf(csv).map(readCsv)) === JSON.stringify([NAMES, ...cells]), csv)
    const tsv = await renderResult(resultOf(items), {format: 'tsv'}, {isTTY: false})
    must(JSON.stringify(linesOf(tsv).map(line => line.split('\t'))) === JSON.stringify(cells), tsv)
    for (const text of [csv, tsv]) must(dangerousIn(text.replaceAll(/[\n\t]/g, '')) === undefined, text)
  }),
  property(
    'output: JSON and its lines are the same values, and tables of any width obey nothing',
    fc.tuple(rows, fc.integer({min: 20, max: 200})),
    async ([items, columns]) => {
      const ndjson = await renderResult(resultOf(items), {format: 'ndjson'}, {isTTY: true})
      const whole = await renderResult(resultOf(items), {json: true}, {isTTY: true})
      for (const values of [linesOf(ndjson).map(line => JSON.parse(line)), JSON.parse(whole).items])
        must(JSON.stringify(values) === JSON.stringify(items), ndjson, whole)
      for (const flags of [{}, {format: 'table'}, {quiet: true}] as const) {
        const text = await renderResult(resultOf(items), flags, {isTTY: true, columns})
        must(dangerousIn(text.replaceAll('\n', '')) === undefined, text)
      }
    },
    {weight: 10},
  ),
]

const KEYS = words(
  'name surname birth_date tc passport identity.type identity.number is_lead email __proto__ constructor',
)
const ODD_VALUES = words('true 10000000146 2030-02-30 Ayşe \\ \\, , =')
const pair = fc.tuple(fc.constantFrom(...KEYS, ''), fc.oneof(anyText, fc.constantFrom(...ODD_VALUES, ' ')))
const escaped = (text: string) => text.replaceAll('\\', '\\\\').replaceAll(',', '\\,')
const writePairs = (pairs: readonly (readonly [string, string])[]) =>
  pairs.map(([key, text]) => `${key}=${escaped(text)}`).join(',')

const REQUEST = JSON.stringify(reservationRequest('off_1', {client_reference_id: 'ref-1'}))
const request = fc.oneof(mutatedJson([REQUEST]), mutated([REQUEST]))
const QUERIES = [
  'data[?price > `1`].{a: name, b: id}',
  'sort_by(data, &price)[0].name',
  "join(',', data[].name)",
  'data[*].price | sum(@)',
  'let $x = data in $x[0]',
]
const DOCUMENT = {
  data: [
    {id: 'a', name: 'Ayşe\u202e', price: 1},
    {id: 'b', name: '\u001b[2J', price: 2, list: [1, [2]]},
  ],
  deep: {a: {b: {c: 'x'}}},
}

const input = [
  property(
    'input: --guest and --contact take any text or refuse it',
    fc.oneof(anyText, fc.array(pair, {maxLength: 4}).map(writePairs)),
    async text => {
      const {value: guest} = await attempt(() => readGuest('--guest', text))
      if (guest !== undefined) must(Object.getPrototypeOf(guest) === Object.prototype, guest)
      await attempt(() => readContact('--contact', text))
    },
  ),
  property('input: a reservation from any file is right by §2.4 or refused', request, async bytes => {
    const {value: made} = await attempt(async () => {
      const read = readJson('--input', Buffer.from(bytes).toString())
      if (typeof read !== 'object' || read === null || Array.isArray(read)) return undefined
      const input = read as Record<string, unknown>
      const typed = await readTyped('off_1', {}, {input, day: '2030-01-01'})
      const mistakes = mistakesIn(typed)
      if (mistakes.length > 0) throw combined(mistakes)
      return completeRequest(typed, {nationality: 'TR', baseUrl: 'https://example.com/v1'})
    })
    if (made !== undefined) must(schema.safeParse(made).success, made)
  }),
  property(
    'input: JSON is taken as JSON.parse takes it, and a mistake has a place and none of the content',
    fc.oneof(
      request,
      anyText.map(text => Buffer.from(text)),
    ),
    async bytes => {
      const text = Buffer.from(bytes).toString()
      const {value: read, refusal} = await attempt(() => readJson('--data', text))
      if (refusal === undefined)
        must(JSON.stringify(read) === JSON.stringify(JSON.parse(text.replace(/^\ufeff/, ''))), text)
      else must(/--data: is not JSON: [a-z ]+ at line \d+, column \d+(\n|$)/.test(refusal), text, refusal)
    },
  ),
  property(
    'input: --query is evaluated or refused, and what it prints is fit for a terminal',
    fc.oneof(
      mutated(QUERIES).map(bytes => Buffer.from(bytes).toString()),
      anyText,
      fc.constantFrom(...words('[ ( ! a. @|').map(text => text.repeat(9000)), "'\u202e'", '`"\\u001b[2J"`'),
    ),
    async query => {
      const result = {document: DOCUMENT, items: DOCUMENT.data, columns: [], id: () => null}
      const {value: text = ''} = await attempt(async () => {
        await checkExpression('--query', query)
        return renderResult(result, {query}, {isTTY: true})
      })
      must(dangerousIn(text.replaceAll('\n', '')) === undefined, query, text)
    },
    {weight: 4, examples: QUERIES},
  ),
]

export const texts = [...printed, ...output, ...input]
