/** Text from the wire, made safe to show (one line, nothing invisible, no terminal commands), and read as an address. */

/** Shown in place of a secret or of personal data. */
export const REDACTED = '[redacted]'

/**
 * Controls, format characters (bidi, zero-width, tags), invisible ones (fillers, variation selectors), lone surrogates,
 * private use, noncharacters, separators, spaces that count as letters; and runs of marks that cover the lines around.
 */
const UNSAFE =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{DI}\p{NChar}\p{Zl}\p{Zp}\u2800\u{1d159}\u{e0000}-\u{e0fff}]|\p{M}{7}/u

/**
 * Emoji that hold such characters harmlessly: in colour, with a keycap, and up to four joined to one. A run of marks has a
 * limit, because a pattern that goes through millions of them overflows the stack.
 */
const PARTS =
  /\p{ExtPict}(?:\ufe0f|\p{EMod})?(?:\u200d\p{ExtPict}(?:\ufe0f|\p{EMod})?){0,3}|[\d#*]\ufe0f\u20e3|\p{M}{7,1000}|./gsu

const EMOJI = /\p{ExtPict}|[\d#*]\ufe0f\u20e3/u

/** A fast path for most text. */
const PLAIN = /^[\x20-\x7e]*$/

const SHORT: Readonly<Record<string, string>> = {'\n': '\\n', '\r': '\\r', '\t': '\\t'}

/**
 * `text` on one line, every unsafe character written as a visible escape such as `\u202e`. With `maxLength`, at most
 * that many UTF-16 units, ending in `…` when something was left out; an escape is never cut in half. Doing it twice
 * changes nothing.
 */
export function sanitizeLine(text: string, maxLength = Number.POSITIVE_INFINITY): string {
  if (text.length <= maxLength && (PLAIN.test(text) || !UNSAFE.test(text))) return text
  let safe = ''
  let safeLengthWithEllipsis = 0
  for (const [part] of text.matchAll(PARTS)) {
    safe += EMOJI.test(part) || !UNSAFE.test(part) ? part : Array.from(part, escapeCharacter).join('')
    if (safe.length < maxLength) safeLengthWithEllipsis = safe.length
    if (safe.length > maxLength) return `${safe.slice(0, safeLengthWithEllipsis)}…`.slice(0, maxLength)
  }
  return safe
}

function escapeCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0
  const hex = code.toString(16)
  return SHORT[character] ?? (code > 0xffff ? `\\u{${hex}}` : `\\u${hex.padStart(4, '0')}`)
}

/**
 * Whether every store keeps `text` as it is, and apart from all others: a NUL ends a text in some of them, and a lone
 * surrogate is stored as U+FFFD, so that ids which differ in one would be taken for duplicates.
 */
export function isPlainText(text: string): boolean {
  return !/[\p{Cc}\p{Cs}]/u.test(text)
}

/** A word of a command line as a shell reads it, and safe to show. */
export function shellWord(text: string): string {
  const isPlain = /^[\w.:@%+=/,-]+$/.test(text) && !text.startsWith('-')
  return sanitizeLine(isPlain ? text : `'${text.replaceAll("'", `'\\''`)}'`)
}

/** Percent-decoded; as it is where it is no percent-encoding. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Undefined when `text` is no URL. `URL.canParse` of Node 20 and 22 denies every URL with an ü after a few thousand calls. */
export function parseUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base)
  } catch {
    return undefined
  }
}
