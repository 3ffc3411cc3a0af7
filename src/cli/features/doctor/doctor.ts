/** `doctor`: runs all checks, if possible even after failed ones, and prints the results. */
import process from 'node:process'
import {Failure} from '../../../contract/failure.js'
import type {State} from '../../../state/state.js'
import {StorageError} from '../../../storage/errors.js'
import {type ConnectOptions, connect, type OpenedSender, openSender} from '../../session/connect.js'
import {resolveTarget, type Surroundings, serviceOf, type Target} from '../../session/resolve.js'
import {BaseCommand} from '../../shell/base-command.js'
import {marksFor, type Painter, wantsAccessible} from '../../terminal/colour.js'
import {counted} from '../../terminal/dates-and-amounts.js'
import {columnsOf, type Result} from '../../terminal/result.js'
import {hang} from '../../terminal/text.js'
import {type Check, type Finding, found, ok, runChecks, skipped} from './check.js'
import {
  checkConfiguration,
  checkDatabases,
  checkEnvironment,
  checkPermissions,
  checkSettings,
  checkStore,
} from './machine.js'
import {
  checkListener,
  checkReceiver,
  checkSigningSecrets,
  NetworkChecks,
  ServiceChecks,
} from './network-and-service.js'

/** Time limit for each check, if --timeout is not given. */
const STEP_SECONDS = 10

export const DOCTOR_COLUMNS = ['status', 'name', 'detail', 'fix'] as const

export function doctorResult(checks: readonly Check[]): Result<Omit<Check, 'kind'>> {
  const items = checks.map(({name, status, detail, fix}) => ({name, status, detail, fix}))
  const columns = columnsOf<Omit<Check, 'kind'>>(DOCTOR_COLUMNS, {wraps: true})
  const people = (paint: Painter, width: number) => [
    ...linesOf(checks, paint, width),
    '',
    ...hang(summaryOf(checks), width, 2, 0),
  ]
  return {document: {checks: items}, items, columns, id: ({name}) => name, people}
}

const STYLES = {ok: 'good', warn: 'waiting', fail: 'bad', skipped: 'faint'} as const

/**
 * Returns a line for each check, with its fix below. Consecutive checks that were skipped for the same reason share a
 * line.
 */
function linesOf(checks: readonly Check[], paint: Painter, width: number): string[] {
  const marks = {...marksFor(process.env), faint: wantsAccessible(process.env) ? 'skipped' : '-'}
  const markWidth = Math.max(...Object.values(marks).map(mark => mark.length))
  const nameWidth = Math.max(...checks.map(({name}) => name.length))
  const indent = markWidth + 1 + nameWidth + 2
  return checks.flatMap(({name, status, detail, fix}, index) => {
    const isSkippedFor = (check: Check | undefined) => check?.status === 'skipped' && check.detail === detail
    if (isSkippedFor(checks[index - 1]) && status === 'skipped') return []
    const end = checks.findIndex((check, at) => at > index && !isSkippedFor(check))
    const names = checks.slice(index, end < 0 ? undefined : end).map(check => check.name)
    const isGroup = status === 'skipped' && names.length > 1
    const style = STYLES[status]
    const start = marks[style].padEnd(markWidth)
    const line = isGroup
      ? `${start} ${names.join(', ')}: ${detail}`
      : `${start} ${name.padEnd(nameWidth)}  ${detail}`
    const [first = '', ...rest] = hang(line, width, isGroup ? markWidth + 1 : indent)
    const fixLines = fix === null ? [] : hang(`${' '.repeat(indent)}Fix: ${fix}`, width, indent)
    return [paint(style, start) + first.slice(start.length), ...rest, ...fixLines]
  })
}

/** Summarises checks: `21 checks: 17 ok, 2 failed (token, account), 2 skipped`. */
export function summaryOf(checks: readonly Check[]): string {
  const words = {ok: 'ok', warn: 'warning', fail: 'failed', skipped: 'skipped'}
  const counts = Object.entries(words).flatMap(([status, word]) => {
    const names = checks.filter(check => check.status === status).map(({name}) => name)
    if (names.length === 0) return []
    const count = status === 'warn' ? counted(names.length, word) : `${names.length} ${word}`
    return [status === 'warn' || status === 'fail' ? `${count} (${names.join(', ')})` : count]
  })
  return `${checks.length} checks: ${counts.join(', ')}`
}

