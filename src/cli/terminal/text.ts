/**
 * Text in columns of a terminal: 東 takes two, and a grapheme is never split. string-width must be the version that
 * cli-table3 and wrap-ansi use: with another, columns would not line up.
 */
import stringWidth from 'string-width'
import wrapAnsi from 'wrap-ansi'

/** Printable ASCII, one column each: needs no look at each character. */
const PLAIN = /^[\x20-\x7e]*$/

/** The columns of `text`, which has no control characters. */
export function textWidth(text: string): number {
  return PLAIN.test(text) ? text.length : stringWidth(text)
}

let segmenter: Intl.Segmenter | undefined

function segments(text: string): Intl.Segments {
  // Created on first use, because that takes milliseconds.
  segmenter ??= new Intl.Segmenter(undefined, {granularity: 'grapheme'})
  return segmenter.segment(text)
}

/** `text` in at most `width` columns, with `…` where something was cut off. */
export function cutTo(text: string, width: number): string {
  if (textWidth(text) <= width) return text
  if (width < 1) return ''
  const [first = ''] = PLAIN.test(text) ? [text.slice(0, width - 1)] : piecesOf(text, width - 1)
  return `${textWidth(first) < width ? first.trimEnd() : ''}…`
}

/** `text` in exactly `width` columns: cut, or with spaces after it. */
export function fitTo(text: string, width: number): string {
  const cut = cutTo(text, width)
  return cut + ' '.repeat(Math.max(0, width - textWidth(cut)))
}

/** `text` in pieces of at most `width` columns each; a character wider than that is a piece of its own. */
export function* piecesOf(text: string, width: number): Generator<string> {
  let piece = ''
  let columns = 0
  for (const {segment} of segments(text)) {
    const wide = textWidth(segment)
    if (columns + wide > width && piece !== '') {
      yield piece
      piece = ''
      columns = 0
    }
    piece += segment
    columns += wide
  }
  yield piece
}

/** An identifier or address: plain ASCII, a colon only in an address, so it cannot look like a line of ours. */
const TO_BE_COPIED = /^(?:https?:\/\/[\w.-]+(?::\d+)?(?=[/?#]|$))?[\w.~%+/=?&#@!$,;-]*$/

/** With less room beside the first line's indent, the text starts on the next line. */
const NARROWEST_TEXT = 12

/** `text` in lines of at most `columns`; a longer word is broken unless `isWhole` forbids it. */
export function wrap(
  text: string,
  columns: number,
  isWhole: (word: string) => boolean = () => true,
): string[] {
  // wrap-ansi itself would split graphemes.
  const words = text
    .split(/\s+/)
    .flatMap(word => (textWidth(word) <= columns || isWhole(word) ? word : [...piecesOf(word, columns)]))
  return wrapAnsi(words.join(' '), columns).split('\n')
}

/** `line` hung by `indent` in at most `columns`; identifiers and addresses, which people copy, stay whole. */
export function hang(line: string, columns: number, indent: number): string[] {
  if (line.length <= columns && textWidth(line) <= columns) return [line]
  const isNarrow = indent > 2 && columns - indent < NARROWEST_TEXT
  const margin = ' '.repeat(isNarrow ? 2 : indent)
  const lines = wrap(line.slice(indent), columns - margin.length, word => TO_BE_COPIED.test(word))
  const [first = '', ...rest] = isNarrow ? ['', ...lines] : lines
  return [(line.slice(0, indent) + first).trimEnd(), ...rest.map(one => margin + one)]
}
