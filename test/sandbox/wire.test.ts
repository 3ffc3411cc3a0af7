/** Requests that are none: each is answered in JSON with a request id, and no slow sender holds a connection. */
import {connect} from 'node:net'
import {expect, test} from 'vitest'
import {PATIENCE_SECONDS} from '../support/wait.js'
import {sandboxForEachTest} from './each-sandbox.js'

const {sandbox} = sandboxForEachTest({})

interface RawAnswer {
  readonly status: number
  readonly headers: Record<string, string>
  // biome-ignore lint/suspicious/noExplicitAny: as any JSON document is
  readonly json: any
}

/** All that is answered to `text`, which has HOST for the sandbox's own, until the sandbox ends the connection. */
function exchange(text: string): Promise<RawAnswer[]> {
  const {hostname, port, host} = new URL(sandbox.origin)
  return new Promise((resolve, reject) => {
    let answered = ''
    const socket = connect(Number(port), hostname, () =>
      socket.write(text.replaceAll('HOST', host), 'latin1'),
    )
    socket.setEncoding('utf8').on('data', piece => {
      answered += piece
    })
    socket.setTimeout(PATIENCE_SECONDS * 1000, () => socket.destroy(new Error('the connection stayed open')))
    socket.on('error', reject).on('close', () => {
      const answers = answered.split(/(?=HTTP\/1\.1 \d)/).map(each => {
        const [head = '', body = ''] = each.split('\r\n\r\n')
        const [first = '', ...lines] = head.split('\r\n')
        const headers = lines.map(line => line.toLowerCase().split(': '))
        return {status: Number(first.split(' ')[1]), headers: Object.fromEntries(headers), json: parse(body)}
      })
      resolve(answers)
    })
  })
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const TOKEN = '/partner-api/v1/oauth/token'
const head = (line: string, ...headers: string[]) => [`${line} HTTP/1.1`, ...headers, '', ''].join('\r\n')

test.each([
  ['a header that is none', head('GET /', 'Host: HOST', 'Bad header'), 400, 'invalid_request'],
  ['a head of 20 KB', head('GET /', 'Host: HOST', `X: ${'x'.repeat(20_000)}`), 431, 'head_too_large'],
  ['an unknown expectation', head(`POST ${TOKEN}`, 'Host: HOST', 'Expect: x'), 417, 'expectation_failed'],
  ['OPTIONS *', head('OPTIONS *', 'Host: HOST'), 400, 'invalid_request'],
  ['CONNECT', head('CONNECT a:1', 'Host: HOST'), 400, 'invalid_request'],
  ['no Host', head('GET /'), 400, 'invalid_request'],
  ['a Host that is none', head('GET /', 'Host: a b'), 400, 'invalid_request'],
  ['an unknown method', head('FROB /', 'Host: HOST'), 400, 'invalid_request'],
  ['the beginning of TLS', '\x16\x03\x01\x02\x00\x01\x00', 400, 'invalid_request'],
  [
    'a chunk that is none',
    `${head(`POST ${TOKEN}`, 'Host: HOST', 'Transfer-Encoding: chunked')}zz\r\n`,
    400,
    'invalid_request',
  ],
])('%s is refused in JSON with a request id', async (_, text, status, code) => {
  const [{headers, json, ...answer}] = (await exchange(text)) as [RawAnswer]
  expect([answer.status, json.error.code]).toEqual([status, code])
  expect(headers).toMatchObject({'content-type': 'application/json', connection: 'close'})
  expect(headers['x-request-id']).toBe(json.error.request_id.toLowerCase())
})

test('a whole address is a target like its path (RFC 9112 §3.2.2), whatever the case of its scheme', async () => {
  for (const scheme of ['http', 'HTTP']) {
    const text = head(`GET ${scheme}://HOST/_sandbox/clock`, 'Host: HOST', 'Connection: close')
    const [{status, json}] = (await exchange(text)) as [RawAnswer]
    expect([status, json]).toEqual([200, {now: '2030-06-01T12:00:00.000Z'}])
  }
})

test.each([
  ['head', `GET / HTTP/1.1\r\nHost: HOST\r\nX-Slow: `],
  ['body', `${head(`POST ${TOKEN}`, 'Host: HOST', 'Content-Length: 100')}{"grant_type":`],
])('a %s that does not come to its end is given up', async (_, text) => {
  const started = performance.now()
  const [{status, json}] = (await exchange(text)) as [RawAnswer]
  expect([status, json.error.code]).toEqual([408, 'request_timeout'])
  expect(performance.now() - started).toBeGreaterThan(3900)
  expect((await sandbox.control('GET', '/_sandbox/clock')).status).toBe(200)
})

test('a request that follows an answered one, and is none, is refused', async () => {
  const good = head('GET /_sandbox/clock', 'Host: HOST')
  expect((await exchange(`${good}\x00`)).map(({status}) => status)).toEqual([200, 400])
})
