import {expect, test} from 'vitest'
import {probeResult} from '../../../src/cli/features/webhooks/probe.js'
import type {HandoverResult} from '../../../src/webhooks/forward/request.js'
import {type ProbeRow, probe} from '../../../src/webhooks/probe/probe.js'
import {gatherHeaders, type HeaderMap, pairsOf} from '../../../src/webhooks/signature/headers.js'
import {HEADER_NAMES, isSigned} from '../../support/webhook-files.js'

const NOW = 1_700_000_000

type Answer = (raw: Buffer, headers: HeaderMap) => number | Partial<HandoverResult>

/** Returns a receiver that follows §6.3, but verifies what `bodyOf` makes of the body. */
const receiver =
  (bodyOf: (raw: Buffer) => string | Buffer = raw => raw, tolerance = 300) =>
  (raw: Buffer, headers: HeaderMap): number => {
    const header = String(headers['x-service-signature'])
    return isSigned(header, bodyOf(raw), 'whsec_test', NOW, tolerance) ? 200 : 401
  }

function sheetOf(answer: Answer) {
  const send = async (_: string, rawHeaders: readonly string[], body: Uint8Array) => {
    const answered = answer(Buffer.from(body), gatherHeaders(pairsOf(rawHeaders)))
    const more = typeof answered === 'number' ? {status: answered} : answered
    return {status: null, milliseconds: 1, error: null, ...more}
  }
  const terms = {names: HEADER_NAMES, clock: () => NOW, secret: 'whsec_test'}
  return probe({handover: {send, close: () => {}}, url: 'http://localhost/', ...terms})
}

const rowsOf = async (answer: Answer) => (await sheetOf(answer)).rows
const failed = (rows: readonly ProbeRow[]) => rows.filter(({ok}) => !ok).map(row => row.case)

test('a receiver that keeps to §6 has a clean sheet', async () => {
  const rows = await rowsOf(receiver())
  expect(failed(rows)).toEqual([])
  expect(rows.length).toBeGreaterThan(20)
  expect(rows[0]).toMatchObject({case: 'valid', expected: '2xx', answered: 200, ok: true, advice: null})
})

test('a receiver that prints the body again fails with the canaries, one that reads ASCII with other letters', async () => {
  const printing = receiver(raw => JSON.stringify(JSON.parse(raw.toString())))
  const canaries = ['canary_escapes', 'canary_numbers', 'canary_spacing', 'canary_keys']
  expect(failed(await rowsOf(printing))).toEqual(canaries)
  expect(failed(await rowsOf(receiver(raw => raw.toString('ascii'))))).toEqual(['non_ascii'])
})

test('a receiver that accepts everything, or refuses everything, fails the other half of the cases', async () => {
  const all = await rowsOf(() => 200)
  expect(failed(all)).toEqual(all.filter(({expected}) => expected === '401').map(row => row.case))
  const none = await rowsOf(() => 401)
  expect(failed(none)).toEqual(none.filter(({expected}) => expected === '2xx').map(row => row.case))
})

test('the summary names the cause where every wrong request is accepted', async () => {
  const textOf = async (answer: Answer) => probeResult('http://localhost/', await sheetOf(answer), false).text
  const cause = '\n  Likely cause: it checks no signature at all'
  expect(await textOf(() => 200)).toContain(cause)
  expect(await textOf(() => 204)).toContain(cause)
  const right = receiver()
  const withHeader = (raw: Buffer, headers: HeaderMap) =>
    headers['x-service-signature'] ? 200 : right(raw, headers)
  for (const answer of [right, withHeader, () => 401]) expect(await textOf(answer)).not.toContain(cause)
})

test('400 is not 401, and a redirect is reported at once', async () => {
  const right = receiver()
  const rows = await rowsOf((raw, headers) => (right(raw, headers) === 401 ? 400 : 200))
  expect(failed(rows)).toEqual(rows.filter(({expected}) => expected === '401').map(row => row.case))
  const {rows: one, notSent} = await sheetOf(() => 302)
  expect(one).toMatchObject([{answered: 302, ok: false, advice: expect.stringContaining('redirect')}])
  expect(notSent).toBeGreaterThan(20)
})

