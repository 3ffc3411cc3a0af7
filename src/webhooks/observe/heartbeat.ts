/**
 * Reports a receiver to its store every few seconds. If the store has failed, each report also tests whether it works
 * again, because a receiver that is not ready gets no events that would show it.
 */
import type {EventKeeper, ListenerReport} from '../../contract/stored-events.js'
import type {ReceiverState} from './receiver-state.js'

/** How often a receiver reports, and how often it retries after the store failed, in milliseconds. */
export const REPORT_MILLISECONDS = 2000
const RETRY_MILLISECONDS = 1000
/** Minimum size of a report after the store failed. Few events are larger. */
const RETRY_BYTES = 32 * 1024

interface HeartbeatOptions {
  readonly store: Pick<EventKeeper, 'beat'>
  readonly state: ReceiverState
  readonly place: () => Pick<ListenerReport, 'pid' | 'host' | 'since' | 'url' | 'adminUrl'>
  readonly onStoreError: (error: unknown) => void
}

export class Heartbeat {
  private timer: NodeJS.Timeout | undefined
  private beating: Promise<void> = Promise.resolve()
  private isStarted = false
  private isStopped = false

  constructor(private readonly options: HeartbeatOptions) {}

  /** Reports now, and regularly from now on. Never rejects. */
  async start(): Promise<void> {
    this.isStarted = true
    await this.beat()
    this.schedule()
  }

  /** Must be called when the store begins to fail, so that it is retried soon. */
  hurry(): void {
    this.schedule()
  }

  /** Stops reporting, after a last report of the requests that were refused since the previous one. */
  async stop(): Promise<void> {
    this.isStopped = true
    clearTimeout(this.timer)
    await this.beating
    if (this.isStarted && this.options.state.isStoreUp) await this.beat()
  }

  private schedule(): void {
    clearTimeout(this.timer)
    if (this.isStopped) return
    const wait = this.options.state.isStoreUp ? REPORT_MILLISECONDS : RETRY_MILLISECONDS
    this.timer = setTimeout(() => void this.beat().then(() => this.schedule()), wait).unref()
  }

  private beat(): Promise<void> {
    this.beating = this.beating.then(() => this.report())
    return this.beating
  }

  private async report(): Promise<void> {
    const {store, state, place, onStoreError} = this.options
    const isRetry = !state.isStoreUp
    const refused = state.takeRefused()
    try {
      await store.beat(state.report(place()), refused, isRetry ? RETRY_BYTES : 0)
      // A report that began before the failure does not show that the store works again.
      if (isRetry) state.storeWorks()
    } catch (error) {
      state.returnRefused(refused)
      onStoreError(error)
    }
  }
}
