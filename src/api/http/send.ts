/**
 * Sends a request, repeating it until it is answered or the time is up, and decides how long to wait between attempts.
 * None of the numbers are in the interface.
 */

import type {Clock} from '../../contract/dates.js'
import {secretsIn} from '../redact/redact.js'
import {
  ExchangeError,
  type ExchangeFault,
  type ExchangeLimits,
  SendError,
  type Sender,
  type Trace,
  type Transport,
  type WireAnswer,
} from '../types.js'

interface SenderOptions {
  readonly transport: Transport
  readonly clock: Clock
  /** Returns a number from 0 up to but not including 1, for jitter. */
  readonly random: () => number
  /** Traces, called in this order with each attempt. */
  readonly traces?: readonly Trace[]
  /** Secrets that are not in the requests but that a service may repeat in an answer. */
  readonly secrets?: readonly string[]
  /** `bookctl/<version>`, sent with each request that has no user agent. */
  readonly userAgent?: string
}

const SEND_LIMITS = {
  connectSeconds: 10,
  bodyIdleSeconds: 30,
  answerBytes: 64 * 1024 * 1024,
  /**
   * After this many answers that report work in progress, the wait before a repeat no longer grows. It is at most 4 s.
   */
  waitsInProgress: 5,
} as const

/**
 * Creates a Sender. It makes at most four attempts with the same bytes, within the time limit of the policy. If the
 * service asks for fewer requests (429 with Retry-After), later requests wait too. Throws a SendError if no attempt
 * gets an answer.
 */
export function createSender({
  transport,
  clock,
  random,
  traces = [],
  secrets,
  userAgent,
}: SenderOptions): Sender & {readonly secrets: () => readonly string[]} {
  // Secrets of all requests so far, because a later answer may repeat those of an earlier request.
  const known = new Set(secrets)
  /** Unix seconds until which the service has asked for no further requests (429 with Retry-After). */
  let heldUntil = 0
  return {
    /** Returns the secrets of all requests so far. */
    secrets: () => [...known],
    async send(given, policy) {
      const {'user-agent': agent = userAgent} = given.headers
      const request = agent ? {...given, headers: {...given.headers, 'user-agent': agent}} : given
      for (const secret of secretsIn(request)) known.add(secret)
      const {signal, timeoutSeconds, repeatable, mostAttempts = MOST_ATTEMPTS} = policy
      const deadline = clock.now() + timeoutSeconds
      const heldSeconds = heldUntil - clock.now()
      if (heldSeconds > 0 && heldSeconds < timeoutSeconds) {
        // Jitter, because otherwise all waiting requests would be sent at once.
        await pause(clock, heldSeconds * 1000 + random() * FIRST_WAIT_MILLISECONDS, signal)
      }
      let acted = false
      // Answers that report work in progress are not counted as failed attempts.
      let inProgress = 0
      for (let attempt = 1; ; attempt++) {
        if (!signal?.aborted) await policy.beforeAttempt?.()
        if (signal?.aborted) {
          const stopped = new ExchangeError('stopped', false, 'the command was stopped')
          throw new SendError(stopped, attempt - 1, acted)
        }
        const startedAt = clock.now()
        const secondsLeft = deadline - startedAt
        const limit = (seconds: number) => Math.min(seconds, secondsLeft) * 1000
        const limits: ExchangeLimits = {
          connectMilliseconds: limit(SEND_LIMITS.connectSeconds),
          headersMilliseconds: limit(policy.attemptTimeoutSeconds ?? timeoutSeconds),
          bodyMilliseconds: limit(SEND_LIMITS.bodyIdleSeconds),
          totalMilliseconds: secondsLeft * 1000,
          maxAnswerBytes: policy.maxAnswerBytes ?? SEND_LIMITS.answerBytes,
          ...(signal ? {signal} : {}),
        }
        const outcome = await transport(request, limits).catch((error: unknown) => {
          if (error instanceof ExchangeError) return error
          throw error
        })
        const endedAt = clock.now()
        const isFault = outcome instanceof ExchangeError
        if (!isFault && outcome.status === 429)
          heldUntil = Math.max(heldUntil, endedAt + (retryAfterMilliseconds(outcome, endedAt) ?? 0) / 1000)
        const isInProgress = !isFault && (policy.isInProgress?.(outcome) ?? false)
        if (isInProgress) inProgress++
        acted ||= isInProgress
        const failed = attempt - inProgress
        const isFutile = attempt === 1 && isFault && outcome.isRefusedHere
        const isPassing = isFault ? PASSING_FAULTS.has(outcome.fault) : PASSING_STATUSES.has(outcome.status)
        // A request that is not repeatable is repeated only if none of it was sent, or if the service refused it with
        // 429.
        const isUndone = isFault ? !outcome.sent : outcome.status === 429
        const mayFail = !isFutile && failed < mostAttempts && isPassing && (repeatable || isUndone)
        let waitMilliseconds: number | undefined
        if (isInProgress || mayFail) {
          const nth = isInProgress ? Math.min(inProgress, SEND_LIMITS.waitsInProgress) : failed
          const wait = waitBeforeRepeat(outcome, nth, random, endedAt)
          if (endedAt + wait / 1000 < deadline) waitMilliseconds = wait
        }
        const milliseconds = (endedAt - startedAt) * 1000
        for (const trace of traces)
          trace.attempt({request, attempt, startedAt, milliseconds, outcome, waitMilliseconds})
        if (waitMilliseconds === undefined) {
          if (isFault) throw new SendError(outcome, attempt, acted || outcome.sent)
          return {...outcome, url: request.url, attempts: attempt, mayHaveActed: acted, secrets: [...known]}
        }
        acted ||= mayHaveActed(outcome)
        await pause(clock, waitMilliseconds, signal)
      }
    },
  }
}

