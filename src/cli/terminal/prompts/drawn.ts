/**
 * Asks questions at a normal terminal, using the question types of inquirer. It adds styles, checks, going back with
 * Escape, and sanitising.
 */
import process from 'node:process'
import {Writable} from 'node:stream'
import type {WriteStream} from 'node:tty'
import {stripVTControlCharacters} from 'node:util'
import {Separator, useEffect, useState} from '@inquirer/core'
import {createPromptModule} from 'inquirer'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import {painterFor} from '../colour.js'
import {countLines, placeNow, rowsOf, takeBack, whileAsking} from '../talk.js'
import {cutTo, hang, textWidth} from '../text.js'
import {openKeys} from './keys.js'
import {
  answerOf,
  anyOf,
  type BaseQuestion,
  type Choice,
  type ChoiceQuestion,
  messageOf,
  type Prompts,
  refusalOf,
  type SearchQuestion,
  type SeveralQuestion,
  type Terminal,
  type TextQuestion,
} from './prompts.js'
import {GoBack} from './way-back.js'

/** Minimum number of rows of a list above the description of the selected choice. */
const FEWEST_ROWS = 5

/** Number of columns before the name of a choice, for the cursor and a mark or number. */
const LEAD_COLUMNS = 8

/** Shown instead of a list until something is typed, so that pressing Enter alone chooses nothing. */
const TYPE_FIRST = new Separator('type part of it')

/**
 * The reason for aborting a search when the width of the terminal changes. The search is then asked again, because its
 * rows and descriptions depend on the width.
 */
class Resized extends Error {}

