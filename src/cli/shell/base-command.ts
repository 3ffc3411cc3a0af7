/**
 * What every command is made of: the global flags, a connection opened on first use, one way to print a result, one
 * way to talk. A command is a sentence: parse, one call, print. It never catches; main.ts says what was thrown.
 */
import process from 'node:process'
import type {State} from '../../state/state.js'
import type {Connection} from '../session/connect.js'
import type {ConnectionSettings, Preferences, Surroundings} from '../session/settings.js'
import type {Target} from '../session/target.js'
import {type OutputFlags, renderResult, terminalOf} from '../terminal/output.js'
import {type AskingFlags, ask, mayAsk, openPrompts, type Question} from '../terminal/prompts/ask.js'
import {interruption, type Prompts} from '../terminal/prompts/prompts.js'
import type {Result} from '../terminal/result.js'
import {stderrIsTerminal} from '../terminal/streams.js'
import {clearTransient, say} from '../terminal/talk.js'
import type {StopNote} from './failure.js'
import {ParsingCommand} from './parse.js'
import {type RunningCommand, running} from './running.js'

export abstract class BaseCommand extends ParsingCommand implements RunningCommand {
  private tidying: (() => unknown)[] = []
  private tidied: Promise<void> = Promise.resolve()
  private opened: Promise<State> | undefined
  /** How a command that printed its result ends: `webhooks verify` of an invalid signature prints, and ends with 9. */
  exitCode: number = 0

  /** Whether its JSON is a stream of lines; then a failure is one line too. */
  readonly printsLines: boolean = false

  /** Whether there is nothing left to do for it once nobody reads its result any more. */
  readonly endsWithReader: boolean = false

  /** What the user should know when a signal stops the command now; a function is asked once it has stopped. */
  stopNote: StopNote | (() => StopNote) | undefined

  /** The service it acts on and the profile, in words, as soon as they are known. */
  service: string | undefined

  /** Whether its result is on stdout already. */
  hasPrinted = false

  protected override async init(): Promise<void> {
    running.command = this
    await super.init()
    if (this.endsWithReader) (await import('../terminal/streams.js')).whenReaderGoes(running.endWithReader)
  }

  /** Whatever is thrown is for main.ts alone: oclif's own `catch` would decide on exit codes. */
  protected override async catch(error: unknown): Promise<never> {
    throw error
  }

  protected override async finally(): Promise<void> {
    await this.stop()
  }

  /** Undoes what `whenStopped` was told, last first; called at the end and on a signal, which waits for an end begun. */
  stop(): Promise<void> {
    this.tidied = this.tidied.catch(() => {}).then(() => this.tidy())
    return this.tidied
  }

  private async tidy(): Promise<void> {
    for (const tidy of this.tidying.splice(0).reverse()) await tidy()
  }

  protected whenStopped(tidy: () => unknown): void {
    this.tidying.push(tidy)
  }

  /** What this machine remembers. */
  protected state(): Promise<State> {
    this.opened ??= this.openState()
    return this.opened
  }

  /** Closed at the end, which empties a long write-ahead log: left behind, each command would read and lengthen it. */
  private async openState(): Promise<State> {
    const {openState} = await import('../../state/state.js')
    const state = openState(this.config.configDir)
    this.whenStopped(() => state.close())
    return state
  }

  /** What stands on the command line, in the environment and in config.json: what settings are resolved from. */
  protected async surroundings(): Promise<Surroundings> {
    const typed = Object.entries(this.globals).filter(([name]) => this.types(name))
    const flags = Object.fromEntries(typed.map(([name, value]) => [name, String(value)]))
    return {settings: (await this.state()).settings.read(), env: process.env, flags}
  }

  /** What the settings give for a reservation. */
  protected async preferences(): Promise<Preferences> {
    const {readPreferences} = await import('../session/settings.js')
    return readPreferences(await this.surroundings())
  }

  /** `flags` with those of `names` from the settings that neither flag nor environment gave. */
  protected async withDefaults<Name extends string, T extends {readonly [name in Name]?: string | undefined}>(
    flags: T,
    names: readonly Name[],
  ): Promise<T> {
    const {readText} = await import('../session/settings.js')
    const around = await this.surroundings()
    const read = async (name: Name) => [name, flags[name] ?? (await readText(name, around))] as const
    return {...flags, ...Object.fromEntries(await Promise.all(names.map(read)))}
  }

  /** The service and credentials meant, without a request. Shows LIVE on stderr for live ones. */
  protected async target(): Promise<Target> {
    const {resolveTarget} = await import('../session/target.js')
    const target = await resolveTarget(this.globals, process.env, await this.state(), this.namesProfile())
    const {origin, host} = new URL(target.baseUrl)
    this.service = `${origin}, ${target.profile === null ? 'credentials of the environment' : `profile ${target.profile}`}`
    if (target.mode === 'live') this.warn(`LIVE: ${host}, client ${target.clientId}`)
    return target
  }

