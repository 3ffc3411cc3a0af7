import fc from 'fast-check'
import {expect, test} from 'vitest'
import {jsonText} from '../../src/cli/output/json-text.js'
import {renderResult} from '../../src/cli/output/output.js'
import {
  printResults,
  type ResultPrinter,
  type Verified,
  verifyResult,
} from '../../src/cli/webhooks/results.js'
import {anyString} from '../support/any-text.js'

test('the lines of valid results are the JSON they are without the quicker way', async () => {
  const texts = fc.oneof(anyString(), fc.constantFrom('evt_1', 'a"b', '\ud800', '\u202e', '\n', '\u007f'))
  const verified = fc.record({
    input: texts,
    result: fc.record({
      valid: fc.boolean(),
      reason: fc.constant('ok' as const),
      event_id: fc.option(texts),
      type: fc.option(texts),
      timestamp: fc.option(fc.nat()),
      age_seconds: fc.option(fc.integer()),
      secret: fc.option(texts),
      findings: fc.constant([]),
    }),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(verified, {minLength: 1, maxLength: 5}), async results => {
      const printed = await renderResult(verifyResult(results, true), {format: 'ndjson'}, {isTTY: false})
      expect(printed).toBe(results.map(({input, result}) => `${jsonText({input, ...result})}\n`).join(''))
    }),
  )
})

test('a long table is printed in blocks, so that never all rows are held', async () => {
  const one: Verified = {
    input: 'a:1',
    result: {
      ...{valid: true, reason: 'ok', event_id: 'evt_1', type: null, timestamp: 1, age_seconds: 0},
      ...{secret: 'file', findings: []},
    },
  }
  const printed: string[] = []
  async function* results() {
    for (let n = 0; n < 25; n++) yield Array.from({length: 100}, () => one)
  }
  const printer: ResultPrinter = {
    print: async (result, continues) =>
      void printed.push(await renderResult(result, {format: 'table'}, {isTTY: true, columns: 80, continues})),
    printPieces: async () => {},
  }
  const count = await printResults(results(), 1, 'in blocks', printer, {count: 0})
  expect(count).toEqual({read: 2500, invalid: 0})
  expect(printed.map(text => text.trimEnd().split('\n').length)).toEqual([1001, 1000, 500])
})
