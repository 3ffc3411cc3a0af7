/** What stands under telling names in text: of a document that came cut off or broken there is no value to walk through. */
import {REDACTED} from './hidden-ranges.js'
import {isLinkName, isPeopleName, isTelling} from './telling-names.js'

/** JSON in a string of JSON, and so on: nobody means more. */
const MAX_STRINGS_IN_STRINGS = 4
/** A name and the text after it, as in JSON. */
const NAMED_TEXT = /"([\w-]{1,64})(\\*)"\s*:\s*\2"((?:[^"\\]|\\[\s\S])*)/g
/** A name and what follows it. */
const NAME = /"([\w-]{1,64})(\\*)"\s*:\s*/g
const NUMBER = /-?\d[\d.]*/y

/** Takes out what stands under telling names in text that is JSON, was to be JSON, or holds JSON in its strings. */
export function hideNamed(text: string, depth = 0): string {
  if (depth > MAX_STRINGS_IN_STRINGS) return REDACTED
  return withoutNamedOthers(text).replace(NAMED_TEXT, (all, name: string, _, value: string) => {
    const before = all.slice(0, all.length - value.length)
    // A link without a host: where links have one, it stays.
    const isPath = isLinkName(name) && /^\\*\//.test(value)
    return before + (isPath || hides(name) ? REDACTED : hideNamed(value, depth + 1))
  })
}

/** The same for what stands there and is no text: a number, an object, a list. */
function withoutNamedOthers(text: string): string {
  const parts: string[] = []
  let kept = 0
  for (const {0: all, 1: name = '', 2: backslashes = '', index} of text.matchAll(NAME)) {
    const start = index + all.length
    if (start <= kept || !hides(name)) continue
    const end = endOfOther(text, start, backslashes.length)
    if (end === start) continue
    parts.push(text.slice(kept, start), REDACTED)
    kept = end
  }
  return parts.join('') + text.slice(kept)
}

/**
 * Where the number, object or list ends that begins at `start`, or the text; `start` where none does. Before the quotes of
 * names there are `backslashes`.
 */
function endOfOther(text: string, start: number, backslashes: number): number {
  if (text.startsWith(REDACTED, start)) return start
  NUMBER.lastIndex = start
  const number = NUMBER.exec(text)
  if (number) return start + number[0].length
  return /[[{]/.test(text.charAt(start)) ? endOfBrackets(text, start, backslashes) : start
}

/** Where the bracket is closed that opens at `start`; the end of the text, or of the string it stands in, when it is not. */
function endOfBrackets(text: string, start: number, ofNames: number): number {
  // One before a quote in a string of JSON, three in a string of that, and so on.
  const level = Math.log2(ofNames + 1)
  if (!Number.isInteger(level)) return text.length
  let open = 0
  let isInString = false
  let backslashes = 0
  for (let index = start; index < text.length; index++) {
    const character = text[index] as string
    if (character === '\\') {
      backslashes++
      continue
    }
    if (character === '"') {
      const quote = quoteAfter(backslashes, level)
      if (quote === 'around') return index
      if (quote === 'delimiter') isInString = !isInString
    } else if (!isInString && '[{'.includes(character)) open++
    else if (!isInString && ']}'.includes(character)) open--
    if (open === 0) return index + 1
    backslashes = 0
  }
  return text.length
}

/** What a quote after so many backslashes is, `level` strings deep: of a string there, inside of one, or of one around. */
function quoteAfter(backslashes: number, level: number): 'delimiter' | 'inside' | 'around' {
  let left = backslashes
  for (let n = 0; n < level; n++) {
    if (left % 2 === 0) return 'around'
    left = (left - 1) / 2
  }
  return left % 2 === 0 ? 'delimiter' : 'inside'
}

/** Of a person everything goes: what is cut off does not say whose it was. */
function hides(name: string): boolean {
  return isTelling(name) || isPeopleName(name)
}