export abstract class DiagnosingCommand extends BaseCommand {
  override readonly showsSettings = true
  /** The service and credentials. Undefined until the login check has found them. */
  private foundTarget: Target | undefined

  /** Runs all checks. `receiver` is the URL of a webhook receiver to probe. */
  protected async diagnose(offline: boolean, receiver: string | undefined): Promise<Check[]> {
    // This check comes first, because opening bookctl's files, even config.json, tightens their permissions.
    const permissions = await found(() => checkPermissions(this.config.configDir))
    const surroundings = await this.surroundings()
    const state = await this.state()
    const options = await this.connectOptions(true)
    const {env, caFile, timeoutSeconds, version} = options
    const local = await runChecks({
      versions: () =>
        ok(`version ${version}, Node.js ${process.version}, ${process.platform}-${process.arch}`),
      configuration: () => checkConfiguration(state),
      permissions: () => permissions,
      databases: () => checkDatabases(state.directory),
      environment: () => checkEnvironment(env),
      settings: () =>
        checkSettings({
          env,
          flags: surroundings.flags,
          settings: unlessBroken(() => surroundings.settings) ?? {profiles: {}},
        }),
      store: () => checkStore(state, offline),
      login: () => this.checkLogin(surroundings, state),
    })
    const remote = await this.checkRemote(surroundings, state, options, offline)
    const receiving = {state, env, caFile, timeoutSeconds, profile: this.globals.profile}
    const webhooks = await runChecks({
      'signing secrets': () => checkSigningSecrets(receiving),
      listener: () => checkListener(state, offline),
      receiver: () => checkReceiver(offline ? undefined : receiver, receiving),
    })
    return [...local, ...remote, ...webhooks]
  }

  private async checkLogin(surroundings: Surroundings, state: State): Promise<Finding> {
    try {
      this.foundTarget = await resolveTarget(surroundings, state)
    } catch (error) {
      if (error instanceof Failure && error.details.code === 'settings_invalid')
        return skipped('configuration failed')
      throw error
    }
    const {mode, baseUrl, clientId, profile} = this.foundTarget
    const from = profile === null ? 'the environment' : `profile ${profile}`
    return ok(`${mode.toUpperCase()}, ${baseUrl}, client ${clientId}, from ${from}`)
  }

  /**
   * Runs the checks of the network, then those of the service. After a failed network check, the others are skipped.
   */
  private async checkRemote(
    surroundings: Surroundings,
    state: State,
    options: ConnectOptions,
    offline: boolean,
  ): Promise<Check[]> {
    const target = this.foundTarget
    const baseUrl = target?.baseUrl ?? baseUrlAlone(surroundings)
    const step = {...options, timeoutSeconds: options.timeoutSeconds ?? STEP_SECONDS}
    let opened: OpenedSender | undefined
    const open = async () => {
      const isUsable = unlessBroken(() => state.tokens) !== undefined
      const signedIn = target && isUsable ? await connect(target, state, step) : undefined
      opened = signedIn ?? (await openSender(step))
      return {sender: opened.sender, signedIn, whyNot: target ? 'config.json is broken' : 'no credentials'}
    }
    const network = new NetworkChecks(baseUrl ?? '', step).checks()
    const service = new ServiceChecks(baseUrl ?? '', open, step.timeoutSeconds).checks()
    const whyNot = (done: readonly Check[]) => {
      if (offline) return '--offline'
      if (baseUrl === undefined) return 'no base URL'
      const failed = done.find(({name, status}) => status === 'fail' && name in network)
      return failed && done.length > 1 ? `${failed.name} failed` : undefined
    }
    return runChecks({...network, ...service}, whyNot).finally(() => opened?.close())
  }
}

/** Returns the result of `read`, or undefined if config.json is invalid, which another check reports. */
function unlessBroken<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof Failure || error instanceof StorageError) return undefined
    throw error
  }
}

/**
 * Returns the base URL, even without a login. Returns undefined if there is none or it is invalid, which the checks of
 * settings and login report.
 */
function baseUrlAlone(surroundings: Surroundings): string | undefined {
  try {
    return serviceOf(surroundings)?.baseUrl
  } catch {
    return undefined
  }
}
