/** Questions to a person, on stderr: drawn, or numbered lines. Ctrl-C throws Failure `interrupted`. */
import type {ReadStream, WriteStream} from 'node:tty'
import {Failure} from '../../../contract/failure.js'

export interface Choice<T> {
  readonly value: T
  readonly name: string
  /** More lines, shown while the choice is selected. */
  readonly description?: string
  /** Full names, such as its code: typed in a search, without regard to accents and case, they choose it. */
  readonly names?: readonly string[]
  /** Whether it is an action on the list rather than an item. */
  readonly isAction?: boolean
  /** Whether it must not be selected at first, even if it was the answer before. */
  readonly isUnlikely?: boolean
}

export interface BaseQuestion {
  readonly message: string
  /** A line shown with the question, updated each second: the time left on an offer. */
  readonly status?: (() => string) | undefined
  /** Withdraws the question, which then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /** Whether Escape throws GoBack; the question then mentions it. */
  readonly goesBack?: boolean
}

/** What several questions have in common. */
export type QuestionContext = Omit<BaseQuestion, 'message'>

export interface TextQuestion extends BaseQuestion {
  readonly default?: string | undefined
  /** Allows an empty answer and names it: `none`. With a default, `-` means empty. */
  readonly empty?: string
  readonly secret?: boolean
  /** The meaning of an accepted answer, shown beside it: the date of `+20`, the country of a prefix, an age. */
  readonly hint?: (answer: string) => string | undefined
  /** Checks the answer; throws Failure, whose message is shown, and the question stays. */
  readonly check?: (answer: string) => void | Promise<void>
}

export interface ChoiceQuestion<T> extends BaseQuestion {
  readonly choices: readonly Choice<T>[]
  readonly default?: T
}

export type SeveralQuestion<T> = Omit<ChoiceQuestion<T>, 'default'>

export interface SearchQuestion<T> extends BaseQuestion {
  /** The choices for what is typed so far, trimmed; '' at first. */
  readonly find: (typed: string) => readonly Choice<T>[]
  /** Whether nothing is selected at first, because no choice is likelier than another. */
  readonly startsUnchosen?: boolean
}

interface ConfirmQuestion extends BaseQuestion {
  /** The answer of an empty line (default no). */
  readonly default?: boolean
  /** The message of the question whose answer is in doubt: after a no it is not offered again. */
  readonly about?: string
}

export interface Prompts {
  /** The line, trimmed; the default for an empty one. */
  text(question: TextQuestion): Promise<string>
  choose<const T>(question: ChoiceQuestion<T>): Promise<T>
  chooseSeveral<T>(question: SeveralQuestion<T>): Promise<T[]>
  search<T>(question: SearchQuestion<T>): Promise<T>
  confirm(question: ConfirmQuestion): Promise<boolean>
}

export interface Terminal {
  readonly input: ReadStream
  /** stderr, since stdout is for results. */
  readonly output: WriteStream
  /** Aborted when the command ends, which withdraws the question. */
  readonly closing: AbortSignal | undefined
}

/** Aborted with the first of `signals`; throws the reason if one is aborted already. */
export function anyOf(...signals: readonly (AbortSignal | undefined)[]): AbortSignal {
  const any = AbortSignal.any(signals.filter(signal => signal !== undefined))
  any.throwIfAborted()
  return any
}

export function interruption(message = 'interrupted at a question', hint?: string): Failure {
  return new Failure('interrupted', message, {code: 'interrupted', hint})
}

/** The message of the Failure that `check` throws, if it does. */
export async function refusalOf(check: TextQuestion['check'], answer: string): Promise<string | undefined> {
  try {
    await check?.(answer)
    return undefined
  } catch (error) {
    if (error instanceof Failure) return error.message
    throw error
  }
}

type Lined = Pick<TextQuestion, 'message' | 'default' | 'empty'>

/** The message with the meaning of an empty line. */
export function messageOf({message, default: usual, empty}: Lined): string {
  if (usual !== undefined) return `${message} (${usual}${empty === undefined ? '' : `; - for ${empty}`})`
  return empty === undefined ? message : `${message} (empty: ${empty})`
}

/** The answer that `line` means: itself, the default for an empty one, or empty for `-`. */
export function answerOf({default: usual, empty}: Lined, line: string): string {
  const typed = line.trim()
  if (usual === undefined) return typed
  if (typed === '-' && empty !== undefined) return ''
  return typed === '' ? usual : typed
}
