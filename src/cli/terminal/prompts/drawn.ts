/**
 * Questions at a usual terminal, by inquirer's own question types. Ours around them: the look, checks, the way back, and
 * that no foreign text reaches the terminal as it came.
 */
import {Separator} from '@inquirer/core'
import {createPromptModule} from 'inquirer'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import {whileAsking} from '../talk.js'
import {cutTo} from '../text-width.js'
import {refusalOf} from './interruption.js'
import {openKeys} from './keys.js'
import {createLook, type QuestionType} from './look.js'
import type {Asked, Choice, ChoiceQuestion, Prompts, SearchQuestion, SeveralQuestion} from './prompts.js'
import {anyOf, type Terminal} from './terminal.js'
import {GoBack} from './way-back.js'
import {answerOf, messageOf} from './words.js'

/** More lines of a description would leave none for the list. */
const MOST_DESCRIPTION_LINES = 9

/** Columns of a row before its name: the cursor, and a mark or a number. */
const LEAD_COLUMNS = 8

/** In place of a list in which no choice is likelier than another: Enter then chooses none. */
const TYPE_FIRST = new Separator('type a part of it')

export function createDrawnPrompts({input, output, closing}: Terminal): Omit<Prompts, 'confirm'> {
  const look = createLook(output)

  /** Asks; `show` gives the answer as it stays on the screen. */
  async function ask<T>(
    type: QuestionType,
    asked: Asked,
    config: object,
    show: (answer: T) => string = () => '',
  ) {
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

  /** What inquirer is told of a list: how many rows it may take, and how a choice is shown. */
  function listOf<T>(message: string, choices: readonly Choice<T>[]) {
    // Besides the list: the message, the status, what is typed, a free line, a refusal and the help.
    const room = (output.rows || 24) - look.headOf(message).length - 6
    const longest = Math.max(0, ...choices.map(choice => descriptionOf(choice).length))
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
      if (secret) return (await ask<string>('password', question, {...config, toggleMask: false})).trim()
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
