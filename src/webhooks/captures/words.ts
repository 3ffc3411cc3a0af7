/** A command of a text, split into words as its shell does. Texts have one character per byte (latin1). */

export interface Word {
  readonly text: string
  /** The parts whose value is not in the text, such as `$BODY`. The shell replaces them by something else. */
  readonly unknown: readonly string[]
}

export interface Command {
  readonly words: readonly Word[]
  /** The text that the command reads from standard input, if it is in the text. */
  readonly input?: string | undefined
  /** The position after the command. */
  readonly end: number
}

/** The variables that a text sets, by their names. */
export type Variables<T> = Pick<ReadonlyMap<string, T>, 'get'>

/** Returns the variables that `read` returns. They are read when one is first asked for, because most commands use none. */
export function whenUsed<T>(read: () => Variables<T>): Variables<T> {
  let known: Variables<T> | undefined
  return {
    get(name) {
      known ??= read()
      return known.get(name)
    },
  }
}

/**
 * Matches a line break before an argument, or before the mark that joins lines, which a mail put there: no command begins with a
 * dash, a quote or an address.
 */
export const WRAPPED_OPTION = /^\r?\n[ \t]*(?:--?[A-Za-z]|['"]|\$'|https?:\/\/|[\\^`][ \t]*\r?\n)/

/** Returns the UTF-8 bytes of `text`, one character per byte. */
export function utf8Bytes(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1')
}
