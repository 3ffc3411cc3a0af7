/**
 * Long lines at a terminal: broken at blanks by us, with the rest set in, since the terminal's own break starts again in
 * the first column, where a padded hotel name would look like a line of ours. Runs of blanks count as one there.
 */
import stringWidth from 'string-width'

/** Ours: with less room for the text than this, the rest is not set in. */
const NARROWEST_TEXT = 12

/**
 * `line` as one line or more of at most `columns`, all but the first after `indent` blanks. A word without blanks that
 * is longer, such as an address to be copied, stays whole.
 */
export function hang(line: string, columns: number, indent: number): string[] {
  if (line.length <= columns && stringWidth(line) <= columns) return [line]
  const setIn = indent > 0 && columns - indent < NARROWEST_TEXT ? 2 : indent
  const lead = line.slice(0, indent)
  const made: string[] = []
  let current = lead
  let isEmpty = true
  for (const word of line.slice(indent).split(/\p{Zs}+/u)) {
    const longer = isEmpty ? `${current}${word}` : `${current} ${word}`
    if (!isEmpty && stringWidth(longer) > columns) {
      made.push(current)
      current = `${' '.repeat(setIn)}${word}`
    } else current = longer
    isEmpty = false
  }
  return [...made, current]
}
