/** HAR files: the requests of `log.entries`, one at a time. A browser keeps text, not bytes, and says so in notes. */
import {isObject} from '../../contract/json.js'
import {gatherHeaders, type HeaderMap} from '../signature/headers.js'
import {type CapturedRequest, parseText, timeOf, unreadable} from './request.js'

const MOST_REQUEST_BYTES = 32 * 1024 * 1024

/** The requests with a body, or with headers that could be a webhook's. Throws what reading throws. */
export async function* readHar(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<CapturedRequest> {
  for await (const {place, request, startedDateTime} of entriesIn(pieces)) {
    if (request === undefined) continue
    if (request === CUT_OFF) yield unreadable('the HAR file is cut off within this request', place)
    else if (request === TOO_LONG) yield unreadable('a request of the HAR file is longer than 32 MiB', place)
    else if (!isObject(request)) yield unreadable('a request of the HAR file cannot be read', place)
    else yield requestOf(request, place, timeOf(startedDateTime))
  }
}

const TOO_LONG = Symbol('too long')
const CUT_OFF = Symbol('cut off')

interface Entry {
  readonly place: string
  /** `null` when it is not JSON. */
  request?: unknown
  startedDateTime?: unknown
}

const OUTSIDE_STRINGS = /["{}[\],]/g
const INSIDE_STRINGS = /["\\]/g
/** `{"log":{"entries":[{` */
const ENTRY_DEPTH = 4

/**
 * The objects in the lists of `log`, each when it ends: a HAR file holds every answer too, so it can be larger than memory.
 * Only `entries` has requests. The grammar is not checked.
 */
async function* entriesIn(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Entry> {
  let depth = 0
  let isList = false
  let item = 0
  let isString = false
  let escapedBytes = 0
  let entry: Entry | undefined
  let member = {text: '', length: 0}
  const keep = (part: string) => {
    member.length += part.length
    if (member.length <= MOST_REQUEST_BYTES) member.text += part
  }
  const endMember = (part: string) => {
    keep(part)
    if (entry) readMember(entry, member)
    member = {text: '', length: 0}
  }
  for await (const {buffer, byteOffset, length} of pieces) {
    const text = Buffer.from(buffer, byteOffset, length).toString('latin1')
    let start = 0
    let at = escapedBytes
    while (at < length) {
      const marks = isString ? INSIDE_STRINGS : OUTSIDE_STRINGS
      marks.lastIndex = at
      const found = marks.exec(text)
      if (!found) break
      const [mark] = found
      at = found.index + 1
      if (mark === '"') isString = !isString
      else if (mark === '\\') at += 1
      else if (mark === '{' || mark === '[') {
        depth += 1
        if (depth === ENTRY_DEPTH - 1) [isList, item] = [mark === '[', 1]
        if (depth !== ENTRY_DEPTH || !isList) continue
        entry = {place: `#${item}`}
        start = at
      } else {
        if (entry && depth === ENTRY_DEPTH) {
          endMember(text.slice(start, at - 1))
          start = at
        }
        if (mark === ',') {
          if (depth === ENTRY_DEPTH - 1) item += 1
          continue
        }
        if (entry && depth === ENTRY_DEPTH) yield entry
        if (depth === ENTRY_DEPTH) entry = undefined
        depth -= 1
      }
    }
    escapedBytes = Math.max(0, at - length)
    if (entry) keep(text.slice(start))
  }
  // The end of the file may be missing, also after a request that is whole.
  if (entry) yield {request: CUT_OFF, ...entry}
}

function readMember(entry: Entry, {text, length}: {text: string; length: number}): void {
  const name = /^\s*"(request|startedDateTime)"/.exec(text.slice(0, 1000))?.[1] as
    | 'request'
    | 'startedDateTime'
  if (name === undefined) return
  const whole = length > MOST_REQUEST_BYTES ? undefined : Buffer.from(`{${text}}`, 'latin1').toString()
  entry[name] = whole === undefined ? TOO_LONG : ((parseText(whole) as Entry | undefined)?.[name] ?? null)
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
    afterwards: {surplus: undefined, notes},
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
