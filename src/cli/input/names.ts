/** Names of people, and other words about them, as they are typed: one rule for flags, files and questions. */
import {type Failure, usage} from '../../contract/failure.js'
import {sanitizeLine} from '../../contract/foreign-text.js'
import {isObject} from '../../contract/json.js'
import {named} from './checks.js'

/** Inside a word they are part of its spelling, in Persian and in the scripts of India. */
const JOINERS = /(?<=[\p{L}\p{M}])[\u200c\u200d](?=\p{L})/gu

/** Throws usage when part of `text` could not be seen where it is shown. Emoji can: they are only doubtful. */
export function checkVisible(field: string, text: string): void {
  const words = text.trim().replace(JOINERS, '')
  if (sanitizeLine(words) === words) return
  throw usage('invalid_input', named(field, 'must not contain invisible characters'))
}

/** What `checkVisible` refuses in the texts of `value`, which may be anything a file holds; `path`: where it is. */
export function faultsOfWords(value: unknown, path: string): Failure[] {
  if (isObject(value))
    return Object.entries(value).flatMap(([name, inner]) => faultsOfWords(inner, `${path}.${name}`))
  if (typeof value !== 'string') return []
  try {
    checkVisible(path, value)
    return []
  } catch (error) {
    return [error as Failure]
  }
}

/** What a name seldom has: `digits`, typed one question too early, or `symbols`, such as emoji. */
export function oddIn(name: string): 'digits' | 'symbols' | undefined {
  if (/\p{N}/u.test(name)) return 'digits'
  return /\p{So}/u.test(name) ? 'symbols' : undefined
}

/** A letter of another script; those that several scripts share, such as ʻ, are of none. */
const OTHER_LETTER = /(?!\p{Script=Latin}|\p{Script=Common}|\p{Script=Inherited})\p{L}/u

/** Said of a name that `needsLatin`. */
export const LATIN_ADVICE = 'hotels read the Latin letters of the passport'

/** Whether a name has letters that a hotel may not read; ş, ğ, ı, ß and ø are Latin. */
export function needsLatin(name: string): boolean {
  return OTHER_LETTER.test(name)
}
