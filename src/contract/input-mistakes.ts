/** What is wrong with input that a person wrote: in words, and where in a JSON text, without quoting any of it. */
import type {z} from 'zod'
import {own} from './json.js'

export const MISSING = 'is missing'

/** The types of JSON and of zod, in words. */
export const TYPES: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
}

/** In place of zod's own messages: `safeParse(value, {error: plainMessage})`. */
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

/** Where `text` stops being JSON, and why. Node's own messages may quote the content. */
export function mistakeIn(text: string): {line: number; column: number; problem: string} {
  const {end} = scan(text)
  const before = text.slice(0, end).split('\n')
  const problem = end >= text.trimEnd().length ? 'it ends too early' : 'a stray character'
  return {line: before.length, column: (before.at(-1)?.length ?? 0) + 1, problem}
}

/** Deeper nesting is reported as the mistake. */
const MOST_LEVELS = 1000
const TOKEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: JSON allows none of them in a string
  /[{}[\],:]|"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"|true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y

/** Reads `text` as JSON to where it ends or breaks. `repeatedAt`: where a key begins that its object has already. */
function scan(text: string): {end: number; repeatedAt: number | undefined} {
  /** The keys of each object around, and undefined for a list. */
  const around: (Set<string> | undefined)[] = []
  let wanted: 'value' | 'first value' | 'key' | 'first key' | ':' | 'more' = 'value'
  let repeatedAt: number | undefined
  for (let at = skipSpaces(text, 0); ; at = skipSpaces(text, TOKEN.lastIndex)) {
    TOKEN.lastIndex = at
    const token = TOKEN.exec(text)?.[0]
    const keys = around.at(-1)
    const isValue = token !== undefined && !/^[{}[\],:]/.test(token)
    const isClosing = token === (keys ? '}' : ']') && (wanted === 'more' || wanted.startsWith('first'))
    if ((wanted === 'key' || wanted === 'first key') && token?.startsWith('"')) {
      const key = JSON.parse(token) as string
      if (keys?.has(key)) repeatedAt ??= at
      keys?.add(key)
      wanted = ':'
    } else if (wanted === ':' && token === ':') wanted = 'value'
    else if (wanted === 'more' && token === ',') wanted = keys ? 'key' : 'value'
    else if (wanted.endsWith('value') && (token === '{' || token === '[') && around.length < MOST_LEVELS) {
      around.push(token === '{' ? new Set() : undefined)
      wanted = token === '{' ? 'first key' : 'first value'
    } else if (isClosing || (wanted.endsWith('value') && isValue)) {
      if (isClosing) around.pop()
      if (around.length === 0) return {end: skipSpaces(text, TOKEN.lastIndex), repeatedAt}
      wanted = 'more'
    } else return {end: at, repeatedAt}
  }
}

const SPACES = /[ \t\n\r]*/y

function skipSpaces(text: string, from: number): number {
  SPACES.lastIndex = from
  SPACES.exec(text)
  return SPACES.lastIndex
}

/** The line of the first repeated key in a JSON text; undefined when there is none. */
export function repeatedKeyLine(text: string): number | undefined {
  const {repeatedAt} = scan(text)
  return repeatedAt === undefined ? undefined : text.slice(0, repeatedAt).split('\n').length
}

/** The line on which the value at `path` of a JSON text begins; where keys repeat, that of one of them. */
export function lineOf(text: string, path: readonly string[]): number {
  let at = 0
  for (const key of path) {
    const found = text.indexOf(JSON.stringify(key), at)
    if (found >= 0) at = found
  }
  return text.slice(0, at).split('\n').length
}
