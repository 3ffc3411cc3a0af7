/** Reads requests from texts with JSON in them, such as logs: the whole text, or an object on each line behind other words. */
import type {WebhookHeaderNames} from '../signature/headers.js'
import {embeddedJson, endOfValue, isCutJson} from './json-text.js'
import {holdsSignature} from './lines.js'
import {requestsIn} from './logged-requests.js'
import {type CapturedRequest, parseText, type Reading, unreadable} from './request.js'
import {JOINED, joinedReadings} from './wrapped.js'

/** Returns the requests in `text`, or undefined if it is no JSON or holds no headers. `leftOut` counts other lines of a log. */
export function readLogs(
  text: string,
  names: WebhookHeaderNames,
  leftOut: {count: number},
): CapturedRequest[] | undefined {
  const plain = text.replace(/^\ufeff/, '')
  const whole = parseText(plain)
  if (whole !== undefined) return requestsIn(whole, plain, names, '')
  const found: CapturedRequest[] = []
  let others = 0
  const lines = plain.split('\n')
  for (const [n, line] of lines.entries()) {
    if (line.trim() === '') continue
    const place = lines.length > 2 ? `:${n + 1}` : ''
    const requests = requestsInText(line, names, place)
    if (requests) found.push(...requests)
    else if (isCutRequest(line, names)) found.push(unreadable(`line ${n + 1} is cut off`, `:${n + 1}`))
    else others += 1
  }
  // JSON on several lines, between other words.
  if (!found.some(isRead)) return requestsInText(plain, names, '') ?? undefinedIfEmpty(found)
  leftOut.count += others
  return found
}

/** Reports whether a request could be read, unlike a line that is cut off. */
export const isRead = ({problem}: CapturedRequest): boolean => problem === undefined

const undefinedIfEmpty = <T>(list: T[]) => (list.length === 0 ? undefined : list)

/** Returns the requests in the JSON that a text has among other words. The body may be in a second piece, behind the headers. */
function requestsInText(
  text: string,
  names: WebhookHeaderNames,
  place: string,
): CapturedRequest[] | undefined {
  const json = embeddedJson(text)
  const requests = json && requestsIn(json.value, json.text, names, place)
  const [only, ...others] = requests ?? []
  if (json === undefined || only?.gap?.code !== 'body_missing' || others.length > 0) return requests
  const behind = embeddedJson(json.rest)
  return behind ? [{...only, gap: undefined, body: Buffer.from(behind.text)}] : requests
}

const MOST_JOINED = 300

/**
 * Returns the requests in JSON whose lines a mail has broken, also within its texts. `text` has one character per byte (latin1).
 */
export function readBrokenLogs(text: string, names: WebhookHeaderNames): CapturedRequest[] | undefined {
  const start = text.search(/[{[]/)
  const end = start < 0 ? 0 : start + endOfValue(text.slice(start))
  if (end <= start) return undefined
  function* ways(): Generator<CapturedRequest[]> {
    let tried = 0
    for (const {body} of joinedReadings(text.slice(start, end), text)) {
      tried += 1
      if (tried > MOST_JOINED) return
      const json = body.toString('utf8')
      const value = parseText(json)
      const requests = value === undefined ? undefined : requestsIn(value, json, names, '')
      if (requests) yield requests
    }
  }
  const [first] = ways()
  return first?.map((request, n) => {
    if (request.gap) return request
    function* otherReadings(body: Uint8Array): Generator<Reading> {
      yield* request.otherReadings?.(body) ?? []
      for (const {[n]: other} of ways())
        if (other?.body instanceof Uint8Array) yield {body: other.body, note: JOINED}
    }
    return {...request, otherReadings, afterwards: {notes: []}}
  })
}

/** Reports whether a line of a log has a record with headers that breaks off. */
function isCutRequest(line: string, names: WebhookHeaderNames): boolean {
  const record = /\{\s*".*/s.exec(line)?.[0] ?? ''
  return holdsSignature(record, names) && /"\w*headers"\s*:/i.test(record) && isCutJson(record)
}
