/**
 * Every number of the interface, once, and how limits are written. Our own numbers are beside the code that uses them, except
 * those that the client and the sandbox share.
 */

/** Lifetime of an access token (§2.1, §5.5, §8). */
export const ACCESS_TOKEN_LIFETIME_SECONDS = 7200
/** Validity of an offer, counted from its search (§2.3, §8). */
export const OFFER_VALIDITY_SECONDS = 15 * 60
/** Validity of `voucher.url` (§2.6, §8). */
export const VOUCHER_LINK_VALIDITY_SECONDS = 3600
/** Largest difference between a webhook's timestamp and now (§6.3, §8). */
export const SIGNATURE_TOLERANCE_SECONDS = 300
/** Time a subscriber has to answer a delivery (§6.4, §8). */
export const WEBHOOK_RESPONSE_SECONDS = 3
/** Attempts to deliver one event to one subscription (§6.4, §8). */
export const DELIVERY_ATTEMPTS = 8
/** Wait before attempts 1 to 8, each from the attempt before; 7 and 8 are not shown in §6.4 and are ours. */
export const DELIVERY_DELAYS_SECONDS = [0, 60, 300, 1800, 7200, 28_800, 86_400, 86_400] as const
/** Not in the interface: rooms in a search; adults, and children, in a room; age of a child. */
export const MOST_ROOMS = 9
export const MOST_PERSONS = 9
export const OLDEST_CHILD = 17
/** Not in the interface: visible ASCII characters of an Idempotency-Key. */
export const MOST_KEY_LENGTH = 255
/** Not in the interface: entries of a list that --limit may ask for. */
export const MOST_LISTED = 100_000
/** Last path segment of every base URL (§9). */
export const API_VERSION = 'v1'

export function sizeText(bytes: number): string {
  const kibibytes = bytes / 1024
  return kibibytes < 1024 ? `${kibibytes} KiB` : `${kibibytes / 1024} MiB`
}
