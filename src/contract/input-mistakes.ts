/** Describes mistakes in a user's input, and finds their position in a JSON text, without quoting the text. */
import type {z} from 'zod'
import {endOfJson, own} from './json.js'

export const MISSING = 'is missing'

/** The type names of JSON and zod in words, for messages. */
export const TYPES: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
}

/** Words a zod issue for users, in place of zod's own message: `safeParse(value, {error: plainMessage})`. */
export function plainMessage(issue: z.core.$ZodRawIssue): string {
  if (issue.input === undefined) return MISSING
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${TYPES[issue.expected] ?? issue.expected}`
    case 'invalid_value':
      return `must be ${issue.values.map(String).join(' or ')}`
    case 'too_small':
      return bounded(issue.origin, 'at least', issue.minimum)
    case 'too_big':
      return bounded(issue.origin, 'at most', issue.maximum)
    default:
      return 'is not valid'
  }
}

function bounded(origin: string, how: string, bound: number | bigint): string {
  const unit = own({array: 'item', string: 'character'}, origin)
  const what = `${how} ${bound}`
  return unit === undefined ? `must be ${what}` : `must have ${what} ${unit}${bound === 1 ? '' : 's'}`
}

/**
 * Returns the position (line and column from 1) where `text` stops being JSON, and the reason. The parser's own message
 * is not used, because it may quote the text.
 */
export function mistakeIn(text: string): {line: number; column: number; problem: string} {
  let end = endOfJson(text)
  // A mistake in a string is reported at the start of the string.
  const unquoted = text.slice(0, end).replace(STRING, found => ' '.repeat(found.length))
  if (unquoted.includes('"')) end = unquoted.indexOf('"')
  const before = text.slice(0, end).split('\n')
  const problem = end >= text.trimEnd().length ? 'it ends too early' : 'a stray character'
  return {line: before.length, column: (before.at(-1)?.length ?? 0) + 1, problem}
}

const STRING = /"[^"\\]*(?:\\.[^"\\]*)*"/gs
const KEYS_AND_BRACKETS = new RegExp(String.raw`(${STRING.source})(\s*:)?|[{}[\]]`, 'gs')

/** Returns the line (from 1) of the first repeated key in a JSON text, or undefined if no key is repeated. */
export function repeatedKeyLine(text: string): number | undefined {
  /** The keys seen so far in each enclosing object; an empty set for an enclosing array. */
  const around: Set<string>[] = []
  for (const {0: token, 1: name = '', 2: colon, index} of text.matchAll(KEYS_AND_BRACKETS)) {
    if (token === '{' || token === '[') around.push(new Set())
    else if (token === '}' || token === ']') around.pop()
    else if (colon !== undefined) {
      const key = JSON.parse(name) as string
      if (around.at(-1)?.has(key)) return text.slice(0, index).split('\n').length
      around.at(-1)?.add(key)
    }
  }
  return undefined
}

/**
 * Returns the line (from 1) where the value at `path` in a JSON text starts. If a key of the path occurs several times,
 * the line may be that of another occurrence.
 */
export function lineOf(text: string, path: readonly string[]): number {
  let at = 0
  for (const key of path) {
    const found = text.indexOf(JSON.stringify(key), at)
    if (found >= 0) at = found
  }
  return text.slice(0, at).split('\n').length
}
