/** The command that runs in this process, for main.ts, the signal handlers and the output streams. */

/** Exit codes after a signal: 128 + the signal's number. */
export const SIGNAL_EXITS = {SIGINT: 130, SIGTERM: 143, SIGHUP: 129} as const

/** The error for an installation that is incomplete, or was replaced while the program was running. */
export const FILES_MISSING = {
  code: 'files_missing',
  message: 'files of the program are missing: it was replaced while it ran, or was not installed completely',
  hint: 'run the command again, or install it again; what was reserved: bookctl journal',
}

/** What the user should know after a signal has stopped the command. */
export interface StopNote {
  /** What is certain, for example `nothing was sent`. */
  readonly state?: string
  /** How to find out the outcome, or how to continue. */
  readonly hint: string
}

export interface RunningCommand {
  /** The exit code after the result was printed, for example 9 for an invalid signature. */
  readonly exitCode: number
  /** Whether the command prints JSON lines. An error is then also one line. */
  readonly printsLines: boolean
  readonly hasPrinted: boolean
  /** Whether the work is finished and the command only cleans up. A signal then does not change the result. */
  readonly hasEnded: boolean
  /** Whether the command continues after the reader of stdout has closed the pipe. */
  readonly outlivesReader: boolean
  /**
   * Called for each signal. Returns true if the command handles the signal itself, for example by passing it to a
   * program that it runs.
   */
  readonly takesSignal: ((signal: NodeJS.Signals) => boolean) | undefined
  /**
   * What to report if a signal stops the command now. If it is a function, it is called after the command has stopped.
   */
  readonly stopNote: StopNote | (() => StopNote) | undefined
  readonly service: string | undefined
  /** Whether the command changes something and is not a dry run. */
  readonly mayHaveChanged: boolean
  stop(): Promise<void>
  /**
   * Writes a failure to the log, if the command has one. Returns true if the log entry replaces `text` on stderr.
   * `text` is undefined if the failure is printed as a document.
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
  /** The command line as typed. oclif does not pass on all words, nor flags after a group. */
  argv: [] as readonly string[],
  /** The command object. Undefined for help, and until oclif has created it. */
  command: undefined as RunningCommand | undefined,
  /**
   * Whether an error or a signal was reported. Nothing is printed after that, so that --json prints only one document.
   */
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
 * Reports whether the caller may print the last JSON document, and prevents all later output. It must be called right
 * before writing. It returns false if a document was already printed, unless the command prints lines.
 */
export function takeLastWord(): boolean {
  const {command, hasReported} = running
  running.hasReported = true
  return !hasReported && (!command?.hasPrinted || command.printsLines)
}
