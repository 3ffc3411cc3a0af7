/** Reads captures that are not streamed: the JSON of a gateway or a log, and what people paste. Loaded when one is met. */
import type {WebhookHeaderNames} from '../signature/headers.js'
import {isRead, readLogs} from './logs.js'
import {readPasted} from './pasted.js'
import type {CapturedRequest} from './request.js'

/**
 * Returns the requests in a text, or undefined if none is found. `leftOut` counts the entries of a log that are no requests.
 */
export function readText(
  bytes: Buffer,
  names: WebhookHeaderNames,
  leftOut: {count: number},
): CapturedRequest[] | undefined {
  const isWide = bytes[0] === 0xff && bytes[1] === 0xfe
  const text = isWide ? bytes.toString('utf16le', 2) : bytes.toString('utf8').replace(/^\ufeff/, '')
  // A body keeps each of its bytes, also where they are not UTF-8.
  const latin1 = isWide
    ? Buffer.from(text).toString('latin1')
    : bytes.toString('latin1').replace(/^\xef\xbb\xbf/, '')
  const logs = readLogs(text, names, leftOut)
  // A line that is cut off in a log may have been broken by a mail.
  return logs?.some(isRead) ? logs : (readPasted(latin1, names, leftOut) ?? logs)
}
