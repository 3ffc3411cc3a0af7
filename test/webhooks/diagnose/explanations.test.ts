import {expect, test} from 'vitest'
import type {CapturedRequest} from '../../../src/webhooks/captures/request.js'
import {check} from '../../../src/webhooks/diagnose/check.js'
import type {CheckTerms} from '../../../src/webhooks/diagnose/finding.js'
import type {HeaderMap} from '../../../src/webhooks/signature/headers.js'
import {checkTerms, headerFor, richText, seeded, T} from '../signed-events.js'
import {sorted} from './broken-captures.js'

const SECRET = 'whsec_test'
const TEXT = richText(seeded(3))
const BODY = Buffer.from(TEXT)
const HEADER = headerFor(SECRET, BODY)

interface Given extends Pick<CapturedRequest, 'headers' | 'receivedAt'> {
  readonly body?: string | Uint8Array
  readonly surplus?: string
}

async function findings({body = BODY, surplus, ...given}: Given, more: Partial<CheckTerms> = {}) {
  const pieces = (async function* () {
    yield Buffer.from(body as string)
  })()
  const afterwards = {notes: [], ...(surplus === undefined ? {} : {surplus: Buffer.from(surplus)})}
  const headers = {'x-service-signature': HEADER}
  return (await check({headers, ...given, body: pieces, afterwards}, checkTerms(more))).findings
}

const codes = async (...given: Parameters<typeof findings>) =>
  (await findings(...given)).map(({code}) => code)

test('finds a header under another name, and one that came twice', async () => {
  expect(await codes({headers: {'x-acme-signature': HEADER}})).toEqual(['header_renamed'])
  expect(await codes({headers: {'x-acme-signature': HEADER}, body: `${TEXT}\n`})).toEqual([
    'header_renamed',
    'body_trailing_newline',
  ])
  expect(await codes({headers: {'x-acme-signature': HEADER.replace('v1=', 'v1=0')}})).toEqual(['unexplained'])
  expect(await codes({headers: {}})).toEqual(['unexplained'])
  expect(await codes({headers: {'x-service-signature': [HEADER, HEADER]}})).toEqual(['header_repeated'])
})

test.each([
  ['hello', /does not begin with whsec_/],
  ['"whsec_cut"', /cut off/],
  ['$WEBHOOK_SECRET', /name of a variable/],
  ['./secrets/signing.txt', /name of a file/],
  ['<your secret>', /placeholder/],
  ['whsec_ changeme', /placeholder/],
  ['https://example.com/hooks', /an address/],
  ['these are several words', /spaces or line breaks/],
])('doubts a secret of the wrong form if nothing explains the signature: %s', async (secret, why) => {
  const [first, second, ...more] = await findings({}, {secrets: [{name: 'file', secret}]})
  expect([first?.code, second?.code, ...more]).toEqual(['unexplained', 'secret_doubtful'])
  expect(second?.explanation).toMatch(why)
  expect(second?.explanation).not.toContain(secret)
})

