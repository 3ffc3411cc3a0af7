/**
 * Forwards stored events until each target answers with 2xx. An event is delivered at least once: if the process is
 * killed during a request, the event is sent again.
 */
import {setTimeout as sleep} from 'node:timers/promises'
import {isSuccess} from '../../contract/operations.js'
import type {DueForward, EventKeeper, ForwardResult} from '../../contract/stored-events.js'
import {GroupCommit} from '../receive/group-commit.js'
import type {Handover, HandoverResult} from './request.js'

export interface ForwardReport extends DueForward, ForwardResult {
  readonly ms: number
  readonly attempt: number
  readonly resigned: boolean
}

/** The error of an event that was given up without an attempt, because its signature is too old for the target. */
export const SIGNATURE_TOO_OLD = 'signature_too_old'

interface ForwarderOptions {
  readonly targets: readonly string[]
  readonly store: Pick<EventKeeper, 'take' | 'holds' | 'settle'>
  readonly handover: Handover
  /**
   * Returns the headers for sending an event at `now` (Unix seconds), or undefined to give it up as SIGNATURE_TOO_OLD.
   */
  readonly headersOf: (event: DueForward, now: number) => readonly string[] | undefined
  /** Unix seconds. */
  readonly clock: () => number
  /** Returns monotonic milliseconds, like performance.now(), for the pauses of a target. */
  readonly elapsed: () => number
  readonly random: () => number
  readonly onReport: (report: ForwardReport) => void
  readonly onStoreError: (error: unknown) => void
}

/** Collects results, so that many are recorded in one transaction. */
type Records = GroupCommit<ForwardResult, undefined>

const TAKE_MILLISECONDS = 1000
const MOST_UNRECORDED = 2000

export class Forwarder {
  private readonly lanes: readonly Lane[]
  private readonly records: Records
  private readonly timer: NodeJS.Timeout
  private isStopped = false

  constructor(private readonly options: ForwarderOptions) {
    this.records = new GroupCommit({
      commit: results => this.record(results),
      maxWaiting: MOST_UNRECORDED * 2,
      maxBatch: 500,
      onError: options.onStoreError,
    })
    this.lanes = options.targets.map(target => new Lane(target, options, this.records))
    this.timer = setInterval(() => this.wake(), TAKE_MILLISECONDS)
  }

  wake(): void {
    for (const lane of this.lanes) lane.wake()
  }

  /** Resolves when an attempt was made for every due event, or after `milliseconds`. */
  async settled(milliseconds: number): Promise<void> {
    const deadline = performance.now() + milliseconds
    this.wake()
    while (this.lanes.some(lane => lane.isBusy()) && performance.now() < deadline) await sleep(10)
  }

  /** Stops, and resolves when the results of all attempts are recorded. */
  async stop(): Promise<void> {
    this.isStopped = true
    clearInterval(this.timer)
    for (const lane of this.lanes) lane.stop()
    this.options.handover.close()
    while (this.lanes.some(lane => lane.isBusy()) || this.records.waiting > 0) await sleep(5)
  }

  /**
   * Records results, and repeats until it succeeds: the store does not return an event again before its result is
   * recorded.
   */
  private async record(results: readonly ForwardResult[]): Promise<undefined[]> {
    const {store, onStoreError} = this.options
    for (;;) {
      try {
        await store.settle(results)
        return results.map(() => undefined)
      } catch (error) {
        if (this.isStopped) throw error
        onStoreError(error)
        await sleep(500)
      }
    }
  }
}

const MOST_SECONDS = 300
/** The longest pause for a target that does not answer. */
const MOST_PAUSE_SECONDS = 30
/** About as long as the service itself retries (§6.4). */
const GIVE_UP_SECONDS = 3 * 24 * 3600

/** Returns how many seconds to wait after `failures` in a row: 1, then twice as long each time, up to `most`. */
export function waitAfter(failures: number, most: number): number {
  return Math.min(most, 2 ** (failures - 1))
}

/** Maximum number of requests to one target at a time, and of events fetched in advance. */
const AT_ONCE = 8
const AHEAD = 16

