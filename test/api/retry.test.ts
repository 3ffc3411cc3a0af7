/** The table of retries: every status and every fault, with and without a key, and what Retry-After may say. */
import fc from 'fast-check'
import {expect, test} from 'vitest'
import {mayHaveActed, mayRepeat, retryAfterMilliseconds, waitBeforeRepeat} from '../../src/api/http/retry.js'
import {ExchangeError, type ExchangeFault} from '../../src/api/types.js'
import {anyString} from '../support/any-text.js'

const answer = (status: number, headers: Record<string, string> = {}) => ({
  status,
  headers,
  body: Buffer.alloc(0),
})

test('every status from 100 to 599', () => {
  const all = Array.from({length: 500}, (_, n) => n + 100)
  const repeated = (repeatable: boolean) => all.filter(status => mayRepeat(answer(status), repeatable))
  expect(repeated(true)).toEqual([429, 500, 502, 503, 504])
  // What is not repeatable goes out again only when the service says that it did not take it.
  expect(repeated(false)).toEqual([429])
})

test('only a 4xx and a redirect that keeps the method say that the service did not act', () => {
  const all = Array.from({length: 500}, (_, n) => n + 100)
  const without = all.filter(status => !mayHaveActed({status}))
  expect(without).toEqual([307, 308, ...all.filter(status => status >= 400 && status < 500)])
})

test.each<[ExchangeFault, boolean]>([
  ['dns', true],
  ['refused', true],
  ['connect_timeout', true],
  ['proxy', true],
  ['reset', true],
  ['timeout', true],
  ['cut', true],
  ['tls', false],
  ['proxy_refused', false],
  ['too_large', false],
  ['protocol', false],
])('%s passes: %s', (fault, passes) => {
  const ended = (sent: boolean) => new ExchangeError(fault, sent, 'made up')
  expect(mayRepeat(ended(false), false)).toBe(passes)
  expect(mayRepeat(ended(true), true)).toBe(passes)
  expect(mayRepeat(ended(true), false)).toBe(false)
  expect([mayHaveActed(ended(true)), mayHaveActed(ended(false))]).toEqual([true, false])
})

test('whatever Retry-After and Date say, the wait is a number of milliseconds, and never less than was asked for', () => {
  const odd = fc.oneof(
    anyString(),
    fc.integer().map(String),
    fc.date({noInvalidDate: true}).map(date => date.toUTCString()),
    fc.constantFrom('1e9', '-1', '0x10', '١٢', ' 5 ', '5, 6', 'Infinity', '999999999', '9'.repeat(400)),
  )
  fc.assert(
    fc.property(
      odd,
      odd,
      fc.integer({min: 1, max: 50}),
      fc.double({min: 0, max: 0.999, noNaN: true}),
      (after, date, attempt, random) => {
        const outcome = answer(503, {'retry-after': after, date})
        const asked = retryAfterMilliseconds(outcome, 1_700_000_000)
        const wait = waitBeforeRepeat(outcome, attempt, () => random, 1_700_000_000)
        expect(Number.isFinite(wait) && wait >= 0).toBe(true)
        expect(wait).toBeGreaterThanOrEqual(asked ?? 0)
        if (asked === undefined) expect(wait).toBeLessThanOrEqual(20_000)
      },
    ),
    {numRuns: 2000},
  )
})

const RETRY_AFTER: [retryAfter: string, milliseconds: number | undefined][] = [
  ['0', 0],
  ['120', 120_000],
  [' 5\t', 5000],
  ['999999999', 999_999_999_000],
  ['1999999999', undefined],
  ['', undefined],
  ['-1', undefined],
  ['+5', undefined],
  ['1.5', undefined],
  ['2033-05-18', undefined],
  ['soon', undefined],
  ['Tue, 14 Nov 2023 22:13:50 GMT', 30_000],
  ['14 NOV 2023 22:13:50 GMT', 30_000],
  ['Tue, 14 Nov 2023 22:13:10 GMT', 0],
]

test.each(RETRY_AFTER)('Retry-After %j asks for %s milliseconds', (text, milliseconds) => {
  expect(retryAfterMilliseconds(answer(429, {'retry-after': text}), 1_700_000_000)).toBe(milliseconds)
})

test("a date is measured on the service's own clock, and without one or without its clock on ours", () => {
  const after = {'retry-after': 'Tue, 14 Nov 2023 22:13:50 GMT'}
  const date = 'Tue, 14 Nov 2023 22:13:40 GMT'
  expect(retryAfterMilliseconds(answer(503, {...after, date}), 0)).toBe(10_000)
  expect(retryAfterMilliseconds(answer(503, {...after, date: 'x'}), 1_700_000_020)).toBe(10_000)
  expect(retryAfterMilliseconds(answer(503, {date}), 0)).toBeUndefined()
})
