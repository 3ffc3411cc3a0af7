/**
 * Questions to a person: on stderr, and only when somebody is there to answer. Piped input never answers one.
 * Ctrl-C at a question ends with 130 and nothing sent.
 */
import process from 'node:process'
import {Failure} from '../contract/failure.js'
import {missing} from './parse-errors.js'

export interface AskingFlags {
  readonly json?: boolean | undefined
  readonly 'no-input'?: boolean | undefined
}

/** Whether a question may be asked. */
export function mayAsk(flags: AskingFlags, env: NodeJS.ProcessEnv = process.env): boolean {
  const forbidden = flags.json || flags['no-input'] || env.CI || env.BOOKCTL_NO_INPUT
  return !forbidden && Boolean(process.stdin.isTTY) && Boolean(process.stderr.isTTY)
}

export interface Question {
  /** The flag that answers it, for the message when nobody may be asked: `--client-id`. */
  readonly flag: string
  readonly message: string
  readonly secret?: boolean
  readonly default?: string
  /** Checks an answer as soon as it is typed; throws Failure, whose words are shown, and the question stays. */
  readonly check?: (answer: string) => void
}

/**
 * Answers to `questions`, in order. Throws a usage Failure naming every one's flag when nobody may be asked.
 */
export async function ask(questions: readonly Question[], flags: AskingFlags): Promise<string[]> {
  if (questions.length === 0) return []
  if (!mayAsk(flags)) throw missing(questions.map(question => question.flag))
  const {input, password} = await import('@inquirer/prompts')
  const answers: string[] = []
  for (const question of questions) {
    const {message} = question
    const validate = (answer: string) => verdictOn(question, answer.trim())
    const given = question.default === undefined ? {} : {default: question.default}
    const answer = question.secret
      ? // Over a shoulder a secret is read in a moment: there is no key that shows it.
        await password({message, validate, toggleMask: false}, {output: process.stderr})
      : await input({message, validate, ...given}, {output: process.stderr})
    answers.push(answer.trim())
  }
  return answers
}

/** True, or why the answer will not do. */
function verdictOn({check}: Question, answer: string): true | string {
  try {
    check?.(answer)
    return true
  } catch (error) {
    if (error instanceof Failure) return error.message
    throw error
  }
}

/** Asks yes or no; no is the answer of an empty line. */
export async function confirm(message: string): Promise<boolean> {
  const prompts = await import('@inquirer/prompts')
  return prompts.confirm({message, default: false}, {output: process.stderr})
}
