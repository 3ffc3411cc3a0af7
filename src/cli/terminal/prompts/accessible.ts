/** Asks questions as plain lines, for screen readers and simple terminals. Nothing is redrawn. */
import {createInterface} from 'node:readline'
import {Writable} from 'node:stream'
import {usage} from '../../../contract/failure.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import {fold} from '../../input/match.js'
import {widthOf} from '../streams.js'
import {whileAsking, wrapForTerminal} from '../talk.js'
import {
  answerOf,
  anyOf,
  type Choice,
  type ChoiceQuestion,
  interruption,
  messageOf,
  type Prompts,
  refusalOf,
  type SearchQuestion,
  type SeveralQuestion,
  type Terminal,
  type TextQuestion,
} from './prompts.js'
import {GoBack} from './way-back.js'

/** Maximum number of search results that are listed, because more are tedious to listen to. */
const MOST_FOUND = 20
/** The answer that goes back to the previous question. Line input has no Escape key. */
const BACK = '<'

export function createAccessiblePrompts(terminal: Terminal): Omit<Prompts, 'confirm'> {
  const wrapped = (text: string) => wrapForTerminal(sanitizeLine(text), widthOf(terminal.output)).join('\n')
  const say = (text: string) => void terminal.output.write(`${wrapped(text)}\n`)

  async function text(question: TextQuestion): Promise<string> {
    const {status, goesBack, hint, check, secret = false} = question
    const signal = anyOf(terminal.closing, question.signal)
    if (status) say(status())
    const asked = `${wrapped(`${messageOf(question)}${goesBack ? ` (${BACK} goes back)` : ''}:`)} `
    for (;;) {
      const line = (await whileAsking(() => readAnswer(terminal, asked, signal, secret))).trim()
      if (line === BACK && goesBack) throw new GoBack()
      const answer = answerOf(question, line)
      const refusal = await refusalOf(check, answer)
      const meaning = refusal ?? (secret ? undefined : hint?.(answer))
      if (meaning) say(meaning)
      if (refusal === undefined) return answer
    }
  }

  function list(choices: readonly Choice<unknown>[]): void {
    for (const [index, {name, description}] of choices.entries()) {
      say(`${index + 1}. ${name}`)
      for (const line of description?.split('\n') ?? []) say(`   ${line}`)
    }
  }

  /** Asks for numbers and returns the choices: exactly one if `isOne`, else at least one. */
  async function pick<T>({choices, message, ...asked}: SeveralQuestion<T>, isOne: boolean, usual?: string) {
    const {length} = choices
    say(message)
    list(choices)
    const check = (line: string) => {
      const {length: count} = numbersIn(line, length)
      if (count > 0 && !(isOne && count > 1)) return
      throw usage('no_choice', `type ${isOne ? 'a number' : 'one or more numbers'} from 1 to ${length}`)
    }
    const what = isOne ? `Number from 1 to ${length}` : 'Numbers, separated by spaces'
    const numbers = numbersIn(await text({...asked, message: what, default: usual, check}), length)
    return choices.filter((_, index) => numbers.includes(index + 1))
  }

  return {
    text,
    async choose<T>({default: usual, ...question}: ChoiceQuestion<T>) {
      const index = question.choices.findIndex(({value}) => Object.is(value, usual))
      const [chosen] = await pick(question, true, index < 0 ? undefined : `${index + 1}`)
      return (chosen as Choice<T>).value
    },
    async chooseSeveral<T>(question: SeveralQuestion<T>) {
      return (await pick(question, false)).map(({value}) => value)
    },
    async search<T>({find, message, ...asked}: SearchQuestion<T>) {
      let found: readonly Choice<T>[] = []
      let chosen = undefined as Choice<T> | undefined
      const check = (line: string) => {
        const all = find(line)
        chosen = found[(numbersIn(line, found.length)[0] ?? 0) - 1] ?? onlyOne(all, line)
        if (chosen) return
        found = firstOf(all)
        list(found)
        const more = all.length - found.length
        if (found.length === 0) throw usage('no_choice', 'no match; type something else')
        if (more > 0) throw usage('no_choice', `${more} more; keep typing, or type a number`)
        throw usage('no_choice', 'type a number')
      }
      const hint = () => chosen?.name
      await text({...asked, message: `${message} (type part of it, then its number)`, check, hint})
      return chosen?.value as T
    },
  }
}

/** Returns the numbers from 1 to `most` in `answer`, or an empty list if it contains anything else. */
function numbersIn(answer: string, most: number): number[] {
  const words = answer.split(/[\s,]+/).filter(word => word !== '')
  const numbers = words.map(word => (/^\d{1,6}$/.test(word) ? Number(word) : 0))
  return numbers.every(number => number >= 1 && number <= most) ? numbers : []
}

/** Returns the choice that `typed` names in full, else the only one in `all`, else undefined. */
function onlyOne<T>(all: readonly Choice<T>[], typed: string): Choice<T> | undefined {
  const named = all.filter(({names = []}) => names.some(name => fold(name) === fold(typed)))
  const [only, ...others] = named.length > 0 ? named : all.filter(({isAction}) => !isAction)
  return others.length === 0 ? only : undefined
}

function firstOf<T>(all: readonly Choice<T>[]): Choice<T>[] {
  let room = MOST_FOUND - all.filter(({isAction}) => isAction).length
  return all.filter(({isAction}) => isAction || room-- > 0)
}

/** Reads one line from the terminal. The characters of a secret are not echoed. */
async function readAnswer({input, output}: Terminal, question: string, signal: AbortSignal, secret: boolean) {
  const nowhere = new Writable({write: (_chunk, _encoding, done) => done()})
  const reader = createInterface({input, signal, terminal: secret, ...(secret ? {output: nowhere} : {})})
  // The question is written last, when the terminal is ready for the answer and does not echo a secret.
  output.write(question)
  try {
    return await new Promise<string>((resolve, reject) => {
      reader.once('line', resolve)
      reader.once('close', () => reject(signal.aborted ? signal.reason : interruption()))
    })
  } catch (error) {
    if (!secret) output.write('\n')
    throw error
  } finally {
    reader.close()
    if (secret) output.write('\n')
  }
}
