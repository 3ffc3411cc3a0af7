/** How help is laid out: wrapped paragraphs, two columns, sections, and commands that can be pasted as they stand. */
import {wrap as wrapText} from '../output/wrap.js'

/** Ours: lines longer than this are hard to read, however wide the terminal is. */
const WIDEST = 100
const NARROWEST = 40
/** Ours: a longer first column has its text on the next line. */
const LEFT_COLUMN = 30

/** The width help keeps to on a terminal of `columns`. */
export function helpWidth(columns: number): number {
  return Math.max(NARROWEST, Math.min(columns, WIDEST))
}

/** `text` wrapped to `width`, each line after `indent` spaces; line ends of the source count as spaces. */
export function wrap(text: string, width: number, indent = 0): string {
  return wrapText(text, width - indent)
    .map(line => line && `${' '.repeat(indent)}${line}`)
    .join('\n')
}

/** Paragraphs, separated by empty lines in `text`; those that start with two blanks are kept as they are. */
export function paragraphs(text: string, width: number): string {
  return text
    .trim()
    .split(/\n{2,}/)
    .map(part => (part.startsWith('  ') ? part : wrap(part, width)))
    .join('\n\n')
}

/** Names with their explanations beside them. */
export function twoColumns(rows: readonly (readonly [string, string])[], width: number, indent = 2): string {
  const fitting = rows.map(([left]) => left.length).filter(length => length <= LEFT_COLUMN)
  const column = Math.max(0, ...fitting) + 2
  return rows.map(([left, right]) => beside(left, right, column, width, indent)).join('\n')
}

function beside(left: string, right: string, column: number, width: number, indent: number): string {
  const start = indent + column
  const text = wrap(right, width, start)
  if (text === '') return `${' '.repeat(indent)}${left}`
  if (left.length + 2 > column) return `${' '.repeat(indent)}${left}\n${text}`
  return `${' '.repeat(indent)}${left.padEnd(column)}${text.slice(start)}`
}

/** A heading with its body; nothing without a body. */
export function section(heading: string, body: string): string[] {
  return body === '' ? [] : [`${heading}\n${body}`]
}

/** A command line for pasting, broken with `\` where it is longer than `width`. */
export function pasteable(command: string, width: number): string {
  const lines = ['']
  for (const word of withValues(shellWords(command), width)) {
    const line = lines.at(-1) ?? ''
    const indent = lines.length === 1 ? 4 : 6
    if (line === '') lines[lines.length - 1] = word
    // Two columns are for the ` \`.
    else if (indent + line.length + 1 + word.length + 2 <= width) lines[lines.length - 1] = `${line} ${word}`
    else lines.push(word)
  }
  return lines.map((line, index) => (index === 0 ? `  $ ${line}` : `    ${line}`)).join(' \\\n')
}

/** The words with each flag and its value as one, where that fits on a line. */
function withValues(words: readonly string[], width: number): string[] {
  const joined: string[] = []
  for (const word of words) {
    const before = joined.at(-1) ?? ''
    const fits = before.length + word.length + 7 <= width
    if (/^--?[a-z-]+$/.test(before) && !word.startsWith('-') && fits)
      joined[joined.length - 1] = `${before} ${word}`
    else joined.push(word)
  }
  return joined
}

/** The words of a shell command with their quotes; blanks inside quotes and `$(…)` do not divide. */
function shellWords(command: string): string[] {
  return command.match(/(?:"(?:\$\([^)]*\)|[^"])*"|'[^']*'|[^\s"'])+/g) ?? []
}
