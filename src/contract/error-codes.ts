/** The errors. §7 shows only 401 for an expired token; the rest is ours, and no client depends on it. */

export const ERROR_CODES = {
  invalid_request: 400,
  validation_failed: 400,
  guest_count_mismatch: 400,
  nationality_mismatch: 400,
  invalid_identity_number: 400,
  idempotency_key_missing: 400,
  idempotency_key_invalid: 400,
  url_not_https: 400,
  invalid_scope: 400,
  unsupported_grant_type: 400,
  invalid_client: 401,
  token_invalid: 401,
  token_expired: 401,
  insufficient_balance: 402,
  insufficient_scope: 403,
  forbidden: 403,
  not_found: 404,
  offer_not_found: 404,
  hotel_not_found: 404,
  tour_not_found: 404,
  reservation_not_found: 404,
  subscription_not_found: 404,
  delivery_not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  offer_already_used: 409,
  duplicate_client_reference: 409,
  price_changed: 409,
  idempotency_in_progress: 409,
  reservation_not_confirmed: 409,
  already_cancelled: 409,
  not_cancellable: 409,
  not_updatable: 409,
  payment_not_pending: 409,
  subscription_passive: 409,
  offer_expired: 410,
  rooms_unavailable: 410,
  payload_too_large: 413,
  expectation_failed: 417,
  idempotency_key_reused: 422,
  rate_limited: 429,
  head_too_large: 431,
  internal_error: 500,
  service_unavailable: 503,
  upstream_timeout: 504,
} as const

export type ErrorCode = keyof typeof ERROR_CODES

/** Whether the same request may be sent again after such a refusal. */
export function isRetryable(code: ErrorCode): boolean {
  return code === 'idempotency_in_progress' || ERROR_CODES[code] === 429 || ERROR_CODES[code] >= 500
}
