/** Files with webhooks as a user has them, signed with node's HMAC, and a receiver to probe. */
import {createHmac} from 'node:crypto'
import {mkdirSync, writeFileSync} from 'node:fs'
import {createServer} from 'node:http'
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

/** A receiver that keeps to §6, on a free port; it stops with the process or when told. */
export async function startReceiver(): Promise<{url: string; close(): void}> {
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part)
    const fields = String(request.headers['x-service-signature'] ?? '').split(',')
    const t = fields.find(field => /^t=\d+$/.test(field))?.slice(2) ?? 'x'
    const isRight = fields.includes(signatureOf(Buffer.concat(parts), t).split(',')[1] ?? '')
    const isFresh = Math.abs(Math.floor(Date.now() / 1000) - Number(t)) <= 300
    response.writeHead(isRight && isFresh ? 200 : 401).end()
  })
  server.unref()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: () => void server.close(),
  }
}
