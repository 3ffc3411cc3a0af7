/** HAR files: the requests of `log.entries`. A browser keeps text, not bytes, and says so in notes. */
import {isObject} from '../../contract/json.js'
import {sizeText} from '../../contract/limits.js'
import {gatherHeaders, type HeaderMap} from '../signature/headers.js'
import {type CapturedRequest, isCutJson, parseText, timeOf, unreadable} from './request.js'

/** Parsing takes several times as much memory. */
const MOST_BYTES = 128 * 1024 * 1024

/** The requests of the file. Throws what reading throws. */
export async function* readHar(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<CapturedRequest> {
  const parts: Buffer[] = []
  let length = 0
  for await (const piece of pieces) {
    length += piece.length
    if (length <= MOST_BYTES) parts.push(Buffer.from(piece))
  }
  if (length > MOST_BYTES) return yield unreadable(`the HAR file is longer than ${sizeText(MOST_BYTES)}`, '')
  const text = Buffer.concat(parts)
    .toString('utf8')
    .replace(/^\ufeff/, '')
  const har = parseText(text) as {log?: {entries?: unknown} | null} | undefined
  if (har === undefined)
    return yield unreadable(`the HAR file is ${isCutJson(text) ? 'cut off' : 'not JSON'}`, '')
  const entries = har.log?.entries
  for (const [n, entry] of (Array.isArray(entries) ? entries : []).entries()) {
    const {request, startedDateTime} = isObject(entry) ? entry : {}
    const place = `#${n + 1}`
    if (isObject(request)) yield requestOf(request, place, timeOf(startedDateTime))
    else if (request !== undefined) yield unreadable('a request of the HAR file cannot be read', place)
  }
}

function requestOf(
  request: Record<string, unknown>,
  place: string,
  receivedAt: number | undefined,
): CapturedRequest {
  const {body, notes} = bodyOf(request.postData)
  const {method} = request
  return {
    place,
    headers: headersOf(request.headers),
    receivedAt,
    body,
    ...(typeof method === 'string' ? {method} : {}),
    afterwards: {notes},
  }
}

function bodyOf(postData: unknown): {body: Uint8Array; notes: string[]} {
  if (!isObject(postData) || typeof postData.text !== 'string') return {body: new Uint8Array(), notes: []}
  const {text, encoding} = postData
  if (encoding === 'base64') return {body: Buffer.from(text, 'base64'), notes: []}
  const lossy = text.includes('\ufffd')
  const note = 'the HAR file holds U+FFFD where bytes could not be read as text: the body is not the one sent'
  return {body: Buffer.from(text, 'utf8'), notes: lossy ? [note] : []}
}

function headersOf(headers: unknown): HeaderMap {
  if (!Array.isArray(headers)) return {}
  return gatherHeaders(
    headers.flatMap(header =>
      isObject(header) && typeof header.name === 'string' && typeof header.value === 'string'
        ? [[header.name, header.value] as const]
        : [],
    ),
  )
}
