/**
 * Questions to a person, whatever draws them: with redraws at a usual terminal, or as numbered lines without any in
 * the accessible mode. All of them go to stderr; Ctrl-C at any of them throws Failure `interrupted`.
 */

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

export interface ConfirmQuestion extends Asked {
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
