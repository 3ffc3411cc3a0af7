/** Makes text from the wire safe to display (one line, no invisible characters or terminal commands), and parses URLs. */

/** The text that replaces a secret or personal data in output. */
export const REDACTED = '[redacted]'

/**
 * Unsafe characters: controls, format characters (bidi, zero-width, tags), invisible ones (fillers, variation selectors), lone
 * surrogates, private use, noncharacters, separators and spaces that count as letters. A run of seven combining marks is unsafe
 * too, because it covers the neighbouring lines.
 */
const UNSAFE =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{DI}\p{NChar}\p{Zl}\p{Zp}\u2800\u{1d159}\u{e0000}-\u{e0fff}]|\p{M}{7}/u

/**
 * Splits a text into characters and safe emoji. Inside an emoji, some unsafe characters are harmless: a colour or
 * keycap mark, and joiners between up to four emoji. The length of a run of marks is limited, because a match of
 * millions would overflow the stack.
 */
const PARTS =
  /\p{ExtPict}(?:\ufe0f|\p{EMod})?(?:\u200d\p{ExtPict}(?:\ufe0f|\p{EMod})?){0,3}|[\d#*]\ufe0f\u20e3|\p{M}{7,1000}|./gsu

const EMOJI = /\p{ExtPict}|[\d#*]\ufe0f\u20e3/u

/** Fast path: printable ASCII contains no unsafe characters. */
const PLAIN = /^[\x20-\x7e]*$/

const SHORT: Readonly<Record<string, string>> = {'\n': '\\n', '\r': '\\r', '\t': '\\t'}

/**
 * Returns `text` on one line, with each unsafe character as a visible escape such as `\u202e`. The result has at most
 * `maxLength` UTF-16 units and ends in `…` if it was cut; escapes are never cut in half. The function is idempotent.
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
 * Reports whether every store keeps `text` unchanged. Some databases end a text at a NUL, and a lone surrogate becomes
 * U+FFFD, so that different ids would look like duplicates.
 */
export function isPlainText(text: string): boolean {
  return !/[\p{Cc}\p{Cs}]/u.test(text)
}

/** Quotes a text as one word of a shell command. The result is safe to print. */
export function shellWord(text: string): string {
  const isPlain = /^[\w.:@%+=/,-]+$/.test(text) && !text.startsWith('-')
  return sanitizeLine(isPlain ? text : `'${text.replaceAll("'", `'\\''`)}'`)
}

/** Percent-decodes a text. A text with invalid encoding is returned unchanged. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/**
 * Parses a URL. Returns undefined if it is invalid. `URL.canParse` is not used: in Node 20 and 22 it rejects every URL
 * with an ü after a few thousand calls.
 */
export function parseUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base)
  } catch {
    return undefined
  }
}
