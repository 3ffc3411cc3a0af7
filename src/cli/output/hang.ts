/**
 * Long lines at a terminal: broken at blanks by us, with the rest set in, since the terminal's own break starts again in
 * the first column, where a padded hotel name would look like a line of ours. Runs of blanks count as one there.
 */
import {piecesOf, startOf, textWidth} from './text-width.js'

/** Plain ASCII without a colon but those of an address. */
const TO_BE_COPIED = /^(?:https?:\/\/[\w.-]+(?::\d+)?(?=[/?#]|$))?[\w.~%+/=?&#@!$,;-]*$/

/** Ours: with less room for the text than this, the rest is not set in. */
const NARROWEST_TEXT = 12

/**
 * `line` as one line or more of at most `columns`, all but the first after `indent` blanks. A longer word is broken, too,
 * unless it is one to be copied: an identifier or an address, in which nothing can look like a line of ours.
 */
export function hang(line: string, columns: number, indent: number): string[] {
  if (line.length <= columns && textWidth(line) <= columns) return [line]
  const setIn = indent > 0 && columns - indent < NARROWEST_TEXT ? 2 : indent
  const lead = line.slice(0, indent)
  const made: string[] = []
  let current = lead
  let isEmpty = true
  for (const word of line.slice(indent).split(/\p{Zs}+/u)) {
    const longer = isEmpty ? `${current}${word}` : `${current} ${word}`
    if (!isEmpty && textWidth(longer) > columns) {
      made.push(current)
      current = `${' '.repeat(setIn)}${word}`
    } else current = longer
    isEmpty = false
    if (textWidth(current) > columns && !TO_BE_COPIED.test(word)) {
      const [first, ...rest] = piecesAfter(current, columns, setIn)
      made.push(first, ...rest.slice(0, -1))
      current = rest.at(-1) ?? ''
    }
  }
  return [...made, current]
}

/** `text` in lines of at most `columns`, all but the first after `indent` blanks. */
function piecesAfter(text: string, columns: number, indent: number): [string, ...string[]] {
  const first = startOf(text, columns)
  const rest = piecesOf(text.slice(first.length), Math.max(2, columns - indent))
  return [first, ...rest.map(piece => `${' '.repeat(indent)}${piece}`)]
}
