/** Finds the end of JSON in a text, without parsing it. It uses a loop, because a RegExp overflows on long strings. */

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
