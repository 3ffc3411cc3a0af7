/** Files that are broken, or made to break a reader: each gets a clear error, soon. */
import {expect, test} from 'vitest'
import {rejectionOf} from '../../../support/thrown.js'
import {CONTACT_CELLS, CONTACT_HEAD, HEAD, mistakesOf, RECORD, read, rowOf} from './files.js'

const ROW = rowOf('A-1')
const LONG = 'x'.repeat(10 * 1024 * 1024)
const tooLong = 'the row is longer than 100000 bytes; is a quote in it not closed?'
const quoting = 'a cell with quotes in it must be in quotes, and each quote inside it doubled'

test.each<[string, string, string[]]>([
  ['an empty file', '', ['FILE: is empty']],
  ['a byte order mark alone', '\ufeff', ['FILE: is empty']],
  ['empty lines and cells', '\n\r\n ;;;\n\n', ['FILE: is empty']],
  ['thirty million line ends', '\n'.repeat(30_000_000), ['FILE: is empty']],
  ['a header alone', `${HEAD}\n\n,,,\n`, ['FILE: has a header and no rows']],
  ['two million commas', `${HEAD}\n${','.repeat(2_000_000)}`, ['FILE: has a header and no rows']],
  ['a cell of 10 MB', `${HEAD}\n${ROW}\n${LONG}`, [`line 3: ${tooLong}`]],
  ['a quoted cell of 10 MB', `${HEAD}\n\n${ROW}\n"${LONG}"`, [`line 4: ${tooLong}`]],
  ['10 MB of quotes', `${HEAD}\n${LONG.replaceAll('x', '"')}`, [`line 2: ${tooLong}`]],
  ['a file of 33 MB', LONG.repeat(4).slice(0, 33 * 1024 * 1024), ['FILE: longer than 32 MiB']],
  [
    'a NUL byte',
    `${HEAD}\r\n${ROW.replace('Ay', 'A\0')}`,
    ['FILE: is not text: there is a NUL byte on line 2'],
  ],
  [
    'a quote that is not closed',
    `${HEAD}\n${ROW}\nA-2,"102\n${ROW}`,
    ['line 3: a quote opens here and is not closed'],
  ],
  [
    'a quote in a later line of a row',
    `${HEAD}\n"A\r\n-2",1,"02\n`,
    ['line 3: a quote opens here and is not closed'],
  ],
  ['a quote inside a cell', `${HEAD}\n\n${ROW.replace('Ay', 'A"y')}`, [`line 3: ${quoting}`]],
  ['text behind a quote', `${HEAD}\n${ROW.replace('101', '"101"x')}`, [`line 2: ${quoting}`]],
  ['too many cells', `${HEAD}\n${ROW},x\n${ROW},,\n`, ['line 2: has 14 cells, and the header has 13']],
])('%s', async (_, text, expected) => {
  expect(await mistakesOf('a.csv', text)).toEqual(expected)
})

test('the rows before a quote that is not closed are read too', async () => {
  expect(await mistakesOf('a.csv', `${HEAD}\n${ROW.replace('EUR', '')}\n"`)).toEqual([
    'line 2, column currency: is missing',
    'line 3: a quote opens here and is not closed',
  ])
})

test.each([
  [
    'Windows-1254',
    Buffer.from(`${HEAD}\n${ROW}`, 'latin1'),
    'FILE: is not UTF-8 text: the first mistake is on line 2',
  ],
  ['UTF-16, little end first', Buffer.from(`\ufeff${HEAD}\n${ROW}`, 'utf16le'), 'FILE: is UTF-16, not UTF-8'],
  ['UTF-16, big end first', Buffer.from(`\ufeff${HEAD}`, 'utf16le').swap16(), 'FILE: is UTF-16, not UTF-8'],
  [
    'a character cut in half',
    Buffer.from(`${HEAD}\n${ROW}ş`).subarray(0, -1),
    'FILE: is not UTF-8 text: the first mistake is on line 2',
  ],
])('%s: says how to save it', async (_, bytes, expected) => {
  for (const name of ['a.csv', 'a.ndjson', 'a.json']) {
    const {message, details} = await rejectionOf(read(name, bytes))
    expect({message, hint: details.hint}).toEqual({
      message: expected,
      hint: 'save it as UTF-8: in Excel as "CSV UTF-8", in LibreOffice with the character set UTF-8',
    })
  }
})

