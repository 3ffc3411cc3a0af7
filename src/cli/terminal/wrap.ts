/**
 * Text in lines for a terminal, broken by us: the terminal's own break continues in the first column, where a padded
 * hotel name would look like a line of ours.
 */
import wrapAnsi from 'wrap-ansi'
import {piecesOf, textWidth} from './text-width.js'

/** Plain ASCII without a colon except that of an address: nothing in it can look like a line of ours. */
const TO_BE_COPIED = /^(?:https?:\/\/[\w.-]+(?::\d+)?(?=[/?#]|$))?[\w.~%+/=?&#@!$,;-]*$/

/** With less room than this beside the first line's indent, the text begins on the next line. */
const NARROWEST_TEXT = 12

/**
 * `text` in lines of at most `columns`; any run of white space counts as one space. A word longer than a line is broken
 * between characters, unless `isWhole` says that it must stay in one piece.
 */
export function wrap(
  text: string,
  columns: number,
  isWhole: (word: string) => boolean = () => true,
): string[] {
  // wrap-ansi itself would break between code points, and tear a flag or a family apart.
  const words = text
    .split(/\s+/)
    .flatMap(word => (textWidth(word) <= columns || isWhole(word) ? word : [...piecesOf(word, columns)]))
  return wrapAnsi(words.join(' '), columns).split('\n')
}

/**
 * `line` in lines of at most `columns`, all but the first indented by `indent`; one that fits is left as it is.
 * Identifiers and addresses, which people copy, stay whole even when they are longer.
 */
export function hang(line: string, columns: number, indent: number): string[] {
  if (line.length <= columns && textWidth(line) <= columns) return [line]
  const isNarrow = indent > 2 && columns - indent < NARROWEST_TEXT
  const margin = ' '.repeat(isNarrow ? 2 : indent)
  const lines = wrap(line.slice(indent), columns - margin.length, word => TO_BE_COPIED.test(word))
  const [first = '', ...rest] = isNarrow ? ['', ...lines] : lines
  return [(line.slice(0, indent) + first).trimEnd(), ...rest.map(one => margin + one)]
}