  /** A connection to the service; it is closed at the end of the command. */
  protected async connect(target?: Target): Promise<Connection> {
    const {connect} = await import('../session/connect.js')
    const connection = await connect(
      target ?? (await this.target()),
      await this.state(),
      await this.connectOptions(),
    )
    this.whenStopped(() => connection.close())
    return connection
  }

  /** What sends requests, of no service in particular: for obtaining and revoking tokens. */
  protected async openSender() {
    const {openSender} = await import('../session/connect.js')
    const {sender, timeoutSeconds, close} = await openSender(await this.connectOptions())
    this.whenStopped(close)
    return {sender, timeoutSeconds}
  }

  /** Whether --profile stands on the command line, where it goes before credentials in the environment. */
  protected namesProfile(): boolean {
    return this.types('profile')
  }

  /** Whether the flag of that name stands on the command line, rather than in the environment. */
  private types(name: string): boolean {
    return this.argv.some(word => word === `--${name}` || word.startsWith(`--${name}=`))
  }

  private async connectionSettings(): Promise<ConnectionSettings> {
    const {readConnectionSettings} = await import('../session/settings.js')
    return readConnectionSettings(await this.surroundings())
  }

  /** What connections are made with; `read` is what the settings give. */
  protected async connectOptions(read?: ConnectionSettings) {
    const {quiet, har, proxy, insecure, 'ca-file': caFileGiven, 'print-curl': curl} = this.globals
    const settings = read ?? (await this.connectionSettings())
    this.timeoutSeconds ??= settings.timeoutSeconds
    const {timeoutSeconds} = this
    const caFile = caFileGiven ?? settings.caFile
    const toStderr = (text: string) => say(text.split('\n'))
    const {version} = this.config
    return {
      ...{timeoutSeconds, quiet, caFile, har, proxy, insecure, version, env: process.env},
      show: this.verbosity > 0 ? toStderr : undefined,
      bodies: this.verbosity > 1,
      history: process.env.BOOKCTL_NO_HISTORY
        ? undefined
        : {directory: this.config.configDir, command: (this.id ?? '').replaceAll(':', ' ')},
      showCurl: curl ? toStderr : undefined,
      warn: (text: string) => this.warn(text),
    }
  }

  /**
   * Prints the result to stdout, in the format of `flags` (default: those of the command line); `continues`: more rows of the
   * list printed before.
   */
  protected async print<Item>(
    result: Result<Item>,
    continues = false,
    flags: OutputFlags = this.globals,
  ): Promise<void> {
    if (this.globals['print-curl']) await this.printCurlOf(result.document)
    const notes: string[] = []
    const note = (text: string) => void notes.push(text)
    const text = await renderResult(result, flags, {...terminalOf(process.stdout), note, continues})
    this.hasPrinted = true
    clearTransient()
    process.stdout.write(text)
    if (result.warning !== undefined) this.warn(result.warning)
    this.note(notes)
    if (result.items.length === 0 && result.whenEmpty) this.note(result.whenEmpty)
  }

  /** A line for each request that --dry-run shows and does not send. */
  private async printCurlOf(document: object): Promise<void> {
    if (!(this.globals as {'dry-run'?: boolean})['dry-run']) return
    const lines = (await import('../session/dry-run.js')).curlOfDryRun(document)
    if (lines.length > 0) say(lines)
  }

  /** Something a person may like to know: on stderr, at a terminal only. */
  protected note(text: string | readonly string[]): void {
    if (this.takesNotes() && text.length > 0) say(text)
  }

  /** Whether there is a terminal for notes. */
  protected takesNotes(): boolean {
    return stderrIsTerminal() && !this.globals.json && !this.globals.quiet
  }

  /** Something to be seen before it happens: on stderr, also in a pipe. */
  protected tell(text: string | readonly string[]): void {
    if (!this.globals.quiet) say(text)
  }

  /** Something that must be known: on stderr, always. */
  override warn<Text extends string | Error>(text: Text): Text {
    say(String(text))
    return text
  }

  /** Questions to the person at the terminal. Throws usage without a terminal. */
  protected prompts(flags: AskingFlags = this.globals): Promise<Prompts> {
    const closing = new AbortController()
    this.whenStopped(() => closing.abort(interruption()))
    return openPrompts(flags, closing.signal)
  }

  protected ask(questions: readonly Question[]): Promise<string[]> {
    return ask(questions, this.globals, () => this.prompts())
  }

  /**
   * Shows what is at stake, then asks unless `yes`; undefined without a terminal. With --quiet it is still shown
   * where a question follows: nobody agrees to what is hidden.
   */
  protected async agreed(
    yes: boolean,
    message: string,
    atStake: readonly string[],
  ): Promise<boolean | undefined> {
    const asks = !yes && mayAsk(this.globals)
    if (asks) say(atStake)
    else this.tell(atStake)
    return yes || this.confirm(message)
  }

  /** Whether a person said yes; undefined without a terminal. */
  protected async confirm(message: string): Promise<boolean | undefined> {
    return mayAsk(this.globals) ? (await this.prompts()).confirm({message}) : undefined
  }
}
