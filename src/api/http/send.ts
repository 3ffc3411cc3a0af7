/** Sends a request until it is answered or time is up. */

import {secretsIn} from '../redact/secrets-in.js'
import type {Trace} from '../types.js'
import {
  type Clock,
  ExchangeError,
  SendError,
  type Sender,
  type SendPolicy,
  type SentAnswer,
  type Transport,
  type WireAnswer,
  type WireRequest,
} from '../types.js'
import {MAX_ATTEMPTS, mayHaveActed, mayRepeat, type Outcome, pause, waitBeforeRepeat} from './retry.js'

export interface SenderParts {
  readonly transport: Transport
  readonly clock: Clock
  /** From 0 up to 1, for the jitter. */
  readonly random: () => number
  readonly trace?: Trace
  /** Told beside those a request carries: what a service may know and echo. */
  readonly secrets?: readonly string[]
  /** `bookctl/<version>`; sent with every request that names no other. */
  readonly userAgent?: string
}

/** Ours. */
const CONNECT_SECONDS = 10
const BODY_IDLE_SECONDS = 30
const MAX_ANSWER_BYTES = 64 * 1024 * 1024
/** The wait for what is in progress grows no longer than this one: up to 4 s. */
const MOST_WAITS_IN_PROGRESS = 5

/** A Sender: at most four attempts within the policy's time, the same bytes each time. Throws SendError. */
export function createSender(parts: SenderParts): Sender {
  // What an earlier request carried may be echoed by a later answer.
  const known = new Set(parts.secrets)
  return {
    async send(request, policy) {
      const complete = withUserAgent(request, parts.userAgent)
      for (const secret of secretsIn(complete)) known.add(secret)
      const deadline = parts.clock.now() + policy.timeoutSeconds
      let acted = false
      // Answers that only say that it is being worked on are no failed attempts.
      let spared = 0
      for (let attempt = 1; ; attempt++) {
        if (policy.signal?.aborted) throw new SendError(stoppedBefore(), attempt - 1, acted)
        policy.beforeAttempt?.()
        const {outcome, wait, isInProgress} = await attemptOnce(parts, complete, policy, {
          deadline,
          attempt,
          spared,
        })
        if (wait === undefined) return {...settle(outcome, attempt, acted), secrets: [...known]}
        acted ||= isInProgress || mayHaveActed(outcome)
        if (isInProgress) spared++
        await pause(parts.clock, wait, policy.signal)
      }
    },
  }
}

interface Progress {
  readonly deadline: number
  /** From 1. */
  readonly attempt: number
  /** How many attempts before it do not count towards the most there may be. */
  readonly spared: number
}

/** One attempt, and how long to wait before the next; no wait when there is to be none. */
async function attemptOnce(
  parts: SenderParts,
  request: WireRequest,
  policy: SendPolicy,
  progress: Progress,
): Promise<{outcome: Outcome; wait: number | undefined; isInProgress: boolean}> {
  const {deadline, attempt} = progress
  const startedAt = parts.clock.now()
  const outcome = await exchange(parts.transport, request, policy, deadline - startedAt)
  const endedAt = parts.clock.now()
  const isInProgress = !(outcome instanceof ExchangeError) && (policy.isInProgress?.(outcome) ?? false)
  const wait = nextWait(outcome, isInProgress, policy, progress, parts.random, endedAt)
  const milliseconds = (endedAt - startedAt) * 1000
  parts.trace?.attempt({request, attempt, startedAt, milliseconds, outcome, waitMilliseconds: wait})
  return {outcome, wait, isInProgress}
}

async function exchange(
  transport: Transport,
  request: WireRequest,
  policy: SendPolicy,
  secondsLeft: number,
): Promise<Outcome> {
  const total = secondsLeft * 1000
  try {
    return await transport(request, {
      connectMilliseconds: Math.min(CONNECT_SECONDS * 1000, total),
      headersMilliseconds: Math.min((policy.attemptTimeoutSeconds ?? policy.timeoutSeconds) * 1000, total),
      bodyMilliseconds: Math.min(BODY_IDLE_SECONDS * 1000, total),
      totalMilliseconds: total,
      maxAnswerBytes: policy.maxAnswerBytes ?? MAX_ANSWER_BYTES,
      ...(policy.signal ? {signal: policy.signal} : {}),
    })
  } catch (error) {
    if (error instanceof ExchangeError) return error
    throw error
  }
}

/** Milliseconds, or undefined when this attempt was the last: not repeatable, too many, or the wait does not fit. */
function nextWait(
  outcome: Outcome,
  isInProgress: boolean,
  policy: SendPolicy,
  {attempt, spared, deadline}: Progress,
  random: () => number,
  now: number,
): number | undefined {
  const failed = attempt - spared
  const mayFail = failed < (policy.mostAttempts ?? MAX_ATTEMPTS) && mayRepeat(outcome, policy.repeatable)
  if (!isInProgress && !mayFail) return undefined
  const nth = isInProgress ? Math.min(spared + 1, MOST_WAITS_IN_PROGRESS) : failed
  const wait = waitBeforeRepeat(outcome, nth, random, now)
  return now + wait / 1000 < deadline ? wait : undefined
}

/** The fault of an attempt that is not begun any more. */
function stoppedBefore(): ExchangeError {
  return new ExchangeError('stopped', false, 'the command was stopped')
}

function settle(outcome: Outcome, attempts: number, acted: boolean): SentAnswer {
  if (outcome instanceof ExchangeError) throw new SendError(outcome, attempts, acted || outcome.sent)
  const {status, headers, body}: WireAnswer = outcome
  return {status, headers, body, attempts, mayHaveActed: acted}
}

function withUserAgent(request: WireRequest, userAgent: string | undefined): WireRequest {
  if (userAgent === undefined || request.headers['user-agent'] !== undefined) return request
  return {...request, headers: {...request.headers, 'user-agent': userAgent}}
}
