/**
 * From argv to the exit code. Whatever is thrown anywhere becomes one exit code and one text here: on stderr for
 * people, as one JSON document on stdout with `--json`. Nothing of what oclif's parser throws is printed as it is.
 */
import process from 'node:process'
import type {BaseCommand} from './base-command.js'
import type {StopNote, StopSignal} from './failure.js'
import {dieReading} from './input/waiting.js'
import {flushedSoon, guardStreams, leave, type Refusal} from './output/streams.js'
import {openProgram, type Place, type Program} from './program.js'

/** The command that runs, for the signal handlers. */
interface Started {
  command?: BaseCommand
  stopping: boolean
  /** Why it did not do its work, once that is known. */
  refusal?: Refusal
}

/** Runs the command of `argv` (without node and the script) and ends the process. */
export async function main(argv: readonly string[], place: Place): Promise<never> {
  const started: Started = {stopping: false}
  const readerGone = () => endWithReader(started)
  guardStreams(readerGone, () => started.refusal)
  stopOnSignals(started, argv)
  const fail = async (thrown: unknown) => {
    // What breaks while the command is being stopped is its stopping; the signal handler ends the process.
    if (started.stopping) return new Promise<never>(() => {})
    return leave(await report(thrown, argv, started))
  }
  process.on('uncaughtException', fail)
  process.on('unhandledRejection', fail)
  // Nothing is left that could end the command: without this the process would end as if all were done.
  process.once('beforeExit', () => void fail(new Error('the command waits for what can never come')))
  try {
    await run(argv, place, started, readerGone)
    if (started.stopping) return await new Promise<never>(() => {})
    return await leave(started.command?.exitCode ?? 0)
  } catch (error) {
    return await fail(error)
  }
}

async function run(
  argv: readonly string[],
  place: Place,
  started: Started,
  readerGone: () => void,
): Promise<void> {
  if (argv.includes('--no-color')) process.env.NO_COLOR = '1'
  const {readOrder} = await import('./usage/arguments.js')
  const program = openProgram(place)
  const order = readOrder(argv, program.commandIds)
  if (order.kind === 'version') return printVersion(program, order.argv)
  if (order.kind === 'help') return showHelp(program, order.subject)
  if (order.kind === 'list') return listCommands(program, order.subject)
  if (order.kind === 'candidates') return printCandidates(program, order.argv)
  const CommandClass = await program.load(order.id)
  started.command = new CommandClass([...order.argv], program, order.id)
  if (started.command.endsWithReader) (await import('./output/reader.js')).whenReaderGoes(readerGone)
  await started.command.execute()
}

async function printVersion(program: Program, argv: readonly string[]): Promise<void> {
  const {versionText} = await import('./help/version.js')
  const {name, version, configDir: configDirectory} = program
  process.stdout.write(await versionText({name, version, configDirectory, env: process.env}, argv))
}

async function showHelp(program: Program, subject: readonly string[]): Promise<void> {
  const {helpText} = await import('./help/help.js')
  process.stdout.write(await helpText(await program.commands(), subject))
}

async function listCommands(program: Program, subject: readonly string[]): Promise<void> {
  const [{commandsBelow}, {jsonText}] = await Promise.all([
    import('./help/help.js'),
    import('./output/json-text.js'),
  ])
  process.stdout.write(`${jsonText({commands: commandsBelow(await program.commands(), subject)}, 2)}\n`)
}

async function printCandidates(program: Program, argv: readonly string[]): Promise<void> {
  const {candidateLines} = await import('./completion/answer.js')
  process.stdout.write(candidateLines(program.configDir, argv))
}

/** A reader that has enough (`| head -1`) is no failure: the command tidies up, and ends with 0 and no word. */
function endWithReader(started: Started): void {
  if (started.stopping) return
  started.stopping = true
  void Promise.resolve(started.command?.stop())
    .catch(() => {})
    .finally(() => process.exit(0))
}

/** The first SIGINT, SIGTERM or SIGHUP lets the command tidy up and ends with 128 + its number; the second at once. */
function stopOnSignals(started: Started, argv: readonly string[]): void {
  for (const [signal, exit] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const) {
    process.on(signal, () => {
      if (started.stopping) {
        dieReading(signal)
        process.exit(exit)
      }
      started.stopping = true
      const {command} = started
      // What is true is known once it has stopped; but what is under way now decides whose note it is.
      const note = command?.stopNote
      void Promise.resolve(command?.stop())
        .catch(() => {})
        .then(() => reportStop(signal, typeof note === 'function' ? note() : note, command, argv))
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
  command: BaseCommand | undefined,
  argv: readonly string[],
): Promise<void> {
  const words = note && [note.state, note.hint].filter(text => text !== undefined).join('; ')
  if (words !== undefined) (await import('./output/talk.js')).say(`Stopped before it ended: ${words}`)
  const {wantsJson} = await import('./usage/arguments.js')
  if (!wantsJson(argv) || command?.printsLines || command?.hasPrinted) return
  const [{stoppedDocument}, {jsonText}] = await Promise.all([
    import('./failure.js'),
    import('./output/json-text.js'),
  ])
  process.stdout.write(`${jsonText(stoppedDocument(signal, note), 2)}\n`)
}

/** Prints what was thrown, as a line where the command prints lines; returns the exit code. */
async function report(thrown: unknown, argv: readonly string[], started: Started): Promise<number> {
  const {command} = started
  const [{describeFailure}, {jsonText}, {wantsJson}, {say}] = await Promise.all([
    import('./failure.js'),
    import('./output/json-text.js'),
    import('./usage/arguments.js'),
    import('./output/talk.js'),
  ])
  const {exit, document, text} = describeFailure(thrown, command?.service)
  started.refusal = {exit, text}
  if (wantsJson(argv)) process.stdout.write(`${jsonText(document, command?.printsLines ? 0 : 2)}\n`)
  else say(text.split('\n'))
  if (process.env.BOOKCTL_DEBUG && thrown instanceof Error) {
    const {redactStack} = await import('../api/redact.js')
    say(redactStack(thrown.stack ?? '').split('\n'))
  }
  return exit
}
