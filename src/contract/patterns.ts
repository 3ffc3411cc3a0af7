/** Patterns of names that settings, flags and requests share. */

/** Name of an HTTP header (RFC 9110 §5.1); at most 128 characters is ours. */
export const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/

/** What a header may hold (RFC 9110 §5.5); undici refuses all else, and each refusal would look like a lost request. */
export const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/

/** Not in the interface: name of a profile. `__proto__` means something else to JavaScript. */
export const PROFILE_NAME = /^(?!__proto__$)[A-Za-z0-9_-]{1,64}$/
