/**
 * The base class of all commands. It does not report errors itself: it rethrows them, some with a better hint, and
 * main.ts reports them.
 */
import process from 'node:process'
import {Failure, failureWith} from '../../contract/failure.js'
import {shellWord} from '../../contract/foreign-text.js'
import type {OperationName} from '../../contract/operations.js'
import type {Client} from '../../contract/token-cache.js'
import type {SettingsFile} from '../../state/settings.js'
import type {State} from '../../state/state.js'
import {StorageError} from '../../storage/errors.js'
import type {Fields} from '../input/guests.js'
import {ignoreFailure} from '../input/usage-errors.js'
import type {Connection, ConnectOptions} from '../session/connect.js'
import type {RequestValues} from '../session/dry-run.js'
import type {Preferences, Surroundings, Target} from '../session/resolve.js'
import type {SettingName} from '../session/setting-keys.js'
import {formatOf, type OutputFlags, renderResult, terminalOf} from '../terminal/output.js'
import {type AskingFlags, type Change, mayAsk, openPrompts, requireConsent} from '../terminal/prompts/ask.js'
import {interruption, type Prompts} from '../terminal/prompts/prompts.js'
import type {Result} from '../terminal/result.js'
import {stderrIsTerminal, stdinIsTerminal, writePieces} from '../terminal/streams.js'
import {clearTransient, prepareToWrap, say} from '../terminal/talk.js'
import type {Candidate, Source} from './completion.js'
import {ParsingCommand} from './parse.js'
import {type RunningCommand, running, type StopNote} from './running.js'

/** Fields of a reservation's contact (§2.4) that are also settings: `contact.email`. */
const CONTACT_PARTS = ['name', 'surname', 'email', 'phone_country_code', 'phone_number'] as const

const SERVICE_FLAGS = ['profile', 'base-url', 'ca-file', 'proxy', 'insecure'] as const

export abstract class BaseCommand extends ParsingCommand implements RunningCommand {
  private tidying: (() => unknown)[] = []
  private tidied: Promise<void> = Promise.resolve()
  private opened: ReturnType<BaseCommand['openState']> | undefined
  private targetInUse: Target | undefined
  private connection: Connection | undefined

  exitCode: number = 0
  printsLines: boolean = false
  hasPrinted = false
  hasEnded = false
  readonly outlivesReader: boolean = false
  stopNote: StopNote | (() => StopNote) | undefined
  service: string | undefined
  takesSignal: RunningCommand['takesSignal']

  get mayHaveChanged(): boolean {
    return 'dry-run' in (this.ctor.flags ?? {}) && !('dry-run' in this.globals)
  }

  protected override async init(): Promise<void> {
    running.command = this
    if (stderrIsTerminal() || process.stdout.isTTY) await prepareToWrap()
    await super.init()
  }

  /**
   * Rethrows the error, because oclif's own `catch` would choose the exit code. If the user pressed Ctrl-C at a
   * question, the error gets the text of the command's stop note, as after a signal.
   */
  protected override async catch(error: unknown): Promise<never> {
    this.hasEnded = true
    const isStopped = error instanceof Failure && error.kind === 'interrupted' && !error.details.hint
    if (!isStopped || !this.stopNote) throw await this.namingSandbox(error)
    const {state = error.message, hint} =
      typeof this.stopNote === 'function' ? this.stopNote() : this.stopNote
    throw new Failure('interrupted', `stopped; ${state}`, {code: 'interrupted', hint})
  }

  /**
   * Returns the error, with another hint if nothing listens at the service's address but a local sandbox runs at
   * another one: the hint then names that sandbox.
   */
  private async namingSandbox(error: unknown): Promise<unknown> {
    if (!(error instanceof Failure) || error.kind !== 'unreachable' || !error.details.nothingListens)
      return error
    const {listeningSandboxes} = await import('../session/sandbox-records.js')
    const [running] = await listeningSandboxes(this.config.configDir).catch(() => [])
    const hint = `nothing listens there, but a local sandbox runs at ${running?.origin}; to use it: eval "$(bookctl sandbox env)"`
    return running ? failureWith(error, {hint}) : error
  }

  protected override async finally(): Promise<void> {
    this.hasEnded = true
    await this.stop()
  }

  /**
   * Runs the functions that were registered with `whenStopped`, last first. If a signal calls it again, the second call
   * waits for the first.
   */
  stop(): Promise<void> {
    const tidy = async () => {
      for (const undo of this.tidying.splice(0).reverse()) await undo()
    }
    this.tidied = this.tidied.catch(() => {}).then(tidy)
    return this.tidied
  }

  /** Registers a function that runs when the command ends or is stopped. */
  whenStopped(tidy: () => unknown): void {
    this.tidying.push(tidy)
  }

  async state(): Promise<State> {
    this.opened ??= this.openState()
    return (await this.opened).state
  }

