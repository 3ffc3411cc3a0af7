/**
 * How the listening process calls its event thread. Each call returns a promise. Calls run in the order in which they
 * are made.
 */
import {join} from 'node:path'
import type {EventKeeper} from '../contract/stored-events.js'
import {StorageError} from '../storage/errors.js'
import {startThread} from '../storage/thread.js'
import {packEvents} from './event-messages.js'
import {EVENTS_NAME} from './file-names.js'

type CallName = Exclude<keyof EventKeeper, 'holds' | 'place'>

/** The calls that the thread accepts. Each makes at most one transaction. */
export type EventCalls = {
  [Name in CallName]: (...args: Parameters<EventKeeper[Name]>) => Awaited<ReturnType<EventKeeper[Name]>>
}

export interface CallMessage {
  readonly id: number
  readonly name: CallName
  /** The arguments; the events of `receive` are packed. */
  readonly args: readonly unknown[]
}

export type AnswerMessage =
  | {readonly id: number; readonly value: unknown}
  /** The fields of a StorageError that can be sent between threads. For any other error, only the message is sent. */
  | {readonly id: number; readonly error: Pick<StorageError, 'message'> & Partial<StorageError>}

export interface ThreadData {
  /** The directory of events.db. */
  readonly directory: string
  readonly profile: string
}

/** Starts the thread. The first call opens events.db, and rejects with its errors. */
export function startEventWorker(workerData: ThreadData): EventKeeper {
  const worker = startThread('state/event-thread', workerData)
  const waiting = new Map<number, {resolve: (value: never) => void; reject: (error: Error) => void}>()
  let calls = 0
  let failed: StorageError | undefined
  const fail = (reason: string) => {
    failed ??= threadFailed(reason)
    for (const {reject} of waiting.values()) reject(failed)
    waiting.clear()
  }
  worker.on('error', error => fail(error.message))
  worker.on('exit', () => fail('its thread ended'))
  worker.on('message', (answers: readonly AnswerMessage[]) => {
    for (const answer of answers) {
      const waiter = waiting.get(answer.id)
      waiting.delete(answer.id)
      if ('error' in answer) {
        const {fault, message, hint = '', isPassing = false} = answer.error
        waiter?.reject(fault ? new StorageError(fault, message, hint, {isPassing}) : threadFailed(message))
      } else waiter?.resolve(answer.value as never)
    }
  })
  const send = <Value>(
    name: CallName,
    args: readonly unknown[],
    moved: readonly ArrayBuffer[] = [],
  ): Promise<Value> => {
    if (failed) return Promise.reject(failed)
    return new Promise((resolve, reject) => {
      const id = calls++
      waiting.set(id, {resolve, reject})
      worker.postMessage({id, name, args}, moved)
    })
  }
  const call =
    <Name extends CallName>(name: Name) =>
    (...args: Parameters<EventKeeper[Name]>) =>
      send<Awaited<ReturnType<EventKeeper[Name]>>>(name, args)
  const close = call('close')
  return {
    place: join(workerData.directory, EVENTS_NAME),
    receive(events) {
      const packed = packEvents(events)
      return send('receive', [packed], [packed.bodies.buffer])
    },
    adopt: call('adopt'),
    take: call('take'),
    // No other process takes over the forwards of a running process.
    holds: () => true,
    settle: call('settle'),
    prune: call('prune'),
    beat: call('beat'),
    backlog: call('backlog'),
    overview: call('overview'),
    async close() {
      await close().catch(() => {})
      await worker.terminate()
    },
  }
}

function threadFailed(reason: string): StorageError {
  return new StorageError('failed', `the store of events failed: ${reason}`, 'start it again')
}
