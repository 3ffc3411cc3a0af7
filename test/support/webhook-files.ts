/** Files with webhooks as a user has them, signed with node's HMAC, and a receiver to probe. */
import {createHmac} from 'node:crypto'
import {mkdirSync, writeFileSync} from 'node:fs'
import {createServer, type IncomingMessage} from 'node:http'
import type {AddressInfo} from 'node:net'
import {join} from 'node:path'

export const SIGNING_SECRET = 'whsec_c2lnbmluZyBzZWNyZXQ'
export const EVENT =
  '{"id":"evt_01","type":"reservation.confirmed","created":"2026-11-20T12:00:00+03:00","data":{"url":"a\\/b","name":"Ayşe"}}'

export function signatureOf(body: string | Uint8Array, t: number | string, secret = SIGNING_SECRET): string {
  return `t=${t},v1=${createHmac('sha256', secret).update(`${t}.`).update(body).digest('hex')}`
}

/** One line of a capture. */
export function captureLine(body: string, t: number): string {
  return JSON.stringify({
    type: 'event',
    verdict: 'valid',
    reason: 'ok',
    event_id: 'evt_01',
    received_at: new Date(t * 1000).toISOString(),
    body_base64: Buffer.from(body).toString('base64'),
    headers: {'x-service-signature': signatureOf(body, t), 'x-service-event-id': 'evt_01'},
  })
}

/** Writes what the examples of `webhooks verify` and `webhooks sign` name; returns the variables they use. */
export function makeWebhookFiles(directory: string, now: number): Record<string, string> {
  const write = (name: string, text: string) => writeFileSync(join(directory, name), text)
  const SIGNATURE = signatureOf(EVENT, now)
  write('body.bin', EVENT)
  write('body.json', EVENT)
  write('signing-secret.txt', `${SIGNING_SECRET}\n`)
  write('request.http', `POST /hook HTTP/1.1\r\nHost: x\r\nX-Service-Signature: ${SIGNATURE}\r\n\r\n${EVENT}`)
  mkdirSync(join(directory, 'captures'), {recursive: true})
  write('captures/one.ndjson', `${captureLine(EVENT, 1_700_000_000)}\n`)
  write('captures/two.ndjson', `${captureLine(EVENT, 1_700_000_600)}\n`)
  return {SIGNATURE, BOOKCTL_WEBHOOK_SECRET: SIGNING_SECRET}
}

export interface VerifyingReceiver {
  readonly origin: string
  readonly url: string
  close(): void
}

/** A receiver that keeps to §6, on a free port, and shares no line with src/: 200, or 401 to what is not rightly signed. */
export async function startReceiver(secret = SIGNING_SECRET): Promise<VerifyingReceiver> {
  const server = createServer(async (request, response) => {
    const isRight = isSigned(request, Buffer.concat(await request.toArray()), secret)
    response.writeHead(isRight ? 200 : 401, {'content-type': 'application/json'})
    response.end(JSON.stringify({received: isRight}))
  })
  server.unref()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    ...{origin, url: `${origin}/`},
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

function isSigned({rawHeaders}: IncomingMessage, body: Buffer, secret: string): boolean {
  const valuesOf = (name: string) =>
    rawHeaders.filter((_, n) => n % 2 === 1 && rawHeaders[n - 1]?.toLowerCase() === name)
  const [signature = '', ...more] = valuesOf('x-service-signature')
  const parts = signature.split(',').map(part => part.split('=', 2))
  const under = (key: string) => parts.flatMap(([name, value = '']) => (name === key ? [value] : []))
  const [timestamp = '', ...others] = under('t')
  const age = Math.floor(Date.now() / 1000) - Number(timestamp)
  if (more.length > 0 || others.length > 0 || !/^\d{1,12}$/.test(timestamp) || Math.abs(age) > 300)
    return false
  const right = signatureOf(body, timestamp, secret).split(',v1=')[1] ?? ''
  // Several while secrets are rotated.
  return under('v1').includes(right) && valuesOf('x-service-event-id')[0] === idIn(body)
}

function idIn(body: Buffer): unknown {
  try {
    return (JSON.parse(body.toString()) as {id?: unknown}).id
  } catch {
    return undefined
  }
}
