/** Measures, cuts and wraps text in terminal columns. 東 takes two columns, and a grapheme is never split. */
import stringWidth from 'string-width'
import wrapAnsi from 'wrap-ansi'

/** Matches printable ASCII, in which each character has one column. */
const PLAIN = /^[\x20-\x7e]*$/

/** Returns the width of `text` in columns. It must not contain control characters. */
export function textWidth(text: string): number {
  if (PLAIN.test(text)) return text.length
  if (text.length <= PART) return stringWidth(text)
  // Long text is measured by grapheme, because the time of string-width grows with the square of the length.
  let columns = 0
  for (const grapheme of graphemesOf(text)) columns += stringWidth(grapheme)
  return columns
}

/** Cuts `text` to at most `width` columns, and marks the cut with `…`. */
export function cutTo(text: string, width: number): string {
  if (textWidth(text) <= width) return text
  if (width < 1) return ''
  const [first = ''] = PLAIN.test(text) ? [text.slice(0, width - 1)] : piecesOf(text, width - 1)
  return `${textWidth(first) < width ? first.trimEnd() : ''}…`
}

/** Cuts or pads `text` to exactly `width` columns. */
export function fitTo(text: string, width: number): string {
  const cut = cutTo(text, width)
  return cut + ' '.repeat(Math.max(0, width - textWidth(cut)))
}

let segmenter: Intl.Segmenter | undefined

/**
 * How many characters Intl.Segmenter gets at a time, because its time grows with the square of the length (70 s for
 * 100,000).
 */
const PART = 256

function* graphemesOf(text: string): Generator<string> {
  // It is created on first use, because that takes milliseconds.
  segmenter ??= new Intl.Segmenter(undefined, {granularity: 'grapheme'})
  let length = PART
  for (let at = 0; at < text.length; ) {
    const isHalf = /[\ud800-\udbff]/.test(text.charAt(at + length - 1))
    const part = text.slice(at, at + length + (isHalf ? 1 : 0))
    const found = Array.from(segmenter.segment(part), ({segment}) => segment)
    // The last grapheme may continue after this part.
    const whole = at + part.length < text.length ? found.slice(0, -1) : found
    length = whole.length === 0 ? length * 2 : PART
    for (const segment of whole) {
      yield segment
      at += segment.length
    }
  }
}

/** Splits `text` into pieces of at most `width` columns. A wider character is a piece of its own. */
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

/**
 * Matches an identifier or address, which is never broken. It is plain ASCII, with a colon only in an address, so it
 * cannot imitate a message of bookctl.
 */
const TO_BE_COPIED = /^(?:https?:\/\/[\w.-]+(?::\d+)?(?=[/?#]|$))?[\w.~%+/=?&#@!$,;-]*$/

/** If there are fewer columns than this beside the indent of the first line, the text starts on the next line. */
const NARROWEST_TEXT = 12

/**
 * Matches a command in a sentence: in backticks, or up to a bracket, or up to a comma or colon at the end of a word.
 */
const COMMAND = /`[^`]*`|eval "[^"]*"|bookctl(?: (?:[^\s;,:)?]|[,:?](?=[^\s,:?]))+)+/g

/** Wraps `text` to lines of at most `columns`. A longer word is broken, unless `isWhole` returns true for it. */
export function wrap(text: string, columns: number, isWhole: (word: string) => boolean = () => true) {
  // Long words are broken here, because wrap-ansi would split graphemes.
  const words = text
    .split(/[^\S\u00a0]+/)
    .flatMap(word => (textWidth(word) <= columns || isWhole(word) ? word : [...piecesOf(word, columns)]))
  return wrapAnsi(words.join(' '), columns).split('\n')
}

/**
 * Wraps `line` to at most `columns`. Its first `lead` columns stay as they are, and further lines are indented by
 * `indent`. Text that people copy is not broken: identifiers, addresses, short commands.
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

/**
 * If a command is longer than `width`, breaks it with `\\` so that it can be pasted. Two columns of `width` are the
 * indent.
 */
export function pasteable(command: string, width: number): string {
  // Spaces inside quotes and `$(…)` do not separate words.
  const words = command.match(/(?:\\.|"(?:\$\([^)]*\)|\\.|[^"])*"|'[^']*'|[^\s"'])+/g) ?? []
  if (words.join(' ') !== command) return command
  const isValue = (flag: string, word: string) => /^--?[a-zA-Z-]+$/.test(flag) && !word.startsWith('-')
  const pairs = joined(words, (flag, word) => isValue(flag, word) && flag.length + word.length + 7 <= width)
  // ` \\` takes two columns.
  const fits = (line: string, word: string, count: number) =>
    (count === 1 ? 4 : 6) + line.length + 1 + word.length + 2 <= width
  return joined(pairs, fits).join(' \\\n  ')
}

/** Joins each word to the previous one if `fits` returns true. `count` is the number of lines so far. */
function joined(words: readonly string[], fits: (line: string, word: string, count: number) => boolean) {
  const lines: string[] = []
  for (const word of words) {
    const line = lines.at(-1)
    if (line !== undefined && fits(line, word, lines.length)) lines[lines.length - 1] = `${line} ${word}`
    else lines.push(word)
  }
  return lines
}
