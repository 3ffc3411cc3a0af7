/** Forwards events of the store until each address answers 2xx: at least once, because a kill leaves open requests due. */
import {setTimeout as sleep} from 'node:timers/promises'
import {isSuccess} from '../../contract/error-codes.js'
import type {DueForward, EventKeeper, ForwardResult} from '../../contract/stored-events.js'
import {createGroupCommit} from '../receive/group-commit.js'
import type {Handover, HandoverResult} from './request.js'

export interface ForwardReport extends DueForward, ForwardResult {
  readonly ms: number
  /** This attempt's number, from 1. */
  readonly attempt: number
  /** Whether it was signed again for this attempt. */
  readonly resigned: boolean
}

/** The error of an event that was given up without an attempt: its target would refuse its old signature. */
export const SIGNATURE_TOO_OLD = 'signature_too_old'

interface ForwarderParts {
  readonly targets: readonly string[]
  readonly store: Pick<EventKeeper, 'take' | 'holds' | 'settle'>
  readonly handover: Handover
  /** The headers to send an event with at `now`, Unix seconds; undefined gives it up as `SIGNATURE_TOO_OLD`. */
  readonly headersOf: (one: DueForward, now: number) => readonly string[] | undefined
  /** Unix seconds. */
  readonly clock: () => number
  /** Milliseconds that never go back, as performance.now() has them: for the pauses of an address. */
  readonly elapsed: () => number
  readonly random: () => number
  readonly onReport: (report: ForwardReport) => void
  readonly onStoreError: (error: unknown) => void
}

/** How often the store is asked for due events. */
const LOOK_MILLISECONDS = 1000
/** Results that may wait for the store. */
const MOST_UNRECORDED = 2000

export function createForwarder(parts: ForwarderParts) {
  const {targets, store, handover, clock, random} = parts
  let stopped = false
  const records = createGroupCommit<ForwardResult, undefined>({
    // Until its result is recorded, the store does not give an event out again.
    commit: async results => {
      for (;;) {
        try {
          await store.settle(results)
          return results.map(() => undefined)
        } catch (error) {
          if (stopped) throw error
          parts.onStoreError(error)
          await sleep(500)
        }
      }
    },
    maxWaiting: MOST_UNRECORDED * 2,
    maxBatch: 500,
    onError: parts.onStoreError,
  })
  const onResult = (one: DueForward, result: HandoverResult, resigned: boolean) => {
    const settled = judge(one, result, clock(), random)
    records.add(settled, () => {})
    parts.onReport({...one, ...settled, attempt: one.attempts + 1, resigned})
  }
  const maySendMore = () => records.waiting < MOST_UNRECORDED
  const lanes = targets.map(target => createLane(target, parts, onResult, maySendMore))
  const wake = () => {
    for (const lane of lanes) lane.wake()
  }
  const timer = setInterval(wake, LOOK_MILLISECONDS)
  return {
    /** There may be new events to forward. */
    wake,
    /** Resolves when every due event had an attempt, or after `milliseconds`. */
    async settled(milliseconds: number) {
      const deadline = performance.now() + milliseconds
      wake()
      while (lanes.some(lane => lane.isBusy()) && performance.now() < deadline) await sleep(10)
    },
    /** Stops, and resolves when the results of all attempts are recorded. */
    async stop() {
      stopped = true
      clearInterval(timer)
      for (const lane of lanes) lane.stop()
      handover.close()
      while (lanes.some(lane => lane.isBusy()) || records.waiting > 0) await sleep(5)
    },
  }
}

/** Longest wait between two attempts of one event. */
const MOST_SECONDS = 300
/** Longest time an address that does not answer is left alone. */
const MOST_PAUSE_SECONDS = 30
/** About as long as the service itself retries (§6.4). */
const GIVE_UP_SECONDS = 3 * 24 * 3600

/** Seconds to wait after `failures` in a row: 1, then doubling up to `most`. */
export function waitAfter(failures: number, most: number): number {
  return Math.min(most, 2 ** (failures - 1))
}

/** Any 2xx is success, as it is for the service (§6.4). Waits have up to a fifth more. */
function judge(
  {sequence, target, attempts, receivedAt}: DueForward,
  {status, milliseconds, error}: HandoverResult,
  now: number,
  random: () => number,
): ForwardResult & Pick<ForwardReport, 'ms'> {
  const settled = {sequence, target, status, ms: milliseconds, error}
  if (isSuccess({status})) return {...settled, state: 'done', nextAttemptAt: now}
  if (error === SIGNATURE_TOO_OLD || now - receivedAt > GIVE_UP_SECONDS)
    return {...settled, state: 'given_up', nextAttemptAt: now}
  const wait = waitAfter(attempts + 1, MOST_SECONDS) * (1 + random() / 5)
  return {...settled, state: 'pending', nextAttemptAt: now + wait}
}

/** Requests to one address at a time, and how many events are fetched ahead. */
const AT_ONCE = 8
const AHEAD = 16

/**
 * The queue of one address: a few requests at a time, one alone and after a pause while it does not answer. An address that
 * hangs delays no other, and costs no memory. `maySendMore`: whether results are recorded fast enough.
 */
function createLane(
  target: string,
  {store, handover, headersOf, clock, elapsed, onStoreError}: ForwarderParts,
  onResult: (one: DueForward, result: HandoverResult, resigned: boolean) => void,
  maySendMore: () => boolean,
) {
  let queue: DueForward[] = []
  let sending = 0
  let taking = false
  let again = false
  let stopped = false
  let failures = 0
  /** On the clock of `elapsed`. */
  let pausedUntil = 0

  const free = () => {
    if (stopped || elapsed() < pausedUntil) return 0
    return Math.max(0, (failures > 0 ? 1 : AT_ONCE) - sending)
  }
  const fill = async () => {
    taking = true
    while (again && free() > 0 && queue.length < AT_ONCE && maySendMore()) {
      again = false
      const due = await store.take(target, clock(), AHEAD - queue.length).catch(error => {
        onStoreError(error)
        return []
      })
      if (!stopped) queue.push(...due)
      sendSome()
    }
    taking = false
    sendSome()
  }
  const sendSome = () => {
    while (free() > 0) {
      const one = queue.shift()
      if (one === undefined) return
      if (store.holds(one)) void send(one)
    }
  }
  const send = async (one: DueForward) => {
    const headers = headersOf(one, clock())
    if (headers === undefined) {
      onResult(one, {status: null, milliseconds: 0, error: SIGNATURE_TOO_OLD}, false)
      return wake()
    }
    sending++
    const result = await handover.send(target, headers, one.body)
    sending--
    // A stopped attempt stays due, for the next process.
    if (result.error === 'stopped') return
    if (result.status !== null) {
      failures = 0
      pausedUntil = 0
    } else if (elapsed() >= pausedUntil) {
      failures++
      pausedUntil = elapsed() + waitAfter(failures, MOST_PAUSE_SECONDS) * 1000
    }
    onResult(one, result, headers !== one.rawHeaders)
    wake()
  }
  /** Fetches due events and sends them as far as there is room. */
  const wake = () => {
    again = true
    if (!taking) void fill()
  }
  return {
    wake,
    /** Whether a due event is still to be attempted; events that wait for the end of a pause do not count. */
    isBusy: () => sending > 0 || taking || (queue.length > 0 && free() > 0),
    stop() {
      stopped = true
      queue = []
    },
  }
}