/**
 * The queue of one target. It sends a few requests at a time. If the target does not answer, it sends one at a time,
 * after a pause. A target that hangs neither delays the others nor uses memory.
 */
class Lane {
  private queue: DueForward[] = []
  private sending = 0
  private isTaking = false
  /** Whether due events may have been added to the store since the last `take`. */
  private mayHaveMore = false
  private isStopped = false
  /** The number of attempts in a row that got no answer. */
  private failures = 0
  /** When the pause ends, in milliseconds on the clock of `elapsed`. */
  private pausedUntil = 0

  constructor(
    private readonly target: string,
    private readonly options: ForwarderOptions,
    private readonly records: Records,
  ) {}

  wake(): void {
    this.mayHaveMore = true
    if (!this.isTaking) void this.take()
  }

  /**
   * Reports whether an event that is due still has to be attempted. Events that wait for the end of a pause do not
   * count.
   */
  isBusy(): boolean {
    return this.sending > 0 || this.isTaking || (this.queue.length > 0 && this.free() > 0)
  }

  stop(): void {
    this.isStopped = true
    this.queue = []
  }

  private free(): number {
    if (this.isStopped || this.options.elapsed() < this.pausedUntil) return 0
    return Math.max(0, (this.failures > 0 ? 1 : AT_ONCE) - this.sending)
  }

  private async take(): Promise<void> {
    const {store, clock, onStoreError} = this.options
    const hasRoom = () => this.queue.length < AT_ONCE && this.records.waiting < MOST_UNRECORDED
    this.isTaking = true
    while (this.mayHaveMore && this.free() > 0 && hasRoom()) {
      this.mayHaveMore = false
      try {
        const due = await store.take(this.target, clock(), AHEAD - this.queue.length)
        if (!this.isStopped) this.queue.push(...due)
      } catch (error) {
        onStoreError(error)
      }
      this.sendSome()
    }
    this.isTaking = false
    this.sendSome()
  }

  private sendSome(): void {
    while (this.free() > 0) {
      const event = this.queue.shift()
      if (event === undefined) return
      if (this.options.store.holds(event)) void this.send(event)
    }
  }

  private async send(event: DueForward): Promise<void> {
    const {handover, headersOf, clock, elapsed} = this.options
    const headers = headersOf(event, clock())
    if (headers === undefined) {
      this.onResult(event, {status: null, milliseconds: 0, error: SIGNATURE_TOO_OLD}, false)
      return this.wake()
    }
    this.sending += 1
    const result = await handover.send(this.target, headers, event.body)
    this.sending -= 1
    // An attempt that was stopped remains due, for the next process.
    if (result.error === 'stopped') return
    if (result.status !== null) {
      this.failures = 0
      this.pausedUntil = 0
    } else if (elapsed() >= this.pausedUntil) {
      this.failures += 1
      this.pausedUntil = elapsed() + waitAfter(this.failures, MOST_PAUSE_SECONDS) * 1000
    }
    this.onResult(event, result, headers !== event.rawHeaders)
    this.wake()
  }

  private onResult(event: DueForward, result: HandoverResult, resigned: boolean): void {
    const {clock, random, onReport} = this.options
    const {sequence, target, receivedAt} = event
    const {status, milliseconds: ms, error} = result
    const now = clock()
    const attempt = event.attempts + 1
    let state: ForwardResult['state'] = 'pending'
    // Any 2xx status is a success, as for the service (§6.4).
    if (isSuccess({status})) state = 'done'
    else if (error === SIGNATURE_TOO_OLD || now - receivedAt > GIVE_UP_SECONDS) state = 'given_up'
    // A random extra of up to a fifth is added to the wait.
    const wait = state === 'pending' ? waitAfter(attempt, MOST_SECONDS) * (1 + random() / 5) : 0
    const settled = {sequence, target, status, ms, error, state, nextAttemptAt: now + wait}
    this.records.add(settled, () => {})
    onReport({...event, ...settled, attempt, resigned})
  }
}
