/** How help is laid out beyond what oclif's formatter does: paragraphs, a width to read in, commands that can be pasted. */
import type {HelpFormatter} from '@oclif/core/help'

/** Ours: lines longer than this are hard to read, however wide the terminal is. */
const WIDEST = 100
const NARROWEST = 40

/** The width help keeps to on a terminal of `columns`. */
export function helpWidth(columns: number): number {
  return Math.max(NARROWEST, Math.min(columns, WIDEST))
}

/** Paragraphs, separated by empty lines in `text`, wrapped; those that start with two spaces are kept as they are. */
export function prose(help: HelpFormatter, text: string, indent = 0): string {
  return text
    .trim()
    .split(/\n{2,}/)
    .map(part => (part.startsWith('  ') ? part : help.wrap(part.replace(/\s+/g, ' '), indent)))
    .join('\n\n')
}

/** Names with their explanations beside them. */
export function list(help: HelpFormatter, rows: readonly (readonly [string, string])[]): string {
  return help.indent(
    help.renderList(
      rows.map(row => [...row]),
      {indentation: 2, spacer: '\n', stripAnsi: true},
    ),
  )
}

/** A command line for pasting, broken with `\` where it is longer than `width`, which has two columns of indent. */
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
  return lines.map((line, index) => (index === 0 ? `$ ${line}` : `  ${line}`)).join(' \\\n')
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

/** The words of a shell command with their quotes; spaces inside quotes and `$(…)` do not divide. */
function shellWords(command: string): string[] {
  return command.match(/(?:"(?:\$\([^)]*\)|[^"])*"|'[^']*'|[^\s"'])+/g) ?? []
}
