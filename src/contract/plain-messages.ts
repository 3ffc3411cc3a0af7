/** Messages in place of zod's own, for schemas without one. */
import type {z} from 'zod'

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
      return `must ${measured(issue.origin)} at least ${issue.minimum}${unitOf(issue.origin)}`
    case 'too_big':
      return `must ${measured(issue.origin)} at most ${issue.maximum}${unitOf(issue.origin)}`
    default:
      return 'is not valid'
  }
}

function measured(origin: string): string {
  return origin === 'array' || origin === 'string' ? 'have' : 'be'
}

function unitOf(origin: string): string {
  if (origin === 'array') return ' items'
  return origin === 'string' ? ' characters' : ''
}
