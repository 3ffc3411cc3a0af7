/** What commands say on stderr, sanitised line by line. A transient last line is cleared before anything else. */
import process from 'node:process'
import {stripVTControlCharacters} from 'node:util'
import {sanitizeLine} from '../../contract/foreign-text.js'
import {own} from '../../contract/json.js'
import {painterFor, type Style} from './colour.js'
import {stderr, stderrIsTerminal, widthOf} from './streams.js'

const LEADS: Readonly<Record<string, Style>> = {
  'Error:': 'error',
  'ERROR:': 'error',
  'Warning:': 'waiting',
  'Hint:': 'hint',
  'LIVE:': 'live',
}

/**
 * What wraps lines. Its tables of emoji take 22 ms of a start (Node 20), and most commands that scripts run wrap nothing, so it is
 * loaded by `prepareToWrap` alone.
 */
let text: typeof import('./text.js') | undefined

/** For what wraps lines, or says them at a terminal; before it, they are said as they are. */
export async function prepareToWrap(): Promise<void> {
  text ??= await import('./text.js')
}

let transient = ''
let questions = 0
/** The widths of the lines written at the terminal since its first question, for what goes back over them. */
let written: number[] | undefined

function count(lines: readonly string[]): void {
  for (const line of lines) written?.push(text?.textWidth(line) ?? line.length)
}

/** Counts lines that were written as they are, each with its end. */
export function countLines(text: string): void {
  count(stripVTControlCharacters(text).split('\n'))
}

/** A place between two lines; lines are counted from the first one on, so that a command that never asks keeps none. */
export function placeNow(): number {
  written ??= []
  return written.length
}

/** How many rows of `columns` the lines since `place` take, which are about to be erased. */
export function takeBack(place: number, columns: number): number {
  return rowsOf(written?.splice(place) ?? [], columns)
}

/** The rows that lines of these widths take at a terminal. */
export function rowsOf(widths: readonly number[], columns: number): number {
  return widths.reduce((rows, width) => rows + Math.max(1, Math.ceil(width / columns)), 0)
}

/** Whether a person is being asked something: nothing may be drawn over it. */
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

/** Says one line, or several: a line feed inside one of them is shown as `\n`. */
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

/** Wraps a line: a fact below its value, other lines by two columns, and a command so that it can still be pasted. */
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
  // The first line has two columns more; the letters in them belong to a word that stays whole.
  const lead = /^[A-Z]\w\w/.test(line.slice(start)) ? start + 2 : start
  return hang(line, columns, start + 2, lead)
}

/** Replaces the transient line. For terminals only. */
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
