/** The command that runs in this process, for the runner, signals and the end of stdout. */

/** Exit codes after a signal: 128 + its number. */
export const SIGNAL_EXITS = {SIGINT: 130, SIGTERM: 143, SIGHUP: 129} as const

/** The failure of an installation that is not complete, or was replaced under a process that runs. */
export const FILES_MISSING = {
  code: 'files_missing',
  message: 'files of the program are missing: it was replaced while it ran, or was not installed completely',
  hint: 'run the command again, or install it again; what was reserved: bookctl journal',
}

/** What the user should know when a signal stops the command. */
export interface StopNote {
  /** What is certain: `nothing was sent`. */
  readonly state?: string
  /** How to find out the outcome, or to continue. */
  readonly hint: string
}

export interface RunningCommand {
  /** The exit code after a result was printed: 9 for an invalid signature. */
  readonly exitCode: number
  /** Whether its JSON is a stream of lines; an error is then one line too. */
  readonly printsLines: boolean
  readonly hasPrinted: boolean
  /** Whether its work is over, done or failed, and it only tidies up: its result or its error stands. */
  readonly hasEnded: boolean
  /** Whether it goes on when the reader of stdout is gone. */
  readonly outlivesReader: boolean
  /** What the user should know when a signal stops it now; a function is called after it has stopped. */
  readonly stopNote: StopNote | (() => StopNote) | undefined
  readonly service: string | undefined
  /** Whether the command is of the kind that changes something, and was not a dry run. */
  readonly mayHaveChanged: boolean
  stop(): Promise<void>
}

export const running = {
  /** The command line as typed: oclif passes no flags with a group, and not all words. */
  argv: [] as readonly string[],
  /** Undefined before oclif has created the command, and for help. */
  command: undefined as RunningCommand | undefined,
  /** Whether an error, or a stop, was reported: it is the last that is printed, so that --json has one document. */
  hasReported: false,
  /** Ends the process with 0, because the reader of stdout is gone. */
  endWithReader: () => {},
}

export function begin(argv: readonly string[]): void {
  running.argv = argv
  running.command = undefined
  running.hasReported = false
}

/**
 * Whether a document may be printed to stdout as the last one, asked right before it is written: none was printed before,
 * unless as a line of several. From then on nothing else is.
 */
export function takeLastWord(): boolean {
  const {command, hasReported} = running
  running.hasReported = true
  return !hasReported && (!command?.hasPrinted || command.printsLines)
}
