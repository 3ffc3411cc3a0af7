/** Interim answers (RFC 9110 §15.2) that were not requested are dropped, however many there are and however they are split. */

import type {Socket} from 'node:net'
import {type Duplex, PassThrough} from 'node:stream'
import {describe, expect, test} from 'vitest'
import {MOST_INTERIM_BYTES, withoutInterim} from '../../../src/api/http/connection.js'
import {createTransport} from '../../../src/api/http/transport.js'
import type {ExchangeError, ExchangeLimits} from '../../../src/api/types.js'
import {trustedCertificates} from '../../../src/cli/session/trust.js'
import {ownProxy, ownTcpPort, ownWire} from '../../support/own.js'
import {certificateFile, tlsIdentity} from '../../support/tls.js'
import {httpAnswer, type Script} from '../../support/wire.js'

const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n'
const NAMED = 'HTTP/1.1 100 Continue\r\ndate: today\r\nx-a: b: c\r\n\r\n'
const HINTS = 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'
const ANSWER = 'HTTP/1.1 201 Created\r\ncontent-length: 4\r\n\r\n{  }'

/** Returns what remains of `pieces`. */
async function filtered(pieces: readonly string[]): Promise<string> {
  const socket = new PassThrough()
  const stream = withoutInterim(socket as unknown as Socket, 'a.test:443')
  for (const piece of pieces) socket.write(piece, 'latin1')
  socket.end()
  return Buffer.concat(await stream.toArray()).toString('latin1')
}

describe('the start of a connection', () => {
  test.each([
    ['', ANSWER],
    [CONTINUE, ANSWER],
    [CONTINUE.repeat(3), ANSWER],
    [NAMED + HINTS + CONTINUE, ANSWER],
    ['HTTP/1.0 100 Continue\r\n\r\n', ANSWER],
    ['HTTP/1.1 100\r\n\r\n', ANSWER],
    ['HTTP/1.1 199 \n\n', ANSWER],
    // Bytes that begin like an interim answer, and everything after the start of the answer, stay.
    [CONTINUE, `${ANSWER}${CONTINUE}`],
    [CONTINUE, 'HTTP/1.1 101 Switching Protocols\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n'],
    [CONTINUE, 'HTTP/1.1 1000 X\r\n\r\n'],
    [CONTINUE, 'HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n'],
    [CONTINUE, 'SSH-2.0-OpenSSH\r\n\r\n'],
    // The interim answer is cut off.
    [CONTINUE, ''],
    [CONTINUE, 'HTTP/1.1 10'],
    [`${HINTS}HTTP/1.1 100 Continue\r\nx-a: b\r\n`, ''],
  ])('removes %j and leaves %j, wherever the bytes are split', async (interim, rest) => {
    const whole = interim + rest
    expect(await filtered([...whole])).toBe(rest)
    for (let cut = 0; cut <= whole.length; cut++)
      expect(await filtered([whole.slice(0, cut), whole.slice(cut)])).toBe(rest)
  })

  test.each([
    ['many', CONTINUE],
    ['a long one', 'HTTP/1.1 100 Continue\r\nx: y\r\n', 'x: y\r\n'],
  ])('ends with an error when there are too many bytes of %s', async (_, first, more = first) => {
    const socket = new PassThrough()
    const stream: Duplex = withoutInterim(socket as unknown as Socket, 'a.test:443')
    const failed = new Promise<ExchangeError>(resolve => stream.once('error', resolve))
    let written = socket.write(first) ? first.length : 0
    for (; !stream.destroyed && written < 10 * MOST_INTERIM_BYTES; written += more.length) {
      socket.write(more)
      await new Promise(setImmediate)
    }
    expect(await failed).toMatchObject({
      fault: 'too_large',
      reason: /interim answers \(1xx\) from a\.test:443/,
    })
    expect(written).toBeLessThan(MOST_INTERIM_BYTES + 2 * more.length)
    expect(socket.destroyed).toBe(true)
  })
})

const PHASES = {connectMilliseconds: 5000, headersMilliseconds: 5000, bodyMilliseconds: 5000}
const LIMITS: ExchangeLimits = {...PHASES, totalMilliseconds: 10_000, maxAnswerBytes: 1_000_000}
const CA = await trustedCertificates(certificateFile('ca'), {})

async function send(url: string, env: NodeJS.ProcessEnv = {}): Promise<string> {
  const request = {method: 'POST', url, headers: {'x-test': '1'}, body: '{"ü":1}'}
  const {status, body} = await createTransport({ca: CA, env})(request, LIMITS)
  return `${status} ${Buffer.from(body)}`
}

describe('on the wire', () => {
  const serve = (script: Script, tls?: ReturnType<typeof tlsIdentity>) => ownWire(() => script, tls)
  const local = (port: number) => `http://127.0.0.1:${port}/v1`

  test('accepts an interim answer that comes before the request', async () => {
    const port = await ownTcpPort(socket => {
      socket.write(CONTINUE)
      socket.once('data', () => socket.end(ANSWER))
    })
    expect(await send(local(port))).toBe('201 {  }')
  })

  test('removes interim answers over TLS and through a proxy', async () => {
    const {port} = await serve({bytes: CONTINUE + HINTS + ANSWER}, tlsIdentity('good'))
    expect(await send(`https://localhost:${port}/v1`)).toBe('201 {  }')
    const proxy = await ownProxy(port)
    const env = {HTTPS_PROXY: `http://127.0.0.1:${proxy.port}`}
    expect(await send(`https://service.test:${port}/v1`, env)).toBe('201 {  }')
    expect(proxy.heads).toHaveLength(1)
  })

  test('passes a large answer and a large body complete', async () => {
    const large = 'ü'.repeat(400_000)
    const echo = await ownTcpPort(socket => {
      let length = 0
      socket.on('data', piece => {
        length += piece.length
        if (length > 800_000) socket.end(Buffer.concat([Buffer.from(CONTINUE), httpAnswer(200, large)]))
      })
    })
    const request = {method: 'POST', url: local(echo), headers: {}, body: large}
    const {body} = await createTransport({env: {}})(request, LIMITS)
    expect(Buffer.from(body).toString()).toBe(large)
  })
})
