/**
 * Reads and writes bookctl's own captures, which `webhooks listen --json` prints and `--capture` writes: one event per line.
 * Also reads a single record, or a list of records, that a tool has indented.
 */
import {isObject, isTooDeep, parseExactly} from '../../contract/json.js'
import {sizeText} from '../../contract/limits.js'
import type {NewEvent} from '../../contract/stored-events.js'
import {gatherHeaders, type HeaderMap, pairsOf} from '../signature/headers.js'
import {isCutJson} from './json-text.js'
import {type CapturedRequest, parseText, timeOf, unreadable} from './request.js'

/** The limit fits a body of 1 MiB, which is in its line twice: as base64 and as an event. */
export const MOST_LINE_BYTES = 16 * 1024 * 1024

const MOST_BROKEN_LINES = 20
export const LINE_FEED = 10

/** Reports whether one of the first complete lines of `start` is a record of bookctl, or the first line starts like one. */
export function beginsWithRecord(start: Buffer): boolean {
  const text = start.toString('utf8').replace(/^\ufeff/, '')
  if (/^\{"type":"event","verdict":"/.test(text)) return true
  // A list with one record per line is read as a document.
  if (/^\s*\[/.test(text)) return false
  const lines = text.split('\n', MOST_BROKEN_LINES + 1)
  const whole = lines.length > MOST_BROKEN_LINES ? lines : lines.slice(0, -1)
  return whole.some(line => isOurs(parseText(line)))
}

/** Returns the events of a file that is a single record or a list of records, or undefined when it is neither. */
export function requestsOfDocument(document: Buffer): CapturedRequest[] | undefined {
  const text = document.toString('utf8').replace(/^\ufeff/, '')
  const value = parseText(text)
  if (value === undefined && isCutJson(text)) return [unreadable('the capture is cut off', '')]
  const records = Array.isArray(value) ? value : [value]
  if (records.length === 0 || !records.every(isOurs)) return undefined
  return records.flatMap((record, n) => requestOf(record, `#${n + 1}`) ?? [])
}

function isOurs(value: unknown): boolean {
  if (!isObject(value)) return false
  if (value.type === 'ready') return typeof value.url === 'string'
  if (value.type !== 'event') return value.body_base64 !== undefined && isObject(value.headers)
  // A broken record counts too, because no event of the service has this type.
  return ['body_base64', 'headers', 'verdict'].some(name => name in value)
}

/**
 * Handles line `number` of a capture, from `start` to the line feed at `end`, without parsing the line. Returns undefined if it
 * cannot. `text` is latin1, so its offsets equal those of `bytes`.
 */
export type LineShortcut<T> = (
  lines: {readonly bytes: Buffer; readonly text: string},
  start: number,
  end: number,
  number: number,
) => T | undefined

/**
 * Yields the events of a capture, line by line. A line that `shortcut` handles becomes its result, and an unreadable line
 * becomes a request with a `problem`. JSON other than a record is counted in `leftOut`. `linesBefore` is the number of lines of
 * the capture before `pieces`.
 */
export async function* readRecords<T = never>(
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  leftOut: {count: number},
  shortcut?: LineShortcut<T> | undefined,
  linesBefore = 0,
): AsyncGenerator<readonly (CapturedRequest | T)[]> {
  let number = linesBefore
  for await (const bytes of lineBlocks(pieces)) {
    if (bytes === undefined) {
      number += 1
      yield [unreadable(`line ${number} is longer than ${sizeText(MOST_LINE_BYTES)}`, `:${number}`)]
      continue
    }
    const requests: (CapturedRequest | T)[] = []
    const block = {bytes, text: bytes.toString('latin1')}
    for (let start = 0, end = 0; start < bytes.length; start = end + 1) {
      number += 1
      end = bytes.indexOf(LINE_FEED, start)
      const request =
        shortcut?.(block, start, end, number) ??
        requestIn(bytes.toString('utf8', start, end), number, leftOut)
      if (request) requests.push(request)
    }
    yield requests
  }
}

/**
 * Yields complete lines with their line feeds; the last line gets one. The lines of a piece come together, because awaiting
 * each would take as long as checking it. Yields undefined for a line that spans several pieces and is too long.
 */
async function* lineBlocks(
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<Buffer | undefined> {
  let line: Uint8Array[] = []
  let lineBytes = 0
  const begin = (part: Uint8Array) => {
    lineBytes += part.length
    // A line that is too long is dropped, and only its length is kept.
    if (lineBytes > MOST_LINE_BYTES) line = []
    else line.push(part)
  }
  const takeLine = () => {
    const block = lineBytes > MOST_LINE_BYTES ? undefined : Buffer.concat([...line, Buffer.of(LINE_FEED)])
    line = []
    lineBytes = 0
    return block
  }
  for await (const {buffer, byteOffset, length} of pieces) {
    const piece = Buffer.from(buffer, byteOffset, length)
    const end = piece.lastIndexOf(LINE_FEED) + 1
    let start = 0
    if (end > 0 && lineBytes > 0) {
      start = piece.indexOf(LINE_FEED) + 1
      begin(piece.subarray(0, start - 1))
      yield takeLine()
    }
    if (start < end) yield piece.subarray(start, end)
    if (end < length) begin(Buffer.from(piece.subarray(end)))
  }
  if (lineBytes > 0) yield takeLine()
}

function requestIn(line: string, number: number, leftOut: {count: number}): CapturedRequest | undefined {
  const place = `:${number}`
  const record = parseText(line) ?? parseText(line.replace(/^\ufeff/, ''))
  if (!isObject(record)) {
    if (FRAME.test(line)) return undefined
    const what = isCutJson(line) ? 'is cut off' : 'is not a record of a capture'
    return unreadable(`line ${number} ${what}`, place)
  }
  if (record.body_base64 !== undefined) return requestOf(record, place)
  if (record.type === 'event') return unreadable(`line ${number} holds no body`, place)
  if (!TALK.has(record.type)) leftOut.count += 1
  return undefined
}

/** Matches an empty line, or a line that `events export --json` prints around the records. */
const FRAME = /^\s*(?:\{"records": \[|,|\]\})?\s*$/

/** Types of the other lines that `listen --json` prints. */
const TALK = new Set<unknown>(['ready', 'forward'])

function requestOf(record: unknown, place: string): CapturedRequest | undefined {
  if (!isObject(record) || record.type === 'ready') return undefined
  const {body_base64: text, headers} = record
  const body = typeof text === 'string' && text.length % 4 === 0 ? Buffer.from(text, 'base64') : undefined
  // Node ignores characters that are not base64, so the result would be too short.
  if (body === undefined || body.length < Buffer.byteLength(`${text}`, 'base64'))
    return unreadable('the body of a record is not base64', place)
  if (!isObject(headers)) return unreadable('the headers of a record are no object', place)
  return {place, headers: headersOf(headers), receivedAt: timeOf(record.received_at), body}
}

/** Converts the headers of a record. Headers in the form of `captureRecord` need no change. */
function headersOf(headers: Record<string, unknown>): HeaderMap {
  const names = Object.keys(headers)
  if (names.every(name => typeof headers[name] === 'string' && name === name.toLowerCase()))
    return headers as Record<string, string>
  const pairs = names.flatMap(name => [headers[name]].flat().map(value => [name, value] as const))
  return gatherHeaders(pairs.filter((pair): pair is [string, string] => typeof pair[1] === 'string'))
}

export type CaptureRecord = ReturnType<typeof captureRecord>

/** Converts a received request to a record of a capture. `ackMilliseconds` is null when the event was not stored. */
export function captureRecord(
  captured: Pick<NewEvent, 'receivedAt' | 'rawHeaders' | 'body'> & {
    readonly reason: string
    readonly duplicate: boolean
    readonly ackMilliseconds: number | null
  },
) {
  const {reason, duplicate, receivedAt, ackMilliseconds, rawHeaders} = captured
  const body = bufferOf(captured.body)
  const event = parseBody(body)
  const {id, type} = (event ?? {}) as {id?: unknown; type?: unknown}
  return {
    type: 'event',
    verdict: reason === 'ok' ? 'valid' : 'invalid',
    reason,
    /** The id in the body, even if the signature is wrong. */
    event_id: typeof id === 'string' ? id : null,
    event_type: typeof type === 'string' ? type : null,
    duplicate,
    received_at: new Date(receivedAt * 1000).toISOString(),
    ack_ms: ackMilliseconds === null ? null : Math.round(ackMilliseconds * 100) / 100,
    body_base64: body.toString('base64'),
    headers: gatherHeaders(pairsOf(rawHeaders)),
    event,
  }
}

/** Returns the same bytes as a Buffer, without copying. */
export function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
}

/** Parses the body as JSON. Returns null when it is not JSON or nested too deeply. */
export function parseBody(body: Uint8Array): unknown {
  if (isTooDeep(body)) return null
  try {
    return parseExactly(bufferOf(body).toString())
  } catch {
    return null
  }
}
