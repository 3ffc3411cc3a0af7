/**
 * Runs a command from argv to the exit code. Every error becomes one exit code, and one text or JSON document, here.
 */
import process from 'node:process'
import {dieReading} from '../input/pending-reads.js'
import {
  flushedSoon,
  guardStreams,
  leave,
  type Refusal,
  stderr,
  stderrIsTerminal,
} from '../terminal/streams.js'
import type {Place} from './program.js'
import {begin, FILES_MISSING, running, SIGNAL_EXITS, type StopNote, takeLastWord} from './running.js'

/** Runs the command in `argv` (without node and the script) and ends the process. */
export async function main(argv: readonly string[], place: Place): Promise<never> {
  begin(argv)
  let isStopping = false
  let refusal: Refusal | undefined
  const ending: Ending = {exit: undefined}
  const stopOnce = () => {
    if (isStopping) return false
    isStopping = true
    return true
  }
  // If the reader closes the pipe early (`| head -1`), that is not an error: the command cleans up and ends with 0.
  running.endWithReader = () => {
    if (running.command?.outlivesReader) return
    const isFirstStop = stopOnce()
    if (!isFirstStop) return
    void Promise.resolve(running.command?.stop())
      .catch(() => {})
      .finally(() => process.exit(0))
  }
  guardStreams(running.endWithReader, problem => refusal ?? notWritten(problem))
  stopOnSignals(stopOnce, ending)
  const fail = async (thrown: unknown) => {
    // Errors during shutdown are ignored; the signal handler ends the process.
    if (isStopping) return new Promise<never>(() => {})
    ending.exit = 1
    const onRefused = (error: Refusal) => {
      refusal = error
    }
    const exit = await report(thrown, onRefused).catch(reportPlainly)
    ending.exit = exit
    return leave(exit)
  }
  process.on('uncaughtException', fail)
  process.on('unhandledRejection', fail)
  // If a command waits for something that can never happen, Node exits with 0. This makes it an error.
  const stalled = () => fail(new Error('the event loop is empty, but the command has not ended'))
  process.once('beforeExit', () => void stalled())
  try {
    const code = await execute(argv, place)
    if (isStopping) return await new Promise<never>(() => {})
    ending.exit = code
    return await leave(code)
  } catch (error) {
    return await fail(error)
  }
}

/** `exit` is the exit code. It is set as soon as the result or the error is being printed. */
interface Ending {
  exit: number | undefined
}

/** Runs the command in `argv` without ending the process, and returns the exit code. */
export async function program(argv: readonly string[], place: Place): Promise<number> {
  begin(argv)
  try {
    return await execute(argv, place)
  } catch (error) {
    return report(error)
  }
}

async function execute(argv: readonly string[], place: Place): Promise<number> {
  const [{run}, {loadOptions}, {beforeDashes, orderArgv}] = await Promise.all([
    import('@oclif/core/run'),
    import('./program.js'),
    import('./argv.js'),
  ])
  if (beforeDashes(argv).includes('--no-color')) process.env.NO_COLOR = '1'
  await run(orderArgv(argv), loadOptions(place))
  return running.command?.exitCode ?? 0
}

/** Returns the error for a command that succeeded but whose result could not be written. */
function notWritten(problem: string): Refusal {
  const hint = running.command?.mayHaveChanged
    ? 'the command itself was completed: check what it changed before you repeat it; list bookings: bookctl journal'
    : 'run the command again where its output can be written'
  return {exit: 1, text: `Error: ${problem}\nHint: ${hint}`}
}

/** After a signal, how many milliseconds the work at the end may take, such as closing a connection. */
const MOST_ENDING_MILLISECONDS = 1000

/**
 * Handles SIGINT, SIGTERM and SIGHUP. After the first signal, the command cleans up and the process ends with 128 + the
 * signal's number. A second signal ends it without waiting for the cleanup, and a third at once. Once the command's
 * work is done, a signal changes nothing: the result or error is still printed, with its own exit code. With --json,
 * exactly one document is printed in every case. A command that handles a signal itself is not stopped by it.
 */
