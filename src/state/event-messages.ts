/**
 * Events as they are sent to the thread that stores them: short lists, and all bodies in one buffer that is moved and not copied.
 * To send them as they are would cost a twentieth of the time of `listen` (`npm run bench`, listen).
 */
import {type NewEvent, packHeaders, unpackHeaders} from '../contract/stored-events.js'

/** The fields of an event in the order of `packEvents`, with the length of its body in bytes. */
type PackedEvent = readonly [
  eventId: string,
  type: string | null,
  receivedAt: number,
  secretName: string,
  headers: string,
  reservationRef: string | null,
  targets: readonly string[],
  length: number,
]

export interface PackedEvents {
  readonly events: readonly PackedEvent[]
  /** The bodies one after the other. The memory is theirs alone, so that it can be moved to the thread. */
  readonly bodies: Uint8Array<ArrayBuffer>
}

export function packEvents(events: readonly NewEvent[]): PackedEvents {
  const bodies = new Uint8Array(events.reduce((length, {body}) => length + body.length, 0))
  let end = 0
  const packed = events.map((event): PackedEvent => {
    const {eventId, type, receivedAt, secretName, rawHeaders, reservationRef, targets, body} = event
    bodies.set(body, end)
    end += body.length
    const headers = packHeaders(rawHeaders)
    return [eventId, type, receivedAt, secretName, headers, reservationRef, targets, body.length]
  })
  return {events: packed, bodies}
}

/** Returns the events again. Their bodies are views of `bodies`. */
export function unpackEvents({events, bodies}: PackedEvents): NewEvent[] {
  let end = 0
  return events.map(packed => {
    const [eventId, type, receivedAt, secretName, headers, reservationRef, targets, length] = packed
    const body = bodies.subarray(end, end + length)
    end += length
    const rawHeaders = unpackHeaders(headers)
    return {eventId, type, receivedAt, secretName, rawHeaders, body, reservationRef, targets}
  })
}