/** Time limit of one call, including its repeats. */
export const DEFAULT_TIMEOUT_SECONDS = 30
const MOST_ATTEMPTS = 4
const FIRST_WAIT_MILLISECONDS = 250
const LONGEST_WAIT_MILLISECONDS = 20_000

/**
 * Faults that may not occur again a moment later. Others do, such as a bad certificate or an answer that is too large.
 */
const PASSING_FAULTS: ReadonlySet<ExchangeFault> = new Set([
  'dns',
  'refused',
  'connect_timeout',
  'proxy',
  'reset',
  'timeout',
  'cut',
])
const PASSING_STATUSES: ReadonlySet<number> = new Set([429, 500, 502, 503, 504])

type Outcome = WireAnswer | ExchangeError

/**
 * Reports whether the service may have acted on the request. It has not acted if nothing was sent, on a 4xx, or on a
 * redirect that keeps the method (307, 308). It may have acted on a 5xx, or on a redirect to the result (302, 303).
 */
export function mayHaveActed(outcome: {readonly status: number} | ExchangeError): boolean {
  if (outcome instanceof ExchangeError) return outcome.sent
  const {status} = outcome
  return status < 400 ? status !== 307 && status !== 308 : status >= 500
}

/**
 * Returns how many milliseconds to wait after attempt number `attempt` (from 1): full jitter up to min(20 s, 250 ms ·
 * 2ⁿ⁻¹), or the time in Retry-After if it is longer. `now` is in Unix seconds.
 */
function waitBeforeRepeat(outcome: Outcome, attempt: number, random: () => number, now: number) {
  const ceiling = Math.min(LONGEST_WAIT_MILLISECONDS, FIRST_WAIT_MILLISECONDS * 2 ** (attempt - 1))
  const asked = outcome instanceof ExchangeError ? undefined : retryAfterMilliseconds(outcome, now)
  return Math.max(random() * ceiling, asked ?? 0)
}

/**
 * Returns the milliseconds that Retry-After asks for, or undefined. An HTTP date is compared with the answer's Date
 * header if there is one, else with `now` (Unix seconds).
 */
export function retryAfterMilliseconds(answer: WireAnswer, now: number): number | undefined {
  const text = answer.headers['retry-after']?.trim() ?? ''
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000
  // An HTTP date has letters; Date.parse would read "-1" as a year.
  const at = /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(at)) return undefined
  const date = Date.parse(String(answer.headers.date))
  return Math.max(0, at - (Number.isNaN(date) ? now * 1000 : date))
}

/** Resolves after `milliseconds`, or as soon as `signal` is aborted. */
async function pause(clock: Clock, milliseconds: number, signal?: AbortSignal): Promise<void> {
  if (signal === undefined) return clock.sleep(milliseconds)
  if (signal.aborted) return
  await new Promise<void>((resolve, reject) => {
    const end = () => {
      signal.removeEventListener('abort', end)
      resolve()
    }
    signal.addEventListener('abort', end)
    clock.sleep(milliseconds).then(end, reject)
  })
}
