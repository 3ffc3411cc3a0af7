/** §6.3 once more, apart from our own code and stricter in nothing: what is not signed by this is not to be found valid. */
import {createHmac} from 'node:crypto'

/** Whether one digest of `header` is that of `body` under `secret`, with one timestamp, not over 300 s from `now`. */
export function isSigned(header: string, body: Uint8Array, secret: string, now: number): boolean {
  const times: string[] = []
  const digests: string[] = []
  for (const field of header.split(',')) {
    const at = field.indexOf('=')
    if (field.slice(0, at) === 't') times.push(field.slice(at + 1))
    if (field.slice(0, at) === 'v1') digests.push(field.slice(at + 1))
  }
  const [time = ''] = times
  const isTime = times.length === 1 && time !== '' && [...time].every(digit => '0123456789'.includes(digit))
  if (!isTime || Math.abs(now - Number(time)) > 300) return false
  const right = createHmac('sha256', Buffer.from(secret))
  right.update(Buffer.concat([Buffer.from(`${time}.`), body]))
  return digests.includes(right.digest('hex'))
}