/** Creates the drawn prompts. `takeAnswerBack` erases the last answered question, and everything written after it. */
export function createDrawnPrompts({
  input,
  output,
  closing,
}: Terminal): Omit<Prompts, 'confirm'> & {takeAnswerBack(): void} {
  const style = createStyle(output)
  /** Where each answered question begins. */
  const answered: number[] = []

  function takeAnswerBack(): void {
    const place = answered.pop()
    if (place === undefined) return
    const rows = Math.min(takeBack(place, output.columns || 80), (output.rows || 24) - 1)
    if (rows > 0) output.write(`\u001b[${rows}A\r\u001b[J`)
  }

  function keep(question: BaseQuestion, shown: string): void {
    const text = style.over(question.message, shown)
    countLines(text)
    output.write(`${text}\n`)
  }

  /** Asks one question of inquirer's type `type`. `show` formats the answer that remains on the screen. */
  async function ask<T>(
    type: QuestionType,
    asked: BaseQuestion,
    config: object,
    show: (answer: T) => string,
  ) {
    const stopping = new AbortController()
    const signal = anyOf(closing, asked.signal, stopping.signal)
    const keys = openKeys(input, asked.goesBack ?? false, reason => stopping.abort(reason))
    // Each question gets its own stream, because inquirer ends the stream with the question.
    const frames = createFrames(output)
    const prompt = createPromptModule({
      input: keys.stream,
      output: frames.stream,
      signal,
      clearPromptOnDone: true,
    })
    const place = placeNow()
    const resized = (redraw: () => void) => {
      frames.makeRoom()
      if (type === 'search') stopping.abort(new Resized())
      else redraw()
    }
    const theme = style.themeOf(asked, type, resized)
    const question = {type, name: 'answer', message: asked.message, loop: false, theme, ...config}
    let shown = ''
    try {
      const {answer} = await whileAsking(() => prompt<{answer: T}>(question))
      shown = show(answer)
      answered.push(place)
      return answer
    } catch (error) {
      throw signal.aborted ? signal.reason : error
    } finally {
      keys.close()
      if (signal.reason instanceof GoBack) takeAnswerBack()
      else if (!(signal.reason instanceof Resized)) keep(asked, shown)
    }
  }

  /**
   * Asks for a secret. If it is refused, asks again with an empty line, because hidden text can be neither seen nor
   * corrected.
   */
  async function askSecret(question: TextQuestion): Promise<string> {
    const config = {message: messageOf(question), toggleMask: false}
    const answer = (await ask<string>('password', question, config, () => '')).trim()
    const refusal = await refusalOf(question.check, answer)
    if (refusal === undefined) return answer
    const refused = style.errorLines(refusal)
    countLines(refused)
    output.write(`${refused}\n`)
    return askSecret(question)
  }

  /** Returns the height of a list, and a function that makes the row of a choice. */
  function listOf<T>(message: string, choices: readonly Choice<T>[]) {
    // What remains after the message and six lines: the status, the input, an empty line, an error and the help.
    const room = (output.rows || 24) - style.headOf(message).length - 6
    const described = (choice: Choice<T>) =>
      descriptionOf(choice).flatMap(line => hang(`  ${sanitizeLine(line)}`, style.columns(), 4))
    const longest = choices.reduce((most, choice) => Math.max(most, described(choice).length), 0)
    const lines = Math.max(0, Math.min(longest, Math.max(room - FEWEST_ROWS, Math.floor(room / 2))))
    const row = (choice: Choice<T>) => ({
      value: choice,
      name: cutTo(sanitizeLine(choice.name), style.columns() - LEAD_COLUMNS),
      description: described(choice).slice(0, lines).join('\n'),
    })
    return {pageSize: Math.max(1, room - lines), row}
  }

  return {
    takeAnswerBack,
    async text(question) {
      const {secret, check, hint, empty} = question
      const validate = async (typed: string) => (await refusalOf(check, answerOf(question, typed))) ?? true
      const config = {message: messageOf(question), validate}
      if (secret) return askSecret(question)
      const shown = (typed: string) => {
        const answer = answerOf(question, typed)
        return [answer || empty, hint?.(answer)].filter(Boolean).join('  ')
      }
      const transformer = (typed: string) => sanitizeLine(typed)
      return answerOf(question, await ask<string>('input', question, {...config, transformer}, shown))
    },
    async choose<T>(question: ChoiceQuestion<T>) {
      const {choices, message, default: usual} = question
      const {row, pageSize} = listOf(message, choices)
      const first = choices.find(({value}) => Object.is(value, usual))
      const config = {choices: choices.map(row), pageSize, default: first}
      return (await ask<Choice<T>>('select', question, config, ({name}) => name)).value
    },
    async chooseSeveral<T>(question: SeveralQuestion<T>) {
      const {choices, message} = question
      const {row, pageSize} = listOf(message, choices)
      const shortcuts = {all: null, invert: null}
      const config = {choices: choices.map(row), pageSize, required: true, shortcuts}
      const names = (chosen: readonly Choice<T>[]) => chosen.map(({name}) => name).join(', ')
      return (await ask<Choice<T>[]>('checkbox', question, config, names)).map(({value}) => value)
    },
    async search<T>(question: SearchQuestion<T>) {
      const {find, message, startsUnchosen} = question
      // The typed text, which is kept when the question is asked again at another width.
      let initialValue = ''
      for (;;) {
        const {row, pageSize} = listOf(message, find(''))
        const source = (typed = '') => {
          initialValue = typed
          return typed.trim() === '' && startsUnchosen ? [TYPE_FIRST] : find(typed.trim()).map(row)
        }
        try {
          const config = {source, pageSize, initialValue}
          return (await ask<Choice<T>>('search', question, config, ({name}) => name)).value
        } catch (error) {
          if (!(error instanceof Resized)) throw error
        }
      }
    },
  }
}

function descriptionOf({description}: Choice<unknown>): string[] {
  return description?.split('\n') ?? []
}

type QuestionType = 'input' | 'password' | 'select' | 'checkbox' | 'search'

