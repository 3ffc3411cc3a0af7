/** HAR files: the requests of `log.entries`, one at a time. A browser keeps text, not bytes, and says so in notes. */
import {isObject} from '../../contract/json.js'
import {gatherHeaders, type HeaderMap} from '../signature/headers.js'
import {JsonPicker, type Picked} from './json-picker.js'
import {type CapturedRequest, timeOf, unreadable} from './request.js'

/** Ours: a longer request is not checked. */
const MOST_REQUEST_BYTES = 32 * 1024 * 1024
const PATHS = [
  ['log', 'entries', '*', 'request'],
  ['log', 'entries', '*', 'startedDateTime'],
]

interface Entry {
  item: number
  request?: Picked
  started?: number | undefined
}

/** The requests with a body, or with headers that could be a webhook's. Throws what reading throws. */
export async function* readHar(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<CapturedRequest> {
  let entry: Entry = {item: 0}
  const complete: Entry[] = []
  const picker = new JsonPicker(PATHS, MOST_REQUEST_BYTES, picked => {
    if (picked.item !== entry.item) {
      complete.push(entry)
      entry = {item: picked.item}
    }
    if (picked.path === 0) entry.request = picked
    else entry.started = timeOf(parse(picked.text))
  })
  for await (const piece of pieces) {
    // In slices, so that one huge piece does not leave all its requests waiting here.
    for (let at = 0; at < piece.length; at += 65_536) {
      picker.push(piece.subarray(at, at + 65_536))
      yield* complete.splice(0).flatMap(requestOf)
    }
  }
  picker.end()
  yield* [...complete, entry].flatMap(requestOf)
}

function requestOf({item, request, started}: Entry): CapturedRequest[] {
  if (request === undefined) return []
  const place = `#${item + 1}`
  if (request.text === undefined)
    return [unreadable('a request of the HAR file is longer than 32 MiB', place)]
  const parsed = parse(request.text)
  if (!isObject(parsed)) return [unreadable('a request of the HAR file cannot be read', place)]
  const {body, notes} = bodyOf(parsed.postData)
  return [
    {
      format: 'har',
      place,
      ...(typeof parsed.method === 'string' ? {method: parsed.method} : {}),
      headers: headersOf(parsed.headers),
      receivedAt: started,
      body,
      afterwards: {surplus: undefined, notes},
    },
  ]
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

function parse(text: Uint8Array | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(Buffer.from(text).toString('utf8'))
  } catch {
    return undefined
  }
}
