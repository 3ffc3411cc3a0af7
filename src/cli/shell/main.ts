/** From argv to the exit code: every error becomes one exit code and one text or JSON document here. */
import process from 'node:process'
import {dieReading} from '../input/pending-reads.js'
import {flushedSoon, guardStreams, leave, type Refusal, stderr} from '../terminal/streams.js'
import type {Place} from './program.js'
import {begin, FILES_MISSING, running, SIGNAL_EXITS, type StopNote} from './running.js'

/** Runs the command of `argv` (without node and the script) and ends the process. */
export async function main(argv: readonly string[], place: Place): Promise<never> {
  begin(argv)
  let isStopping = false
  let refusal: Refusal | undefined
  const stopOnce = () => {
    if (isStopping) return false
    isStopping = true
    return true
  }
  running.endWithReader = () => void (!running.command?.outlivesReader && stopOnce() && endWithReader())
  guardStreams(running.endWithReader, problem => refusal ?? notWritten(problem))
  stopOnSignals(stopOnce)
  const fail = async (thrown: unknown) => {
    // Ignores errors during shutdown; the signal handler ends the process.
    if (isStopping) return new Promise<never>(() => {})
    return leave(await report(thrown, error => (refusal = error)).catch(reportPlainly))
  }
  process.on('uncaughtException', fail)
  process.on('unhandledRejection', fail)
  // Otherwise a command that waits for nothing would end the process as if it had succeeded.
  const stalled = () => fail(new Error('the event loop is empty, but the command has not ended'))
  process.once('beforeExit', () => void stalled())
  try {
    const code = await execute(argv, place)
    if (isStopping) return await new Promise<never>(() => {})
    return await leave(code)
  } catch (error) {
    return await fail(error)
  }
}

/** Runs the command of `argv` without ending the process. Returns the exit code. */
export async function program(argv: readonly string[], place: Place): Promise<number> {
  begin(argv)
  try {
    return await execute(argv, place)
  } catch (error) {
    return report(error)
  }
}

async function execute(argv: readonly string[], place: Place): Promise<number> {
  if (argv.includes('--no-color')) process.env.NO_COLOR = '1'
  const [{run}, {loadOptions}, {orderArgv}] = await Promise.all([
    import('@oclif/core/run'),
    import('./program.js'),
    import('./argv.js'),
  ])
  await run(orderArgv(argv), loadOptions(place))
  return running.command?.exitCode ?? 0
}

/** Of a command that ended well but for its result. */
function notWritten(problem: string): Refusal {
  const hint = running.command?.mayHaveChanged
    ? 'the command itself was completed: check what it changed before you repeat it; list bookings: bookctl journal'
    : 'run the command again where its output can be written'
  return {exit: 1, text: `Error: ${problem}\nHint: ${hint}`}
}

/** A reader that closes early (`| head -1`) is no error: the command tidies up and ends with 0. */
function endWithReader(): void {
  void Promise.resolve(running.command?.stop())
    .catch(() => {})
    .finally(() => process.exit(0))
}

/** The first SIGINT, SIGTERM or SIGHUP lets the command tidy up and ends with 128 + its number; the second at once. */
function stopOnSignals(stopOnce: () => boolean): void {
  for (const [signal, exit] of Object.entries(SIGNAL_EXITS) as [keyof typeof SIGNAL_EXITS, number][]) {
    process.on(signal, () => {
      if (!stopOnce()) {
        dieReading(signal)
        process.exit(exit)
      }
      const {command} = running
      // The note belongs to the work under way now; a function is called later, when the outcome is known.
      const note = command?.stopNote
      void Promise.resolve(command?.stop())
        .catch(() => {})
        .then(() => reportStop(signal, typeof note === 'function' ? note() : note))
        .then(() => flushedSoon())
        .finally(() => {
          dieReading(signal)
          process.exit(exit)
        })
    })
  }
}

/** Prints the note; with `--json`, also the one document, unless the command prints lines or has printed. */
async function reportStop(signal: NodeJS.Signals, note: StopNote | undefined): Promise<void> {
  if (note !== undefined) {
    const {say} = await import('../terminal/talk.js')
    say(`Stopped before it ended: ${note.state === undefined ? '' : `${note.state}; `}${note.hint}`)
  }
  const {command, argv} = running
  const {wantsJson} = await import('./argv.js')
  if (!wantsJson(argv) || command?.printsLines || command?.hasPrinted) return
  const state = note?.state === undefined ? '' : `: ${note.state}`
  const error = {
    code: signal === 'SIGINT' ? 'interrupted' : 'terminated',
    message: `stopped by ${signal} before it ended${state}`,
    hint: note?.hint,
  }
  const {jsonText} = await import('../terminal/json-text.js')
  process.stdout.write(`${jsonText({error}, 2)}\n`)
}

/** What reports an error is in files of its own; if it fails itself, for example because they are gone, it would for ever. */
function reportPlainly(problem: unknown): number {
  const isMissing = (problem as NodeJS.ErrnoException | null)?.code === 'MODULE_NOT_FOUND'
  const error = isMissing ? FILES_MISSING : {...FILES_MISSING, code: 'unexpected', message: 'internal error'}
  if (running.argv.includes('--json')) process.stdout.write(`${JSON.stringify({error}, null, 2)}\n`)
  else stderr().write(`Error: ${error.message}\nHint: ${error.hint}\n`)
  return 1
}

/** Prints an error, on one line if the command prints lines; returns the exit code. */
async function report(thrown: unknown, refuse = (_: Refusal) => {}): Promise<number> {
  const {command, argv} = running
  const [{describeFailure}, {jsonText}, {wantsJson}, {say}] = await Promise.all([
    import('./exit-codes.js'),
    import('../terminal/json-text.js'),
    import('./argv.js'),
    import('../terminal/talk.js'),
  ])
  const {exit, document, text} = describeFailure(thrown, command?.service)
  refuse({exit, text})
  if (wantsJson(argv)) process.stdout.write(`${jsonText(document, command?.printsLines ? 0 : 2)}\n`)
  else say(text.split('\n'))
  if (process.env.BOOKCTL_DEBUG && thrown instanceof Error) {
    const {redactStack} = await import('../../api/redact/redact.js')
    say(redactStack(thrown.stack ?? '').split('\n'))
  }
  return exit
}