  private async openState(): Promise<{readonly state: State; readonly surroundings: Surroundings}> {
    const [{openState}, {createSettings}, {chooseStore}] = await Promise.all([
      import('../../state/state.js'),
      import('../../state/settings.js'),
      import('../session/resolve.js'),
    ])
    const {configDir} = this.config
    let settings: SettingsFile | undefined
    const surroundings: Surroundings = {
      get settings() {
        settings ??= createSettings(configDir).read()
        return settings
      },
      env: process.env,
      flags: this.typed,
    }
    const store = await chooseStore(surroundings, () => this.connectOptions())
    const state = openState(configDir, {store, warn: text => this.warn(text)})
    // Closing the database also removes its log file.
    this.whenStopped(() => state.close())
    return {state, surroundings}
  }

  /** Returns the sources of settings: command line, environment and config.json. */
  protected async surroundings(): Promise<Surroundings> {
    this.opened ??= this.openState()
    return (await this.opened).surroundings
  }

  /** Returns the defaults for a booking in the profile or the environment: nationality, currency and contact. */
  protected async preferences(): Promise<Preferences> {
    const {readText} = await import('../session/resolve.js')
    const surroundings = await this.surroundings()
    const contact: Fields = {}
    for (const part of CONTACT_PARTS) {
      const value = await readText(`contact.${part}`, surroundings)
      if (value !== undefined) contact[part] = value
    }
    return {
      nationality: await readText('nationality', surroundings),
      currency: await readText('currency', surroundings),
      contact: Object.keys(contact).length === 0 ? undefined : contact,
    }
  }

  /** Returns `flags`, with the value of the setting for each flag in `names` that was not given. */
  protected async withDefaults<
    Name extends SettingName,
    T extends {readonly [name in Name]?: string | undefined},
  >(flags: T, names: readonly Name[]): Promise<T> {
    const {readText} = await import('../session/resolve.js')
    const surroundings = await this.surroundings()
    const read = async (name: Name) => [name, flags[name] ?? (await readText(name, surroundings))] as const
    return {...flags, ...Object.fromEntries(await Promise.all(names.map(read)))}
  }

  /**
   * Resolves the service and the credentials to use, without sending a request. Prints a warning, once, if the
   * credentials are live.
   */
  async target(): Promise<Target> {
    if (this.targetInUse === undefined) {
      const target = await this.resolveTarget()
      const {origin, host} = new URL(target.baseUrl)
      this.service = `${origin}, ${target.profile === null ? 'credentials of the environment' : `profile ${target.profile}`}`
      if (target.mode === 'live') this.warn(`LIVE: ${host}, client ${target.clientId}`)
      this.targetInUse = target
    }
    return this.targetInUse
  }

  protected override client(): Promise<Client | undefined> {
    // Missing or invalid credentials are reported by `target`, if the command needs them.
    return this.resolveTarget().catch(ignoreFailure)
  }

  protected override async listed(kind: Source): Promise<readonly Candidate[]> {
    const use = ({vouchers: 'voucher', cancellable: 'cancel'} as const)[kind as string]
    // Without a service to ask, the question has only the choices of this machine.
    const target = use && (await this.resolveTarget().catch(ignoreFailure))
    if (!use || !target) return []
    const {listedChoices} = await import('../session/reservation-choices.js')
    return listedChoices((await this.connect(target)).api, use)
  }

  private async resolveTarget(): Promise<Target> {
    const {resolveTarget} = await import('../session/resolve.js')
    return resolveTarget(await this.surroundings(), await this.state())
  }

  /** Returns the connection to the service. The first call opens it, and it is closed when the command ends. */
  async connect(target?: Target): Promise<Connection> {
    if (this.connection === undefined) {
      const {connect} = await import('../session/connect.js')
      const service = target ?? (await this.target())
      const connection = await connect(service, await this.state(), await this.connectOptions())
      this.whenStopped(() => connection.close())
      this.connection = connection
    }
    return this.connection
  }

  /** Opens a sender without credentials, to obtain and revoke tokens. */
  protected async openSender() {
    const {openSender} = await import('../session/connect.js')
    const opened = await openSender(await this.connectOptions())
    this.whenStopped(opened.close)
    return opened
  }

  /**
   * Returns the flags of this command line that a suggested command needs, too, to reach the same service as the same
   * client.
   */
  serviceFlags(): string[] {
    const flags = SERVICE_FLAGS.filter(name => this.typed[name] !== undefined)
    return flags.map(name =>
      name === 'insecure' ? '--insecure' : `--${name} ${shellWord(`${this.typed[name]}`)}`,
    )
  }

