import fc from 'fast-check'
import {expect, test} from 'vitest'
import {jsonText} from '../../src/cli/output/json-text.js'
import {renderResult} from '../../src/cli/output/output.js'
import {verifyResult} from '../../src/cli/webhooks/results.js'

test('the lines of valid results are the JSON they are without the quicker way', async () => {
  const texts = fc.oneof(
    fc.string({unit: 'binary'}),
    fc.constantFrom('evt_1', 'a"b', '\ud800', '\u202e', '\n', '\u007f'),
  )
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
