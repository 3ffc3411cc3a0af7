/** Text in columns of a terminal: 東 takes two, and a grapheme is never split. */
import stringWidth from 'string-width'
import wrapAnsi from 'wrap-ansi'

/** Printable ASCII, one column each: needs no look at each character. */
const PLAIN = /^[\x20-\x7e]*$/

/** The columns of `text`, which has no control characters. */
export function textWidth(text: string): number {
  if (PLAIN.test(text)) return text.length
  if (text.length <= PART) return stringWidth(text)
  // string-width takes a time that grows with the square of the length.
  let columns = 0
  for (const grapheme of graphemesOf(text)) columns += stringWidth(grapheme)
  return columns
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

let segmenter: Intl.Segmenter | undefined

/** Intl.Segmenter takes a time that grows with the square of the length (70 s for 100,000), so it gets a part at a time. */
const PART = 256

function* graphemesOf(text: string): Generator<string> {
  // Created on first use, because that takes milliseconds.
  segmenter ??= new Intl.Segmenter(undefined, {granularity: 'grapheme'})
  let length = PART
  for (let at = 0; at < text.length; ) {
    const isHalf = /[\ud800-\udbff]/.test(text.charAt(at + length - 1))
    const part = text.slice(at, at + length + (isHalf ? 1 : 0))
    const found = Array.from(segmenter.segment(part), ({segment}) => segment)
    // The last may go on behind the part.
    const whole = at + part.length < text.length ? found.slice(0, -1) : found
    length = whole.length === 0 ? length * 2 : PART
    for (const segment of whole) {
      yield segment
      at += segment.length
    }
  }
}

/** `text` in pieces of at most `width` columns each; a character wider than that is a piece of its own. */
export function* piecesOf(text: string, width: number): Generator<string> {
  let piece = ''
  let columns = 0
  for (const segment of graphemesOf(text)) {
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

/** A command in a sentence: in backticks, or up to a bracket, or a comma or colon at the end of a word. */
const COMMAND = /`[^`]*`|eval "[^"]*"|bookctl(?: (?:[^\s;,:)?]|[,:?](?=[^\s,:?]))+)+/g

/** `text` in lines of at most `columns`; a longer word is broken unless `isWhole` forbids it. */
export function wrap(text: string, columns: number, isWhole: (word: string) => boolean = () => true) {
  // wrap-ansi itself would split graphemes.
  const words = text
    .split(/[^\S\u00a0]+/)
    .flatMap(word => (textWidth(word) <= columns || isWhole(word) ? word : [...piecesOf(word, columns)]))
  return wrapAnsi(words.join(' '), columns).split('\n')
}

/**
 * `line` in at most `columns`, its first `lead` columns as they are, later lines indented by `indent`. What people copy stays
 * whole: identifiers, addresses, short commands.
 */
export function hang(line: string, columns: number, indent: number, lead: number = indent): string[] {
  if (line.length <= columns && textWidth(line) <= columns) return [line]
  const isNarrow = lead > 2 && columns - indent < NARROWEST_TEXT
  const margin = ' '.repeat(isNarrow ? 2 : indent)
  const room = columns - margin.length
  const whole = (command: string) =>
    textWidth(command) <= room ? command.replaceAll(' ', '\u00a0') : command
  const text = line.slice(lead).replace(COMMAND, whole)
  const lines = wrap(text, room, word => TO_BE_COPIED.test(word)).map(one => one.replaceAll('\u00a0', ' '))
  const [first = '', ...rest] = isNarrow ? ['', ...lines] : lines
  return [(line.slice(0, lead) + first).trimEnd(), ...rest.map(one => margin + one)]
}

/** A command line that can be pasted, broken with `\\` where it is longer than `width`, which has two columns of indent. */
export function pasteable(command: string, width: number): string {
  // Spaces inside quotes and `$(…)` do not divide words.
  const words = command.match(/(?:\\.|"(?:\$\([^)]*\)|\\.|[^"])*"|'[^']*'|[^\s"'])+/g) ?? []
  if (words.join(' ') !== command) return command
  const isValue = (flag: string, word: string) => /^--?[a-zA-Z-]+$/.test(flag) && !word.startsWith('-')
  const pairs = joined(words, (flag, word) => isValue(flag, word) && flag.length + word.length + 7 <= width)
  // Two columns are for the ` \\`.
  const fits = (line: string, word: string, count: number) =>
    (count === 1 ? 4 : 6) + line.length + 1 + word.length + 2 <= width
  return joined(pairs, fits).join(' \\\n  ')
}

/** `words`, each added to the one before it where `fits` says so; `count`: how many there are by then. */
function joined(words: readonly string[], fits: (line: string, word: string, count: number) => boolean) {
  const lines: string[] = []
  for (const word of words) {
    const line = lines.at(-1)
    if (line !== undefined && fits(line, word, lines.length)) lines[lines.length - 1] = `${line} ${word}`
    else lines.push(word)
  }
  return lines
}
