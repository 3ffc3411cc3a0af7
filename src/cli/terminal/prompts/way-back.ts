/**
 * Escape at a question goes back to the one before. Whatever asks one question after another is simply run again, with
 * the answers up to there: they are given to it without asking, and what was answered after is offered as the default.
 */
import {isDeepStrictEqual} from 'node:util'
import type {Asked, Choice, Prompts} from './prompts.js'

/** Thrown at a question that the person leaves towards the one before it. */
export class GoBack extends Error {}

/** The latest answer to each question, by its message. */
export type Answers = Map<string, unknown>

export interface WayBackOptions {
  /** Where answers are remembered; those of an earlier run are offered again. */
  readonly answers?: Answers
  /** Whether Escape at the first question leaves `lead`: GoBack is then thrown to the caller. */
  readonly leaves?: boolean
  /** Undoes what `lead` changed; it then starts from the beginning. */
  readonly restore?: () => void
}

interface Given {
  readonly message: string
  readonly answer: unknown
}

/** Runs `lead`; what it asks must follow from the answers, and what it changes must be undone by `restore`. */
export async function withWayBack<T>(
  prompts: Prompts,
  lead: (prompts: Prompts) => Promise<T>,
  {answers = new Map(), leaves = false, restore}: WayBackOptions = {},
): Promise<T> {
  const given: Given[] = []
  for (;;) {
    try {
      return await lead(recording(prompts, given, answers, leaves))
    } catch (error) {
      if (!(error instanceof GoBack) || given.length === 0) throw error
      given.pop()
      restore?.()
    }
  }
}

/** What `asking` comes to; `instead` where the person goes back. */
export async function unlessBack<T, U>(asking: Promise<T>, instead: () => U): Promise<T | U> {
  try {
    return await asking
  } catch (error) {
    if (error instanceof GoBack) return instead()
    throw error
  }
}

/** `prompts`, answering by itself as far as `given` goes, and adding to it. */
function recording(prompts: Prompts, given: Given[], answers: Answers, leaves: boolean): Prompts {
  let next = 0
  const answered = async <T>({message}: Asked, ask: (goesBack: boolean) => Promise<T>): Promise<T> => {
    // A question may have gone since: that of somebody who was forgotten.
    const index = given.findIndex((one, place) => place >= next && one.message === message)
    given.splice(next, (index < 0 ? given.length : index) - next)
    if (next === given.length) {
      const answer = await ask(leaves || given.length > 0)
      given.push({message, answer})
      answers.set(message, answer)
    }
    return given[next++]?.answer as T
  }
  return {
    text: question =>
      answered(question, goesBack => {
        const before = question.secret ? undefined : answers.get(question.message)
        const usual = typeof before === 'string' && before !== '' ? {default: before} : {}
        return prompts.text({...question, ...usual, goesBack})
      }),
    choose: question =>
      answered(question, goesBack => {
        const same = sameAs(answers.get(question.message), question.choices)
        return prompts.choose({...question, ...(same ? {default: same.value} : {}), goesBack})
      }),
    chooseSeveral: question => answered(question, goesBack => prompts.chooseSeveral({...question, goesBack})),
    search: question =>
      answered(question, goesBack => {
        const all = question.find('')
        const same = sameAs(answers.get(question.message), all)
        if (!same) return prompts.search({...question, goesBack})
        const first = [same, ...all.filter(choice => choice !== same)]
        const find = (typed: string) => (typed === '' ? first : question.find(typed))
        return prompts.search({...question, find, goesBack, startsUnchosen: false})
      }),
    // A yes is given again each time.
    confirm: question => answered(question, goesBack => prompts.confirm({...question, goesBack})),
  }
}

function sameAs<T>(before: unknown, choices: readonly Choice<T>[]): Choice<T> | undefined {
  return before === undefined ? undefined : choices.find(({value}) => isDeepStrictEqual(value, before))
}
