/**
 * Finds the bodies that a text may mean after a mail broke its lines: a break stands for nothing, or for a space. Texts have one
 * character per byte (latin1).
 */
import {endOfValue} from './json-text.js'
import type {Reading} from './request.js'

/** Limit of the work for one text, tried in all its ways: about 30 ms. */
const MOST_TRIED_CHARACTERS = 8 * 1024 * 1024
/** Trying a text takes as long as this many characters more. */
const COST_OF_WAY = 2000
export const JOINED = 'lines that a mail had broken were joined again'
const END_DROPPED = 'the line break at the end was left out, because text files end with one'
const REST_DROPPED = 'the text after the end of the body was left out'

/**
 * Yields other readings of a body that ends a text: without what follows it, without the last line break, and with broken lines
 * joined. If the length of the body is known, only those of this length. `whole` is the text that the body is in.
 */
export function* textReadings(text: string, length: number | undefined, whole: string): Generator<Reading> {
  const fits = (reading: string) => length === undefined || reading.length === length
  const unended = text.replace(/\r?\n$/, '')
  const starts = new Map<string, string | undefined>([[text, undefined]])
  if (!starts.has(unended)) starts.set(unended, END_DROPPED)
  const {json, isAlone} = withoutRest(text)
  for (const one of json) if (!starts.has(one)) starts.set(one, isAlone ? END_DROPPED : REST_DROPPED)
  for (const [start, note] of starts) if (start !== text && fits(start)) yield {body: bytes(start), note}
  for (const start of [...starts.keys()].toReversed())
    for (const reading of joinedReadings(start, whole))
      if (fits(reading.body.toString('latin1'))) yield reading
}

/** Yields `text` without the words that stand below the JSON that it begins with. */
export function* readingsWithoutWords(text: string): Generator<Reading> {
  const {json, isAlone} = withoutRest(text)
  if (!isAlone) for (const one of json) yield {body: bytes(one), note: REST_DROPPED}
}

/**
 * Returns the JSON that `text` begins with, without and with its line end, and whether nothing but white space follows it. There
 * is none if something follows on its last line, because words below a body have lines of their own.
 */
function withoutRest(text: string): {json: readonly string[]; isAlone: boolean} {
  const end = endOfValue(text)
  const rest = text.slice(end)
  const lineBreak = /^\r?\n/.exec(rest)?.[0]
  const isFound = end > 0 && lineBreak !== undefined
  const json = text.slice(0, end)
  return {json: isFound ? [json, json + lineBreak] : [], isAlone: rest.trim() === ''}
}

/** Yields the readings of `text`, which is in `whole`, with broken lines joined. */
export function* joinedReadings(text: string, whole: string): Generator<Reading & {readonly body: Buffer}> {
  for (const joined of joinedLines(text, whole)) yield {body: bytes(joined), note: JOINED}
}

const bytes = (latin1: string) => Buffer.from(latin1, 'latin1')

/**
 * Yields `text` with the line breaks that a mail may have put in it removed, or replaced by spaces, the likeliest ways first:
 * `{"name":"Ada⏎Lovelace"}` gives `{"name":"AdaLovelace"}` and then `{"name":"Ada Lovelace"}`.
 */
function* joinedLines(text: string, whole: string): Generator<string> {
  const {parts, breaks} = splitLines(text)
  if (breaks.length === 0) return
  const added = addedBreaks(parts, whole)
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
  const isCheap = combinations * (text.length + COST_OF_WAY) <= MOST_TRIED_CHARACTERS
  if (isCheap) {
    for (let bits = 1; bits < combinations - 1; bits += 1)
      ways.push(place => (bits & (1 << place) ? ' ' : ''))
  }
  for (const way of ways) {
    const one = joined(way)
    if (!seen.has(one)) yield one
    seen.add(one)
  }
}

/** Splits a text at its line breaks, each with the spaces before it. */
function splitLines(text: string): {parts: string[]; breaks: string[]} {
  const breaks = text.match(/[ \t]*\r?\n/g) ?? []
  return {parts: text.split(/[ \t]*\r?\n/), breaks}
}

/** The widths at which mail programs break lines, in characters. A longer one must show itself in several lines. */
const SHORTEST_WIDTH = 40
const LONGEST_WIDTH = 100
/** Programs count wide characters and marks differently, and a long word, such as a signature, makes one line a little longer. */
const SLACK = 5
const LONGEST_ENDS = 12

/** Returns the number of characters of `line`, which has one for each byte. */
function widthOf(line: string): number {
  return [...Buffer.from(line, 'latin1').toString('utf8')].length
}

/**
 * Returns which breaks between `parts` a mail program may have added: those at which the next word has no room. The longest line
 * of the text shows how wide its lines are. If it has 72 characters, a break after 20 characters, before a word of 5, is original,
 * and a break after 68 was added. Some programs do not break long words, so a line with a single long word does not count.
 */
function addedBreaks(parts: readonly string[], whole: string): number[] {
  const lines = whole.split(/[ \t]*\r?\n/)
  const isLongWord = (line: string) => !/\S[ \t]+\S/.test(line)
  const widths = lines.map(line => (line.length > LONGEST_WIDTH && isLongWord(line) ? 0 : widthOf(line)))
  const width = widths.reduce((most, each) => Math.max(most, each), 0)
  if (width < SHORTEST_WIDTH) return []
  const indexes = new Map<string, number>()
  for (const [n, line] of lines.entries()) indexes.set(line.slice(-LONGEST_ENDS), n)
  const added = parts.slice(0, -1).flatMap((part, n) => {
    // The line of the text may begin with more than the body, such as an option of a command.
    const line = lines[indexes.get(part.slice(-LONGEST_ENDS)) ?? -1] ?? part
    const word = /^\S*/.exec(parts[n + 1] ?? '')?.[0] ?? ''
    const length = Math.max(part.length, line.length) + word.length
    return word !== '' && length + SLACK >= width ? [n] : []
  })
  return width > LONGEST_WIDTH && added.length < 2 ? [] : added
}
