/**
 * The types of questions. They are asked on stderr, either drawn or as numbered lines. Ctrl-C at any question throws a
 * Failure `interrupted`.
 */
import type {ReadStream, WriteStream} from 'node:tty'
import {Failure} from '../../../contract/failure.js'

export interface Choice<T> {
  readonly value: T
  readonly name: string
  /** Additional lines, shown while the choice is selected. */
  readonly description?: string
  /**
   * Full names, for example a code. Typing one of them in a search selects this choice; accents and case do not matter.
   */
  readonly names?: readonly string[]
  /** Whether the choice is an action, such as `Other`, and not an item of the list. */
  readonly isAction?: boolean
  /** Whether the choice is never preselected, even if it was the previous answer. */
  readonly isUnlikely?: boolean
}

export interface BaseQuestion {
  readonly message: string
  /** Returns a line that is shown with the question and updated each second, for example the time left on an offer. */
  readonly status?: (() => string) | undefined
  /** Withdraws the question when aborted; the question then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /** Whether Escape throws GoBack. The question then mentions Escape. */
  readonly goesBack?: boolean
}

/** The options that several questions have in common. */
export type QuestionContext = Omit<BaseQuestion, 'message'>

export interface TextQuestion extends BaseQuestion {
  readonly default?: string | undefined
  /**
   * If set, the answer may be empty; the text says what that means, for example `none`. If there is a default, `-` is
   * typed for an empty answer.
   */
  readonly empty?: string
  readonly secret?: boolean
  /**
   * Returns what an answer means, to show it next to the answer: the date of `+20`, the country of a prefix, an age.
   */
  readonly hint?: (answer: string) => string | undefined
  /** Checks an answer. If it throws a Failure, its message is shown and the question stays open. */
  readonly check?: (answer: string) => void | Promise<void>
}

export interface ChoiceQuestion<T> extends BaseQuestion {
  readonly choices: readonly Choice<T>[]
  readonly default?: T
}

export type SeveralQuestion<T> = Omit<ChoiceQuestion<T>, 'default'>

export interface SearchQuestion<T> extends BaseQuestion {
  /** Returns the choices for the text typed so far, trimmed. The first call is with ''. */
  readonly find: (typed: string) => readonly Choice<T>[]
  /** Whether nothing is preselected, because no choice is more likely than the others. */
  readonly startsUnchosen?: boolean
}

interface ConfirmQuestion extends BaseQuestion {
  /** The answer for an empty line (default no). */
  readonly default?: boolean
  /**
   * The message of an earlier question whose answer is being confirmed. If the user says no, that answer is not offered
   * again.
   */
  readonly about?: string
}

export interface Prompts {
  /** Asks for a line and returns it trimmed, or the default if it is empty. */
  text(question: TextQuestion): Promise<string>
  choose<const T>(question: ChoiceQuestion<T>): Promise<T>
  chooseSeveral<T>(question: SeveralQuestion<T>): Promise<T[]>
  search<T>(question: SearchQuestion<T>): Promise<T>
  confirm(question: ConfirmQuestion): Promise<boolean>
}

export interface Terminal {
  readonly input: ReadStream
  /** stderr, because stdout is for results. */
  readonly output: WriteStream
  /** Aborted when the command ends. This withdraws an open question. */
  readonly closing: AbortSignal | undefined
}

/** Returns a signal that is aborted with the first of `signals`. Throws its reason if one is already aborted. */
export function anyOf(...signals: readonly (AbortSignal | undefined)[]): AbortSignal {
  const any = AbortSignal.any(signals.filter(signal => signal !== undefined))
  any.throwIfAborted()
  return any
}

export function interruption(message = 'interrupted at a question', hint?: string): Failure {
  return new Failure('interrupted', message, {code: 'interrupted', hint})
}

/** Returns the message of the Failure that `check` throws, or undefined if `check` accepts the answer. */
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

/** Returns the message, followed by the meaning of an empty line. */
export function messageOf({message, default: usual, empty}: Lined): string {
  if (usual !== undefined) return `${message} (${usual}${empty === undefined ? '' : `; - for ${empty}`})`
  return empty === undefined ? message : `${message} (empty: ${empty})`
}

/** Returns the answer that `line` stands for: the text itself, the default if it is empty, or '' for `-`. */
export function answerOf({default: usual, empty}: Lined, line: string): string {
  const typed = line.trim()
  if (usual === undefined) return typed
  if (typed === '-' && empty !== undefined) return ''
  return typed === '' ? usual : typed
}
