/**
 * Every number of the interface, each in one place. Numbers of our own are next to the code that uses them, except
 * those that the client and the sandbox share.
 */

/** Lifetime of an access token (§2.1, §5.5, §8). */
export const ACCESS_TOKEN_LIFETIME_SECONDS = 7200
/** Validity of an offer, counted from its search (§2.3, §8). */
export const OFFER_VALIDITY_SECONDS = 15 * 60
/** Validity of `voucher.url` (§2.6, §8). */
export const VOUCHER_LINK_VALIDITY_SECONDS = 3600
/** Maximum difference between a webhook's timestamp and the current time (§6.3, §8). */
export const SIGNATURE_TOLERANCE_SECONDS = 300
/** Time within which a subscriber must answer a delivery (§6.4, §8). */
export const WEBHOOK_RESPONSE_SECONDS = 3
/** Maximum number of attempts to deliver one event to one subscription (§6.4, §8). */
export const DELIVERY_ATTEMPTS = 8
/** The wait before each of the attempts 1 to 8, counted from the previous attempt. §6.4 does not show the last two. */
export const DELIVERY_DELAYS_SECONDS = [0, 60, 300, 1800, 7200, 28_800, 86_400, 86_400] as const
/** How long after an event the service may still deliver it: the sum of all delays. */
export const RETRY_SECONDS = DELIVERY_DELAYS_SECONDS.reduce<number>((sum, delay) => sum + delay, 0)
/** Limits on rooms in a search, on adults and on children in a room, and on a child's age. Not in the interface. */
export const MOST_ROOMS = 9
export const MOST_PERSONS = 9
export const OLDEST_CHILD = 17
/** Maximum length of an Idempotency-Key, in visible ASCII characters. Not in the interface. */
export const MOST_KEY_LENGTH = 255
/** Maximum value of --limit. Not in the interface. */
export const MOST_LISTED = 100_000
/** The last path segment of every base URL (§9). */
export const API_VERSION = 'v1'

export function sizeText(bytes: number): string {
  const kibibytes = bytes / 1024
  return kibibytes < 1024 ? `${kibibytes} KiB` : `${kibibytes / 1024} MiB`
}
