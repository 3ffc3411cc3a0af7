/** What is not settled can be run again: it is written as it came in, with a reason. */
import fc from 'fast-check'
import {expect, test} from 'vitest'
import {failedText} from '../../../../src/cli/features/batch/failed-file.js'
import type {TripFile} from '../../../../src/cli/features/batch/trip-file.js'
import {parseExactly, stringify} from '../../../../src/contract/json.js'
import {HEAD, RECORD, read, rowOf} from './files.js'

const all = (file: TripFile, why: string) =>
  failedText(
    file,
    file.trips.map(trip => ({trip, why})),
  )

test.each([
  [',', '\n', ''],
  [';', '\r\n', '\ufeff'],
  ['\t', '\r', ''],
])('CSV keeps its delimiter %j, its line ends %j and its mark %j', async (delimiter, lineEnd, mark) => {
  const lines = [
    `${HEAD},WHY,lead`,
    `${rowOf('A-1')},sold out,`,
    `${rowOf('B-1')},,1`,
    'A-1,,,,,, Can ,Ay,,,,,,,no',
  ]
  const written = (texts: readonly string[]) =>
    mark + texts.map(line => line.replaceAll(',', delimiter) + lineEnd).join('')
  const file = await read('a.csv', written(lines))
  const [first] = file.trips
  if (!first) throw new Error('there is no trip')
  const rows = [`${rowOf('A-1')},offer_expired,`, 'A-1,,,,,, Can ,Ay,,,,,,offer_expired,no']
  expect(failedText(file, [{trip: first, why: 'offer_expired'}])).toBe(written([lines[0] ?? '', ...rows]))
})

test('a reason is one line, and no formula of a spreadsheet', async () => {
  const file = await read('a.csv', `${HEAD}\n${rowOf('A-1')}\n`)
  const reason = (why: string) =>
    all(file, why)
      .split('\n')[1]
      ?.slice(rowOf('A-1').length + 1)
  expect(reason('=HYPERLINK("http://x")')).toBe(`"'=HYPERLINK(""http://x"")"`)
  expect(['+1', '-1', '@SUM(1)', '\t=1', 'a\r\nb', 'no, sold out'].map(reason)).toEqual([
    "'+1",
    "'-1",
    "'@SUM(1)",
    '\\t=1',
    'a\\r\\nb',
    '"no, sold out"',
  ])
})

test('NDJSON and JSON keep every field and digit, and say why', async () => {
  const record = `{"why":"old","client_reference_id":"A-1","choose":{"hotel_id":12345678901234567890},"search":${JSON.stringify(RECORD.search)},"client_nationality":"TR","contact":${JSON.stringify(RECORD.contact)},"guests":${JSON.stringify(RECORD.guests)}}`
  const expected = record.replace('old', '=sold out')
  expect(all(await read('a.ndjson', `\n${record}\n\n`), '=sold out')).toBe(`${expected}\n`)
  const text = all(await read('a.json', `[${record}]`), '=sold out')
  expect(stringify([parseExactly(text)].flat())).toBe(`[${expected}]`)
  expect(text.endsWith('\n]\n')).toBe(true)
})

test('nothing that is not settled leaves a file without trips', async () => {
  expect(failedText(await read('a.csv', `${HEAD}\n${rowOf('A-1')}`), [])).toBe(`${HEAD},why\n`)
  expect(failedText(await read('a.json', JSON.stringify([RECORD])), [])).toBe('[]\n')
  expect(failedText(await read('a.ndjson', JSON.stringify(RECORD)), [])).toBe('')
})

test('whatever is in cells, the file that is written has the same trips', async () => {
  const name = fc.stringMatching(/^[A-Za-zşğıöüßÄ"',;=+\-@|. ]*[\r\n]{0,2}[A-Za-zمحمد",;]+$/)
  const delimiter = fc.constantFrom(',', ';', '\t')
  const lineEnd = fc.constantFrom('\n', '\r\n', '\r')
  const property = async (names: readonly string[], mark: string, end: string, why: string) => {
    const cell = (text: string) => `"${text.replaceAll('"', '""')}"`
    const head = HEAD.replaceAll(',', mark)
    const rows = names.map((text, index) =>
      rowOf(`A-${index >> 1}`)
        .split(',')
        .with(6, cell(text))
        .join(mark),
    )
    const file = await read('a.csv', [head, ...rows].join(end))
    const again = await read('b.csv', all(file, why))
    expect(all(again, why)).toBe(all(file, why))
    const guestsOf = (from: TripFile) => from.trips.map(({reference, request}) => [reference, request])
    expect(guestsOf(again)).toEqual(guestsOf(file))
  }
  const names = fc.array(name, {minLength: 1, maxLength: 5})
  await fc.assert(fc.asyncProperty(names, delimiter, lineEnd, fc.string(), property), {numRuns: 60})
})
