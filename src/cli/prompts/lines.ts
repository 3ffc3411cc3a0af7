/** Lines of text that fit a terminal: widths are columns, in which 東 takes two. Pure. */
import stringWidth from 'string-width'
import {cutTo, graphemesOf, startOf} from '../output/text-width.js'

/** `text` as lines of at most `width` columns, broken at blanks where there are any. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`
    if (stringWidth(longer) <= width) {
      line = longer
      continue
    }
    if (line !== '') lines.push(line)
    line = word
    while (stringWidth(line) > width) {
      const start = startOf(line, Math.max(width, 2))
      lines.push(start)
      line = line.slice(start.length)
    }
  }
  return [...lines, line]
}

/** The part of a typed line that `width` columns can show with the cursor in it, and the cursor's column there. */
export function windowOn(before: string, after: string, width: number): {shown: string; cursor: number} {
  if (stringWidth(before) < width) return {shown: cutTo(before + after, width), cursor: stringWidth(before)}
  const kept: string[] = []
  let columns = 1
  for (const character of graphemesOf(before).reverse()) {
    columns += stringWidth(character)
    if (columns >= width) break
    kept.unshift(character)
  }
  const start = `…${kept.join('')}`
  return {shown: start + startOf(after, width - stringWidth(start)), cursor: stringWidth(start)}
}

/** Rows that `lines` take where a line longer than `width` goes on in the next row. */
export function rowsOf(lines: readonly string[], width: number): number {
  return lines.reduce((rows, line) => rows + Math.max(1, Math.ceil(stringWidth(line) / width)), 0)
}
