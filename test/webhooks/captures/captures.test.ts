import {expect, test} from 'vitest'
import {type ReadOptions, readCaptures} from '../../../src/webhooks/captures/captures.js'
import {check} from '../../../src/webhooks/diagnose/check.js'
import type {CheckTerms} from '../../../src/webhooks/diagnose/finding.js'
import {sign} from '../../../src/webhooks/signature/signature.js'
import {HEADER_NAMES} from '../../support/webhook-files.js'
import {checkTerms, T} from '../signed-events.js'

const BODY = Buffer.from('{"id":"evt_01","type":"reservation.confirmed","name":"Ayşe"}\n')
const SIGNATURE = sign('whsec_test', String(T), BODY)
const OPTIONS = {signatureGiven: false, names: HEADER_NAMES, leftOut: {count: 0}}

/** Yields `bytes` in pieces of `size`. */
async function* inPieces(bytes: Uint8Array | string, size = 65_536) {
  const all = Buffer.from(bytes as string)
  for (let at = 0; at < all.length; at += size) yield all.subarray(at, at + size)
}

async function* requestsIn(bytes: AsyncIterable<Uint8Array>, options: ReadOptions) {
  for await (const requests of readCaptures(bytes, options)) yield* requests
}

async function read(bytes: Uint8Array | string, size?: number) {
  const all = []
  for await (const {body, afterwards, problem} of requestsIn(inPieces(bytes, size), OPTIONS)) {
    const parts: Uint8Array[] = []
    for await (const piece of body instanceof Uint8Array ? [body] : body) parts.push(Buffer.from(piece))
    const surplus = afterwards?.surplus && Buffer.from(afterwards.surplus).toString()
    all.push({body: Buffer.concat(parts), notes: afterwards?.notes ?? [], surplus, problem})
  }
  return all
}

async function checkAll(bytes: Uint8Array | string, more: Partial<CheckTerms> = {}, size?: number) {
  const results = []
  const options = {...OPTIONS, leftOut: {count: 0}, signatureGiven: more.signature !== undefined}
  for await (const request of requestsIn(inPieces(bytes, size), options))
    results.push({place: request.place, ...(await check(request, checkTerms(more)))})
  return {results, reasons: results.map(({reason}) => reason), leftOut: options.leftOut.count}
}

const reasons = async (...given: Parameters<typeof checkAll>) => (await checkAll(...given)).reasons

const httpRequest = (lineBreak: string, more: readonly string[] = [], body: Uint8Array = BODY) => {
  const head = ['POST /hook HTTP/1.1', 'Host: x', `x-service-SIGNATURE:  ${SIGNATURE} `, ...more, '', '']
  return Buffer.concat([Buffer.from(head.join(lineBreak)), body])
}

const findingCodes = async (bytes: string) =>
  (await checkAll(bytes)).results.map(({findings}) => findings.map(({code}) => code))

test('a raw body is every byte of the file', async () => {
  const bytes = Uint8Array.from({length: 70_000}, (_, n) => n % 256)
  const [only] = await read(bytes, 1000)
  expect(only?.body.equals(bytes)).toBe(true)
  expect(await reasons(BODY, {signature: SIGNATURE})).toEqual(['ok'])
  expect(await reasons('')).toEqual([])
  expect(await reasons('', {signature: sign('whsec_test', String(T), Buffer.alloc(0))})).toEqual(['ok'])
  expect(await reasons('{}')).toEqual(['missing_header'])
})

test.each(['\r\n', '\n'])('an HTTP request with lines that end in %j', async lineBreak => {
  expect(await reasons(httpRequest(lineBreak))).toEqual(['ok'])
  expect(await reasons(httpRequest(lineBreak, ['X-Service-Event-Id: evt_01']), {}, 7)).toEqual(['ok'])
  expect(await reasons(httpRequest(lineBreak, ['X-Service-Event-Id: evt_02']))).toEqual(['event_id_mismatch'])
  const twice = httpRequest(lineBreak, [`X-Service-Signature: ${SIGNATURE}`])
  expect(await reasons(twice)).toEqual(['malformed_header'])
})

test('a signature in a form that is not read is not checked', async () => {
  const {results} = await checkAll(`the signature was ${SIGNATURE} and the body was <event/>`)
  expect(results).toMatchObject([{valid: false, checked: false, findings: [{code: 'form_unknown'}]}])
})