function createStyle(output: WriteStream) {
  const paint = painterFor(output, process.env)
  const bold = (text: string) => paint('header', text)
  const faint = (text: string) => paint('faint', text)
  const asItIs = (text: string) => text
  /** Returns the number of columns to use. One column stays free, so that the terminal does not wrap lines. */
  const columns = () => Math.max(output.columns || 80, 12) - 1
  const fitted = (text: string) => cutTo(sanitizeLine(text), columns())
  const headOf = (message: string) => hang(`? ${sanitizeLine(message)}`, columns(), 2)

  function notesOf({status, goesBack}: BaseQuestion): string[] {
    const notes = [status?.(), goesBack ? 'Esc goes back' : undefined].filter(Boolean)
    return notes.length > 0 ? [faint(fitted(`  ${notes.join('; ')}`))] : []
  }

  /**
   * Returns inquirer's theme for one question. Notes are shown below a list, but above an input line. `resized` is
   * called when the width changes (useRedrawing).
   */
  function themeOf(asked: BaseQuestion, type: QuestionType, resized: OnResize) {
    const isLine = type === 'input' || type === 'password'
    return {
      prefix: bold('?'),
      icon: {cursor: '>', checked: ' [x]', unchecked: ' [ ]'},
      indexMode: 'number',
      style: {
        // Inquirer calls this once per drawing, so hooks can be used here.
        message(message: string) {
          useRedrawing(asked.status !== undefined, output, resized)
          const [first = '', ...rest] = headOf(message)
          const lines = [first.slice('? '.length), ...rest].map(bold)
          if (isLine) lines.push(...notesOf(asked))
          const hasRoom = lines.length === 1 && textWidth(first) <= columns() / 2
          if (!hasRoom && isLine) lines.push('>')
          if (!hasRoom && type === 'search') lines.push('/')
          return lines.join('\n')
        },
        keysHelpTip(keys: readonly (readonly [key: string, action: string])[]) {
          const words = keys.map(key => key.join(' '))
          const help = [...(type === 'search' ? ['type to narrow'] : []), ...words].join(', ')
          return [faint(fitted(help)), ...notesOf(asked)].join('\n')
        },
        error: errorLines,
        searchTerm: (text: string) => sanitizeLine(text),
        maskedText: '(hidden)',
        highlight: bold,
        help: faint,
        answer: asItIs,
        description: asItIs,
      },
    }
  }

  function errorLines(text: string): string {
    const lines = hang(`! ${sanitizeLine(text)}`, columns(), 2)
    return lines.map(line => paint('waiting', line)).join('\n')
  }

  /** Formats an answered question as it remains on the screen. A long answer is on a line of its own. */
  function over(message: string, answer: string): string {
    const head = headOf(message)
    const shown = sanitizeLine(answer)
    const fits = textWidth(`${head.at(-1)} ${shown}`) <= columns()
    const lines = head.map(bold).join('\n')
    return fits ? `${lines} ${shown}`.trimEnd() : `${lines}\n${fitted(`  ${shown}`)}`
  }

  return {columns, fitted, headOf, themeOf, errorLines, over}
}

/**
 * Wraps `output` for inquirer. Inquirer redraws a question with each write, and does not notice when the terminal wraps
 * its lines differently.
 */
function createFrames(output: WriteStream) {
  let lines: string[] = []
  let below = 0
  const stream = new Writable({
    decodeStrings: false,
    write(chunk: string | Buffer, _encoding, done) {
      const text = String(chunk)
      const shown = stripVTControlCharacters(text)
      if (shown.trim() !== '') {
        lines = shown.split('\n')
        below = linesUpAtEnd(text)
      }
      // The text is written at once. Otherwise direct writes to the terminal could come before it.
      output.write(text)
      done()
    },
  })
  const properties = {columns: {get: () => output.columns}, rows: {get: () => output.rows}}
  return {
    stream: Object.defineProperties(stream, properties) as unknown as WriteStream,
    /** Erases the drawing after the terminal has wrapped it to a new width, and leaves as many empty lines. */
    makeRoom() {
      const above = lines.slice(0, lines.length - below).map(textWidth)
      const rows = rowsOf(above, output.columns || 80) - 1
      const up = (count: number) => (count > 0 ? `\u001b[${count}A` : '')
      output.write(`${up(rows)}\r\u001b[J${'\n'.repeat(Math.max(0, lines.length - 1))}${up(below)}`)
    },
  }
}

/** Returns by how many lines the cursor moves up at the end of the text, to the input line. */
function linesUpAtEnd(text: string): number {
  const codes = text.split('\u001b[')
  const moves = codes.slice(codes.findLastIndex(code => !/^\d*[A-Z]$/.test(code)) + 1)
  return Number.parseInt(moves.find(move => move.endsWith('A')) ?? '0', 10)
}

/** Called when the width of the terminal changes. `redraw` draws the question again. */
type OnResize = (redraw: () => void) => void

/**
 * A hook that redraws the question after Ctrl-Z and `fg`, each second if `counts`, and through `onResize` at a new
 * width.
 */
function useRedrawing(counts: boolean, output: WriteStream, onResize: OnResize): void {
  const [, setDrawings] = useState(0)
  useEffect(() => {
    const redraw = () => setDrawings(drawings => drawings + 1)
    const timer = counts ? setInterval(redraw, 1000) : undefined
    const resized = () => onResize(redraw)
    process.on('SIGCONT', redraw)
    output.on('resize', resized)
    return () => {
      clearInterval(timer)
      process.off('SIGCONT', redraw)
      output.off('resize', resized)
    }
  }, [])
}
