/**
 * Forwards received events to the addresses of --forward-to: from the store, again until an address answers 2xx, and
 * recorded. At least once: after a kill, open requests are sent again. An address that hangs or is down does not delay
 * another.
 */
import {setTimeout as sleep} from 'node:timers/promises'
import {isSuccess} from '../../contract/error-codes.js'
import type {DueForward, EventKeeper, ForwardResult} from '../../contract/stored-events.js'
import {createGroupCommit} from '../receive/group-commit.js'
import type {Handover, HandoverResult} from './request.js'

/** The result of one attempt. */
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
  readonly random: () => number
  readonly onReport: (report: ForwardReport) => void
  readonly onStoreError: (error: unknown) => void
}

/** How often the store is asked for due events. */
const LOOK_MILLISECONDS = 1000
const RECORD_AGAIN_MILLISECONDS = 500
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
          await sleep(RECORD_AGAIN_MILLISECONDS)
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
  const lanes = targets.map(target => new ForwardLane(target, {...parts, onResult, maySendMore}))
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
      while (lanes.some(lane => lane.busy) && performance.now() < deadline) await sleep(10)
    },
    /** Stops, and resolves when the results of all attempts are recorded. */
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
  {sequence, target, attempts, receivedAt}: DueForward,
  {status, milliseconds, error}: HandoverResult,
  now: number,
  random: () => number,
): ForwardResult & Pick<ForwardReport, 'ms'> {
  const settled = {sequence, target, status, ms: milliseconds, error}
  if (isSuccess({status})) return {...settled, state: 'done', nextAttemptAt: now}
  const wait = error === SIGNATURE_TOO_OLD ? undefined : waitAfter(attempts + 1, now - receivedAt, random)
  if (wait === undefined) return {...settled, state: 'given_up', nextAttemptAt: now}
  return {...settled, state: 'pending', nextAttemptAt: now + wait}
}

/** Longest wait between two attempts of one event. */
const MOST_SECONDS = 300
/** Longest time an address that does not answer is left alone. */
const MOST_PAUSE_SECONDS = 30
/** About as long as the service itself retries (§6.4). */
const GIVE_UP_SECONDS = 3 * 24 * 3600

/** Seconds until attempt `attempts + 1`, 1 then doubling, with up to a fifth more; undefined: give up. */
export function waitAfter(attempts: number, ageSeconds: number, random: () => number): number | undefined {
  if (ageSeconds > GIVE_UP_SECONDS) return undefined
  return Math.min(MOST_SECONDS, 2 ** (attempts - 1)) * (1 + random() / 5)
}

/** Seconds to leave an address alone after it failed to answer `failures` times in a row. */
export function pauseAfter(failures: number): number {
  return Math.min(MOST_PAUSE_SECONDS, 2 ** (failures - 1))
}

interface LaneParts extends ForwarderParts {
  /** Takes the result of an attempt. */
  readonly onResult: (one: DueForward, result: HandoverResult, resigned: boolean) => void
  /** Whether results are recorded fast enough to send more. */
  readonly maySendMore: () => boolean
}

/** Requests to one address at a time, and how many events are fetched ahead. */
const AT_ONCE = 8
const AHEAD = 16

/**
 * The queue of one address: a few requests at a time, one alone and after a pause while it does not answer. What it takes
 * from the store is bounded, so that an address that hangs costs no memory.
 */
class ForwardLane {
  private queue: DueForward[] = []
  private sending = 0
  private taking = false
  private again = false
  private stopped = false
  private failures = 0
  /** On the clock of performance.now(). */
  private pausedUntil = 0

  constructor(
    private readonly target: string,
    private readonly parts: LaneParts,
  ) {}

  /** Whether a due event is still to be attempted; events that wait for the end of a pause do not count. */
  get busy(): boolean {
    return this.sending > 0 || this.taking || (this.queue.length > 0 && this.free > 0)
  }

  /** Fetches due events and sends them as far as there is room. */
  wake(): void {
    this.again = true
    if (!this.taking) void this.fill()
  }

  stop(): void {
    this.stopped = true
    this.queue = []
  }

  private get free(): number {
    if (this.stopped || performance.now() < this.pausedUntil) return 0
    return Math.max(0, (this.failures > 0 ? 1 : AT_ONCE) - this.sending)
  }

  private async fill(): Promise<void> {
    this.taking = true
    const {store, clock, maySendMore, onStoreError} = this.parts
    while (this.again && this.free > 0 && this.queue.length < AT_ONCE && maySendMore()) {
      this.again = false
      const due = await store.take(this.target, clock(), AHEAD - this.queue.length).catch(error => {
        onStoreError(error)
        return []
      })
      if (!this.stopped) this.queue.push(...due)
      this.sendSome()
    }
    this.taking = false
    this.sendSome()
  }

  private sendSome(): void {
    while (this.free > 0) {
      const one = this.queue.shift()
      if (one === undefined) return
      if (this.parts.store.holds(one)) void this.send(one)
    }
  }

  private async send(one: DueForward): Promise<void> {
    const {handover, headersOf, onResult, clock} = this.parts
    const headers = headersOf(one, clock())
    if (headers === undefined) {
      onResult(one, {status: null, milliseconds: 0, error: SIGNATURE_TOO_OLD}, false)
      return this.wake()
    }
    this.sending++
    const result = await handover.send(this.target, headers, one.body)
    this.sending--
    // A stopped attempt stays due, for the next process.
    if (result.error === 'stopped') return
    this.noteHealth(result)
    onResult(one, result, headers !== one.rawHeaders)
    this.wake()
  }

  private noteHealth({status}: HandoverResult): void {
    if (status !== null) {
      this.failures = 0
      this.pausedUntil = 0
    } else if (performance.now() >= this.pausedUntil) {
      this.failures++
      this.pausedUntil = performance.now() + pauseAfter(this.failures) * 1000
    }
  }
}
