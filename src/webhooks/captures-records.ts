/**
 * Our own captures: the lines `webhooks listen --json` prints and `--capture` writes, one event a line. Also one such
 * record, or a list of them, as a tool may have re-indented it.
 */
import {type ByteSource, splitLines} from './byte-source.js'
import type {CapturedRequest} from './captures.js'
import {isRecord, onePiece, timeOf, unreadable} from './captures-har.js'
import {gatherHeaders, type HeaderMap} from './headers.js'

/** Ours: a body of 1 MiB, its base64 and its event printed beside it fit in. */
const MOST_LINE_BYTES = 16 * 1024 * 1024

/** One line of a capture, as far as reading it back needs. */
export interface CaptureRecord {
  readonly type: 'event'
  readonly received_at: string
  readonly body_base64: string
  readonly headers: HeaderMap
}

/** Whether the first line of `start`, which must be in it whole, is a record of ours. */
export function beginsWithRecord(start: Buffer): boolean {
  const from = start.toString('latin1', 0, 3) === BYTE_ORDER_MARK ? 3 : 0
  const end = start.indexOf('\n', from)
  return end >= 0 && isOurs(parse(start.toString('utf8', from, end)))
}

const BYTE_ORDER_MARK = '\xef\xbb\xbf'

/** The records of `document`, a whole file that is one of ours or a list of them; undefined when it is not. */
export function recordsOfDocument(document: Buffer): unknown[] | undefined {
  const value = parse(document.toString('utf8').replace(/^\ufeff/, ''))
  const records = Array.isArray(value) ? value : [value]
  return records.length > 0 && records.every(isOurs) ? records : undefined
}

function isOurs(value: unknown): boolean {
  if (!isRecord(value)) return false
  if (value.type === 'ready') return typeof value.url === 'string'
  return typeof value.body_base64 === 'string' && isRecord(value.headers)
}

/** The events of records that were read as one document. */
export function requestsOfDocument(records: readonly unknown[]): CapturedRequest[] {
  return records.flatMap(requestOf)
}

/** The events of a capture, line by line; a line that cannot be read is one with a `problem`. */
export async function* readRecords(source: ByteSource): AsyncGenerator<CapturedRequest> {
  for await (const {number, bytes} of splitLines(source.rest(), MOST_LINE_BYTES)) {
    if (bytes === undefined) yield unreadable(`line ${number} is longer than 16 MiB`)
    else yield* requestsIn(Buffer.from(bytes).toString('utf8'), number)
  }
}

function requestsIn(line: string, number: number): CapturedRequest[] {
  const text = line.replace(/^\ufeff/, '').trim()
  if (text === '') return []
  const record = parse(text)
  if (!isRecord(record)) return [unreadable(`line ${number} is not a record of a capture`)]
  if (record.body_base64 !== undefined) return requestOf(record)
  return record.type === 'event' ? [unreadable(`line ${number} holds no body`)] : []
}

function requestOf(record: unknown): CapturedRequest[] {
  if (!isRecord(record) || record.type === 'ready') return []
  const {body_base64: body, headers, received_at: receivedAt} = record
  if (typeof body !== 'string' || !/^[A-Za-z0-9+/]*={0,2}$/.test(body))
    return [unreadable('the body of a record is not base64')]
  return [
    {
      format: 'capture',
      headers: headersOf(headers),
      receivedAt: timeOf(receivedAt),
      body: onePiece(Buffer.from(body, 'base64')),
      afterwards: {surplus: undefined, notes: []},
    },
  ]
}

function headersOf(headers: unknown): HeaderMap {
  const entries = isRecord(headers) ? Object.entries(headers) : []
  return gatherHeaders(
    entries.flatMap(([name, values]) =>
      [values].flat().flatMap(value => (typeof value === 'string' ? [[name, value] as const] : [])),
    ),
  )
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
