/** Files of signed events, as `webhooks listen --capture` writes them, and single requests, for `webhooks verify`. */
import {createHmac} from 'node:crypto'
import {once} from 'node:events'
import {closeSync, createWriteStream, openSync, readFileSync, writeFileSync, writeSync} from 'node:fs'
import {finished} from 'node:stream/promises'
import {captureRecord} from '../../../src/webhooks/receive/capture-record.js'

export const SECRET = 'whsec_bench'
/** Unix seconds at which all of them were signed and received. */
export const SIGNED_AT = 1_906_527_600

function sign(body: string): string {
  const hmac = createHmac('sha256', SECRET).update(`${SIGNED_AT}.${body}`).digest('hex')
  return `t=${SIGNED_AT},v1=${hmac}`
}

/** The line of event `n`, of about 600 bytes. */
function capturedLine(n: number): string {
  const id = `evt_${String(n).padStart(8, '0')}`
  const body = `{"id":"${id}","type":"voucher.ready","created":"2030-06-01T12:00:00+03:00","data":{"object":"voucher"}}`
  const record = captureRecord({
    reason: 'ok',
    duplicate: false,
    receivedAt: SIGNED_AT,
    ackMilliseconds: 1.25,
    rawHeaders: ['X-Service-Signature', sign(body), 'X-Service-Event-Id', id],
    body: Buffer.from(body),
  })
  return `${JSON.stringify(record)}\n`
}

/** Writes a capture of `count` events; returns its bytes. */
export async function writeCapture(path: string, count: number): Promise<number> {
  const file = createWriteStream(path)
  let block = ''
  let bytes = 0
  for (let n = 0; n < count; n++) {
    block += capturedLine(n)
    if (block.length < 1 << 20 && n < count - 1) continue
    bytes += block.length
    if (!file.write(block, 'latin1')) await once(file, 'drain')
    block = ''
  }
  file.end()
  await finished(file)
  return bytes
}

/** Writes one event as the whole request it came in, and returns its body. */
export function writeRequest(path: string): string {
  const body =
    '{"id":"evt_1","type":"voucher.ready","created":"2030-06-01T12:00:00+03:00","data":{"object":"voucher"}}'
  const head = `POST / HTTP/1.1\r\nHost: receiver\r\nContent-Length: ${body.length}\r\n`
  const signed = `X-Service-Signature: ${sign(body)}\r\nX-Service-Event-Id: evt_1\r\n\r\n`
  writeFileSync(path, head + signed + body)
  return body
}

/** Writes a body of `bytes` bytes (or the fewest it can) that is one event; returns the signature header for it. */
export function writeLargeBody(path: string, bytes: number): string {
  const start = '{"id":"evt_1","type":"voucher.ready","created":"2030-06-01T12:00:00+03:00","data":{"note":"'
  const end = '"}}'
  const piece = Buffer.alloc(1 << 20, 'Sehr geehrte Damen und Herren, ')
  const file = openSync(path, 'w')
  writeSync(file, start)
  for (let left = bytes - start.length - end.length; left > 0; left -= piece.length) {
    writeSync(file, piece, 0, Math.min(left, piece.length))
  }
  writeSync(file, end)
  closeSync(file)
  const hmac = createHmac('sha256', SECRET).update(`${SIGNED_AT}.`).update(readFileSync(path))
  return `t=${SIGNED_AT},v1=${hmac.digest('hex')}`
}
