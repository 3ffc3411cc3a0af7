/** Ways in which the signed message, or the sum over it, may have been made other than §6.3 says. */
import {createHash, createHmac, type KeyObject} from 'node:crypto'
import type {Cause, Claim} from './cause.js'

/** Computes a digest in lowercase hex of a body under a key. */
export interface Scheme {
  readonly causes: readonly Cause[]
  digest(key: KeyObject, body: Uint8Array): string
}

const cause = (code: string, what: string): Cause => ({code, what})

/** HMAC over something before and after the body. */
function framed(before: string, after: string, causes: readonly Cause[]): Scheme {
  return {
    causes,
    digest: (key, body) => createHmac('sha256', key).update(before).update(body).update(after).digest('hex'),
  }
}

/** §6.3 itself, over the timestamp as `claim` spells it; undefined when there is none. */
export function properScheme({timestamp}: Claim): Scheme | undefined {
  return timestamp === undefined ? undefined : framed(`${timestamp}.`, '', [])
}

const SEPARATORS = [
  '',
  ':',
  ',',
  '|',
  '\n',
  ' ',
  '-',
  '_',
  ';',
  '/',
  '..',
  '. ',
  '\r\n',
  '+',
  '&',
  '=',
  '#',
  '\t',
  '\0',
]

/** Messages put together otherwise; `eventId` as body or header have it. */
export function otherSchemes({timestamp}: Claim, eventId: string | undefined): Scheme[] {
  const unsigned = cause(
    'timestamp_not_signed',
    'The body alone was signed, without the timestamp and the full stop.',
  )
  const schemes = [framed('', '', [unsigned])]
  if (timestamp === undefined) return schemes
  for (const separator of SEPARATORS) {
    const shown = separator === '' ? 'nothing' : JSON.stringify(separator)
    const what = `Between timestamp and body stood ${shown} instead of a full stop when it was signed.`
    schemes.push(framed(timestamp + separator, '', [cause('separator_wrong', what)]))
  }
  const order = cause('separator_wrong', 'The body was put before the timestamp when it was signed.')
  for (const separator of ['.', '', ':', ',', '|', '\n'])
    schemes.push(framed('', separator + timestamp, [order]))
  const frame = cause('separator_wrong', 'More than timestamp, full stop and body was signed.')
  for (const before of [
    `t=${timestamp}.`,
    `t=${timestamp},`,
    `v0:${timestamp}:`,
    `v1:${timestamp}:`,
    `v1.${timestamp}.`,
  ]) {
    schemes.push(framed(before, '', [frame]))
  }
  for (const before of eventId ? [`${eventId}.${timestamp}.`, `${timestamp}.${eventId}.`] : []) {
    schemes.push(framed(before, '', [frame]))
  }
  return schemes
}

/** §6.3 over the timestamp in another unit than the header has it. */
export function* otherTimes({timestamp, causes}: Claim): Generator<Scheme> {
  if (timestamp === undefined) return
  const code = 'timestamp_milliseconds'
  const own = causes.some(one => one.code === code)
  const millis = own ? [] : [cause(code, 'The timestamp was signed in milliseconds, and sent in seconds.')]
  if (/^\d{9,11}$/.test(timestamp)) {
    for (let n = 0; n < 1000; n++) yield framed(`${timestamp}${String(n).padStart(3, '0')}.`, '', millis)
    yield framed(`${timestamp}000000.`, '', millis)
  }
  const plain = timestamp.replace(/^0+(?=\d)/, '')
  if (plain !== timestamp) {
    const what = 'The timestamp was signed without the zeros in front that the header has.'
    yield framed(`${plain}.`, '', [cause('timestamp_respelled', what)])
  }
}

/** §6.3 over the whole seconds of a timestamp the header has in milliseconds or finer; undefined for any other. */
export function wholeSeconds({timestamp = '', causes}: Claim): Scheme | undefined {
  const whole = /^(\d{9,11})(?:\d{3}|\d{6}|\.\d+)$/.exec(timestamp)?.[1]
  if (whole === undefined) return undefined
  const code = 'timestamp_milliseconds'
  const isTold = causes.some(one => one.code === code)
  const what = 'The timestamp was sent in milliseconds, and signed in seconds.'
  return framed(`${whole}.`, '', isTold ? [] : [cause(code, what)])
}

/** Sums that anybody, or nobody but by the way, could make: no HMAC with the secret as its key. */
export function keylessSchemes({timestamp}: Claim): Scheme[] {
  const code = 'signed_without_hmac_key'
  const stamps = timestamp === undefined ? [''] : [`${timestamp}.`, '', timestamp]
  const plain = cause(code, 'It is a plain SHA-256, no HMAC: anybody can make it.')
  const joined = cause(code, 'It is a SHA-256 over secret and message together, no HMAC.')
  const empty = cause(code, 'It is an HMAC with an empty key: anybody can make it.')
  const swapped = cause(code, 'Key and message of the HMAC are swapped: the message is the key.')
  const sum = (parts: readonly Uint8Array[]) => {
    const hash = createHash('sha256')
    for (const part of parts) hash.update(part)
    return hash.digest('hex')
  }
  return stamps.flatMap(stamp => {
    const front = Buffer.from(stamp)
    return [
      {causes: [plain], digest: (_: KeyObject, body: Uint8Array) => sum([front, body])},
      {causes: [joined], digest: (key: KeyObject, body: Uint8Array) => sum([key.export(), front, body])},
      {causes: [joined], digest: (key: KeyObject, body: Uint8Array) => sum([front, body, key.export()])},
      {causes: [joined], digest: (key: KeyObject, body: Uint8Array) => sum([key.export(), DOT, front, body])},
      {
        causes: [empty],
        digest: (_: KeyObject, body: Uint8Array) =>
          createHmac('sha256', '').update(front).update(body).digest('hex'),
      },
      {
        causes: [swapped],
        digest: (key: KeyObject, body: Uint8Array) =>
          createHmac('sha256', Buffer.concat([front, body]))
            .update(key.export())
            .digest('hex'),
      },
    ]
  })
}

const DOT = Buffer.from('.')
