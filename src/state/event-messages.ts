/** What the listening process and its event thread say to each other; events go as columns and one block of bytes. */
import {StorageError, type StorageFault} from '../storage/errors.js'
import {type Keeper, type NewEvent, packHeaders, unpackHeaders} from './event-store.js'
import type {DueForward, ForwardResult} from './forward-store.js'

/** What the thread does; each is one transaction at most. */
export interface EventCalls {
  receive(keeper: Keeper, packed: PackedEvents): boolean[]
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
  | {readonly id: number; readonly error: ThreadError}

/** A StorageError, as far as it can be sent. */
export interface ThreadError {
  readonly fault: StorageFault
  readonly message: string
  readonly hint: string
}

export interface PackedHead extends Omit<NewEvent, 'body' | 'rawHeaders'> {
  /** One text: copying a list of texts from thread to thread costs more than all else. */
  readonly headers: string
}

export interface PackedEvents {
  readonly heads: readonly PackedHead[]
  readonly lengths: readonly number[]
  /** The bodies, one behind the other. It is handed over to the thread, not copied. */
  readonly bodies: ArrayBuffer
}

export function packEvents(events: readonly NewEvent[]): PackedEvents {
  const lengths = events.map(event => event.body.length)
  const bytes = new Uint8Array(lengths.reduce((sum, length) => sum + length, 0))
  let offset = 0
  const heads = events.map(({eventId, type, receivedAt, secretName, targets, rawHeaders, body}) => {
    bytes.set(body, offset)
    offset += body.length
    return {eventId, type, receivedAt, secretName, targets, headers: packHeaders(rawHeaders)}
  })
  return {heads, lengths, bodies: bytes.buffer}
}

export function unpackEvents({heads, lengths, bodies}: PackedEvents): NewEvent[] {
  let offset = 0
  return heads.map(({headers, ...head}, n) => {
    const length = lengths[n] ?? 0
    const body = Buffer.from(bodies, offset, length)
    offset += length
    return {...head, rawHeaders: unpackHeaders(headers), body}
  })
}

export function packError(error: unknown): ThreadError {
  if (error instanceof StorageError) return {fault: error.fault, message: error.message, hint: error.hint}
  return threadFailed(error instanceof Error ? error.message : String(error))
}

export function threadFailed(reason: string): ThreadError {
  return {fault: 'failed', message: `the store of events failed: ${reason}`, hint: 'start it again'}
}

export function unpackError({fault, message, hint}: ThreadError): StorageError {
  return new StorageError(fault, message, hint)
}