test.each([
  ['words', 'Hi, your webhooks fail our signature check since yesterday. Please help.\nJane\n'],
  ['a stack trace', 'Error: signature mismatch\n    at verify (/app/hooks.js:12:3)\n'],
  ['bytes', Buffer.from([0x20, 0x1e, 0x03, 0x3e, 0x67, 0xa2])],
  ['an empty line', '\n'],
])('%s without a request are not checked', async (_, text) => {
  const {results} = await checkAll(text)
  expect(results).toMatchObject([{valid: false, checked: false, findings: [{code: 'no_request'}]}])
  expect(await reasons(text, {signature: SIGNATURE})).toEqual(['signature_mismatch'])
})

test('an answer below the command that caused it is no request', async () => {
  const {results} = await checkAll('$ curl -i https://h/hooks\nHTTP/1.1 200 OK\n\nok\n')
  expect(results).toMatchObject([{checked: false, findings: [{code: 'request_missing'}]}])
})

const PLAIN = '{"id":"evt_01","type":"reservation.confirmed"}'
const PLAIN_SIGNATURE = sign('whsec_test', String(T), Buffer.from(PLAIN))
const CHANGED = PLAIN.replace('confirmed', 'cancelled')
const request = (body: string, ...more: string[]) =>
  ['POST /hooks HTTP/1.1', 'Host: h', `X-Service-Signature: ${PLAIN_SIGNATURE}`, ...more, '', body].join('\n')

test('words below the body of a request are not part of it, and a changed body stays invalid', async () => {
  const mail = (body: string) => `${request(body)}\n\nBest regards\nJane\n`
  expect(await reasons(mail(PLAIN))).toEqual(['ok'])
  expect(await reasons(mail(CHANGED))).toEqual(['signature_mismatch'])
  expect(await findingCodes(`${request(PLAIN)}\n`)).toEqual([['body_trailing_newline']])
})

test.each<[string, (one: string, other: string) => string]>([
  ['in a mail', (one, other) => `First:\n\n${request(one)}\n\nSecond:\n\n${request(other)}\n`],
  ['below each other', (one, other) => `${request(one)}\n\n${request(other)}\n`],
  [
    'with their lengths',
    (one, other) =>
      [one, other].map(body => `${request(body, `Content-Length: ${body.length}`)}\n\n`).join(''),
  ],
  [
    'in a mail, quoted',
    (one, other) => `> ${[request(one), '', request(other)].join('\n').replaceAll('\n', '\n> ')}\n`,
  ],
  [
    'of which one is quoted',
    (one, other) => `${request(one)}\n\nYou wrote:\n> ${request(other).replaceAll('\n', '\n> ')}\n`,
  ],
  [
    'of headers alone',
    (one, other) =>
      [one, other].map(body => `X-Service-Signature: ${PLAIN_SIGNATURE}\n\n${body}\n\n`).join(''),
  ],
])('two requests %s are judged each', async (_, write) => {
  const outcome = async (...bodies: [string, string]) => {
    const {results} = await checkAll(write(...bodies))
    return results.map(({place, reason}) => `${place} ${reason}`)
  }
  expect(await outcome(PLAIN, PLAIN)).toEqual(['#1 ok', '#2 ok'])
  expect(await outcome(PLAIN, CHANGED)).toEqual(['#1 ok', '#2 signature_mismatch'])
  expect(await outcome(CHANGED, PLAIN)).toEqual(['#1 signature_mismatch', '#2 ok'])
  // A body that is cut off does not swallow the next request.
  expect((await outcome(PLAIN.slice(0, 20), PLAIN)).at(-1)).toMatch(/ok$/)
})

test('next to a signed request, an unsigned event is judged, and other requests are only counted', async () => {
  const unsigned = (line: string, body: string) => `${line} HTTP/1.1\nHost: h\n\n${body}\n\n`
  const event = unsigned('POST /hooks', JSON.stringify(ENVELOPE))
  const found = await checkAll(`${unsigned('GET /health', '')}${request(PLAIN)}\n\n${event}`)
  expect(found).toMatchObject({reasons: ['ok', 'missing_header'], leftOut: 1})
})

test('a request within a body is part of the body', async () => {
  const body = `note\n${request(PLAIN)}`
  const header = sign('whsec_test', String(T), Buffer.from(body))
  const head = `POST / HTTP/1.1\nX-Service-Signature: ${header}\nContent-Length: ${body.length}\n\n`
  expect(await reasons(`${head}${body}`)).toEqual(['ok'])
})

