/** The command that runs in this process, for what must reach it from outside: the runner, signals, the end of stdout. */
import type {StopNote} from './failure.js'

export interface RunningCommand {
  /** How it ends when it printed its result. */
  readonly exitCode: number
  /** Whether its JSON is a stream of lines; then a failure is one line too. */
  readonly printsLines: boolean
  /** Whether its result is on stdout already. */
  readonly hasPrinted: boolean
  /** What the user should know when a signal stops it now; a function is asked once it has stopped. */
  readonly stopNote: StopNote | (() => StopNote) | undefined
  /** The service it acts on and the profile, in words, as soon as they are known. */
  readonly service: string | undefined
  /** Tidies up. */
  stop(): Promise<void>
}

interface Running {
  /** The command line as typed, without node and the script: oclif hands on no flags with a group, and not all words. */
  argv: readonly string[]
  /** Undefined until oclif has made the command, and for help. */
  command: RunningCommand | undefined
  /** Ends the process with 0: nobody reads stdout any more. */
  endWithReader: () => void
}

export const running: Running = {argv: [], command: undefined, endWithReader: () => {}}

/** A command line is about to run, and no command of one before. */
export function begin(argv: readonly string[]): void {
  running.argv = argv
  running.command = undefined
}
