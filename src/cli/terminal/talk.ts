/**
 * Prints the messages of commands on stderr, each line sanitised. A transient last line is erased before other output.
 */
import process from 'node:process'
import {stripVTControlCharacters} from 'node:util'
import {sanitizeLine} from '../../contract/foreign-text.js'
import {own} from '../../contract/json.js'
import {painterFor, type Style} from './colour.js'
import {createLineWriter, type LineWriter} from './line-writer.js'
import {stderr, stderrIsTerminal, widthOf} from './streams.js'

const LEADS: Readonly<Record<string, Style>> = {
  'Error:': 'error',
  'ERROR:': 'error',
  'Warning:': 'waiting',
  'Hint:': 'hint',
  'LIVE:': 'live',
}

/**
 * The module that wraps lines. Only `prepareToWrap` loads it: its emoji tables add 22 ms to a start (Node 20), and most
 * commands in scripts wrap nothing.
 */
let text: typeof import('./text.js') | undefined

/** Loads the code that wraps lines. Before that, lines are printed without wrapping. */
export async function prepareToWrap(): Promise<void> {
  text ??= await import('./text.js')
}

let transient = ''
let questions = 0
/**
 * The widths of the lines written to the terminal since its first question, so that they can be erased when the user
 * goes back.
 */
let written: number[] | undefined

function count(lines: readonly string[]): void {
  for (const line of lines) written?.push(text?.textWidth(line) ?? line.length)
}

/** Counts lines that were written without `say`. Each ends in a line feed. */
export function countLines(text: string): void {
  count(stripVTControlCharacters(text).split('\n'))
}

/**
 * Returns the current position in the output. Lines are counted from the first call on, so a command that never asks
 * stores none.
 */
export function placeNow(): number {
  written ??= []
  return written.length
}

/**
 * Forgets the lines written since `place`, and returns how many rows of the terminal they occupy, so that the caller
 * can erase them.
 */
export function takeBack(place: number, columns: number): number {
  return rowsOf(written?.splice(place) ?? [], columns)
}

/** Returns how many rows of the terminal lines of these widths occupy. */
export function rowsOf(widths: readonly number[], columns: number): number {
  return widths.reduce((rows, width) => rows + Math.max(1, Math.ceil(width / columns)), 0)
}

/** Reports whether a question is open. Nothing may be drawn over it. */
export function isAsking(): boolean {
  return questions > 0
}

export async function whileAsking<T>(ask: () => Promise<T>): Promise<T> {
  clearTransient()
  questions += 1
  try {
    return await ask()
  } finally {
    questions -= 1
  }
}

/** Prints one or more lines on stderr. A line feed inside a line is shown as `\n`. */
export function say(lines: string | readonly string[]): void {
  const painter = painterFor(stderr(), process.env)
  clearTransient()
  const columns = stderrIsTerminal() ? widthOf(stderr()) : Number.POSITIVE_INFINITY
  const shown = [lines].flat().flatMap(line => wrapForTerminal(sanitizeLine(line), columns))
  count(shown)
  const painted = shown.map(line => {
    const lead = line.split(' ', 1)[0] ?? ''
    const style = own(LEADS, lead)
    return style === undefined ? line : `${painter(style, lead)}${line.slice(lead.length)}`
  })
  stderr().write(painted.map(line => `${line}\n`).join(''))
}

/**
 * Creates a writer of lines on stderr, sanitised. It writes in the background, which suits many lines. `onLost` is
 * called for every line that is dropped because the reader is too slow.
 */
export function createBackgroundTalk(onLost: () => void): LineWriter {
  const writer = createLineWriter(onLost, (text, done) => void stderr().write(text, done))
  return {...writer, write: line => writer.write(sanitizeLine(line))}
}

/**
 * Wraps a line for the terminal. The text of a fact continues below its start, other lines are indented by two, and a
 * command can still be pasted.
 */
export function wrapForTerminal(line: string, columns: number): string[] {
  if (text === undefined || text.textWidth(line) <= columns) return [line]
  const {hang, pasteable} = text
  const [, margin = '', command] = /^( *(?:\$ )?)((?:bookctl|curl|export|unset) .*)$/.exec(line) ?? []
  if (command !== undefined) {
    const [first = '', ...rest] = pasteable(command, columns - margin.length).split('\n')
    return [margin + first, ...rest.map(one => ' '.repeat(margin.length) + one)]
  }
  const [fact] = /^\S{1,20}(?: \S{1,20}){0,2} {2,}(?=\S)|^ {8,}(?=\S)/.exec(line) ?? []
  if (fact !== undefined) return hang(line, columns, fact.length)
  const start = line.search(/\S/)
  // The first line is not indented, so it has two more columns. A word that begins there is not broken.
  const lead = /^[A-Z]\w\w/.test(line.slice(start)) ? start + 2 : start
  return hang(line, columns, start + 2, lead)
}

/** Shows `text` as the transient line, replacing the previous one. Must only be called at a terminal. */
export function showTransient(text: string): void {
  const line = sanitizeLine(text, Math.max(10, widthOf(stderr()) - 1))
  if (line === transient) return
  transient = line
  stderr().write(`\r\u001b[K${line}`)
}

export function clearTransient(): void {
  if (transient === '') return
  transient = ''
  stderr().write('\r\u001b[K')
}
