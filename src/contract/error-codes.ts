/** The errors. §7 shows only 401 for an expired token; the rest is ours, and no client depends on it. */
import STATUSES from './error-codes.json' with {type: 'json'}

export type ErrorCode = keyof typeof STATUSES

/** The HTTP status of each code. */
export const ERROR_CODES: Readonly<Record<ErrorCode, number>> = STATUSES

/** Whether the same request may be sent again after such a refusal. */
export function isRetryable(code: ErrorCode): boolean {
  return code === 'idempotency_in_progress' || ERROR_CODES[code] === 429 || ERROR_CODES[code] >= 500
}
