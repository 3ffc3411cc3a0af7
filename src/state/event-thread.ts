/**
 * The thread that owns events.db while `listen` runs. With it, the thread that answers requests never waits for the
 * disk or another process. event-worker.ts starts it. Calls run one after the other; events that arrive while the disk
 * is busy share a transaction.
 */
import {type MessagePort, parentPort, receiveMessageOnPort, workerData} from 'node:worker_threads'
import {StorageError} from '../storage/errors.js'
import {createOwner, fateOf} from '../storage/temporary.js'
import {EVENTS, openOwn} from './databases.js'
import {type PackedEvents, unpackEvents} from './event-messages.js'
import {createForwardStore, pruneEvents, receiveEvents} from './event-store.js'
import type {AnswerMessage, CallMessage, EventCalls, ThreadData} from './event-worker.js'
import {createListenerEntry, overviewOf} from './listeners.js'

function openCalls({directory, profile}: ThreadData): EventCalls {
  const database = openOwn(EVENTS, directory)
  database.requireInPlace()
  const owner = createOwner()
  const forwards = createForwardStore(database, owner)
  const entry = createListenerEntry(database, owner, profile, () => Date.now() / 1000)
  let broken: StorageError | undefined
  /** Runs a write whose success is reported only when the data is safe in the file. */
  const durably = <T>(write: () => T): T => {
    // After a failed flush, the state of the disk is unknown, and a second flush would report success.
    if (broken) throw broken
    database.requireInPlace()
    try {
      const result = write()
      // Only now is it certain that the next process finds the data. Two stats cost a few microseconds, a flush
      // milliseconds.
      database.requireInPlace()
      return result
    } catch (error) {
      if (!(error instanceof StorageError && error.isPassing)) broken = error as StorageError
      throw error
    }
  }
  return {
    receive: events => durably(() => receiveEvents(database, {profile, owner}, events)),
    adopt: (targets, now) => forwards.adopt(targets, other => fateOf(other, owner), now),
    take: forwards.take,
    settle: forwards.settle,
    prune: (time, limit) => pruneEvents(database, time, limit),
    beat: (...report) => durably(() => entry.beat(...report)),
    backlog: entry.backlog,
    overview: () => overviewOf(database, Date.now() / 1000),
    close() {
      try {
        if (!broken) entry.leave()
      } finally {
        // Closing is safe even after a failed flush, because every acknowledged event had been flushed.
        database.close()
      }
    },
  }
}

type Call = (...args: readonly unknown[]) => unknown

function serve(data: ThreadData, port: MessagePort): void {
  let calls: EventCalls | undefined
  const answer = (group: readonly CallMessage[]): AnswerMessage[] => {
    const [{name, args}] = group as [CallMessage]
    try {
      if (name !== 'close') calls ??= openCalls(data)
      // All events of a group are stored by one call. Each call of the group gets its own results.
      const isReceived = name === 'receive'
      const packed = isReceived ? group.map(call => call.args[0] as PackedEvents) : []
      const all = isReceived ? [packed.flatMap(unpackEvents)] : args
      const value = (calls?.[name] as Call | undefined)?.(...all)
      if (!isReceived) return group.map(({id}) => ({id, value}))
      const left = value as ReturnType<EventCalls['receive']>
      return group.map(({id}, n) => ({id, value: left.splice(0, packed[n]?.events.length)}))
    } catch (error) {
      const {fault, message, hint, isPassing} = error as StorageError
      return group.map(({id}) => ({id, error: {fault, message, hint, isPassing}}))
    }
  }
  port.on('message', (first: CallMessage) => {
    // Consecutive calls to `receive` that have already arrived form a group. All other calls keep their order.
    const groups: CallMessage[][] = [[first]]
    for (;;) {
      const received = receiveMessageOnPort(port) as {message: CallMessage} | undefined
      if (received === undefined) break
      const {message} = received
      const last = groups.at(-1) as CallMessage[]
      if (message.name === 'receive' && last[0]?.name === 'receive') last.push(message)
      else groups.push([message])
    }
    for (const group of groups) {
      port.postMessage(answer(group))
      if (group[0]?.name === 'close') port.close()
    }
  })
}

serve(workerData as ThreadData, parentPort as MessagePort)
