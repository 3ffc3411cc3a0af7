/** Progress of slow requests, shown after a second, where stderr is a terminal, never in CI or with --quiet. */
import type {Sender, Trace} from '../../api/types.js'
import type {Clock} from '../../contract/dates.js'
import {wantsAccessible} from './colour.js'
import {stderrIsTerminal} from './streams.js'
import {clearTransient, isAsking, say, showTransient} from './talk.js'

type Progress = ReturnType<typeof createProgress>

const SHOWN_AFTER_MILLISECONDS = 1000
const FRAME_MILLISECONDS = 100
/** Work that starts this soon after other work continues its seconds. */
const SAME_WORK_MILLISECONDS = 300
const FRAMES = [...'⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏']

export function createProgress(quiet: boolean | undefined, env: NodeJS.ProcessEnv) {
  const isShown = !quiet && !env.CI && stderrIsTerminal()
  const isPlain = wantsAccessible(env)
  let label = ''
  let startedAt = 0
  let endedAt = Number.NEGATIVE_INFINITY
  let underWay = 0
  let timer: NodeJS.Timeout | undefined
  let shown = ''
  const show = () => {
    const elapsed = performance.now() - startedAt
    if (elapsed < SHOWN_AFTER_MILLISECONDS || isAsking()) return
    if (isPlain) {
      if (shown !== label) say(`${label}…`)
      shown = label
      return
    }
    const frame = FRAMES[Math.floor(elapsed / FRAME_MILLISECONDS) % FRAMES.length]
    showTransient(`${frame} ${label}… ${Math.floor(elapsed / 1000)} s`)
  }
  const end = () => {
    clearInterval(timer)
    timer = undefined
    endedAt = performance.now()
    clearTransient()
  }
  return {
    async during<T>(text: string, work: () => Promise<T>): Promise<T> {
      if (!isShown) return work()
      if (performance.now() - endedAt > SAME_WORK_MILLISECONDS && underWay === 0)
        startedAt = performance.now()
      label = text
      underWay += 1
      timer ??= setInterval(show, FRAME_MILLISECONDS).unref()
      try {
        return await work()
      } finally {
        underWay -= 1
        if (underWay === 0) end()
      }
    },
    /** Whether each label is a line of its own. */
    isPlain,
    relabel(text: string) {
      label = text
    },
    end,
  }
}

export function watchedSender(inner: Sender, progress: Progress): Sender {
  return {
    send(request, policy) {
      const {pathname, host} = new URL(request.url)
      const known = ACTIVITIES.find(([shape]) => shape.test(`${request.method} ${pathname}`))
      const activity = known?.[1] ?? `waiting for ${host}`
      const beforeAttempt = async () => {
        progress.relabel(activity)
        await policy.beforeAttempt?.()
      }
      return progress.during(activity, () => inner.send(request, {...policy, beforeAttempt}))
    },
  }
}

/** A trace that shows why and when an attempt is repeated. */
export function watchedTrace(inner: Trace, progress: Progress): Trace {
  return {
    attempt(record) {
      inner.attempt(record)
      const {outcome, waitMilliseconds} = record
      if (waitMilliseconds === undefined) return
      const seconds = Math.max(1, Math.round(waitMilliseconds / 1000))
      const why = 'reason' in outcome ? outcome.reason : `the service answered ${outcome.status}`
      progress.relabel(`${why}, trying again in ${seconds} s`)
    },
  }
}

/** A clock whose waits are shown, for commands that poll. */
export function watchedClock(inner: Clock, progress: Progress): Clock {
  return {
    now: () => inner.now(),
    sleep: milliseconds => progress.during('waiting', () => inner.sleep(milliseconds)),
  }
}

const ACTIVITIES: readonly (readonly [RegExp, string])[] = [
  [/^POST .*\/oauth\/token$/, 'getting an access token'],
  [/^POST .*\/oauth\/revoke$/, 'revoking the access token'],
  [/^POST .*\/hotels\/search$/, 'searching hotels'],
  [/^POST .*\/tours\/search$/, 'searching tours'],
  [/^POST .*\/reservations\/hotel$/, 'reserving'],
  [/^POST .*\/cancel$/, 'cancelling'],
  [/^GET .*\/voucher$/, 'asking for the voucher'],
  [/^POST .*\/subscriptions\/[^/]+\/test$/, 'sending the test event'],
]
