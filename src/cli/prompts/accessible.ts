/**
 * Questions as plain lines, for screen readers and terminals that can do nothing else: a list is numbered, an answer is
 * one line, a wrong one is told why and the question asked again. Nothing is drawn over and no cursor is moved.
 */
import {createInterface} from 'node:readline'
import {Writable} from 'node:stream'
import {sanitizeLine} from '../../contract/foreign-text.js'
import {fold} from '../input/fold.js'
import {whileAsking} from '../output/talk.js'
import {interruption, refusalOf} from './interruption.js'
import type {
  Asked,
  Choice,
  ChoiceQuestion,
  Prompts,
  SearchQuestion,
  SeveralQuestion,
  TextQuestion,
} from './prompts.js'
import {untilQuiet} from './quiet.js'
import {signalOf, type Terminal} from './terminal.js'
import {GoBack} from './way-back.js'
import {answerOf, isYes, messageOf, numbersIn} from './words.js'

/** Ours: of a search, more are not worth listening to. */
const MOST_FOUND = 20
/** Typed alone it goes back to the question before: no key but Enter is told to a reader of lines. */
const BACK = '<'

export function createAccessiblePrompts(terminal: Terminal): Prompts {
  const {output} = terminal
  const say = (text: string) => void output.write(`${text}\n`)

  /** One answer to `message`, trimmed; it is asked until `accept` takes one, which throws words otherwise. */
  async function until<T>(asked: Asked, message: string, accept: (line: string) => T, secret = false) {
    if (asked.status) say(sanitizeLine(asked.status()))
    for (;;) {
      const question = `${sanitizeLine(message)}${asked.goesBack ? ` (${BACK} goes back)` : ''}: `
      const answered = () => readAnswer(terminal, question, signalOf(terminal, asked), secret)
      const line = (await whileAsking(answered)).trim()
      if (line === BACK && asked.goesBack) throw new GoBack()
      try {
        return accept(line)
      } catch (error) {
        if (!(error instanceof NotAnAnswer)) throw error
        say(sanitizeLine(error.message))
      }
    }
  }

  function list<T>(choices: readonly Choice<T>[]): void {
    for (const [index, {name, description}] of choices.entries()) {
      say(`${index + 1}. ${sanitizeLine(name)}`)
      for (const line of description?.split('\n') ?? []) say(`   ${sanitizeLine(line)}`)
    }
  }

  async function text(question: TextQuestion): Promise<string> {
    const {hint, check, secret} = question
    const answer = await until(
      question,
      messageOf(question),
      line => {
        const answer = answerOf(question, line)
        const refusal = refusalOf(check, answer)
        if (refusal !== undefined) throw new NotAnAnswer(refusal)
        return answer
      },
      secret,
    )
    const said = secret ? undefined : hint?.(answer)
    if (said) say(sanitizeLine(said))
    return answer
  }

  async function choose<T>(question: ChoiceQuestion<T>): Promise<T> {
    const {choices, message} = question
    const usual = choices.findIndex(choice => Object.is(choice.value, question.default))
    say(sanitizeLine(message))
    list(choices)
    const ask = `Number from 1 to ${choices.length}${usual < 0 ? '' : ` (${usual + 1})`}`
    return until(question, ask, line => {
      const [number] = numbersIn(line === '' && usual >= 0 ? `${usual + 1}` : line, choices.length)
      const chosen = number === undefined ? undefined : choices[number - 1]
      if (!chosen) throw new NotAnAnswer(`Type a number from 1 to ${choices.length}.`)
      return chosen.value
    })
  }

  async function chooseSeveral<T>(question: SeveralQuestion<T>): Promise<T[]> {
    const {choices, message} = question
    say(sanitizeLine(message))
    list(choices)
    return until(question, 'Numbers, with blanks between', line => {
      const numbers = numbersIn(line, choices.length)
      if (numbers.length === 0) throw new NotAnAnswer(`Type one or more numbers from 1 to ${choices.length}.`)
      return choices.filter((_, index) => numbers.includes(index + 1)).map(choice => choice.value)
    })
  }

  async function search<T>(question: SearchQuestion<T>): Promise<T> {
    let found: readonly Choice<T>[] = []
    return until(question, `${question.message} (type a part of it, then its number)`, line => {
      const [number] = numbersIn(line, found.length)
      const chosen = number === undefined ? undefined : found[number - 1]
      if (chosen) return chosen.value
      const all = question.find(line)
      const named = all.filter(({names = []}) => names.some(name => fold(name) === fold(line)))
      const matching = named.length > 0 ? named : all.filter(({isAction}) => !isAction)
      const [only] = matching
      if (only && matching.length === 1) {
        say(sanitizeLine(only.name))
        return only.value
      }
      found = firstOf(all)
      if (found.length === 0) throw new NotAnAnswer('Nothing matches; type another part of it.')
      list(found)
      const more = all.length - found.length
      throw new NotAnAnswer(
        more > 0 ? `There are ${more} more; type more of it, or a number.` : 'Type a number.',
      )
    })
  }

  return {
    text,
    choose,
    chooseSeveral,
    search,
    async confirm(question) {
      await untilQuiet(terminal.input, signalOf(terminal, question))
      const usual = question.default ?? false
      return until(question, `${question.message} (yes or no, ${usual ? 'yes' : 'no'} unless told)`, line => {
        const answer = line === '' ? usual : isYes(line)
        if (answer === undefined) throw new NotAnAnswer('Type yes or no.')
        return answer
      })
    },
  }
}

/** As many as are worth listening to, the actions among them. */
function firstOf<T>(all: readonly Choice<T>[]): Choice<T>[] {
  let room = MOST_FOUND - all.filter(({isAction}) => isAction).length
  return all.filter(({isAction}) => isAction || room-- > 0)
}

/** Words to show before the question is asked again. */
class NotAnAnswer extends Error {}

/** One line of the terminal; a secret one is read key by key, so that nothing of it is shown. */
async function readAnswer(
  {input, output}: Terminal,
  question: string,
  signal: AbortSignal,
  secret: boolean,
): Promise<string> {
  signal.throwIfAborted()
  const nowhere = new Writable({write: (_chunk, _encoding, done) => done()})
  const reader = createInterface(secret ? {input, output: nowhere, terminal: true} : {input, terminal: false})
  let abort = () => {}
  // Only now: keys pressed at sight of it find the terminal ready, which matters for a secret.
  output.write(question)
  try {
    return await new Promise<string>((resolve, reject) => {
      abort = () => reject(signal.reason)
      signal.addEventListener('abort', abort, {once: true})
      reader.once('line', resolve)
      const stop = () => reject(interruption())
      reader.once('SIGINT', stop)
      reader.once('close', stop)
    })
  } catch (error) {
    if (!secret) output.write('\n')
    throw error
  } finally {
    signal.removeEventListener('abort', abort)
    reader.close()
    if (secret) output.write('\n')
  }
}
