/**
 * Lets Escape go back to the previous question. The function that asks runs again, and gets the earlier answers without
 * asking.
 */
import {isDeepStrictEqual} from 'node:util'
import type {BaseQuestion, Choice, Prompts, QuestionContext} from './prompts.js'

/** Thrown by a question when the user goes back. */
export class GoBack extends Error {}

/** The latest answer to each question, keyed by its message. */
export type Answers = Map<string, unknown>

interface WayBackOptions {
  /** Stores the answers. Answers from an earlier run become defaults. */
  readonly answers?: Answers
  /** Whether Escape at the first question throws GoBack to the caller. */
  readonly leaves?: boolean
  /** Undoes what `lead` has changed, before it runs again. */
  readonly restore?: () => void
  readonly context?: QuestionContext | undefined
}

/** A question that was answered. `before` is the answer that it had before. */
type AnsweredQuestion = {readonly message: string; readonly answer: unknown; readonly before: unknown}

/** Runs `lead` with prompts that can go back. Its questions must depend only on the answers, because it runs again. */
export async function withWayBack<T>(
  prompts: Prompts,
  lead: (prompts: Prompts) => Promise<T>,
  {answers = new Map(), leaves = false, restore, context}: WayBackOptions = {},
): Promise<T> {
  const given: AnsweredQuestion[] = []
  const common = () => ({...context, goesBack: leaves || given.length > 0})
  for (;;) {
    try {
      return await lead(recording(prompts, given, answers, common))
    } catch (error) {
      if (!(error instanceof GoBack) || given.length === 0) throw error
      given.pop()
      restore?.()
    }
  }
}

/** Returns the answer, or the result of `instead` if the user goes back. */
export async function unlessBack<T, U>(answer: Promise<T>, instead: () => U): Promise<T | U> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof GoBack) return instead()
    throw error
  }
}

/** Returns prompts that take the answers in `given` without asking, and add new answers to it. */
function recording(
  prompts: Prompts,
  given: AnsweredQuestion[],
  answers: Answers,
  common: () => QuestionContext,
): Prompts {
  let next = 0
  const answered = async <Q extends BaseQuestion, T>(
    question: Q,
    ask: (asked: Q) => Promise<T>,
  ): Promise<T> => {
    const {message} = question
    // Answers to questions that are no longer asked are skipped, for example those about a guest who was removed.
    const index = given.findIndex((one, place) => place >= next && one.message === message)
    given.splice(next, (index < 0 ? given.length : index) - next)
    if (next === given.length) {
      const answer = await ask({...question, ...common()})
      given.push({message, answer, before: answers.get(message)})
      answers.set(message, answer)
    }
    return given[next++]?.answer as T
  }
  return {
    text: question =>
      answered(question, asked => {
        const before = question.secret ? undefined : answers.get(question.message)
        return prompts.text(typeof before === 'string' && before !== '' ? {...asked, default: before} : asked)
      }),
    choose: question =>
      answered(question, asked => {
        const same = sameAs(answers.get(question.message), question.choices)
        return prompts.choose(same ? {...asked, default: same.value} : asked)
      }),
    chooseSeveral: question => answered(question, asked => prompts.chooseSeveral(asked)),
    search: question =>
      answered(question, asked => {
        const all = question.find('')
        const same = sameAs(answers.get(question.message), all)
        if (!same) return prompts.search(asked)
        const first = [same, ...all.filter(choice => choice !== same)]
        const find = (typed: string) => (typed === '' ? first : question.find(typed))
        return prompts.search({...asked, find, startsUnchosen: false})
      }),
    // An earlier confirmation is never offered as the default.
    confirm: ({about, ...question}) =>
      answered(question, async asked => {
        const agreed = await prompts.confirm(asked)
        if (!agreed && about !== undefined)
          answers.set(about, given.findLast(({message}) => message === about)?.before)
        return agreed
      }),
  }
}

function sameAs<T>(before: unknown, choices: readonly Choice<T>[]): Choice<T> | undefined {
  const likely = choices.filter(({isAction, isUnlikely}) => !isAction && !isUnlikely)
  return likely.find(({value}) => isDeepStrictEqual(value, before))
}
