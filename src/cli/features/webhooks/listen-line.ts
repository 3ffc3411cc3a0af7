/**
 * A receipt as the line `listen --json` prints: the JSON of its capture record, put together from texts. The body of a
 * valid one was parsed when it was checked: its JSON is copied, with every number as the service wrote it. The rest by
 * JSON.stringify would take the main thread of `listen` a tenth longer for each event (`npm run bench`, listen).
 */
import {bufferOf, captureRecord, pairsOf} from '../../../webhooks/receive/capture-record.js'
import type {Receipt} from '../../../webhooks/receive/receiver.js'
import {gatherHeaders} from '../../../webhooks/signature/headers.js'
import {escapeUnsafe, jsonText} from '../../terminal/json-text.js'

/** The line, without its newline. */
export function receiptLine(receipt: Receipt): string {
  const {reason, eventId, type, duplicate, receivedAt, ackMilliseconds, rawHeaders} = receipt
  // Nobody knows what is in a body that was refused.
  if (reason !== 'ok') return jsonText(captureRecord(receipt))
  const body = bufferOf(receipt.body)
  const time = new Date(receivedAt * 1000).toISOString()
  const ack = Math.round(ackMilliseconds * 100) / 100
  return (
    `{"type":"event","verdict":"valid","reason":"ok","event_id":${quoted(eventId)},"event_type":${quoted(type)},` +
    `"duplicate":${duplicate},"received_at":"${time}","ack_ms":${ack},"body_base64":"${body.toString('base64')}",` +
    `"headers":${headersText(rawHeaders)},"event":${onOneLine(body.toString('utf8'))}}`
  )
}

/** Text that JSON writes as it is, with nothing in it that `escapeUnsafe` would escape. */
const PLAIN = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/

function quoted(text: string | null | undefined): string {
  return typeof text === 'string' && PLAIN.test(text) ? `"${text}"` : jsonText(text)
}

function headersText(rawHeaders: readonly string[]): string {
  const names: string[] = []
  let text = ''
  for (let n = 0; n < rawHeaders.length; n += 2) {
    const name = (rawHeaders[n] as string).toLowerCase()
    if (names.includes(name) || n > MOST_PLAIN) return jsonText(gatherHeaders(pairsOf(rawHeaders)))
    names.push(name)
    text += `${n === 0 ? '{' : ','}${quoted(name)}:${quoted(rawHeaders[n + 1])}`
  }
  return `${text || '{'}}`
}

/** Names and values; with more of them, looking whether a name came twice costs more than it saves. */
const MOST_PLAIN = 60

/** JSON, which has line breaks between its parts alone. */
function onOneLine(json: string): string {
  return /^[\x20-\x7e]*$/.test(json) ? json : escapeUnsafe(json.replace(/[\t\n\r]/g, ' '))
}
