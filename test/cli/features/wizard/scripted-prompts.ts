/** A scripted user: the questions, and the answer to each. */
import {
  answerOf,
  type BaseQuestion,
  type Choice,
  type Prompts,
} from '../../../../src/cli/terminal/prompts/prompts.js'
import {GoBack} from '../../../../src/cli/terminal/prompts/way-back.js'
import {Failure} from '../../../../src/contract/failure.js'

/**
 * A part of the question, and the answer: a line, `yes`/`no`, or a part of a choice's name. `^C` stops, `^esc` goes back, and
 * `^wait` waits until the question is withdrawn.
 */
export type Line = readonly [asked: string | RegExp, answer: string]

/** Parses a script: each question has an arrow and its answer, and pairs are separated by bars or line breaks. */
export function said([text = '']: TemplateStringsArray): [asked: string, answer: string][] {
  const pairs = text.trim().split(/\s*[|\n]\s*/)
  return pairs.map(pair => pair.split(/\s*→ ?/) as [string, string])
}

export interface ScriptedPrompts extends Prompts {
  /** Every question as it was asked, with refusals, hints and the lists shown. */
  readonly log: string[]
  /** Returns how many lines of the script are left. */
  left(): number
}

/** Creates prompts that throw if a question differs from the script. */
export function scriptedPrompts(script: readonly Line[]): ScriptedPrompts {
  const lines = [...script]
  const log: string[] = []
  const next = async (question: BaseQuestion): Promise<string> => {
    question.signal?.throwIfAborted()
    log.push(question.message)
    if (question.status) log.push(question.status())
    const line = lines.shift()
    if (!line) throw new Error(`not expected: ${question.message}`)
    const [asked, answer] = line
    const fits = typeof asked === 'string' ? question.message.includes(asked) : asked.test(question.message)
    if (!fits) throw new Error(`expected ${asked}, was asked: ${question.message}`)
    if (answer === '^C') throw new Failure('interrupted', 'interrupted at a question', {code: 'interrupted'})
    if (answer === '^esc' && question.goesBack) throw new GoBack()
    if (answer === '^wait') await withdrawn(question)
    return answer
  }
  const pick = <T>(choices: readonly Choice<T>[], answer: string): T => {
    log.push(...choices.map(({name}) => name))
    const found = choices.find(({name}) => name.includes(answer))
    if (!found) throw new Error(`no choice ${answer} among: ${choices.map(({name}) => name).join(' | ')}`)
    log.push(...(found.description ?? '').split('\n'))
    return found.value
  }
  return {
    log,
    left: () => lines.length,
    async text(question) {
      for (;;) {
        const typed = await next(question)
        const answer = answerOf(question, typed)
        try {
          await question.check?.(answer)
          const hint = question.hint?.(typed)
          if (hint !== undefined) log.push(`hint: ${hint}`)
          return answer
        } catch (error) {
          if (!(error instanceof Failure)) throw error
          log.push(`refused: ${error.message}`)
        }
      }
    },
    async choose(question) {
      return pick(question.choices, await next(question))
    },
    async chooseSeveral(question) {
      const answers = await next(question)
      return answers.split(', ').map(answer => pick(question.choices, answer))
    },
    async search(question) {
      const answer = await next(question)
      const found = question.find(answer)
      if (found.length === 0) throw new Error(`nothing found for ${answer}`)
      log.push(...found.map(({name}) => name))
      log.push(...(found[0]?.description ?? '').split('\n'))
      return (found[0] as Choice<never>).value
    },
    async confirm(question) {
      return (await next(question)) === 'yes'
    },
  }
}

/** Rejects with the reason of the signal. */
function withdrawn({signal, message}: BaseQuestion): Promise<never> {
  return new Promise((_, reject) => {
    if (!signal) reject(new Error(`nothing can withdraw: ${message}`))
    signal?.addEventListener('abort', () => reject(signal.reason))
  })
}
