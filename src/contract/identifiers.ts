/** The prefixes and forms of identifiers, secrets, profile names and headers (§2, §5.3), and the board codes. */
export const OFFER_ID_PREFIX = 'off_'
export const CLIENT_ID_PREFIX = 'cid_'
export const LIVE_SECRET_PREFIX = 'sk_live_'
export const TEST_SECRET_PREFIX = 'sk_test_'
export const SUBSCRIPTION_ID_PREFIX = 'whsub_'
export const SIGNING_SECRET_PREFIX = 'whsec_'
export const EVENT_ID_PREFIX = 'evt_'
/** The prefix of access tokens of the local sandbox. Not in the interface. */
export const ACCESS_TOKEN_PREFIX = 'at_'
/** The prefix of delivery ids of the local sandbox. Not in the interface. */
export const DELIVERY_ID_PREFIX = 'dlv_'
/** The prefix of the local sandbox's reservation references, followed by ten Crockford base32 digits. §2.5 shows no form. */
export const SANDBOX_RESERVATION_REF_PREFIX = 'RSV-'

/** The board codes and their meaning. Not in the interface. */
export const BOARDS = {
  RO: 'Room only',
  BB: 'Bed and breakfast',
  HB: 'Half board',
  FB: 'Full board',
  AI: 'All inclusive',
} as const

export type BoardCode = keyof typeof BOARDS

/** The header that marks every answer of the local sandbox's own controls. Not in the interface. */
export const SANDBOX_MARK = {header: 'x-local-sandbox', value: 'bookctl'} as const

/** The live or the test mode of the service. The prefix of the client secret decides which one is used (§5.3). */
export type Mode = 'live' | 'test'

/**
 * Returns the mode that a client secret belongs to. Returns undefined if it has neither prefix of §5.3, or contains
 * spaces or other characters than those of ASCII.
 */
export function modeOfSecret(clientSecret: string): Mode | undefined {
  if (!/^[\x21-\x7e]+$/.test(clientSecret)) return undefined
  if (clientSecret.startsWith(LIVE_SECRET_PREFIX)) return 'live'
  return clientSecret.startsWith(TEST_SECRET_PREFIX) ? 'test' : undefined
}

/**
 * Reports whether `text` contains a client secret or a signing secret, recognised by its prefix. A prefix alone is no
 * secret.
 */
export function holdsSecret(text: string): boolean {
  return [LIVE_SECRET_PREFIX, TEST_SECRET_PREFIX, SIGNING_SECRET_PREFIX].some(prefix =>
    text.slice(0, -1).includes(prefix),
  )
}

/**
 * Returns a pattern for `prefix` and 1 to `most` visible ASCII characters. It rejects the path segments `.` and `..`,
 * because they would change a path.
 */
function visible(prefix: string, most: number): RegExp {
  return new RegExp(String.raw`^(?!(?:.*[/\\])?\.{1,2}(?:[/\\]|$))${prefix}[!-~]{1,${most}}$`)
}

/**
 * The forms of identifiers that users type or the client sends. The prefixes are from the interface (§2.3, §2.7, §2.8). The
 * lengths and characters are not; they keep an identifier from changing a path or a file name. Answers are not checked.
 * `expected` completes the message `must be …`.
 */
export const IDENTIFIERS = {
  /** An offer id contains no `..` and no path separators. */
  offer_id: {
    pattern: new RegExp(String.raw`^(?!.*\.\.)${OFFER_ID_PREFIX}(?:(?![/\\])[!-~]){1,508}$`),
    expected: 'an offer id (off_…)',
  },
  /** The interface shows no form (§2.5). */
  reservation_ref: {
    pattern: /^[A-Za-z0-9][A-Za-z0-9_.:-]{0,63}$/,
    expected: 'a reservation reference: letters, digits, _ . : and -, up to 64',
  },
  /** The partner's own reference (§2.4). */
  client_reference_id: {
    // A lone `-` means standard input elsewhere, so it is probably not a reference.
    pattern: /^(?!-$)[^\p{C}\p{Z}]{1,128}$/u,
    expected: 'a client reference: 1 to 128 visible characters without spaces',
  },
  subscription_id: {
    pattern: new RegExp(`^${SUBSCRIPTION_ID_PREFIX}[A-Za-z0-9_.:-]{1,122}$`),
    expected: 'a subscription id (whsub_…)',
  },
  event_id: {pattern: visible(EVENT_ID_PREFIX, 508), expected: 'an event id (evt_…)'},
  delivery_id: {
    pattern: new RegExp(`^${DELIVERY_ID_PREFIX}[A-Za-z0-9_-]{1,124}$`),
    expected: 'a delivery id (dlv_…)',
  },
  /** The id of a hotel or a tour. The interface shows no form. */
  other: {pattern: visible('', 512), expected: 'an identifier of visible ASCII characters, without spaces'},
} as const satisfies Record<string, {pattern: RegExp; expected: string}>

export type IdentifierKind = keyof typeof IDENTIFIERS

/** Reports whether `text` is empty, or is a missing value as jq, JavaScript or Python print it. */
export function isNoValue(text: string): boolean {
  return ['', 'null', 'undefined', 'None'].includes(text.trim())
}

/** Reports whether `text`, as the user typed it, has the form of an identifier of this kind. */
export function isIdentifier(kind: IdentifierKind, text: string): boolean {
  return IDENTIFIERS[kind].pattern.test(text) && !isNoValue(text)
}

/**
 * Reports whether `number` is a valid TC number: eleven digits with d1 ≠ 0, d10 = ((d1+d3+d5+d7+d9)·7 − (d2+d4+d6+d8)) mod 10,
 * d11 = (d1+…+d10) mod 10.
 */
export function isTcNumber(number: string): boolean {
  if (!/^[1-9]\d{10}$/.test(number)) return false
  const digits = [...number].map(Number)
  const sum = (from: number, to: number, step: number) =>
    digits.slice(from, to).reduce((total, digit, index) => total + (index % step === 0 ? digit : 0), 0)
  const tenth = sum(0, 9, 2) * 7 - sum(1, 9, 2)
  // `tenth` can be negative, and JavaScript's % keeps the sign. 19090909018, for example, is valid.
  return ((tenth % 10) + 10) % 10 === digits[9] && sum(0, 10, 1) % 10 === digits[10]
}

/** Matches the name of an HTTP header (RFC 9110 §5.1). The limit of 128 characters is not from the RFC. */
export const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/

/**
 * Matches the value of a header (RFC 9110 §5.5). undici refuses any other value with an error that looks like a lost
 * request.
 */
export const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/

/**
 * Matches the name of a profile. `__proto__` is excluded because JavaScript treats it specially. Not in the interface.
 */
export const PROFILE_NAME = /^(?!__proto__$)[A-Za-z0-9_-]{1,64}$/
/** `PROFILE_NAME` in words, for messages. */
export const PROFILE_NAME_FORM = 'up to 64 letters, digits, _ and -'
