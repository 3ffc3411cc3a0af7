import {createHmac} from 'node:crypto'
import {expect, test} from 'vitest'
import type {HandoverResult} from '../../src/webhooks/forward/request.js'
import {probe} from '../../src/webhooks/probe/probe.js'
import {DEFAULT_HEADER_NAMES, gatherHeaders, type HeaderMap} from '../../src/webhooks/signature/headers.js'

const NOW = 1_700_000_000

type Answer = (raw: Buffer, headers: HeaderMap) => number | Partial<HandoverResult>

/** What a receiver does by §6.3, over what `bodyOf` makes of the body. */
const receiver =
  (bodyOf: (raw: Buffer) => string | Buffer = raw => raw, tolerance = 300) =>
  (raw: Buffer, headers: HeaderMap): number => {
    const fields = String(headers['x-service-signature'] ?? '').split(',')
    const t = fields.find(field => /^t=\d+$/.test(field))?.slice(2)
    if (t === undefined || Math.abs(NOW - Number(t)) > tolerance) return 401
    const right = createHmac('sha256', 'whsec_test').update(`${t}.`).update(bodyOf(raw)).digest('hex')
    return fields.includes(`v1=${right}`) ? 200 : 401
  }

function sheetOf(answer: Answer) {
  const send = async (_: string, rawHeaders: readonly string[], body: Uint8Array) => {
    const pairs = rawHeaders.flatMap((name, n) =>
      n % 2 === 0 ? [[name, rawHeaders[n + 1] as string] as const] : [],
    )
    const answered = answer(Buffer.from(body), gatherHeaders(pairs))
    const more = typeof answered === 'number' ? {status: answered} : answered
    return {status: null, milliseconds: 1, error: null, ...more}
  }
  return probe({
    ...{handover: {send, close: () => {}}, url: 'http://localhost/', names: DEFAULT_HEADER_NAMES},
    ...{clock: () => NOW, secret: 'whsec_test', run: 'r1', sleep: async () => {}},
  })
}

const failed = (rows: Awaited<ReturnType<typeof sheetOf>>) => rows.filter(({ok}) => !ok).map(row => row.case)

test('a receiver that keeps to §6 has a clean sheet', async () => {
  const rows = await sheetOf(receiver())
  expect(failed(rows)).toEqual([])
  expect(rows.length).toBeGreaterThan(20)
  expect(rows[0]).toMatchObject({case: 'valid', expected: '2xx', answered: 200, ok: true, advice: null})
})

test('a receiver that parses and prints fails with the canaries', async () => {
  const rows = await sheetOf(receiver(raw => JSON.stringify(JSON.parse(raw.toString()))))
  expect(failed(rows)).toEqual(['canary_escapes', 'canary_numbers', 'canary_spacing', 'canary_keys'])
})

test('a receiver that reads ASCII fails with letters beyond it', async () => {
  expect(failed(await sheetOf(receiver(raw => raw.toString('ascii'))))).toEqual(['non_ascii'])
})

test('a receiver that takes everything, or nothing', async () => {
  const all = await sheetOf(() => 200)
  expect(failed(all)).toEqual(all.filter(({expected}) => expected === '401').map(row => row.case))
  const none = await sheetOf(() => 401)
  expect(failed(none)).toEqual(none.filter(({expected}) => expected === '2xx').map(row => row.case))
})

test('400 is not 401, and a redirect is not 2xx', async () => {
  const right = receiver()
  const rows = await sheetOf((raw, headers) => (right(raw, headers) === 401 ? 400 : 302))
  expect(rows.every(({ok}) => !ok)).toBe(true)
})

test('one second too many or too few is seen', async () => {
  expect(failed(await sheetOf(receiver(undefined, 301)))).toEqual(['old_refused', 'future_refused'])
  expect(failed(await sheetOf(receiver(undefined, 299)))).toEqual(['old_allowed', 'future_allowed'])
})

test('an answer after 3 s is late, whatever it is', async () => {
  const isSlow = (headers: HeaderMap) => String(headers['x-service-event-id']).endsWith('non_ascii')
  const right = receiver()
  const rows = await sheetOf((raw, headers) => ({
    ...{status: right(raw, headers), milliseconds: isSlow(headers) ? 3001 : 3000},
  }))
  expect(failed(rows)).toEqual(['non_ascii'])
  expect(rows[1]).toMatchObject({answered: 200, ok: false, advice: expect.stringContaining('3 s')})
})

test('gives up on a receiver that does not answer', async () => {
  const rows = await sheetOf(() => ({error: 'timeout'}))
  expect(rows.map(({answered}) => answered)).toEqual(['timeout', 'timeout', 'timeout'])
})
