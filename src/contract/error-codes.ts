/**
 * The error codes and their statuses. §7 shows only 401 for an expired token. The other codes are the sandbox's own, and the
 * client does not depend on them.
 */
import STATUSES from './error-codes.json' with {type: 'json'}

export type ErrorCode = keyof typeof STATUSES

/** The HTTP status of each code. */
export const ERROR_CODES: Readonly<Record<ErrorCode, number>> = STATUSES

/** Reports whether the same request may be sent again after an error with this code. */
export function isRetryable(code: ErrorCode): boolean {
  return code === 'idempotency_in_progress' || ERROR_CODES[code] === 429 || ERROR_CODES[code] >= 500
}