test('does not doubt a secret of the right form, nor one that explains the signature', async () => {
  const other = {name: 'env[0]', secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'}
  expect(await codes({}, {secrets: [other]})).toEqual(['unexplained'])
  expect(await codes({}, {secrets: [{name: 'env[1]', secret: 'hello'}, other]})).toEqual(['unexplained'])
  expect(await codes({body: `${TEXT}\n`})).toEqual(['body_trailing_newline'])
})

test('a secret of another kind is reported as well as a wrong header', async () => {
  const secrets = [{name: 'file', secret: 'sk_test_1'}]
  expect(await codes({headers: {}}, {secrets})).toEqual(['unexplained', 'secret_not_a_signing_secret'])
  expect(await codes({}, {secrets})).toEqual(['secret_not_a_signing_secret'])
})

test('explains a body longer than its Content-Length', async () => {
  const crlf = JSON.stringify(JSON.parse(TEXT), null, 2).replaceAll('\n', '\r\n')
  const lf = Buffer.from(crlf.replaceAll('\r\n', '\n'))
  const given = {body: crlf.slice(0, lf.length), surplus: crlf.slice(lf.length)}
  expect(await codes({...given, headers: {'x-service-signature': headerFor(SECRET, lf)}})).toEqual([
    'body_crlf',
  ])
  expect(await codes({body: TEXT.slice(0, 50), surplus: TEXT.slice(50)})).toEqual(['content_length_short'])
})

test.each([
  [301, 'stale_retry', /made 301 s .*before/],
  [360, 'stale_retry', /attempt 3/],
  [2162, 'stale_retry', /attempt 4/],
  [38_160, 'stale_retry', /attempt 6/],
  [-301, 'clock_skew', /301 s .*in the future/],
  [-10_800, 'clock_skew', /about 3 h.*local time for UTC/],
  [600, 'stale_retry', /600 s \(about 10 min\)/],
  [7200, 'stale_retry', /7200 s \(about 2 h\)/],
  [1_000_000, 'stale_retry', /1000000 s \(about 12 d\)/],
])('an age of %i s is %s', async (age, code, words) => {
  const [only, ...more] = await findings({}, {now: () => T + age})
  expect(only?.code).toBe(code)
  expect(only?.explanation).toMatch(words)
  expect(more).toEqual([])
})

test('a capture judged too late says so', async () => {
  const [only] = await findings({receivedAt: T + 1}, {now: () => T + 90_000})
  expect(only).toMatchObject({code: 'stale_retry', fix: expect.stringContaining('--at received')})
})

test('the original shows where a tampered body differs', async () => {
  const [only] = await findings(
    {body: TEXT.replace('CONFIRMED', 'CANCELLED')},
    {findOriginal: async () => BODY},
  )
  const offset = TEXT.indexOf('CONFIRMED') + 1
  expect(only?.code).toBe('unexplained')
  expect(only?.explanation).toContain(`offset ${Buffer.byteLength(TEXT.slice(0, offset))}`)
})

test('the original proves losses that cannot be undone', async () => {
  const original = Buffer.from(TEXT.replace('"status"', '"note":"Öğüt","a":{"2":1,"1":1e2},"status"'))
  const given = {headers: {'x-service-signature': headerFor(SECRET, original)}}
  const more = {findOriginal: async () => original}
  const text = original.toString()
  const letters = ['?', ''].map(by => text.replace(/[^\0-\x7f]/gu, by))
  for (const lost of [...letters, original.toString('latin1').replace(/[^\0-\x7f]/g, '\ufffd')])
    expect(await codes({...given, body: lost}, more)).toEqual(['body_charset'])
  for (const indent of [0, 2])
    expect(await codes({...given, body: JSON.stringify(JSON.parse(text), null, indent)}, more)).toEqual([
      'body_reserialized',
    ])
  const [only] = await findings({...given, body: text.replace('CONFIRMED', 'CANCELLED')}, more)
  expect(only?.code).toBe('unexplained')
  expect(only?.explanation).toMatch(
    /right for the body received here .* 0x41 in .* here, 0x4f in .* received/,
  )
})

test('names the style of the serializer, and a fix for its framework', async () => {
  const fix = async (body: string, headers: HeaderMap = {}) => {
    const [only] = await findings({body, headers: {'x-service-signature': HEADER, ...headers}})
    return `${only?.explanation} ${only?.fix}`
  }
  expect(await fix(TEXT.replaceAll('/', '\\/'))).toMatch(/escaped slashes.*Laravel/)
  expect(await fix(JSON.stringify(JSON.parse(TEXT), null, 2))).toMatch(
    /pretty-printed with 2 spaces.*Express/,
  )
  expect(await fix(TEXT.replaceAll('/', '\\/'), {'x-vercel-id': 'x'})).toMatch(/Next\.js/)
  expect(await fix(sorted(TEXT))).toMatch(/key order \(sorted keys in hand\)/)
  expect(await fix(BODY.toString('base64'))).toMatch(/API Gateway/)
  expect(await fix(BODY.toString('base64'), {server: 'Werkzeug/3.0'})).toMatch(/Flask/)
})

test('no finding shows a secret, and none is unsafe to print', async () => {
  const secret = 'whsec_verysecret'
  const control = String.fromCharCode(27)
  const given = {
    body: `${control}[31m{"id":"evt_1"}`,
    headers: {[`x-${control}`]: headerFor('whsec_x', BODY)},
  }
  for (const named of [secret, `"${secret}"`, 'sk_test_verysecret', `${secret}\n`]) {
    const text = JSON.stringify(
      await findings(given, {secrets: [{name: 'file', secret: named}], findOriginal: async () => BODY}),
    )
    expect(text).not.toContain('verysecret')
    expect(text).not.toContain('\\u001b')
  }
})
