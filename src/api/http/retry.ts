/** When to send again, and how long to wait before it. None of the numbers are in the interface. */
import {type Clock, ExchangeError, type ExchangeFault, type WireAnswer} from '../types.js'

/** For one call, repeats included. */
export const DEFAULT_TIMEOUT_SECONDS = 30
export const MOST_ATTEMPTS = 4
const FIRST_WAIT_MILLISECONDS = 250
const LONGEST_WAIT_MILLISECONDS = 20_000

/** Faults that may be gone a moment later; a bad certificate, a refusing proxy, size and protocol are not. */
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
 * Whether the same bytes may be sent once more. What is not repeatable may be when nothing of it left, or when the
 * service did not accept it (429).
 */
export function mayRepeat(outcome: Outcome, repeatable: boolean): boolean {
  if (outcome instanceof ExchangeError) {
    return PASSING_FAULTS.has(outcome.fault) && (repeatable || !outcome.sent)
  }
  return PASSING_STATUSES.has(outcome.status) && (repeatable || outcome.status === 429)
}

/**
 * Whether the service may have acted. Only an attempt of which nothing left, a 4xx, and a redirect that keeps the method
 * (307, 308) exclude it: a failing service, and one that redirects to a result (302, 303), may have acted before.
 */
export function mayHaveActed(outcome: {readonly status: number} | ExchangeError): boolean {
  if (outcome instanceof ExchangeError) return outcome.sent
  const {status} = outcome
  return status < 400 ? status !== 307 && status !== 308 : status >= 500
}

/**
 * Milliseconds to wait after attempt number `attempt` (from 1): full jitter up to min(20 s, 250 ms · 2ⁿ), raised to
 * what Retry-After asks for. `now` is Unix seconds.
 */
export function waitBeforeRepeat(outcome: Outcome, attempt: number, random: () => number, now: number) {
  const ceiling = Math.min(LONGEST_WAIT_MILLISECONDS, FIRST_WAIT_MILLISECONDS * 2 ** (attempt - 1))
  const asked = outcome instanceof ExchangeError ? undefined : retryAfterMilliseconds(outcome, now)
  return Math.max(random() * ceiling, asked ?? 0)
}

/** What Retry-After asks for: seconds or an HTTP date, the latter measured on the service's own clock (Date). */
export function retryAfterMilliseconds(answer: WireAnswer, now: number): number | undefined {
  const text = answer.headers['retry-after']?.trim() ?? ''
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000
  // Without letters it is no HTTP date; Date.parse would read "-1" as a year.
  const at = /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(at)) return undefined
  const date = Date.parse(String(answer.headers.date))
  return Math.max(0, at - (Number.isNaN(date) ? now * 1000 : date))
}

/** Waits, at most until `signal` is aborted. */
export async function pause(clock: Clock, milliseconds: number, signal?: AbortSignal): Promise<void> {
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
