/** Text that came over the wire, made safe to show: one line, nothing invisible, nothing a terminal would obey. */

/** Controls (C0, DEL, C1), format characters (bidi, zero-width, tags), lone surrogates, separators, blank fillers. */
const UNSAFE =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0\u2065\u{e0000}-\u{e0fff}]|\u034f|\u17b4|\u17b5|[\u180b-\u180f]/u

const SHORT: Readonly<Record<string, string>> = {'\n': '\\n', '\r': '\\r', '\t': '\\t'}

/**
 * `text` on one line, every unsafe character written as a visible escape such as `\u202e`. With `maxLength`, at most
 * that many UTF-16 units, ending in `…` when something was left out; an escape is never cut in half. Doing it twice
 * changes nothing.
 */
export function sanitizeLine(text: string, maxLength = Number.POSITIVE_INFINITY): string {
  if (text.length <= maxLength && !UNSAFE.test(text)) return text
  let safe = ''
  let safeLengthWithEllipsis = 0
  for (const character of text) {
    safe += escapeUnsafe(character)
    if (safe.length < maxLength) safeLengthWithEllipsis = safe.length
    if (safe.length > maxLength) return `${safe.slice(0, safeLengthWithEllipsis)}…`.slice(0, maxLength)
  }
  return safe
}

function escapeUnsafe(character: string): string {
  if (!UNSAFE.test(character)) return character
  const code = character.codePointAt(0) ?? 0
  const hex = code.toString(16)
  return SHORT[character] ?? (code > 0xffff ? `\\u{${hex}}` : `\\u${hex.padStart(4, '0')}`)
}
