/**
 * The fast path of a capture: a line exactly as `webhooks listen` writes it, read without parsing all of it. A body that
 * is compact JSON stands in its line twice, as `body_base64` and, byte for byte, as `event`; so what was decoded has to
 * be parsed once to know that both are right. Every other line is left to `captures-records.ts`, which parses it: the
 * tests hold the two to the same answers.
 */
import type {CapturedRequest} from './captures.js'
import {timeOf} from './captures-har.js'
import {readEvent} from './event.js'
import {decodeBase64, headersOf} from './record-parts.js'

/** Strings without escapes: others are not met in practice. */
const TEXT = String.raw`"[ !#-[\]-~\u0080-\u00ff]*"`
/** What `captureRecord` writes before the body; a line without an event's id or type is not usual. */
const START = new RegExp(
  [
    String.raw`^\{"type":"event","verdict":"(?:in)?valid","reason":"[a-z_]+"`,
    `"event_id":${TEXT},"event_type":${TEXT},"duplicate":(?:true|false)`,
    String.raw`"received_at":"([\dTZ:.+-]*)","ack_ms":(?:null|(?:0|[1-9]\d*)(?:\.\d+)?)`,
    '"body_base64":"',
  ].join(','),
)
const BEFORE_HEADERS = '","headers":'
const BEFORE_EVENT = ',"event":'

/** The request of the line from `start` to `end` in `block`; undefined when it is not the usual one, or holds no event. */
export function readUsualRecord(
  block: Buffer,
  start: number,
  end: number,
  number: number,
): CapturedRequest | undefined {
  // A byte is a character, so that places in the line are places in the block.
  const line = block.toString('latin1', start, end)
  const found = START.exec(line)
  if (found === null) return undefined
  const bodyStart = found[0].length
  const bodyEnd = line.indexOf('"', bodyStart)
  const body = decodeBase64(line.slice(bodyStart, Math.max(bodyEnd, bodyStart)))
  if (body === undefined) return undefined
  const headersStart = bodyEnd + BEFORE_HEADERS.length
  const eventStart = line.length - 1 - body.length
  const headersEnd = eventStart - BEFORE_EVENT.length
  if (headersStart > headersEnd || !line.endsWith('}')) return undefined
  if (!line.startsWith(BEFORE_HEADERS, bodyEnd) || !line.startsWith(BEFORE_EVENT, headersEnd))
    return undefined
  if (block.compare(body, 0, body.length, start + eventStart, end - 1) !== 0) return undefined
  const event = readEvent(body)
  const headers = parseObject(block.toString('utf8', start + headersStart, start + headersEnd))
  if (event === undefined || headers === undefined) return undefined
  return {
    format: 'capture',
    place: `:${number}`,
    headers: headersOf(headers),
    receivedAt: timeOf(found[1]),
    body,
    event,
    afterwards: {surplus: undefined, notes: []},
  }
}

function parseObject(text: string): Record<string, unknown> | undefined {
  if (!text.startsWith('{')) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