test.each<[string, (body: string) => string]>([
  [
    'as Wireshark prints it',
    body =>
      `Hypertext Transfer Protocol\n${request('', `Content-Length: ${PLAIN.length}`)
        .trimEnd()
        .replace(/^.*$/gm, '    $&\\r\\n')}\n    \\r\\n\n    File Data: 46 bytes\n    ${body}\n`,
  ],
  ['as HTML', body => `<pre>${request(body).replaceAll('"', '&quot;')}</pre>\n`],
  [
    'with typographic quotes around its arguments',
    body =>
      `curl -X POST https://h/ -H \u201cX-Service-Signature: ${PLAIN_SIGNATURE}\u201d -d \u2018${body}\u2019\n`,
  ],
])('a request %s is read', async (_, write) => {
  expect(await reasons(write(PLAIN))).toEqual(['ok'])
  const [changed] = (await checkAll(write(CHANGED))).results
  expect(changed).toMatchObject({valid: false})
})

test.each([
  [
    'as console.log prints it',
    `headers: {\n  'x-service-signature': '${PLAIN_SIGNATURE}',\n}\nbody: '${PLAIN}'\n`,
  ],
  ['behind a label, in quotes', `X-Service-Signature: ${PLAIN_SIGNATURE}\nBody: '${PLAIN}'\n`],
  ['behind a word in another language', `Signatur: ${PLAIN_SIGNATURE}\nInhalt: ${PLAIN}\n\nMfG\n`],
])('a body %s is not called missing', async (_, text) => {
  const {results} = await checkAll(text)
  expect(results).toMatchObject([{checked: false, findings: [{code: 'form_unknown'}]}])
})

test.each(['3f70****', '3f701bfa…', '[REDACTED]', '3f70...'])(
  'a signature masked as %s is asked for',
  async mask => {
    const text = request(PLAIN).replace(/v1=.*/, `v1=${mask}`)
    const {results} = await checkAll(text)
    expect(results).toMatchObject([{checked: false, findings: [{code: 'signature_masked'}]}])
    expect(await reasons(request(PLAIN).replace(/v1=.*/, 'v1=3f70'))).toEqual(['malformed_header'])
  },
)

test('a request whose empty body was signed is valid; one whose body is missing is not checked', async () => {
  const headers = (body: string) => `X-Service-Signature: ${sign('whsec_test', String(T), Buffer.from(body))}`
  expect(await reasons(`POST / HTTP/1.1\n${headers('')}\n\n`)).toEqual(['ok'])
  expect(await reasons(`POST / HTTP/1.1\n${headers('x')}\n\n`)).toEqual(['not_checked'])
  expect(await reasons(`POST / HTTP/1.1\n${headers('x')}\nContent-Length: 7\n\n`)).toEqual(['not_checked'])
  expect(await reasons(`POST / HTTP/1.1\n${headers('x')}\nContent-Length: 0\n\n`)).toEqual([
    'signature_mismatch',
  ])
})

test('a body that is shorter than its Content-Length is called cut off', async () => {
  const cut = httpRequest('\r\n', [`Content-Length: ${BODY.length}`])
    .subarray(0, -9)
    .toString('latin1')
  const mail = cut.replaceAll('\r\n', '\n> ').replace('POST', '> POST')
  expect(await findingCodes(cut)).toEqual([['body_cut']])
  expect(await findingCodes(mail)).toEqual([['body_cut']])
  expect((await checkAll(mail)).results[0]?.findings[0]?.explanation).toContain('9 bytes shorter')
})

test('a log that is too long to be read is not checked, and says so', async () => {
  const line = `${JSON.stringify({headers: {'X-Service-Signature': SIGNATURE}, body: BODY.toString()})}\n`
  const [result] = (await checkAll(line.repeat(Math.ceil((17 * 1024 * 1024) / line.length)))).results
  expect(result).toMatchObject({checked: false, findings: [{code: 'form_unknown'}]})
  expect(result?.findings[0]?.explanation).toContain('longer than 16 MiB')
})

