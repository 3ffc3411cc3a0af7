/**
 * Hands received events to the addresses of --forward-to: out of the store, again until an address answers 2xx, and
 * recorded. At least once: after a kill, what was on its way goes out again. An address that hangs or is down holds up
 * nobody else.
 */
import {setTimeout as sleep} from 'node:timers/promises'
import {createGroupCommit} from '../receive/group-commit.js'
import {ForwardLane, type PendingForward} from './lane.js'
import type {Handover, HandoverResult} from './request.js'
import {waitAfter} from './schedule.js'

export type {PendingForward} from './lane.js'

export interface SettledForward {
  readonly sequence: number
  readonly target: string
  readonly state: 'pending' | 'done' | 'given_up'
  /** Unix seconds; of meaning while it is pending. */
  readonly nextAttemptAt: number
  readonly status: number | null
  readonly ms: number
  readonly error: string | null
}

/** What one attempt came to, to be shown. */
export interface ForwardReport extends SettledForward {
  readonly eventId: string
  readonly type: string | null
  /** This attempt's number, from 1. */
  readonly attempt: number
}

export interface ForwarderParts {
  readonly targets: readonly string[]
  readonly store: {
    take(target: string, now: number, limit: number): Promise<readonly PendingForward[]>
    /** In one transaction. */
    settle(results: readonly SettledForward[]): Promise<void>
  }
  readonly handover: Handover
  /** Unix seconds. */
  readonly clock: () => number
  readonly random: () => number
  readonly onReport: (report: ForwardReport) => void
  readonly onStoreError: (error: unknown) => void
}

export interface Forwarder {
  /** There may be something new to hand on. */
  wake(): void
  /** Resolves when every due event had an attempt, or after `milliseconds`. */
  settled(milliseconds: number): Promise<void>
  /** Stops, and resolves when what came of the attempts is recorded. */
  stop(): Promise<void>
}

/** How often the store is asked for those that have become due. */
const LOOK_MILLISECONDS = 1000
const RECORD_AGAIN_MILLISECONDS = 500
/** Outcomes that may wait for the store. */
const MOST_UNRECORDED = 2000

export function createForwarder(parts: ForwarderParts): Forwarder {
  const {targets, store, handover, clock, random} = parts
  let stopped = false
  // An outcome that is not recorded would hold its event back for as long as the store takes it for one on its way.
  const record = async (results: readonly SettledForward[]): Promise<void> => {
    for (let isRecorded = false; !isRecorded; ) {
      try {
        await store.settle(results)
        isRecorded = true
      } catch (error) {
        if (stopped) throw error
        parts.onStoreError(error)
        await sleep(RECORD_AGAIN_MILLISECONDS)
      }
    }
  }
  const records = createGroupCommit<SettledForward, undefined>({
    commit: async results => {
      await record(results)
      return results.map(() => undefined)
    },
    maxWaiting: MOST_UNRECORDED * 2,
    maxBatch: 500,
    onError: parts.onStoreError,
  })
  const onResult = (one: PendingForward, result: HandoverResult) => {
    const {eventId, type} = one
    const settled = judge(one, result, clock(), random)
    records.add(settled, () => {})
    parts.onReport({...settled, eventId, type, attempt: one.attempts + 1})
  }
  const take = (target: string, limit: number) =>
    store.take(target, clock(), limit).catch(error => {
      parts.onStoreError(error)
      return []
    })
  const mayGoOn = () => records.waiting < MOST_UNRECORDED
  const lanes = targets.map(
    target => new ForwardLane(target, {handover, onResult, mayGoOn, take: limit => take(target, limit)}),
  )
  const wake = () => {
    for (const lane of lanes) lane.wake()
  }
  const timer = setInterval(wake, LOOK_MILLISECONDS)
  return {
    wake,
    async settled(milliseconds) {
      const deadline = performance.now() + milliseconds
      wake()
      while (lanes.some(lane => lane.busy) && performance.now() < deadline) await sleep(10)
    },
    async stop() {
      stopped = true
      clearInterval(timer)
      for (const lane of lanes) lane.stop()
      handover.close()
      while (lanes.some(lane => lane.busy) || records.waiting > 0) await sleep(5)
    },
  }
}

/** Any 2xx is success, as it is for the service (§6.4). */
function judge(
  {sequence, target, attempts, receivedAt}: PendingForward,
  {status, milliseconds, error}: HandoverResult,
  now: number,
  random: () => number,
): SettledForward {
  const settled = {sequence, target, status, ms: milliseconds, error}
  if (status !== null && status >= 200 && status < 300) return {...settled, state: 'done', nextAttemptAt: now}
  const wait = waitAfter(attempts + 1, now - receivedAt, random)
  if (wait === undefined) return {...settled, state: 'given_up', nextAttemptAt: now}
  return {...settled, state: 'pending', nextAttemptAt: now + wait}
}
