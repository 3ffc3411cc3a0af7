/**
 * Finds the bodies that a text may mean after a mail broke its lines: a break stands for nothing, or for a space. Texts have one
 * character per byte (latin1).
 */
import type {Reading} from './request.js'

/** Limit of the texts that are tried, in all their ways together: about 50 ms. */
const MOST_TRIED_CHARACTERS = 16 * 1024 * 1024
const JOINED = 'lines that a mail had broken were joined again'
const END_DROPPED = 'the line break at the end was left out, because text files end with one'
const REST_DROPPED = 'the text after the end of the body was left out'

/**
 * Yields other readings of a body that ends a text: without what follows it, without the last line break, and with broken lines
 * joined. If the length of the body is known, only those of this length.
 */
export function* textReadings(text: string, length: number | undefined): Generator<Reading> {
  const fits = (reading: string) => length === undefined || reading.length === length
  const end = endOfValue(text)
  const value = text.slice(0, end)
  const lineBreak = /^\r?\n/.exec(text.slice(end))?.[0] ?? ''
  const unended = text.replace(/\r?\n$/, '')
  const starts = new Map<string, string | undefined>([[text, undefined]])
  if (!starts.has(unended)) starts.set(unended, END_DROPPED)
  const dropped = text.slice(end).trim() === '' ? END_DROPPED : REST_DROPPED
  for (const one of end > 0 ? [value, value + lineBreak] : []) if (!starts.has(one)) starts.set(one, dropped)
  for (const [start, note] of starts) if (start !== text && fits(start)) yield {body: bytes(start), note}
  for (const start of [...starts.keys()].toReversed())
    for (const reading of joinedReadings(start)) if (fits(reading.body.toString('latin1'))) yield reading
}

/** Yields the readings of `text` with broken lines joined. */
export function* joinedReadings(text: string): Generator<Reading & {readonly body: Buffer}> {
  for (const joined of joinedLines(text)) yield {body: bytes(joined), note: JOINED}
}

const bytes = (latin1: string) => Buffer.from(latin1, 'latin1')

/** Returns the position after the JSON object or list that `text` begins with, or 0. Line breaks may be within its strings. */
export function endOfValue(text: string): number {
  if (!/^\s*[{[]/.test(text)) return 0
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

/** Yields `text` with the line breaks that a mail may have put in it removed, or replaced by spaces, the likeliest ways first. */
function* joinedLines(text: string): Generator<string> {
  const {parts, breaks, added} = splitLines(text)
  if (added.length === 0) return
  const places = new Map(added.map((n, place) => [n, place]))
  const seen = new Set([text])
  const joined = (jointOf: (place: number, spaces: string) => string) =>
    parts.reduce((before, part, n) => {
      const lineBreak = breaks[n - 1] ?? ''
      const place = places.get(n - 1)
      return (
        before + (place === undefined ? lineBreak : jointOf(place, lineBreak.replace(/[\r\n]/g, ''))) + part
      )
    })
  const ways: ((place: number, spaces: string) => string)[] = [() => '', () => ' ', (_, spaces) => spaces]
  // Each break on its own, if there are few.
  const combinations = 2 ** added.length
  const isCheap = combinations * text.length <= MOST_TRIED_CHARACTERS
  for (let bits = 1; isCheap && bits < combinations - 1; bits += 1)
    ways.push(place => (bits & (1 << place) ? ' ' : ''))
  for (const way of ways) {
    const one = joined(way)
    if (!seen.has(one)) yield one
    seen.add(one)
  }
}

/** The shortest line at whose end a mail program breaks a text. */
const SHORTEST_WIDTH = 40

/**
 * Splits a text at its line breaks, each with the spaces before it. `added` are the breaks that a mail may have put there: those
 * within a JSON string, which holds none, and those where the next word has no room in the line.
 */
function splitLines(text: string): {parts: string[]; breaks: string[]; added: number[]} {
  const parts: string[] = []
  const breaks: string[] = []
  const inString: boolean[] = []
  let isInString = false
  let start = 0
  for (let at = 0; at < text.length; at += 1) {
    const mark = text[at]
    if (mark === '"') isInString = !isInString
    else if (mark === '\\' && isInString && !/[\r\n]/.test(text[at + 1] ?? '')) at += 1
    else if (mark === '\n') {
      const before = /[ \t]*\r?$/.exec(text.slice(start, at))?.[0] ?? ''
      parts.push(text.slice(start, at - before.length))
      breaks.push(`${before}\n`)
      inString.push(isInString)
      start = at + 1
    }
  }
  parts.push(text.slice(start))
  const width = parts.reduce((most, {length}) => Math.max(most, length), 0)
  const added = breaks.flatMap((_, n) => {
    const word = /^\S*/.exec(parts[n + 1] ?? '')?.[0] ?? ''
    const isFull = width >= SHORTEST_WIDTH && word !== '' && (parts[n]?.length ?? 0) + word.length >= width
    return inString[n] || isFull ? [n] : []
  })
  return {parts, breaks, added}
}