test('a few seconds at the edges of the tolerance are no fault, ten too many or too few are', async () => {
  for (const tolerance of [295, 299, 301, 309])
    expect(failed(await rowsOf(receiver(undefined, tolerance)))).toEqual([])
  expect(failed(await rowsOf(receiver(undefined, 310)))).toEqual(['old_refused', 'future_refused'])
  expect(failed(await rowsOf(receiver(undefined, 294)))).toEqual(['old_allowed', 'future_allowed'])
})

test('two v1 and a v0 in one header are advice', async () => {
  const right = receiver()
  const rows = await rowsOf((raw, headers) =>
    String(headers['x-service-signature']).includes('v0=') ? 401 : right(raw, headers),
  )
  expect(rows.filter(({ok}) => !ok)).toMatchObject([{case: 'two_signatures', required: false}])
  expect(rows.filter(({required}) => !required)).toHaveLength(1)
})

const page = (text: string) => ({start: Promise.resolve(Buffer.from(text))})

test.each<[name: string, answer: Partial<HandoverResult>, said: string | null, advice: RegExp]>([
  [
    'Express fails on a parsed body',
    {
      status: 500,
      headers: {'x-powered-by': 'Express'},
      ...page(
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<title>Error</title>\n</head>\n<body>\n<pre>TypeError: The &quot;data&quot; argument must be of type string<br> &nbsp; at Hmac.update</pre>',
      ),
    },
    'TypeError: The "data" argument must be of type string',
    /JSON parser .* Express: put express\.raw/,
  ],
  [
    'nothing at the path',
    {status: 404, ...page('<html><title>Error</title><pre>Cannot POST /hook</pre>')},
    'Cannot POST /hook',
    /nothing is at this path/,
  ],
  [
    'Fastify says it in JSON',
    {status: 500, ...page('{"statusCode":500,"error":"Internal Server Error","message":"bad body"}')},
    'bad body',
    /JSON parser/,
  ],
  [
    'Werkzeug has a title',
    {
      status: 500,
      headers: {server: 'Werkzeug/3.0'},
      ...page("<!doctype html><title>KeyError: 'x' // Debugger</title>"),
    },
    "KeyError: 'x' // Debugger",
    /Flask: verify request\.get_data/,
  ],
  ['plain text', {status: 503, ...page('\n no backend \nmore')}, 'no backend', /proxy/],
  ['no body', {status: 405}, null, /takes no POST/],
  ['commands for a terminal', {status: 500, ...page('\u001b[2Jwhsec_test')}, '\\u001b[2J…', /JSON parser/],
])(
  'the likely cause is reported at once, with the words of the receiver: %s',
  async (_, answer, said, advice) => {
    const {rows, notSent} = await sheetOf(() => answer)
    expect(rows).toMatchObject([{case: 'valid', ok: false, said, advice: expect.stringMatching(advice)}])
    expect(notSent).toBeGreaterThan(20)
  },
)

test('an answer after 3 s is late, whatever its status', async () => {
  const isSlow = (headers: HeaderMap) => String(headers['x-service-event-id']).endsWith('non_ascii')
  const right = receiver()
  const rows = await rowsOf((raw, headers) => ({
    status: right(raw, headers),
    milliseconds: isSlow(headers) ? 3001 : 3000,
  }))
  expect(failed(rows)).toEqual(['non_ascii'])
  expect(rows[1]).toMatchObject({answered: 200, ok: false, advice: expect.stringContaining('3 s')})
})

test.each<[what: string, answers: Partial<HandoverResult>[], asked: number]>([
  ['is late twice', [{status: 200, milliseconds: 4000}], 2],
  [
    'is late for the first time, as after a cold start',
    [{status: 200, milliseconds: 4000}, {status: 200}],
    26,
  ],
  ['times out twice', [{error: 'timeout'}], 2],
  ['closes the connection three times', [{error: 'ECONNRESET'}], 3],
])('how often a receiver is asked that %s', async (_, answers, asked) => {
  let n = 0
  const {rows, notSent} = await sheetOf(() => answers[Math.min(n++, answers.length - 1)] ?? 200)
  expect({asked: rows.length, notSent}).toEqual({asked, notSent: 26 - asked})
})
