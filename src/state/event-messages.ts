/** Messages between the listening process and its event thread; events are sent as columns and one block of bytes. */
import {
  type DueForward,
  type ForwardResult,
  type Keeper,
  type NewEvent,
  packHeaders,
} from '../contract/stored-events.js'
import {StorageError} from '../storage/errors.js'
import type {KeptEvent} from './event-store.js'

/** The calls of the thread; each is one transaction at most. */
export interface EventCalls {
  /** The indexes, in `packed`, of the events whose id was known. */
  receive(keeper: Keeper, packed: PackedEvents): number[]
  adopt(owner: string, targets: readonly string[], now: number): number
  take(owner: string, target: string, now: number, limit: number): DueForward[]
  settle(results: readonly ForwardResult[]): void
  prune(time: number, limit: number): number
  close(): void
}

export type CallName = keyof EventCalls

export interface CallMessage {
  readonly id: number
  readonly name: CallName
  readonly args: readonly unknown[]
}

export type AnswerMessage =
  | {readonly id: number; readonly value: unknown}
  /** The part of a StorageError that can be sent. */
  | {readonly id: number; readonly error: Pick<StorageError, 'fault' | 'message' | 'hint'>}

const FIELDS = ['eventId', 'type', 'receivedAt', 'secretName', 'targets'] as const

/** Events as columns, each as long as there are events: many small objects would cost twice as much to send. */
export interface PackedEvents {
  /** One for each of FIELDS. */
  readonly columns: readonly (readonly unknown[])[]
  /** As `packHeaders` returns them. */
  readonly headers: readonly string[]
  /** Bytes of each body. */
  readonly lengths: readonly number[]
  /** The bodies, one after the other. Transferred to the thread, not copied. */
  readonly bodies: ArrayBuffer
}

export function packEvents(events: readonly NewEvent[]): PackedEvents {
  const bytes = new Uint8Array(events.reduce((sum, {body}) => sum + body.length, 0))
  let offset = 0
  for (const {body} of events) {
    bytes.set(body, offset)
    offset += body.length
  }
  return {
    columns: FIELDS.map(field => events.map(event => event[field])),
    headers: events.map(event => packHeaders(event.rawHeaders)),
    lengths: events.map(event => event.body.length),
    bodies: bytes.buffer,
  }
}

export function unpackEvents({columns, headers, lengths, bodies}: PackedEvents): KeptEvent[] {
  let offset = 0
  return lengths.map((length, n) => {
    const body = new Uint8Array(bodies, offset, length)
    offset += length
    const fields = Object.fromEntries(FIELDS.map((field, column) => [field, columns[column]?.[n]]))
    return {...fields, headers: headers[n], body} as unknown as KeptEvent
  })
}

export function threadFailed(reason: string): StorageError {
  return new StorageError('failed', `the store of events failed: ${reason}`, 'start it again')
}
