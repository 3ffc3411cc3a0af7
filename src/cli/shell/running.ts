/** The command that runs in this process, as main.ts, signals and the output streams need to know it. */

/** Exit codes after a signal: 128 + its number. */
export const SIGNAL_EXITS = {SIGINT: 130, SIGTERM: 143, SIGHUP: 129} as const

/** The error for an incomplete installation, or one that was replaced while the program ran. */
export const FILES_MISSING = {
  code: 'files_missing',
  message: 'files of the program are missing: it was replaced while it ran, or was not installed completely',
  hint: 'run the command again, or install it again; what was reserved: bookctl journal',
}

/** What the user should know after a signal has stopped the command. */
export interface StopNote {
  /** What is certain, such as `nothing was sent`. */
  readonly state?: string
  /** How to find out the outcome, or to continue. */
  readonly hint: string
}

export interface RunningCommand {
  /** The exit code after the result is printed, such as 9 for an invalid signature. */
  readonly exitCode: number
  /** Whether the command prints JSON as a stream of lines; an error is then one line too. */
  readonly printsLines: boolean
  readonly hasPrinted: boolean
  /** Whether the work is done or failed and the command only tidies up. A signal then no longer changes the result. */
  readonly hasEnded: boolean
  /** Whether the command goes on after the reader of stdout has closed the pipe. */
  readonly outlivesReader: boolean
  /**
   * Called for each signal. Returns whether it is the command's own matter, because the command passes it on to a program that it
   * runs, or reads its files again.
   */
  readonly takesSignal: ((signal: NodeJS.Signals) => boolean) | undefined
  /** What to report if a signal stops the command now. A function is called after the command has stopped. */
  readonly stopNote: StopNote | (() => StopNote) | undefined
  readonly service: string | undefined
  /** Whether the command is one that changes something and was not a dry run. */
  readonly mayHaveChanged: boolean
  stop(): Promise<void>
  /**
   * Writes a failure to the log of a command that has one. Returns whether that replaces `text` on stderr; `text` is undefined if
   * the failure is printed as a document.
   */
  logFailure?(failure: LoggedFailure): Promise<boolean>
}

export interface LoggedFailure {
  readonly code: string
  readonly message: string
  readonly hint: string
  readonly text: string | undefined
}

export const running = {
  /** The command line as typed, because oclif does not pass all words, nor flags after a group. */
  argv: [] as readonly string[],
  /** The command object; undefined for help, and until oclif has created it. */
  command: undefined as RunningCommand | undefined,
  /** Whether an error or a signal has been reported. Nothing is printed after that, so that --json prints one document. */
  hasReported: false,
  /** Ends the process with exit code 0, because the reader of stdout has closed the pipe. */
  endWithReader: () => {},
}

export function begin(argv: readonly string[]): void {
  running.argv = argv
  running.command = undefined
  running.hasReported = false
}

/**
 * Reports whether the caller may print the last JSON document, and stops all later output. Call it right before writing. It
 * returns false if a document was printed already, unless the command prints lines.
 */
export function takeLastWord(): boolean {
  const {command, hasReported} = running
  running.hasReported = true
  return !hasReported && (!command?.hasPrinted || command.printsLines)
}
