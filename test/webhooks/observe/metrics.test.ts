/** The text of metrics, as a parser that is not ours reads it. */
import {expect, test} from 'vitest'
import {Metrics} from '../../../src/webhooks/observe/metrics.js'
import {samplesOf} from '../../support/prometheus.js'

test('counters, gauges and histograms are read back with their labels and values', () => {
  const metrics = new Metrics()
  const good = metrics.counter('made_total', 'What was made.', {kind: 'good'})
  metrics.counter('made_total', 'What was made.', {kind: 'bad'})
  metrics.gauge('level', 'A level.').value = -1.5
  const seconds = metrics.histogram('took_seconds', 'How long it took.', [0.1, 1])
  good.value += 2
  for (const value of [0.05, 0.1, 0.5, 7]) seconds.observe(value)
  expect(samplesOf(metrics.text())).toEqual({
    'made_total{kind="good"}': 2,
    'made_total{kind="bad"}': 0,
    level: -1.5,
    took_seconds_count: 4,
    'took_seconds_bucket{le="0.1"}': 2,
    'took_seconds_bucket{le="1"}': 3,
    'took_seconds_bucket{le="+Inf"}': 4,
  })
  expect(metrics.text()).toContain('took_seconds_sum 7.65\n')
})

test('a gauge without a value is left out, and odd characters of labels are escaped', () => {
  const metrics = new Metrics()
  metrics.gauge('unknown', 'Not known.')
  metrics.gauge('odd', 'A back\\slash\nand a line.', {place: 'a "b"\\\nc'}).value = Number.POSITIVE_INFINITY
  expect(metrics.text()).toBe(
    '# HELP unknown Not known.\n# TYPE unknown gauge\n' +
      '# HELP odd A back\\\\slash\\nand a line.\n# TYPE odd gauge\nodd{place="a \\"b\\"\\\\\\nc"} +Inf\n',
  )
})
