/**
 * Questions to a person, whatever draws them: with redraws at a usual terminal, or as numbered lines without any in
 * the accessible mode. All of them go to stderr; Ctrl-C at any of them throws Failure `interrupted`.
 */
import type {ReadStream, WriteStream} from 'node:tty'
import {Failure} from '../../../contract/failure.js'

export interface Choice<T> {
  readonly value: T
  /** One line. */
  readonly name: string
  /** More lines, shown while the choice is pointed at. */
  readonly description?: string
  /** Words that name it alone and in full, such as its code; without accents and case they choose it in a search. */
  readonly names?: readonly string[]
  /** Whether it does something to the list, rather than being of it. */
  readonly isAction?: boolean
}

/** What all questions have. */
export interface Asked {
  readonly message: string
  /** A line kept in sight with the question, read again each second: the time left on an offer. */
  readonly status?: (() => string) | undefined
  /** Withdraws the question when aborted; it then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /** Whether Escape goes back: the question then throws GoBack. The question says so. */
  readonly goesBack?: boolean
}

export interface TextQuestion extends Asked {
  readonly default?: string | undefined
  /** What an empty answer means, where there may be one: `none`. With a default, `-` gives it. */
  readonly empty?: string
  /** Shows nothing of what is typed. */
  readonly secret?: boolean
  /** What the answer means, shown beside it once it is given: the date of `+20`, the country of a prefix, an age. */
  readonly hint?: (answer: string) => string | undefined
  /** Checks the answer; throws Failure, whose words are shown, and the question stays. */
  readonly check?: (answer: string) => void | Promise<void>
}

export interface ChoiceQuestion<T> extends Asked {
  readonly choices: readonly Choice<T>[]
  readonly default?: T
}

export interface SeveralQuestion<T> extends Asked {
  readonly choices: readonly Choice<T>[]
}

export interface SearchQuestion<T> extends Asked {
  /** The choices for what has been typed so far, trimmed; at first that is the empty string. */
  readonly find: (typed: string) => readonly Choice<T>[]
  /** Whether nothing is chosen before something was typed or pointed at: where no choice is likelier than another. */
  readonly startsUnchosen?: boolean
}

interface ConfirmQuestion extends Asked {
  /** The answer of an empty line (default no). */
  readonly default?: boolean
}

export interface Prompts {
  /** The line typed, trimmed; the default for an empty one. */
  text(question: TextQuestion): Promise<string>
  /** One of the choices, moved through with the arrow keys or named by its number. */
  choose<T>(question: ChoiceQuestion<T>): Promise<T>
  /** One or more of the choices, in their order. */
  chooseSeveral<T>(question: SeveralQuestion<T>): Promise<T[]>
  /** One of the choices that typing narrows. */
  search<T>(question: SearchQuestion<T>): Promise<T>
  confirm(question: ConfirmQuestion): Promise<boolean>
}

export interface Terminal {
  /** Where answers are typed. */
  readonly input: ReadStream
  /** Where questions are shown: stderr, since stdout is for results. */
  readonly output: WriteStream
  /** Aborted when the command ends: whatever is asked then is withdrawn. */
  readonly closing: AbortSignal | undefined
}

/** Aborted with the first of `signals`; throws the reason where one of them was aborted before. */
export function anyOf(...signals: readonly (AbortSignal | undefined)[]): AbortSignal {
  const any = AbortSignal.any(signals.filter(signal => signal !== undefined))
  any.throwIfAborted()
  return any
}

export function interruption(): Failure {
  return new Failure('interrupted', 'interrupted at a question', {code: 'interrupted'})
}

/** Why `check` refuses `answer`, in words to show; undefined when it does not. */
export async function refusalOf(
  check: ((answer: string) => void | Promise<void>) | undefined,
  answer: string,
): Promise<string | undefined> {
  try {
    await check?.(answer)
    return undefined
  } catch (error) {
    if (error instanceof Failure) return error.message
    throw error
  }
}

type Lined = Pick<TextQuestion, 'message' | 'default' | 'empty'>

/** The message with what an empty line gives. */
export function messageOf({message, default: usual, empty}: Lined): string {
  if (usual !== undefined) return `${message} (${usual}${empty === undefined ? '' : `; - for ${empty}`})`
  return empty === undefined ? message : `${message} (empty: ${empty})`
}

/** What `line` answers: itself, the default for an empty one, or nothing for `-` where that may be said. */
export function answerOf({default: usual, empty}: Lined, line: string): string {
  const typed = line.trim()
  if (usual === undefined) return typed
  if (typed === '-' && empty !== undefined) return ''
  return typed === '' ? usual : typed
}

/** Whether `answer` says yes; undefined when it says neither yes nor no. */
export function isYes(answer: string): boolean | undefined {
  const word = answer.trim().toLowerCase()
  if (word === 'y' || word === 'yes') return true
  return word === 'n' || word === 'no' ? false : undefined
}

/** The numbers from 1 to `most` that `answer` consists of; none when it holds anything else. */
export function numbersIn(answer: string, most: number): number[] {
  const words = answer.split(/[\s,]+/).filter(word => word !== '')
  const numbers = words.map(word => (/^\d{1,6}$/.test(word) ? Number(word) : 0))
  return numbers.every(number => number >= 1 && number <= most) ? numbers : []
}
