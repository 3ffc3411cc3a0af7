/** A capture that is cut into slices has the same lines, with the same numbers, wherever it is cut. */
import fc from 'fast-check'
import {expect, test} from 'vitest'
import {MOST_LINE_BYTES, readRecords} from '../../../src/webhooks/captures/records.js'
import {partsOf, type Slice, sliceLines} from '../../../src/webhooks/captures/slices.js'
import {captureLine, EVENT} from '../../support/webhook-files.js'

const T = 1_700_000_000

async function* piecesOf(bytes: Uint8Array, pieceBytes: number): AsyncGenerator<Uint8Array> {
  // The same memory is used for each piece, as where a file is read.
  const piece = Buffer.alloc(pieceBytes)
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    const part = bytes.subarray(at, at + pieceBytes)
    piece.set(part)
    yield piece.subarray(0, part.length)
  }
}

async function slicesOf(bytes: Uint8Array, pieceBytes: number, leastBytes: number): Promise<Slice[]> {
  const slices: Slice[] = []
  for await (const slice of sliceLines(piecesOf(bytes, pieceBytes), leastBytes)) slices.push(slice)
  return slices
}

/** Returns all requests, and how many records were left out. */
async function recordsOf(slices: readonly Slice[]) {
  const leftOut = {count: 0}
  const requests = []
  for (const {bytes, linesBefore} of slices) {
    for await (const group of readRecords(partsOf(bytes), leftOut, undefined, linesBefore))
      requests.push(...group)
  }
  return {requests, leftOut: leftOut.count}
}

const whole = (bytes: Uint8Array<ArrayBuffer>) => recordsOf([{bytes, linesBefore: 0}])

const line = fc.oneof(
  fc.constant(captureLine(EVENT, T)),
  fc.integer({min: 1, max: 3000}).map(length => captureLine(`{"id":"evt_1","n":"${'x'.repeat(length)}"}`, T)),
  fc.constant(captureLine(EVENT, T).slice(0, -40)),
  fc.constantFrom(
    '',
    ' ',
    '\ufeff',
    '{"records": [',
    ']}',
    ',',
    '{"type":"ready","url":"http://x"}',
    '{"a":1}',
    'no JSON',
  ),
)
const capture = fc
  .tuple(
    fc.constantFrom('', '\ufeff', '\n\n'),
    fc.array(fc.tuple(line, fc.constantFrom('\n', '\n', '\r\n', '\n\n'))),
    fc.oneof(line, fc.constant('')),
  )
  .map(([start, lines, end]) => Buffer.from(`${start}${lines.flat().join('')}${end}`))

test('lines and their numbers do not depend on where a capture is cut, nor on how it is read', async () => {
  const sizes = [fc.integer({min: 1, max: 5000}), fc.integer({min: 1, max: 5000})] as const
  const property = fc.asyncProperty(capture, ...sizes, async (bytes, pieceBytes, leastBytes) => {
    const slices = await slicesOf(bytes, pieceBytes, leastBytes)
    expect(Buffer.compare(Buffer.concat(slices.map(slice => slice.bytes)), bytes)).toBe(0)
    for (const slice of slices.slice(0, -1)) {
      expect(slice.bytes.length).toBeGreaterThanOrEqual(leastBytes)
      expect(slice.bytes.at(-1)).toBe(10)
    }
    expect(await recordsOf(slices)).toEqual(await whole(bytes))
  })
  await fc.assert(property, {numRuns: 100})
})

test.each([
  ['among others', `${captureLine(EVENT, T)}\n`, '\n{"a":1}\n'],
  ['at the end', '', ''],
])(
  'a line that is too long, %s, is one and takes no more memory than it has to',
  async (_, before, after) => {
    for (const [length, tooLong] of [
      [MOST_LINE_BYTES, false],
      [MOST_LINE_BYTES + 1, true],
      [MOST_LINE_BYTES + 300_000, true],
    ] as const) {
      const bytes = Buffer.from(`${before}${'x'.repeat(length)}${after}`)
      const slices = await slicesOf(bytes, 64 * 1024, 1000)
      const records = await recordsOf(slices)
      expect(records).toEqual(await whole(bytes))
      const problems = records.requests.map(({problem}) => problem)
      expect(problems.includes(`line ${before ? 2 : 1} is longer than 16 MiB`)).toBe(tooLong)
      const kept = slices.reduce((sum, slice) => sum + slice.bytes.length, 0)
      expect(kept).toBeLessThanOrEqual(before.length + MOST_LINE_BYTES + 1 + after.length)
    }
  },
)
