/** Messages between the listening process and its event thread; events are sent as columns and one block of bytes. */
import {StorageError, type StorageFault} from '../storage/errors.js'
import {type Keeper, type KeptEvent, type NewEvent, packHeaders} from './event-store.js'
import type {DueForward, ForwardResult} from './forward-store.js'

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
  | {readonly id: number; readonly error: ThreadError}

/** The part of a StorageError that can be sent. */
export interface ThreadError {
  readonly fault: StorageFault
  readonly message: string
  readonly hint: string
}

/** Events as columns, each as long as there are events: many small objects would cost twice as much to send. */
export interface PackedEvents {
  readonly eventIds: readonly string[]
  readonly types: readonly (string | null)[]
  /** Unix seconds. */
  readonly receivedAt: readonly number[]
  readonly secretNames: readonly string[]
  readonly targets: readonly (readonly string[])[]
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
    eventIds: events.map(event => event.eventId),
    types: events.map(event => event.type),
    receivedAt: events.map(event => event.receivedAt),
    secretNames: events.map(event => event.secretName),
    targets: events.map(event => event.targets),
    headers: events.map(event => packHeaders(event.rawHeaders)),
    lengths: events.map(event => event.body.length),
    bodies: bytes.buffer,
  }
}

export function unpackEvents(packed: PackedEvents): KeptEvent[] {
  let offset = 0
  return packed.eventIds.map((eventId, n) => {
    const length = packed.lengths[n] as number
    const body = new Uint8Array(packed.bodies, offset, length)
    offset += length
    return {
      eventId,
      type: packed.types[n] as string | null,
      receivedAt: packed.receivedAt[n] as number,
      secretName: packed.secretNames[n] as string,
      targets: packed.targets[n] as readonly string[],
      headers: packed.headers[n] as string,
      body,
    }
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
