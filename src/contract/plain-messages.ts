/** Messages in place of zod's own, for schemas without one. */
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

/** For `safeParse(value, {error: plainMessage})`. */
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
