/** Files with signed events as `webhooks listen --capture` writes them, and single requests, for `webhooks verify`. */
import {closeSync, openSync, readFileSync, writeFileSync, writeSync} from 'node:fs'
import {captureRecord} from '../../../src/webhooks/captures/records.js'
import {signatureOf} from '../../../test/support/webhook-files.js'
import {signedRequest} from '../../../test/support/webhook-load.js'

export const SECRET = 'whsec_bench'
/** Unix seconds at which all events were signed and received. */
export const SIGNED_AT = 1_906_527_600

/** Returns the line of event `n`, about 600 bytes long. */
function capturedLine(n: number): string {
  const id = `evt_${String(n).padStart(8, '0')}`
  const body = `{"id":"${id}","type":"voucher.ready","created":"2030-06-01T12:00:00+03:00","data":{"object":"voucher"}}`
  const record = captureRecord({
    reason: 'ok',
    duplicate: false,
    receivedAt: SIGNED_AT,
    ackMilliseconds: 1.25,
    rawHeaders: ['X-Service-Signature', signatureOf(body, SIGNED_AT, SECRET), 'X-Service-Event-Id', id],
    body: Buffer.from(body),
  })
  return `${JSON.stringify(record)}\n`
}

/** Writes a capture of `count` events. */
export function writeCapture(path: string, count: number): void {
  const file = openSync(path, 'w')
  let block = ''
  for (let n = 0; n < count; n++) {
    block += capturedLine(n)
    if (block.length < 1 << 20 && n < count - 1) continue
    writeSync(file, block, null, 'latin1')
    block = ''
  }
  closeSync(file)
}

/** Writes one event as a complete HTTP request. */
export function writeRequest(path: string): void {
  const body = '{"id":"evt_1","type":"voucher.ready","created":"2030-06-01T12:00:00+03:00","data":{}}'
  writeFileSync(path, signedRequest(body, 'evt_1', {secret: SECRET, timestamp: SIGNED_AT}))
}

/** Writes a body of `bytes` bytes (or the smallest possible) with one event. Returns its signature header. */
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
  return signatureOf(readFileSync(path), SIGNED_AT, SECRET)
}
