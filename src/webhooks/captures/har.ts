/** Reads HAR files, as browsers and proxies write them. */
import {isObject} from '../../contract/json.js'
import {sizeText} from '../../contract/limits.js'
import {isEventEnvelope} from '../signature/event.js'
import {gatherHeaders, headerOf, type WebhookHeaderNames} from '../signature/headers.js'
import {isCutJson} from './json-text.js'
import {isSignature} from './lines.js'
import {type CapturedRequest, parseText, timeOf, unreadable} from './request.js'

/** The size is limited because parsing takes several times as much memory as the file. */
const MOST_HAR_BYTES = 128 * 1024 * 1024

/** Yields the webhooks in `log.entries` of a HAR file, as browsers and proxies write it. Other requests are only counted. */
export async function* readHar(
  pieces: AsyncIterable<Uint8Array>,
  names: WebhookHeaderNames,
  leftOut: {count: number},
): AsyncGenerator<readonly CapturedRequest[]> {
  const kept: Buffer[] = []
  let length = 0
  for await (const piece of pieces) {
    length += piece.length
    if (length <= MOST_HAR_BYTES) kept.push(Buffer.from(piece))
  }
  const text = Buffer.concat(kept)
    .toString('utf8')
    .replace(/^\ufeff/, '')
  const har = parseText(text) as {log?: {entries?: unknown} | null} | undefined
  if (har === undefined) {
    const why = isCutJson(text) ? 'cut off' : 'not JSON'
    const what = length > MOST_HAR_BYTES ? `longer than ${sizeText(MOST_HAR_BYTES)}` : why
    return yield [unreadable(`the HAR file is ${what}`, '')]
  }
  const entries = har.log?.entries
  for (const [n, entry] of (Array.isArray(entries) ? entries : []).entries()) {
    const {request, startedDateTime} = isObject(entry) ? entry : {}
    const place = `#${n + 1}`
    if (request === undefined) continue
    if (!isObject(request)) {
      yield [unreadable('a request of the HAR file cannot be read', place)]
      continue
    }
    const pairs: [string, string][] = []
    for (const header of Array.isArray(request.headers) ? request.headers : []) {
      const {name, value} = isObject(header) ? header : {}
      if (typeof name === 'string' && typeof value === 'string') pairs.push([name, value])
    }
    // Browsers store the body as text, not as bytes.
    const {text: posted, encoding} = isObject(request.postData) ? request.postData : {}
    const text = typeof posted === 'string' ? posted : ''
    const body = Buffer.from(text, encoding === 'base64' ? 'base64' : 'utf8')
    const notes: string[] = []
    if (encoding !== 'base64' && text.includes('\ufffd'))
      notes.push(
        'the HAR file holds U+FFFD where bytes could not be read as text: the body is not the one sent',
      )
    const headers = gatherHeaders(pairs)
    const {method} = request
    // A webhook has a signature, under the expected name or another, or is a POST of an event without one.
    const isWebhook =
      headerOf(headers, names.eventId) !== undefined ||
      pairs.some(pair => isSignature(pair, names)) ||
      ((typeof method !== 'string' || /^post$/i.test(method)) && isEventEnvelope(body))
    if (isWebhook) yield [{headers, body, afterwards: {notes}, place, receivedAt: timeOf(startedDateTime)}]
    else leftOut.count += 1
  }
}
