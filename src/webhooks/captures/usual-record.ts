/**
 * The fast path of a capture: a line exactly as `webhooks listen` writes it, read without parsing all of it. A body that
 * is compact JSON stands in its line twice, as `body_base64` and, byte for byte, as `event`; so what was decoded has to
 * be parsed once to know that both are right. Every other line is left to `records.ts`, which parses it: the
 * tests hold the two to the same answers. Without this, verifying a million events (`npm run bench`, verify-many) takes
 * two fifths more time.
 */

import {type EventSummary, readEvent, readUsualEvent} from '../signature/event.js'
import type {HeaderMap} from '../signature/headers.js'
import type {Afterwards, CapturedRequest} from './request.js'
import {decodeBase64, timeOf} from './request.js'

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
/** Gathered already, and plain. */
const HEADERS = /^\{"[a-z\d-]+":"[ !#-[\]-~]*"(?:,"[a-z\d-]+":"[ !#-[\]-~]*")*\}$/
const BEFORE_HEADERS = '","headers":'
const BEFORE_EVENT = ',"event":'

/** Ours: a longer line takes its time for its bytes, and not for what is done to each line. */
const MOST_USUAL_BYTES = 64 * 1024

/** The request of the line from `start` to `end` in `block`; undefined when it is not the usual one, or holds no event. */
export function readUsualRecord(
  block: Buffer,
  start: number,
  end: number,
  number: number,
): CapturedRequest | undefined {
  if (end - start > MOST_USUAL_BYTES) return undefined
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
  if (headersStart > headersEnd || line[line.length - 1] !== '}') return undefined
  if (!line.startsWith(BEFORE_HEADERS, bodyEnd) || !line.startsWith(BEFORE_EVENT, headersEnd))
    return undefined
  if (block.compare(body, 0, body.length, start + eventStart, end - 1) !== 0) return undefined
  const event = readUsualEvent(line.slice(eventStart, -1)) ?? readEvent(body)
  const headers = line.slice(headersStart, headersEnd)
  if (event === undefined || !HEADERS.test(headers)) return undefined
  return new UsualRequest(`:${number}`, timeOf(found[1]), body, event, headers)
}

class UsualRequest implements CapturedRequest {
  readonly format = 'capture'
  readonly afterwards: Afterwards = {surplus: undefined, notes: []}

  constructor(
    readonly place: string,
    readonly receivedAt: number | undefined,
    readonly body: Buffer,
    readonly event: EventSummary,
    private readonly headersText: string,
  ) {}

  get headers(): HeaderMap {
    return JSON.parse(this.headersText)
  }

  header(key: string): string | undefined {
    // No value holds a quote, so only a name stands like this; of one that stands twice, JSON takes the last.
    const name = `"${key}":"`
    let at = this.headersText.indexOf(name)
    if (at < 0) return undefined
    for (let next = at; next >= 0; next = this.headersText.indexOf(name, at + 1)) at = next
    const start = at + name.length
    return this.headersText.slice(start, this.headersText.indexOf('"', start))
  }
}
