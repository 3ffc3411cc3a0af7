/** What the listening process and its event thread say to each other; events go as columns and one block of bytes. */
import {StorageError, type StorageFault} from '../storage/errors.js'
import type {Keeper, NewEvent} from './event-store.js'
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

export interface PackedEvents {
  /** JSON of everything but the bodies: one text crosses at a fraction of the cost of many small objects. */
  readonly heads: string
  /** The bodies, one behind the other. It is handed over to the thread, not copied. */
  readonly bodies: ArrayBuffer
}

interface PackedHead extends Omit<NewEvent, 'body'> {
  /** Bytes of the body. */
  readonly length: number
}

export function packEvents(events: readonly NewEvent[]): PackedEvents {
  const bytes = new Uint8Array(events.reduce((sum, {body}) => sum + body.length, 0))
  let offset = 0
  const heads = events.map(
    ({eventId, type, receivedAt, secretName, targets, rawHeaders, body}): PackedHead => {
      bytes.set(body, offset)
      offset += body.length
      return {eventId, type, receivedAt, secretName, targets, rawHeaders, length: body.length}
    },
  )
  return {heads: JSON.stringify(heads), bodies: bytes.buffer}
}

export function unpackEvents({heads, bodies}: PackedEvents): NewEvent[] {
  let offset = 0
  return (JSON.parse(heads) as PackedHead[]).map(({length, ...head}) => {
    const body = Buffer.from(bodies, offset, length)
    offset += length
    return {...head, body}
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