  /** Returns the options of a connection. With `ignoresInvalid`, an invalid setting is treated as not set. */
  protected async connectOptions(ignoresInvalid = false): Promise<ConnectOptions> {
    const {readText} = await import('../session/resolve.js')
    const surroundings = await this.surroundings()
    const ignore = (error: unknown) => {
      if (ignoresInvalid && (error instanceof Failure || error instanceof StorageError)) return undefined
      throw error
    }
    const timeout = await readText('timeout', surroundings).catch(ignore)
    const caFile = await readText('ca_file', surroundings).catch(ignore)
    this.timeoutSeconds ??= timeout === undefined ? undefined : Number(timeout)
    const {quiet, har, proxy, insecure, 'print-curl': curl} = this.globals
    const toStderr = (text: string) => say(text.split('\n'))
    const command = (this.id ?? '').replaceAll(':', ' ')
    const keepsNone = process.env.BOOKCTL_NO_HISTORY
    return {
      timeoutSeconds: this.timeoutSeconds,
      caFile,
      quiet,
      har,
      proxy,
      insecure,
      version: this.config.version,
      env: process.env,
      show: this.verbosity > 0 ? toStderr : undefined,
      bodies: this.verbosity > 1,
      history: keepsNone ? undefined : {directory: this.config.configDir, command},
      showCurl: curl ? toStderr : undefined,
      warn: (text: string) => this.warn(text),
    }
  }

  /**
   * Prints the result to stdout in the format that `flags` select. With `continues`, its rows continue a list that was
   * printed before.
   */
  async print<Item>(result: Result<Item>, continues = false, flags: OutputFlags = this.globals) {
    const {'print-curl': curl, 'dry-run': dryRun} = this.globals as Record<string, unknown>
    if (curl && dryRun) {
      const lines = (await import('../session/dry-run.js')).curlOfDryRun(result.document)
      if (lines.length > 0) say(lines)
    }
    const notes: string[] = []
    const note = (text: string) => void notes.push(text)
    const warn = (text: string) => void this.warn(text)
    const text = await renderResult(result, flags, {...terminalOf(process.stdout), note, warn, continues})
    // A signal was already reported instead of the result.
    if (running.hasReported) return
    this.hasPrinted = true
    clearTransient()
    process.stdout.write(text)
    if (result.warning !== undefined) say(result.warning)
    this.note(notes)
    if (result.items.length === 0 && result.whenEmpty) this.note(result.whenEmpty)
  }

  /** Prints a part of a result that was rendered before, and waits until it is written. */
  async printText(text: Uint8Array): Promise<void> {
    if (running.hasReported || text.length === 0) return
    this.hasPrinted = true
    clearTransient()
    await writePieces([text])
  }

  /** Prints the request that an operation would send, for --dry-run. */
  protected async printRequest(name: OperationName, target: Target, call: RequestValues): Promise<void> {
    const {describeRequest, dryRun} = await import('../session/dry-run.js')
    await this.print(dryRun([describeRequest(name, target, await this.state(), call)]))
  }

  /** Prints information for a person on stderr, but only at a terminal, and not with --json or --quiet. */
  note(text: string | readonly string[]): void {
    if (this.takesNotes() && text.length > 0) say(text)
  }

  /**
   * Reports whether the result is printed for a person: as a table or a record, with the columns that the command
   * chooses.
   */
  showsRecords(): boolean {
    const {json, quiet, query, columns} = this.globals
    const format = formatOf(this.globals, process.stdout)
    return format === 'table' && !json && !quiet && (query ?? columns) === undefined
  }

  /** Reports whether to describe what is about to happen: at a terminal, where a person can stop it, and with -v. */
  describesAhead(): boolean {
    return this.verbosity > 0 || (stdinIsTerminal() && stderrIsTerminal())
  }

  /** Reports whether `note` prints anything. */
  takesNotes(): boolean {
    return stderrIsTerminal() && !this.globals.json && !this.globals.quiet
  }

  /** Prints on stderr what the user should see before it happens, even in a pipe, but not with --quiet. */
  tell(text: string | readonly string[]): void {
    if (!this.globals.quiet) say(text)
  }

  /** Prints a warning on stderr, even with --quiet. */
  override warn<Text extends string | Error>(text: Text): Text {
    say(String(text))
    return text
  }

  /** Opens the prompts for questions at the terminal. Throws a usage error if there is no terminal. */
  prompts(flags: AskingFlags = this.globals): Promise<Prompts> {
    const closing = new AbortController()
    this.whenStopped(() => closing.abort(interruption()))
    return openPrompts(flags, closing.signal)
  }

  /**
   * Asks for consent, unless `yes` is set. Returns undefined if the question cannot be asked. `atStake` is shown first;
   * if a question follows, even with --quiet.
   */
  async agreed(yes: boolean, message: string, atStake: readonly string[] = []): Promise<boolean | undefined> {
    const asks = !yes && mayAsk(this.globals)
    if (atStake.length > 0 && (asks || !this.globals.quiet)) say(atStake)
    return yes || (asks ? (await this.prompts()).confirm({message}) : undefined)
  }

  /**
   * Asks for consent as `agreed` does, but throws a usage error without it. After Ctrl-C at the question, the error
   * says that nothing was changed (`change.undone`).
   */
  async consent(yes: boolean, message: string, change: Change, atStake: readonly string[] = []) {
    const agreed = await this.agreed(yes, message, atStake).catch(error => {
      if (!(error instanceof Failure) || error.kind !== 'interrupted') throw error
      throw interruption(`stopped; ${change.undone}`, 'run the command again to be asked again')
    })
    requireConsent(agreed, change)
  }
}
