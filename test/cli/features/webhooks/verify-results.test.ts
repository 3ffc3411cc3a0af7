import {expect, test} from 'vitest'
import {
  printResults,
  type ResultPrinter,
  type Verified,
} from '../../../../src/cli/features/webhooks/verify-results.js'
import {renderResult} from '../../../../src/cli/terminal/output.js'

const ONE: Verified = {
  input: 'a:1',
  valid: true,
  reason: 'ok',
  event_id: 'evt_1',
  type: null,
  timestamp: 1,
  age_seconds: 0,
  secret: 'file',
  findings: [],
}

test('a long table is printed in blocks, so that never all rows are held', async () => {
  const printed: string[] = []
  async function* results() {
    for (let n = 0; n < 25; n++) yield Array.from({length: 100}, () => ONE)
  }
  const printer: ResultPrinter = {
    print: async (result, continues) =>
      void printed.push(await renderResult(result, {format: 'table'}, {isTTY: true, columns: 80, continues})),
    printText: async text => void printed.push(Buffer.from(text).toString()),
  }
  const count = await printResults(results(), 1, 'in blocks', printer, {count: 0})
  expect(count).toEqual({read: 2500, invalid: 0, notChecked: 0})
  expect(printed.map(text => text.trimEnd().split('\n').length)).toEqual([1001, 1000, 500])
})
