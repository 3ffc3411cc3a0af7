/**
 * The thread that owns events.db while `listen` runs: no flush to disk, and no wait for another process, ever holds up
 * the thread that answers. Started by event-worker.ts; calls are done one after the other.
 */
import {parentPort, workerData} from 'node:worker_threads'
import {StorageError} from '../storage/errors.js'
import {
  type AnswerMessage,
  type CallMessage,
  type EventCalls,
  packError,
  unpackEvents,
} from './event-messages.js'
import {createEventStore} from './event-store.js'
import {openEventsDatabase} from './events-database.js'
import {createForwardStore} from './forward-store.js'
import {isOwnerAlive} from './owner.js'

function openCalls(directory: string): EventCalls {
  const database = openEventsDatabase(directory)
  const events = createEventStore(() => database)
  const forwards = createForwardStore(() => database)
  let broken: StorageError | undefined
  return {
    receive(keeper, packed) {
      // After a failed flush nobody knows what is on the disk, and a second one would say it is well.
      if (broken) throw broken
      try {
        return events.receive(keeper, unpackEvents(packed)).map(({duplicate}) => duplicate)
      } catch (error) {
        if (!(error instanceof StorageError && ['busy', 'full'].includes(error.fault)))
          broken = error as StorageError
        throw error
      }
    },
    adopt: (owner, targets, now) => forwards.adopt(owner, targets, other => isOwnerAlive(other, owner), now),
    take: forwards.take,
    settle: forwards.settle,
    prune: events.prune,
    // Also after a failed flush: what closing flushes again was flushed well before, each time it was answered for.
    close: () => database.close(),
  }
}

type Call = (...args: readonly unknown[]) => unknown

function serve(directory: string): void {
  let calls: EventCalls | undefined
  parentPort?.on('message', ({id, name, args}: CallMessage) => {
    let answer: AnswerMessage
    try {
      if (name !== 'close') calls ??= openCalls(directory)
      answer = {id, value: (calls?.[name] as Call | undefined)?.(...args)}
    } catch (error) {
      answer = {id, error: packError(error)}
    }
    parentPort?.postMessage(answer)
    if (name === 'close') parentPort?.close()
  })
}

serve((workerData as {directory: string}).directory)
