/** Finds secrets and personal data known by value in a text, in every spelling. */

/** From `start` to before `end`, in UTF-16 units. */
export interface Range {
  readonly start: number
  readonly end: number
}

export interface KnownValues {
  /** Ignores values of fewer than three characters. */
  add(value: string): void
  /** Where in a text they are; ranges may overlap. */
  find(text: string): Range[]
}

const MIN_LENGTH = 3
/** Shorter values may be part of innocent words and numbers, so they are found as whole words only. */
const MIN_LENGTH_INSIDE = 6
/** A word may follow an escape in a link or in JSON. */
const WORD_BEGINS = `(?<=^|[^\\p{L}\\p{N}]|%[\\da-fA-F]{2}|\\\\(?:[bfnrt]|u[\\da-fA-F]{4}))(?<!\\d\\.)`
/** 101 is not in 101.00. */
const WORD_ENDS = `(?![\\p{L}\\p{N}]|[.,]\\d{1,2}(?!\\d))`

export function createKnownValues(): KnownValues {
  const patterns = new Map<string, RegExp>()
  return {
    add(value) {
      if (value.length < MIN_LENGTH) return
      for (const spelling of spellingsOf(value)) {
        if (!patterns.has(spelling)) patterns.set(spelling, patternOf(spelling))
      }
    },
    find: text =>
      [...patterns].flatMap(([spelling, pattern]) =>
        text.includes(spelling) ? rangesOf(pattern, text, spelling.length) : [],
      ),
  }
}

/** The matches of a global pattern: the first `length` characters of each, or all. */
export function rangesOf(pattern: RegExp, text: string, length?: number): Range[] {
  return Array.from(text.matchAll(pattern), ({0: all, index}) => ({
    start: index,
    end: index + (length ?? all.length),
  }))
}

/** Finds overlapping matches, too. */
function patternOf(spelling: string): RegExp {
  const escaped = spelling.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
  if (spelling.length >= MIN_LENGTH_INSIDE) return new RegExp(`(?=${escaped})`, 'g')
  // Only a letter or digit at its ends can belong to a longer word.
  const begin = /^[\p{L}\p{N}]/u.test(spelling) ? WORD_BEGINS : ''
  const end = /[\p{L}\p{N}]$/u.test(spelling) ? WORD_ENDS : ''
  return new RegExp(begin + escaped + end, 'gu')
}

/** The secret itself, percent-encoded, inside a JSON string, in hex, and in base64 wherever in it it may begin. */
export function spellingsOf(secret: string): string[] {
  const bytes = Buffer.from(secret)
  const spellings = [
    secret,
    // Half a surrogate pair, which JSON can hold, goes out as U+FFFD.
    bytes.toString(),
    encodeURIComponent(bytes.toString()),
    JSON.stringify(secret).slice(1, -1),
    bytes.toString('hex'),
    ...[0, 1, 2].flatMap(offset => base64Cores(bytes, offset)),
  ]
  return [...new Set(spellings)].filter(spelling => spelling.length >= Math.min(4, secret.length))
}

/** The base64 characters that depend only on the secret when it starts at `offset` bytes (mod 3) in a longer text. */
function base64Cores(bytes: Buffer, offset: number): string[] {
  const padded = Buffer.concat([Buffer.alloc(offset), bytes])
  const from = Math.ceil((offset * 8) / 6)
  const to = Math.floor((padded.length * 8) / 6)
  return (['base64', 'base64url'] as const).map(encoding => padded.toString(encoding).slice(from, to))
}
