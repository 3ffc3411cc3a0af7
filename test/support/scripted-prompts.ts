/** A person who answers the questions by a script: what is asked, and what is answered. */

import type {Asked, Choice, Prompts} from '../../src/cli/prompts/prompts.js'
import {Failure} from '../../src/contract/failure.js'

/** A part of the question, and the answer: a line, `yes`/`no`, or a part of the choice's name. */
export type Line = readonly [asked: string | RegExp, answer: string]

export interface ScriptedPrompts extends Prompts {
  /** Every question as it was asked, with refusals, hints and the lists shown. */
  readonly log: string[]
  /** What of the script is left. */
  left(): number
}

/** Throws when another question comes than the script has. */
export function scriptedPrompts(script: readonly Line[]): ScriptedPrompts {
  const lines = [...script]
  const log: string[] = []
  const next = (question: Asked): string => {
    question.signal?.throwIfAborted()
    log.push(question.message)
    if (question.status) log.push(question.status())
    const line = lines.shift()
    if (!line) throw new Error(`not expected: ${question.message}`)
    const [asked, answer] = line
    const fits = typeof asked === 'string' ? question.message.includes(asked) : asked.test(question.message)
    if (!fits) throw new Error(`expected ${asked}, was asked: ${question.message}`)
    if (answer === '^C') throw new Failure('interrupted', 'stopped at a question', {code: 'interrupted'})
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
        const typed = next(question)
        const answer = typed.trim() === '' ? (question.default ?? '') : typed.trim()
        const hint = question.hint?.(typed)
        if (hint !== undefined) log.push(`hint: ${hint}`)
        try {
          question.check?.(answer)
          return answer
        } catch (error) {
          if (!(error instanceof Failure)) throw error
          log.push(`refused: ${error.message}`)
        }
      }
    },
    async choose(question) {
      return pick(question.choices, next(question))
    },
    async chooseSeveral(question) {
      return next(question)
        .split(', ')
        .map(answer => pick(question.choices, answer))
    },
    async search(question) {
      const answer = next(question)
      const found = question.find(answer)
      if (found.length === 0) throw new Error(`nothing found for ${answer}`)
      log.push(...found.map(({name}) => name))
      log.push(...(found[0]?.description ?? '').split('\n'))
      return (found[0] as Choice<never>).value
    },
    async confirm(question) {
      return next(question) === 'yes'
    },
  }
}
