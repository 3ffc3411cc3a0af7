/** Files with webhooks as users have them, signed with node's HMAC, and a receiver to probe. */
import {createHmac} from 'node:crypto'
import {mkdirSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {type ReceivedEvent, startSubscriber} from './subscriber.js'

export const SIGNING_SECRET = 'whsec_c2lnbmluZyBzZWNyZXQ'
/** The default header names (§6.2). */
export const HEADER_NAMES = {signature: 'X-Service-Signature', eventId: 'X-Service-Event-Id'}
export const EVENT =
  '{"id":"evt_01","type":"reservation.confirmed","created":"2026-11-20T12:00:00+03:00","data":{"url":"a\\/b","name":"Ayşe"}}'

export function signatureOf(
  body: string | Uint8Array,
  t: number | string,
  secret: string | Uint8Array = SIGNING_SECRET,
): string {
  return `t=${t},v1=${createHmac('sha256', secret).update(`${t}.`).update(body).digest('hex')}`
}

/** Returns one line of a capture file. */
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

/**
 * Writes the files that the examples of `webhooks verify` and `webhooks sign` name. Returns the variables that the examples use.
 */
export function makeWebhookFiles(directory: string, now: number): Record<string, string> {
  const write = (name: string, text: string) => writeFileSync(join(directory, name), text)
  const SIGNATURE = signatureOf(EVENT, now)
  write('body.bin', EVENT)
  write('body.json', EVENT)
  write('signing-secret.txt', `${SIGNING_SECRET}\n`)
  write('request.http', `POST /hook HTTP/1.1\r\nHost: x\r\nX-Service-Signature: ${SIGNATURE}\r\n\r\n${EVENT}`)
  write('mail.txt', `Hello,\n\n> X-Service-Signature: ${SIGNATURE}\n>\n> ${EVENT}\n`)
  write('curl-output.txt', `> POST /hook HTTP/1.1\n> X-Service-Signature: ${SIGNATURE}\n>\n< HTTP/1.1 401\n`)
  mkdirSync(join(directory, 'captures'), {recursive: true})
  write('captures/one.ndjson', `${captureLine(EVENT, 1_700_000_000)}\n`)
  write('captures/two.ndjson', `${captureLine(EVENT, 1_700_000_600)}\n`)
  return {SIGNATURE, BOOKCTL_WEBHOOK_SECRET: SIGNING_SECRET}
}

/**
 * Reports whether `header` has exactly one timestamp, at most 300 s from `now`, and a digest of `body` under `secret` (§6.3). It
 * shares no code with src/.
 */
export function isSigned(
  header: string,
  body: string | Uint8Array,
  secret: string,
  now: number,
  tolerance = 300,
): boolean {
  const fields = header.split(',').map(field => field.split(/=(.*)/s))
  const valuesOf = (name: string) => fields.flatMap(([key, value]) => (key === name ? (value ?? []) : []))
  const [time = '', ...others] = valuesOf('t')
  if (others.length > 0 || !/^\d+$/.test(time) || Math.abs(now - Number(time)) > tolerance) return false
  return valuesOf('v1').some(digest => `t=${time},v1=${digest}` === signatureOf(body, time, secret))
}

/** Returns when an event was signed, if its signature is exactly as in §6.3 with one digest; otherwise null. */
export function signedAt({headers, body}: ReceivedEvent, secret: string): number | null {
  const value = String(headers['x-service-signature'])
  const time = /^t=(\d+)/.exec(value)?.[1] ?? ''
  return value === signatureOf(body, time, secret) ? Number(time) : null
}

/** Starts a receiver that follows §6. It answers 200, or 401 if the signature is wrong. */
export async function startReceiver(secret = SIGNING_SECRET) {
  const {origin, close} = await startSubscriber((answer, {headers, body}) => {
    // A repeated header is joined with a space. A valid header contains no space, so a repeated one fails the check.
    const header = String(headers['x-service-signature'])
    const now = Math.floor(Date.now() / 1000)
    const isAlone = !header.includes(' ') && headers['x-service-event-id'] === idIn(body)
    const isRight = isAlone && isSigned(header, body, secret, now)
    answer.writeHead(isRight ? 200 : 401, {'content-type': 'application/json'})
    answer.end(JSON.stringify({received: isRight}))
  })
  return {origin, url: `${origin}/`, close}
}

function idIn(body: Buffer): unknown {
  try {
    return (JSON.parse(body.toString()) as {id?: unknown}).id
  } catch {
    return undefined
  }
}
