/**
 * From argv to the exit code. Whatever is thrown anywhere becomes one exit code and one text here: on stderr for
 * people, as one JSON document on stdout with `--json`. Nothing of what oclif throws is printed as it is.
 */
import process from 'node:process'
import {dieReading} from '../input/pending-reads.js'
import {flushedSoon, guardStreams, leave, type Refusal} from '../terminal/streams.js'
import type {StopNote, StopSignal} from './failure.js'
import type {Place} from './program.js'
import {begin, running} from './running.js'

/** Runs the command of `argv` (without node and the script) and ends the process. */
export async function main(argv: readonly string[], place: Place): Promise<never> {
  let isStopping = false
  let refusal: Refusal | undefined
  const stopOnce = () => {
    if (isStopping) return false
    isStopping = true
    return true
  }
  running.endWithReader = () => void (stopOnce() && endWithReader())
  guardStreams(running.endWithReader, () => refusal)
  stopOnSignals(argv, stopOnce)
  const fail = async (thrown: unknown) => {
    // Ignores errors during shutdown; the signal handler ends the process.
    if (isStopping) return new Promise<never>(() => {})
    return leave(await report(thrown, argv, told => (refusal = told)))
  }
  process.on('uncaughtException', fail)
  process.on('unhandledRejection', fail)
  // Nothing is left that could end the command: without this the process would end as if all were done.
  process.once(
    'beforeExit',
    () => void fail(new Error('the event loop is empty, but the command has not ended')),
  )
  try {
    const code = await execute(argv, place)
    if (isStopping) return await new Promise<never>(() => {})
    return await leave(code)
  } catch (error) {
    return await fail(error)
  }
}

/** Runs the command of `argv` in this process, whose end is left to the caller. Returns the exit code. */
export async function program(argv: readonly string[], place: Place): Promise<number> {
  try {
    return await execute(argv, place)
  } catch (error) {
    return report(error, argv, () => {})
  }
}

async function execute(argv: readonly string[], place: Place): Promise<number> {
  if (argv.includes('--no-color')) process.env.NO_COLOR = '1'
  const [{run}, {loadOptions}, {orderArgv}] = await Promise.all([
    import('@oclif/core/run'),
    import('./program.js'),
    import('./argv.js'),
  ])
  begin(argv)
  await run(orderArgv(argv), loadOptions(place))
  return running.command?.exitCode ?? 0
}

/** A reader that has enough (`| head -1`) is no failure: the command tidies up, and ends with 0 and no word. */
function endWithReader(): void {
  void Promise.resolve(running.command?.stop())
    .catch(() => {})
    .finally(() => process.exit(0))
}

/** The first SIGINT, SIGTERM or SIGHUP lets the command tidy up and ends with 128 + its number; the second at once. */
function stopOnSignals(argv: readonly string[], stopOnce: () => boolean): void {
  for (const [signal, exit] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const) {
    process.on(signal, () => {
      if (!stopOnce()) {
        dieReading(signal)
        process.exit(exit)
      }
      const {command} = running
      // What is true is known once it has stopped; but what is under way now decides whose note it is.
      const note = command?.stopNote
      void Promise.resolve(command?.stop())
        .catch(() => {})
        .then(() => reportStop(signal, typeof note === 'function' ? note() : note, argv))
        .then(() => flushedSoon())
        .finally(() => {
          dieReading(signal)
          process.exit(exit)
        })
    })
  }
}

/** A stream of lines ends with its last line; any other command leaves one document behind. */
async function reportStop(
  signal: StopSignal,
  note: StopNote | undefined,
  argv: readonly string[],
): Promise<void> {
  const words = note && [note.state, note.hint].filter(text => text !== undefined).join('; ')
  if (words !== undefined) (await import('../terminal/talk.js')).say(`Stopped before it ended: ${words}`)
  const {wantsJson} = await import('./argv.js')
  if (!wantsJson(argv) || running.command?.printsLines || running.command?.hasPrinted) return
  const [{stoppedDocument}, {jsonText}] = await Promise.all([
    import('./failure.js'),
    import('../terminal/json-text.js'),
  ])
  process.stdout.write(`${jsonText(stoppedDocument(signal, note), 2)}\n`)
}

/** Prints what was thrown, as a line where the command prints lines; returns the exit code. */
async function report(
  thrown: unknown,
  argv: readonly string[],
  refuse: (refusal: Refusal) => void,
): Promise<number> {
  const {command} = running
  const [{describeFailure}, {jsonText}, {wantsJson}, {say}] = await Promise.all([
    import('./failure.js'),
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
