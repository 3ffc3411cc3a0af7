/** Questions at a usual terminal, by inquirer's own question types; adds the look, checks, the way back and sanitising. */
import process from 'node:process'
import type {WriteStream} from 'node:tty'
import {Separator, useEffect, useState} from '@inquirer/core'
import {createPromptModule} from 'inquirer'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import {painterFor} from '../colour.js'
import {whileAsking} from '../talk.js'
import {cutTo, hang, textWidth} from '../text.js'
import {openKeys} from './keys.js'
import {
  type Asked,
  answerOf,
  anyOf,
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

/** More would leave no lines for the list. */
const MOST_DESCRIPTION_LINES = 9

/** Columns of a row before its name: the cursor, and a mark or a number. */
const LEAD_COLUMNS = 8

/** Shown instead of the list while nothing is typed, so that Enter chooses nothing. */
const TYPE_FIRST = new Separator('type part of it')

export function createDrawnPrompts({input, output, closing}: Terminal): Omit<Prompts, 'confirm'> {
  const look = createLook(output)

  /** Asks; `show`: the answer as it stays on the screen. */
  async function ask<T>(type: QuestionType, asked: Asked, config: object, show: (answer: T) => string) {
    const stopping = new AbortController()
    const signal = anyOf(closing, asked.signal, stopping.signal)
    const keys = openKeys(input, asked.goesBack ?? false, reason => stopping.abort(reason))
    const prompt = createPromptModule({input: keys.stream, output, signal, clearPromptOnDone: true})
    const theme = look.themeOf(asked, type)
    const question = {type, name: 'answer', message: asked.message, loop: false, theme, ...config}
    let shown = ''
    try {
      const {answer} = await whileAsking(() => prompt<{answer: T}>(question))
      shown = show(answer)
      return answer
    } catch (error) {
      throw signal.aborted ? signal.reason : error
    } finally {
      keys.close()
      if (!(signal.reason instanceof GoBack)) output.write(`${look.over(asked.message, shown)}\n`)
    }
  }

  /** Asks again with an empty line: a refused secret that stayed could be neither seen nor corrected. */
  async function askSecret(question: TextQuestion): Promise<string> {
    const config = {message: messageOf(question), toggleMask: false}
    const answer = (await ask<string>('password', question, config, () => '')).trim()
    const refusal = await refusalOf(question.check, answer)
    if (refusal === undefined) return answer
    output.write(`${look.errorLines(refusal)}\n`)
    return askSecret(question)
  }

  /** The height of a list, and the row of a choice. */
  function listOf<T>(message: string, choices: readonly Choice<T>[]) {
    // Other lines: the message, the status, the input, an empty line, an error and the help.
    const room = (output.rows || 24) - look.headOf(message).length - 6
    const longest = choices.reduce((most, choice) => Math.max(most, descriptionOf(choice).length), 0)
    const lines = Math.max(0, Math.min(longest, MOST_DESCRIPTION_LINES, Math.floor(room / 2)))
    const row = (choice: Choice<T>) => ({
      value: choice,
      name: cutTo(sanitizeLine(choice.name), look.columns() - LEAD_COLUMNS),
      description: descriptionOf(choice)
        .slice(0, lines)
        .map(line => look.fitted(`  ${line}`))
        .join('\n'),
    })
    return {pageSize: Math.max(1, room - lines), row}
  }

  return {
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
      const {row, pageSize} = listOf(message, find(''))
      const source = (typed = '') =>
        typed.trim() === '' && startsUnchosen ? [TYPE_FIRST] : find(typed.trim()).map(row)
      return (await ask<Choice<T>>('search', question, {source, pageSize}, ({name}) => name)).value
    },
  }
}

function descriptionOf({description}: Choice<unknown>): string[] {
  return description?.split('\n') ?? []
}

type QuestionType = 'input' | 'password' | 'select' | 'checkbox' | 'search'

function createLook(output: WriteStream) {
  const paint = painterFor(output, process.env)
  const bold = (text: string) => paint('header', text)
  const faint = (text: string) => paint('faint', text)
  const asItIs = (text: string) => text
  /** One column stays free, so that the terminal wraps no line. */
  const columns = () => Math.max(output.columns || 80, 12) - 1
  const fitted = (text: string) => cutTo(sanitizeLine(text), columns())
  const headOf = (message: string) => hang(`? ${sanitizeLine(message)}`, columns(), 2)

  function notesOf({status, goesBack}: Asked): string[] {
    const notes = [status?.(), goesBack ? 'Esc goes back' : undefined].filter(Boolean)
    return notes.length > 0 ? [faint(fitted(`  ${notes.join('; ')}`))] : []
  }

  /** Inquirer's theme for one question. Notes are under a list, and above a line that is typed in. */
  function themeOf(asked: Asked, type: QuestionType) {
    const isLine = type === 'input' || type === 'password'
    return {
      prefix: bold('?'),
      icon: {cursor: '>', checked: ' [x]', unchecked: ' [ ]'},
      indexMode: 'number',
      style: {
        // Inquirer calls it once for each drawing, so it may use hooks.
        message(message: string) {
          useRedrawing(asked.status !== undefined)
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

  /** An answered question as it stays on the screen: a long answer is below the message. */
  function over(message: string, answer: string): string {
    const head = headOf(message)
    const shown = sanitizeLine(answer)
    const fits = textWidth(`${head.at(-1)} ${shown}`) <= columns()
    const lines = head.map(bold).join('\n')
    return fits ? `${lines} ${shown}`.trimEnd() : `${lines}\n${fitted(`  ${shown}`)}`
  }

  return {columns, fitted, headOf, themeOf, errorLines, over}
}

/** Draws the question again after Ctrl-Z and `fg`, and each second if it counts. A hook. */
function useRedrawing(counts: boolean): void {
  const [, setDrawings] = useState(0)
  useEffect(() => {
    const redraw = () => setDrawings(drawings => drawings + 1)
    const timer = counts ? setInterval(redraw, 1000) : undefined
    process.on('SIGCONT', redraw)
    return () => {
      clearInterval(timer)
      process.off('SIGCONT', redraw)
    }
  }, [])
}
