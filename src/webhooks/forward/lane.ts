/**
 * The way to one address: a few hand-overs at a time, one alone and after a pause while it does not answer. What it
 * takes out of the store is bounded, so that an address that hangs costs no memory.
 */
import type {Handover, HandoverResult} from './request.js'
import {pauseAfter} from './schedule.js'

export interface PendingForward {
  readonly sequence: number
  readonly target: string
  readonly eventId: string
  readonly type: string | null
  /** Unix seconds. */
  readonly receivedAt: number
  readonly rawHeaders: readonly string[]
  readonly body: Uint8Array
  /** Attempts before. */
  readonly attempts: number
}

export interface LaneParts {
  /** The next due ones, `limit` at most; each is given once until it is recorded. */
  readonly take: (limit: number) => Promise<readonly PendingForward[]>
  readonly handover: Handover
  /** Takes what an attempt came to. False: no more for now. */
  readonly onResult: (one: PendingForward, result: HandoverResult) => void
  /** Whether outcomes are recorded fast enough for more. */
  readonly mayGoOn: () => boolean
}

/** Ours: hand-overs to one address at a time, and how many more are fetched ahead. */
const AT_ONCE = 8
const AHEAD = 16

export class ForwardLane {
  private queue: PendingForward[] = []
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

  /** Whether anything is known to be due that had no attempt yet; what waits for a pause to end is not. */
  get busy(): boolean {
    return this.sending > 0 || this.taking || (this.queue.length > 0 && this.free > 0)
  }

  /** Looks for due events and sends them as far as there is room. */
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
    while (this.again && this.free > 0 && this.queue.length < AT_ONCE && this.parts.mayGoOn()) {
      this.again = false
      const due = await this.parts.take(AHEAD - this.queue.length)
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
      void this.send(one)
    }
  }

  private async send(one: PendingForward): Promise<void> {
    this.sending++
    const result = await this.parts.handover.send(this.target, one.rawHeaders, one.body)
    this.sending--
    // What was stopped stays due, for the next process.
    if (result.error === 'stopped') return
    this.noteHealth(result)
    this.parts.onResult(one, result)
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