function stopOnSignals(stopOnce: () => boolean, ending: Ending): void {
  let count = 0
  let hurry = () => {}
  const hurried = new Promise<void>(resolve => {
    hurry = resolve
  })
  const stop = async (signal: keyof typeof SIGNAL_EXITS) => {
    const {command} = running
    // The note is read now, because it belongs to the current work. If it is a function, it is called after stopping,
    // when the outcome is known.
    const note = command?.stopNote
    const end = (exit: number) => {
      dieReading(signal)
      process.exit(exit)
    }
    if (command?.hasEnded || ending.exit !== undefined) {
      const longest = new Promise(resolve => setTimeout(resolve, MOST_ENDING_MILLISECONDS))
      // Usually the process ends by itself before that.
      await Promise.race([longest, hurried])
      if (running.hasReported || command?.hasPrinted) end(ending.exit ?? command?.exitCode ?? 1)
    }
    stopOnce()
    await Promise.race([Promise.resolve(command?.stop()).catch(() => {}), hurried])
    await reportStop(signal, typeof note === 'function' ? note() : note)
      .then(() => flushedSoon())
      .catch(() => {})
    end(SIGNAL_EXITS[signal])
  }
  for (const signal of Object.keys(SIGNAL_EXITS) as (keyof typeof SIGNAL_EXITS)[]) {
    process.on(signal, () => {
      if (running.command?.takesSignal?.(signal)) return
      // When a terminal closes, both the shell and the system send SIGHUP, so a second one does not mean that the user
      // is in a hurry.
      if (count > 0 && signal === 'SIGHUP') return
      count += 1
      if (count === 1) void stop(signal).catch(() => process.exit(SIGNAL_EXITS[signal]))
      else if (count === 2) hurry()
      else process.exit(SIGNAL_EXITS[signal])
    })
  }
}

/**
 * Prints the stop note. With `--json`, also prints the error document, unless the command prints lines or has already
 * printed a document.
 */
async function reportStop(signal: NodeJS.Signals, note: StopNote | undefined): Promise<void> {
  const {command, argv} = running
  const [{say}, {wantsJson}, {jsonText}] = await Promise.all([
    import('../terminal/talk.js'),
    import('./argv.js'),
    import('../terminal/json-text.js'),
  ])
  const isLast = takeLastWord()
  if (note !== undefined) {
    say(`Stopped before it ended: ${note.state === undefined ? '' : `${note.state}; `}${note.hint}`)
  }
  if (!isLast || !wantsJson(argv) || command?.printsLines) return
  const state = note?.state === undefined ? '' : `: ${note.state}`
  const error = {
    code: signal === 'SIGINT' ? 'interrupted' : 'terminated',
    message: `stopped by ${signal} before it ended${state}`,
    hint: note?.hint,
  }
  process.stdout.write(`${jsonText({error}, 2)}\n`)
}

/**
 * Prints plain text. Used if the reporter itself cannot be loaded, for example because its files are missing; reporting
 * that error the usual way would loop.
 */
function reportPlainly(problem: unknown): number {
  const isMissing = (problem as NodeJS.ErrnoException | null)?.code === 'MODULE_NOT_FOUND'
  const error = isMissing ? FILES_MISSING : {...FILES_MISSING, code: 'unexpected', message: 'internal error'}
  const isLast = takeLastWord()
  if (isLast && running.argv.includes('--json')) process.stdout.write(`${JSON.stringify({error}, null, 2)}\n`)
  else stderr().write(`Error: ${error.message}\nHint: ${error.hint}\n`)
  return 1
}

/**
 * Prints an error and returns the exit code. If the command prints JSON lines, the error is one JSON line. `refuse`
 * receives the error before it is printed, for the case that writing to stdout fails.
 */
async function report(thrown: unknown, refuse = (_: Refusal) => {}): Promise<number> {
  const {command, argv} = running
  const [{describeFailure}, {jsonText}, {wantsJson}, {prepareToWrap, say}] = await Promise.all([
    import('./exit-codes.js'),
    import('../terminal/json-text.js'),
    import('./argv.js'),
    import('../terminal/talk.js'),
  ])
  const {exit, document, text} = describeFailure(thrown, command?.service)
  refuse({exit, text})
  const isDocument = takeLastWord() && wantsJson(argv)
  if (isDocument) process.stdout.write(`${jsonText(document, command?.printsLines ? 0 : 2)}\n`)
  const {code, message, hint} = document.error
  const isLogged = await command?.logFailure?.({code, message, hint, text: isDocument ? undefined : text})
  if (!isDocument && !isLogged) {
    if (stderrIsTerminal()) await prepareToWrap()
    say(text.split('\n'))
  }
  if (process.env.BOOKCTL_DEBUG && thrown instanceof Error) {
    const {redactStack} = await import('../../api/redact/redact.js')
    say(redactStack(thrown.stack ?? '').split('\n'))
  }
  return exit
}
