/** Looks at the receiver of a soak from outside, and prints the figures of each minute. */
import {setTimeout as sleep} from 'node:timers/promises'
import {scrape} from '../../support/prometheus.js'
import type {Alerts} from './prometheus.js'
import {type ReceiverProcess, residentMegabytes} from './stage.js'
import type {Sender, Target} from './traffic.js'

export const clockOf = (seconds = 0) => new Date(seconds * 1000).toISOString().slice(11, 19)

/** Looks every second: at the metrics, the readiness and the memory. */
export class Watch {
  readonly wrong: string[] = []
  /** Resident memory over the run, one value every five seconds. */
  readonly megabytes: number[] = []
  /** The last metrics. */
  last: Record<string, number> = {}
  /** Whether it should be ready now; undefined while it cannot be asked. */
  expectsReady: boolean | 'either' | undefined = true
  private readonly began = performance.now()
  private isClosed = false
  private scrapes = 0

  constructor(
    private readonly receiver: ReceiverProcess,
    private readonly alerts: Alerts,
    private readonly sender: Sender,
    private readonly target: Target,
  ) {
    console.error(
      '| Minute | Sent | 200 | 503 | No answer | Stored | Target | Pending | Oldest s | RSS MB | Scrapes | Alerts now |\n|' +
        ' --- |'.repeat(12),
    )
    void this.watch()
  }

  /** Says what is wrong, with the time. */
  note(text: string): void {
    this.wrong.push(`${clockOf(Date.now() / 1000)} ${text}`)
    console.error(`✗ ${this.wrong.at(-1)}`)
  }

  close(): void {
    this.isClosed = true
  }

  private async watch(): Promise<void> {
    for (let second = 0; !this.isClosed; second++) {
      await sleep(1000)
      if (this.isClosed) return
      if (this.receiver.hasEnded()) return this.note('it ended by itself')
      await this.look().catch(error => this.note(`cannot be looked at: ${(error as Error).message}`))
      if (second % 5 === 0) this.megabytes.push(residentMegabytes(this.receiver.pid))
      if (second % 60 === 59) await this.report()
    }
  }

  private async look(): Promise<void> {
    const {adminUrl} = this.receiver
    const before = this.expectsReady
    if (before === undefined) return
    this.last = await scrape(adminUrl)
    this.scrapes += 1
    const {status} = await fetch(`${adminUrl}/readyz`)
    // What is expected may have changed meanwhile.
    const isCertain = before !== 'either' && before === this.expectsReady
    if (isCertain && status !== (before ? 200 : 503)) this.note(`/readyz answered ${status}`)
    const count = Object.keys(this.last).length
    if (count > 200) this.note(`${count} series`)
  }

  private async report(): Promise<void> {
    const {sender, target, last} = this
    const {sent, accepted, busy, unanswered} = sender.counts
    const fired = await this.alerts.fired()
    const recent = Date.now() / 1000 - 15
    const now = [...fired].filter(([, times]) => (times.at(-1) ?? 0) > recent).map(([name]) => name)
    const row = [
      ((performance.now() - this.began) / 60_000).toFixed(1),
      ...[sent, accepted, busy, unanswered, last['bookctl_webhook_requests_total{outcome="stored"}']],
      target.mood,
      last.bookctl_forward_pending,
      last.bookctl_forward_oldest_pending_seconds?.toFixed(0),
      this.megabytes.at(-1)?.toFixed(1),
      this.scrapes,
      now.join(', '),
    ]
    console.error(`| ${row.join(' | ')} |`)
  }
}

/** Waits until `holds` does, and returns whether it did within `seconds`. */
export async function until(seconds: number, holds: () => boolean | Promise<boolean>): Promise<boolean> {
  for (const end = performance.now() + seconds * 1000; performance.now() < end; ) {
    if (await holds()) return true
    await sleep(200)
  }
  return false
}
