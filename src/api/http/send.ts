/** Sends a request until it is answered or time is up. */
import {secretsIn} from '../redact/secret-names.js'
import {
  type Clock,
  ExchangeError,
  SendError,
  type Sender,
  type SendPolicy,
  type Trace,
  type Transport,
  type WireRequest,
} from '../types.js'
import {MOST_ATTEMPTS, mayHaveActed, mayRepeat, pause, waitBeforeRepeat} from './retry.js'

interface SenderParts {
  readonly transport: Transport
  readonly clock: Clock
  /** From 0 up to 1, for the jitter. */
  readonly random: () => number
  readonly trace?: Trace
  /** Secrets beside those of the requests, which a service may echo. */
  readonly secrets?: readonly string[]
  /** `bookctl/<version>`; sent with every request that names no other. */
  readonly userAgent?: string
}

const SEND_LIMITS = {
  connectSeconds: 10,
  bodyIdleSeconds: 30,
  answerBytes: 64 * 1024 * 1024,
  /** The wait before asking again for what is in progress grows no longer than this one: up to 4 s. */
  waitsInProgress: 5,
} as const

/** A Sender: at most four attempts within the policy's time, the same bytes each time. Throws SendError. */
export function createSender({transport, clock, random, trace, secrets, userAgent}: SenderParts): Sender {
  // A later answer may echo what an earlier request carried.
  const known = new Set(secrets)
  return {
    async send(given, policy) {
      const {'user-agent': agent = userAgent} = given.headers
      const request = agent ? {...given, headers: {...given.headers, 'user-agent': agent}} : given
      for (const secret of secretsIn(request)) known.add(secret)
      const deadline = clock.now() + policy.timeoutSeconds
      let acted = false
      // Answers that only report work in progress do not count as failed attempts.
      let inProgress = 0
      for (let attempt = 1; ; attempt++) {
        requireUnstopped(policy, attempt - 1, acted)
        await policy.beforeAttempt?.()
        requireUnstopped(policy, attempt - 1, acted)
        const startedAt = clock.now()
        const outcome = await exchange(transport, request, policy, deadline - startedAt)
        const endedAt = clock.now()
        const isInProgress = !(outcome instanceof ExchangeError) && (policy.isInProgress?.(outcome) ?? false)
        if (isInProgress) inProgress++
        acted ||= isInProgress
        const failed = attempt - inProgress
        const isFutile = attempt === 1 && outcome instanceof ExchangeError && outcome.isRefusedHere
        const most = isFutile ? 1 : (policy.mostAttempts ?? MOST_ATTEMPTS)
        const mayFail = failed < most && mayRepeat(outcome, policy.repeatable)
        const nth = isInProgress ? Math.min(inProgress, SEND_LIMITS.waitsInProgress) : failed
        const wait = waitBeforeRepeat(outcome, nth, random, endedAt)
        const repeats = (isInProgress || mayFail) && endedAt + wait / 1000 < deadline
        const milliseconds = (endedAt - startedAt) * 1000
        const waitMilliseconds = repeats ? wait : undefined
        trace?.attempt({request, attempt, startedAt, milliseconds, outcome, waitMilliseconds})
        if (!repeats) {
          if (outcome instanceof ExchangeError) throw new SendError(outcome, attempt, acted || outcome.sent)
          return {...outcome, url: request.url, attempts: attempt, mayHaveActed: acted, secrets: [...known]}
        }
        acted ||= mayHaveActed(outcome)
        await pause(clock, wait, policy.signal)
      }
    },
  }
}

async function exchange(transport: Transport, request: WireRequest, policy: SendPolicy, secondsLeft: number) {
  const limit = (seconds: number) => Math.min(seconds, secondsLeft) * 1000
  try {
    return await transport(request, {
      connectMilliseconds: limit(SEND_LIMITS.connectSeconds),
      headersMilliseconds: limit(policy.attemptTimeoutSeconds ?? policy.timeoutSeconds),
      bodyMilliseconds: limit(SEND_LIMITS.bodyIdleSeconds),
      totalMilliseconds: secondsLeft * 1000,
      maxAnswerBytes: policy.maxAnswerBytes ?? SEND_LIMITS.answerBytes,
      ...(policy.signal ? {signal: policy.signal} : {}),
    })
  } catch (error) {
    if (error instanceof ExchangeError) return error
    throw error
  }
}

function requireUnstopped({signal}: SendPolicy, attempts: number, acted: boolean): void {
  if (!signal?.aborted) return
  throw new SendError(new ExchangeError('stopped', false, 'the command was stopped'), attempts, acted)
}