test('the Content-Length shows that a log cut or left out the body', async () => {
  const log = (body: string) =>
    JSON.stringify({headers: {'X-Service-Signature': SIGNATURE, 'Content-Length': `${BODY.length}`}, body})
  expect(await findingCodes(log(BODY.toString()))).toEqual([[]])
  expect(await findingCodes(log(BODY.toString().slice(0, 20)))).toEqual([['body_cut']])
  expect(await findingCodes(log(''))).toEqual([['body_missing']])
})

test('a text that is long or deeply quoted is read in bounded time', async () => {
  const head = `X-Service-Signature: ${SIGNATURE}\n`
  const texts = [
    `${'>'.repeat(100_000)} ${head}`,
    `${'curl -H a:b '.repeat(40_000)}\n${head}`,
    `curl -H '${head}' -d "${'\\'.repeat(300_000)}`,
    `curl ^\n -H "${head}" -d "${'%a'.repeat(300_000)}`,
    `Invoke-WebRequest -Headers @{"x"="${'`'.repeat(300_001)}"} -Body "${'$('.repeat(100_000)}"\n${head}`,
    `${head}\n${'{'.repeat(300_000)}`,
    `${head}\n{"a":"${'x y\n'.repeat(100_000)}"}`,
    `{"headers":${'{"a":'.repeat(50_000)}\n${head}`,
    `=> Send header, 9 bytes\n${'0000: ff\n'.repeat(100_000)}${head}`,
  ]
  for (const text of texts) {
    const began = process.cpuUsage()
    const {results} = await checkAll(text)
    expect(results.some(({valid}) => valid)).toBe(false)
    expect(process.cpuUsage(began).user / 1e6, text.slice(0, 60)).toBeLessThan(8)
  }
}, 60_000)

test('a line end that no mail has put in a body is not removed', async () => {
  const plain = '{"id":"evt_01","type":"a.b"}'
  const signature = sign('whsec_test', String(T), Buffer.from(plain))
  const printed = plain.replace(',', ',\n')
  const forms = [
    `curl -H 'X-Service-Signature: ${signature}' -d '${printed}' http://x/`,
    `> X-Service-Signature: ${signature}\n>\n> ${printed.replace('\n', '\n> ')}\n`,
  ]
  for (const text of forms) expect(await findingCodes(text), text).toEqual([['body_reserialized']])
  const ended = `curl -H 'X-Service-Signature: ${signature}' -d '${plain}\n' http://x/`
  expect(await findingCodes(ended)).toEqual([['body_trailing_newline']])
})

test.each([
  ['%% in a batch file', '--data-raw "{\\"a\\":\\"5%%\\"}"', '{"a":"5%"}', 'ok'],
  ['%% as it is typed', '--data-raw "{\\"a\\":\\"5%%\\"}"', '{"a":"5%%"}', 'ok'],
  ['a variable that Windows sets', '--data-raw "{\\"a\\":\\"%PATH%\\"}"', '{"a":"%PATH%"}', 'not_checked'],
  ['an end of the command', '--data-raw "{\\"a\\":\\"x&y\\"}"', '{"a":"x&y"}', 'signature_mismatch'],
])('cmd.exe: %s', async (_, data, signed, reason) => {
  const header = sign('whsec_test', String(T), Buffer.from(signed))
  expect(await reasons(`C:\\>curl ^\r\n  -H "X-Service-Signature: ${header}" ^\r\n  ${data}\r\n`)).toEqual([
    reason,
  ])
})

test.each([
  ['a variable that the text does not set', `-d "$BODY"`],
  ['a command', '-d "$(cat body.json)"'],
  ['a file', '-d @body.json'],
  ['a file as it is', '--data-binary @/tmp/body.json'],
  ['standard input', '-d @-'],
  ['a form', '-F body=@x'],
  ['nothing', ''],
])('curl with a body from %s is not checked', async (_, data) => {
  const {results} = await checkAll(`curl -H 'X-Service-Signature: ${SIGNATURE}' ${data} http://x/\n`)
  expect(results).toMatchObject([{checked: false, findings: [{fix: expect.stringContaining('--body FILE')}]}])
})

test('a Content-Length is respected if the body is long enough, and bytes after the body are reported', async () => {
  const longer = Buffer.concat([httpRequest('\r\n', [`Content-Length: ${BODY.length}`]), Buffer.from('more')])
  const notes = ['after the body, beyond its Content-Length, the file has 4 bytes more']
  expect(await read(longer, 11)).toMatchObject([{surplus: 'more', notes}])
  expect(await reasons(longer)).toEqual(['ok'])
  const ended = Buffer.concat([longer.subarray(0, -4), Buffer.from('\r\n')])
  expect(await read(ended)).toMatchObject([{surplus: '\r\n', notes: []}])
  const [short] = await read(httpRequest('\r\n', ['Content-Length: 1000']))
  expect(short?.body.equals(BODY)).toBe(true)
  const missing = [1, 2].map(more => read(httpRequest('\r\n', [`Content-Length: ${BODY.length + more}`])))
  expect((await Promise.all(missing)).flat().flatMap(({notes}) => notes)).toEqual([
    'the body is 1 byte shorter than its Content-Length says',
    'the body is 2 bytes shorter than its Content-Length says',
  ])
})

test('joins chunks, and leaves a body that is not chunked as it is', async () => {
  const [start, rest] = [BODY.subarray(0, 5), BODY.subarray(5)]
  const chunked = Buffer.from(`5;x=y\r\n${start}\r\n${rest.length.toString(16)}\r\n${rest}\r\n0\r\n\r\n`)
  const head = ['Transfer-Encoding: chunked']
  for (const size of [1, 3, 1000]) {
    const [only] = await read(httpRequest('\r\n', head, chunked), size)
    expect(only?.body.equals(BODY)).toBe(true)
  }
  expect(await reasons(httpRequest('\n', head))).toEqual(['ok'])
  const notesOf = async (chunks: string) =>
    (await read(httpRequest('\n', head, Buffer.from(chunks))))[0]?.notes
  expect(await notesOf('2\r\n{}\r\nno size')).toEqual(['the chunks of the body break off'])
  expect(await notesOf('5\r\n{}')).toEqual(['the last chunk of the body is cut off'])
})

test('a folded header is one header', async () => {
  const [time = '', digest] = SIGNATURE.split(',')
  for (const folded of [`\r\n ${SIGNATURE}`, `${time},\r\n\t${digest}`]) {
    const {results} = await checkAll(`POST / HTTP/1.1\r\nX-Service-Signature: ${folded}\r\n\r\n${BODY}`)
    const codes = results.map(({findings}) => findings.map(({code}) => code))
    expect(codes).toEqual([folded.startsWith('\r') ? [] : ['header_rewritten']])
  }
  expect(await reasons(httpRequest('\n', ['X-Service-Event-Id:', '  evt_01']))).toEqual(['ok'])
  const remark = httpRequest('\n').toString().replace('\n', '\n  a remark\n')
  expect(await reasons(remark)).toEqual(['ok'])
})

test('headers alone, without a request line, are a request too', async () => {
  expect(await reasons(`X-Service-Signature: ${SIGNATURE}\n\n${BODY}`)).toEqual(['ok'])
})

function harOf(requests: readonly object[]): string {
  const rest = {startedDateTime: '2023-11-14T22:13:20.000Z', response: {status: 200}}
  return JSON.stringify({log: {version: '1.2', entries: requests.map(request => ({...rest, request}))}})
}
const harHeaders = [{name: 'X-Service-Signature', value: SIGNATURE}]

test('reads the webhooks of a HAR file among other requests', async () => {
  const har = harOf([
    {method: 'GET', headers: []},
    {method: 'POST', headers: harHeaders, postData: {text: BODY.toString()}},
    {method: 'POST', headers: harHeaders, postData: {text: BODY.toString('base64'), encoding: 'base64'}},
    {method: 'POST', headers: harHeaders, postData: {text: '\ufffd'}},
  ])
  const found = await reasons(har, {now: request => request.receivedAt ?? 0}, 13)
  expect(found).toEqual(['ok', 'ok', 'signature_mismatch'])
  const [, , lossy] = await read(har)
  expect(lossy?.notes[0]).toContain('U+FFFD')
})

test('a request of a HAR file that cannot be read is reported in its place; an entry without one is not', async () => {
  const har = harOf([
    null,
    'POST',
    {method: 'POST', headers: harHeaders, postData: {text: BODY.toString()}},
  ] as object[])
  const {results, leftOut} = await checkAll(har.replace('[', '[{"pageref":"page_1"},'))
  const broken = {valid: false, findings: [{code: 'capture_unreadable'}]}
  expect(results).toMatchObject([
    {place: '#2', ...broken},
    {place: '#3', ...broken},
    {place: '#4', valid: true},
  ])
  expect(leftOut).toBe(0)
})

const ENVELOPE = {id: 'evt_02', type: 'voucher.ready', created: '2030-01-01T00:00:00Z', data: {}}
const posting = (body: unknown, more: object = {}) => ({
  method: 'POST',
  headers: [{name: 'Content-Type', value: 'application/json'}],
  postData: {text: typeof body === 'string' ? body : JSON.stringify(body)},
  ...more,
})

test.each([
  ['as §2.8 shows it', {}],
  ['as base64', {postData: {text: btoa(JSON.stringify(ENVELOPE)), encoding: 'base64'}}],
  ['without any headers', {headers: undefined}],
  ['by a method in lower case', {method: 'post'}],
  ['by a method that is not said', {method: undefined}],
])('an unsigned event %s in a HAR file is reported as unsigned', async (_, more) => {
  const [signed, request] = [posting(BODY.toString(), {headers: harHeaders}), posting(ENVELOPE, more)]
  const {reasons, leftOut} = await checkAll(harOf([signed, request, signed]))
  expect([reasons, leftOut]).toEqual([['ok', 'missing_header', 'ok'], 0])
})

test.each([
  ['a GET', {method: 'GET', headers: []}],
  ['a POST of something else', posting({offer_id: 'off_1', type: 'voucher.ready', data: {}})],
  ['an event read by GET', posting(ENVELOPE, {method: 'GET'})],
  ['no body', {method: 'POST', headers: []}],
])('%s in a HAR file is no webhook, and is counted', async (_, request) => {
  const signed = posting(BODY.toString(), {headers: harHeaders})
  expect(await checkAll(harOf([request, signed, request]))).toMatchObject({reasons: ['ok'], leftOut: 2})
})

const record = (more: object = {}) => ({
  type: 'event',
  verdict: 'valid',
  received_at: '2023-11-14T22:13:20.500Z',
  body_base64: BODY.toString('base64'),
  headers: {'x-service-signature': SIGNATURE, 'x-service-event-id': 'evt_01'},
  ...more,
})

/** Lines that `listen` prints between events. */
const TALK = ['{"type":"ready","url":"x"}', '{"type":"forward","url":"x"}'] as const

test('reads captures line by line, as one document, and re-indented', async () => {
  const unsigned = JSON.stringify(record({headers: {}}))
  const lines = [TALK[0], JSON.stringify(record()), '', '{"type":"event"', unsigned].join('\n')
  const received: Partial<CheckTerms> = {now: request => request.receivedAt ?? 0}
  for (const size of [1, 100, 1_000_000]) {
    expect(await reasons(lines, received, size)).toEqual(['ok', 'missing_header', 'missing_header'])
  }
  expect((await read(lines))[1]?.problem).toContain('line 4')
  expect(await reasons(JSON.stringify(record(), null, 2), received)).toEqual(['ok'])
  expect(await reasons(JSON.stringify([record(), record()], null, 2), received)).toEqual(['ok', 'ok'])
  const exported = `{"records": [\n${JSON.stringify(record())}\n,\n${JSON.stringify(record())}\n]}\n`
  expect(await reasons(exported, received)).toEqual(['ok', 'ok'])
  const twice = record({headers: {'x-service-signature': [SIGNATURE, SIGNATURE]}})
  expect(await reasons(JSON.stringify(twice), received)).toEqual(['malformed_header'])
})

test('a long body is checked in pieces, and its id found', async () => {
  const filler = 'x'.repeat(1024 * 1024)
  const long = Buffer.from(`{"filler":["${Array(6).fill(filler).join('","')}"],"id":"evt_long","type":"a.b"}`)
  const signature = sign('whsec_test', String(T), long)
  const {results} = await checkAll(long, {signature, eventId: 'evt_long'})
  expect(results).toMatchObject([{valid: true, event_id: 'evt_long', type: 'a.b'}])
})

const RECORD = record({verdict: undefined, received_at: undefined})

test.each([
  ['base64', {...RECORD, body_base64: '%%%'}],
  ['base64 that was cut', {...RECORD, body_base64: RECORD.body_base64.slice(0, 9)}],
  ['headers', {...RECORD, headers: 5}],
  ['no headers', {...RECORD, headers: undefined}],
  ['no body', {...RECORD, body_base64: undefined}],
])('a record with broken %s is unreadable, alone and first of several', async (_, record) => {
  const broken = JSON.stringify(record)
  for (const text of [broken, `${broken}\n`, `[${broken}]`])
    expect(await findingCodes(text)).toEqual([['capture_unreadable']])
  expect(await findingCodes(`${broken}\n${JSON.stringify(RECORD)}\n`)).toEqual([['capture_unreadable'], []])
})

test('lines that are no JSON, or too long, are unreadable, also before the first record', async () => {
  const line = JSON.stringify(RECORD)
  const unreadable = ['capture_unreadable']
  expect(await findingCodes(`not json\n${line}\n{"type"\n`)).toEqual([unreadable, [], unreadable])
  const long = ' '.repeat(17 * 1024 * 1024)
  expect(await findingCodes(`${line}\n${long}\n${line}`)).toEqual([[], unreadable, []])
})

test('a capture that is cut off is valid up to the cut, and unreadable there', async () => {
  const [line, har] = [JSON.stringify(RECORD), harOf([posting(BODY.toString(), {headers: harHeaders})])]
  const indented = JSON.stringify(RECORD, null, 2)
  const request = httpRequest('\r\n').toString('latin1')
  const before = (text: string, mark: string, what: string) => [text.slice(0, text.indexOf(mark)), what]
  const cuts = [
    ...['"headers"', '"x-service', ':"evt'].map(mark => before(line, mark, 'is cut off')),
    [`${line}\n${line.slice(0, -2)}`, 'line 2 is cut off'],
    [indented.slice(0, -40), 'the capture is cut off'],
    ['{"type":"event","verd', 'the capture is cut off'],
    [line.slice(0, -1), 'is cut off'],
    [indented.slice(0, -2), 'the capture is cut off'],
    ...['"headers"', 'v1=', '"text"', ',"response"', ']}}'].map(mark =>
      before(har, mark, 'the HAR file is cut off'),
    ),
    [`${har}}`, 'the HAR file is not JSON'],
    ...[': x', 'v1=', '\r\n\r\n'].map(mark => before(request, mark, 'cut off within its headers')),
  ] as const
  for (const [text = '', what] of cuts) {
    const {results} = await checkAll(text)
    expect(results.at(-1)?.findings[0]?.explanation, text).toContain(what)
    expect(results.slice(0, -1).every(({valid}) => valid)).toBe(true)
  }
})

test('a capture that is cut off within a text of several MiB is unreadable there', async () => {
  const long = 'A'.repeat(9 * 1024 * 1024)
  const lines = `${JSON.stringify(RECORD)}\n{"type":"event","body_base64":"${long}`
  const [good, cut] = (await checkAll(lines)).results
  expect([good?.valid, cut?.findings[0]?.explanation]).toEqual([
    true,
    expect.stringContaining('line 2 is cut off'),
  ])
  const har = harOf([posting(long, {headers: harHeaders})])
  const {results} = await checkAll(har.slice(0, har.lastIndexOf('A')))
  expect(results[0]?.findings[0]?.explanation).toContain('the HAR file is cut off')
})

test('each request has its place in the file: the entry, or the line', async () => {
  const places = async (bytes: string) => (await checkAll(bytes)).results.map(({place}) => place)
  const [line, post] = [JSON.stringify(RECORD), {method: 'POST', headers: harHeaders, postData: {text: 'x'}}]
  expect(await places(harOf([{method: 'GET', headers: []}, post, post]))).toEqual(['#2', '#3'])
  expect(await places(`${TALK[0]}\n${line}\n\nbroken\n${line}`)).toEqual([':2', ':4', ':5'])
  expect(await places(JSON.stringify([RECORD, RECORD], null, 1))).toEqual(['#1', '#2'])
  expect(await places(BODY.toString())).toEqual([undefined])
})

test('counts lines between the records, except those that listen itself prints', async () => {
  const line = JSON.stringify(RECORD)
  const talk = `${TALK.join('\n')}\n\n`
  expect(await checkAll(`${talk}${line}\n${talk}${line}`)).toMatchObject({leftOut: 0})
  const others = `${JSON.stringify(ENVELOPE)}\n{"level":"info"}\n`
  const {reasons, leftOut} = await checkAll(`${line}\n${others}${line}`)
  expect([reasons.length, leftOut]).toEqual([2, 2])
})
