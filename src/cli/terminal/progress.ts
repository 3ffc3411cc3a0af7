/**
 * Shows the progress of slow requests as one transient line on stderr: what is being waited for, and for how long.
 * Packages such as yocto-spinner do not fit, because this line makes way for messages and questions, counts seconds
 * across requests, and has a plain form.
 */
import type {AttemptRecord, Sender, Trace} from '../../api/types.js'
import type {Clock} from '../../contract/dates.js'
import {wantsAccessible} from './colour.js'
import {stderrIsTerminal} from './streams.js'
import {clearTransient, isAsking, say, showTransient} from './talk.js'

const SHOWN_AFTER_MILLISECONDS = 1000
const FRAME_MILLISECONDS = 100
/** If work starts within this time after other work has ended, the count of seconds continues. */
const SAME_WORK_MILLISECONDS = 300
const FRAMES = [...'⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏']

/** Creates the progress display, or returns undefined if stderr is not a terminal, in CI and with --quiet. */
export function openProgress(quiet: boolean | undefined, env: NodeJS.ProcessEnv): Progress | undefined {
  return quiet || env.CI || !stderrIsTerminal() ? undefined : new Progress(wantsAccessible(env))
}

class Progress implements Trace {
  private label = ''
  private step = ''
  private startedAt = 0
  private endedAt = Number.NEGATIVE_INFINITY
  private underWay = 0
  private timer: NodeJS.Timeout | undefined
  private lastLine = ''

  /** With `isPlain`, each label is printed on a line of its own and nothing moves. */
  constructor(readonly isPlain: boolean) {}

  /** Runs `work`, and shows `label` once it takes more than a second. */
  async during<T>(label: string, work: () => Promise<T>): Promise<T> {
    if (performance.now() - this.endedAt > SAME_WORK_MILLISECONDS && this.underWay === 0)
      this.startedAt = performance.now()
    this.label = label
    this.underWay += 1
    this.timer ??= setInterval(() => this.show(), FRAME_MILLISECONDS).unref()
    try {
      return await work()
    } finally {
      this.underWay -= 1
      if (this.underWay === 0) this.end()
    }
  }

  relabel(label: string): void {
    this.label = label
  }

  /** Sets a text that precedes every following label, for example `3 of 20`. */
  atStep(step: string): void {
    this.step = `${step}, `
  }

  end(): void {
    clearInterval(this.timer)
    this.timer = undefined
    this.endedAt = performance.now()
    clearTransient()
  }

  /** Returns a sender that shows a label for each request while it waits. */
  sender(inner: Sender): Sender {
    return {
      send: (request, policy) => {
        const {pathname, host} = new URL(request.url)
        const known = ACTIVITIES.find(({shape}) => shape.test(`${request.method} ${pathname}`))
        const label = known?.label ?? `waiting for ${host}`
        const beforeAttempt = async () => {
          this.relabel(label)
          await policy.beforeAttempt?.()
        }
        return this.during(label, () => inner.send(request, {...policy, beforeAttempt}))
      },
    }
  }

  /** Shows why a failed attempt is repeated, and when. */
  attempt({outcome, waitMilliseconds}: AttemptRecord): void {
    if (waitMilliseconds === undefined) return
    const seconds = Math.max(1, Math.round(waitMilliseconds / 1000))
    const why = 'reason' in outcome ? outcome.reason : `the service answered ${outcome.status}`
    this.relabel(`${why}, trying again in ${seconds} s`)
  }

  /** Returns a clock whose waits are shown, for commands that poll. */
  clock(inner: Clock): Clock {
    return {...inner, sleep: milliseconds => this.during('waiting', () => inner.sleep(milliseconds))}
  }

  private show(): void {
    const elapsed = performance.now() - this.startedAt
    if (elapsed < SHOWN_AFTER_MILLISECONDS || isAsking()) return
    if (this.isPlain) {
      const line = this.step + this.label
      if (this.lastLine !== line) say(`${line}…`)
      this.lastLine = line
      return
    }
    const frame = FRAMES[Math.floor(elapsed / FRAME_MILLISECONDS) % FRAMES.length]
    showTransient(`${frame} ${this.step}${this.label}… ${Math.floor(elapsed / 1000)} s`)
  }
}

const ACTIVITIES = [
  {shape: /^POST .*\/oauth\/token$/, label: 'getting an access token'},
  {shape: /^POST .*\/oauth\/revoke$/, label: 'revoking the access token'},
  {shape: /^POST .*\/hotels\/search$/, label: 'searching hotels'},
  {shape: /^POST .*\/tours\/search$/, label: 'searching tours'},
  {shape: /^POST .*\/reservations\/hotel$/, label: 'reserving'},
  {shape: /^POST .*\/cancel$/, label: 'cancelling'},
  {shape: /^GET .*\/voucher$/, label: 'asking for the voucher'},
  {shape: /^POST .*\/subscriptions\/[^/]+\/test$/, label: 'sending the test event'},
]