test.each([
  [
    'deep.json',
    `[{"guests":${'['.repeat(100_000)}${']'.repeat(100_000)}}]`,
    'trip 1: is nested too deeply for a trip',
  ],
  [
    'deep.ndjson',
    `{"guests":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
    'line 1: is nested too deeply for a trip',
  ],
  ['open.json', '['.repeat(1_000_000), 'FILE: is not JSON: a stray character at line 1, column 1'],
  ['cut.ndjson', `{"why":"${LONG}`, 'line 1: is not JSON: a stray character at column 8'],
  ['nul.ndjson', '{}\n{"why":"\0"}', 'FILE: is not text: there is a NUL byte on line 2'],
])('%s', async (name, text, expected) => {
  expect(await mistakesOf(name, text)).toEqual([expected])
})

test('objects with names of JavaScript, and values of every type, are mistakes and no fault', async () => {
  const odd =
    '{"__proto__":{"x":1},"constructor":1,"client_reference_id":{"toString":1},"search":[],"choose":"x","guests":"x","contact":[]}'
  expect(await mistakesOf('a.json', `[${odd}]`)).toEqual([
    expect.stringContaining('trip 1, __proto__: there is no such field'),
    expect.stringContaining('trip 1, constructor: there is no such field'),
    'trip 1, search: must be an object',
    'trip 1, choose: must be an object',
    'trip 1, client_reference_id: must be text or a number',
    'trip 1, offer_id: give an offer, or a search: city, check_in, check_out or nights',
    'trip 1, contact: must be an object',
    'trip 1, guests: must be a list',
  ])
})

test('twenty thousand rows that are all wrong take seconds, whatever is wrong', async () => {
  const rows = Array.from({length: 20_000}, (_, index) =>
    rowOf(`A-${index % 9000}`).replace('TR', `Land${index}`),
  )
  const mistakes = await mistakesOf('a.csv', `${HEAD}\n${rows.join('\n')}`)
  expect(mistakes).toHaveLength(101)
  // So many countries are not looked up.
  expect(mistakes.at(-1)).toMatch(/^and at least \d+ more$/)
})

test('a hundred thousand guests of one trip are read', async () => {
  const [guest] = RECORD.guests
  const record = {...RECORD, guests: Array.from({length: 100_000}, () => ({...guest, name: 'Ay'}))}
  const {trips} = await read('a.json', JSON.stringify([record]))
  expect(JSON.parse(trips[0]?.request ?? '').guests).toHaveLength(100_000)
})

test('a guest that was pasted twice is a mistake; without an identity two may have the same cells', async () => {
  const head = `${HEAD},tc`
  const text = `${head}\n${ROW},10000000146\n${ROW},10000000146\n`
  expect(await mistakesOf('a.csv', text)).toEqual(['line 3: is the same guest as on line 2'])
  expect((await read('a.csv', `${HEAD}\n${ROW}\n${ROW}\n`)).trips).toHaveLength(1)
})

test('two trips with one offer are a mistake', async () => {
  const head = `client_reference_id,offer_id,name,surname,${CONTACT_HEAD}`
  const row = (reference: string) => `${reference},off_1,Ayşe,Öğüt,${CONTACT_CELLS}`
  expect(await mistakesOf('a.csv', `${head}\n${row('A-1')}\n${row('A-2')}\n`)).toEqual([
    'line 3, column offer_id: is that of line 2 already: an offer can be reserved once',
  ])
})
