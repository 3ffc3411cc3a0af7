/** Finds JSON in a text. Its end is found by a loop, because a RegExp overflows on long strings. */
import {parseText} from './request.js'

/** Returns the position after the JSON object or list that `text` begins with, or 0. Line breaks may be within its strings. */
export function endOfValue(text: string): number {
  if (!beginsJson(text)) return 0
  let depth = 0
  let isInString = false
  for (let at = 0; at < text.length; at += 1) {
    const mark = text[at]
    if (mark === '"') isInString = !isInString
    else if (isInString) at += mark === '\\' ? 1 : 0
    else if (mark === '{' || mark === '[') depth += 1
    else if (mark === '}' || mark === ']') {
      depth -= 1
      if (depth === 0) return at + 1
    }
  }
  return 0
}

export function beginsJson(text: string): boolean {
  return /^\s*[{[]/.test(text)
}

/** Reports whether `text` is the start of an object or a list whose end is missing. */
export function isCutJson(text: string): boolean {
  return beginsJson(text) && endOfValue(text) === 0
}

/** Returns the JSON in a text, behind a time or other words, with its own text and that behind it. */
export function embeddedJson(line: string): {value: object; text: string; rest: string} | undefined {
  for (const {index} of [...line.matchAll(/[{[]/g)].slice(0, 20)) {
    const rest = line.slice(index)
    const end = endOfValue(rest)
    const value = end === 0 ? undefined : parseText(rest.slice(0, end))
    if (typeof value === 'object' && value !== null && Object.keys(value).length > 0)
      return {value, text: rest.slice(0, end), rest: rest.slice(end)}
  }
  return undefined
}
