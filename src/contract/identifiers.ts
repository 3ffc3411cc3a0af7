/** The prefixes and shapes of identifiers and secrets (§2, §5.3). */
export const OFFER_ID_PREFIX = 'off_'
export const CLIENT_ID_PREFIX = 'cid_'
export const LIVE_SECRET_PREFIX = 'sk_live_'
export const TEST_SECRET_PREFIX = 'sk_test_'
export const SUBSCRIPTION_ID_PREFIX = 'whsub_'
export const SIGNING_SECRET_PREFIX = 'whsec_'
export const EVENT_ID_PREFIX = 'evt_'
/** Ours: the local sandbox writes `RSV-` and ten Crockford base32 digits; §2.5 shows no shape. */
export const SANDBOX_RESERVATION_REF_PREFIX = 'RSV-'

/** Ours: the header, and its value, of every answer of the local sandbox's own controls; no other service has it. */
export const SANDBOX_MARK = {header: 'x-local-sandbox', value: 'bookctl'} as const

/** Live or test side of the operator's service, told from the client secret (§5.3). */
export type Mode = 'live' | 'test'

/** Which side a client secret belongs to, or undefined when it has neither prefix of §5.3. */
export function modeOfSecret(clientSecret: string): Mode | undefined {
  if (clientSecret.startsWith(LIVE_SECRET_PREFIX)) return 'live'
  if (clientSecret.startsWith(TEST_SECRET_PREFIX)) return 'test'
  return undefined
}

/**
 * Whether `text` may stand as a reservation_ref in a path and in the name of a file of ours.
 * §2.5 shows no shape; we take ASCII letters, digits and `_ . : -`, up to 64, starting with a letter or digit.
 */
export function isReservationRef(text: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9_.:-]{0,63}$/.test(text)
}

/** Whether `text` may stand as the partner's own reference: up to 128 visible characters, no spaces or controls. */
export function isClientReference(text: string): boolean {
  return /^[^\p{C}\p{Z}]{1,128}$/u.test(text)
}
