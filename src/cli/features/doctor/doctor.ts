/** The work behind `doctor`: every check in order, run whether or not others failed, where that is possible. */
import process from 'node:process'
import {parseBaseUrl} from '../../../api/http/base-url.js'
import {Failure} from '../../../contract/failure.js'
import type {State} from '../../../state/state.js'
import {StorageError} from '../../../storage/errors.js'
import {systemClock} from '../../session/clock.js'
import {type ConnectOptions, connect, openSender} from '../../session/connect.js'
import {readConnectionSettings, type Surroundings} from '../../session/settings.js'
import {profileOf, resolveTarget, type Target, type TargetFlags} from '../../session/target.js'
import {BaseCommand} from '../../shell/base-command.js'
import {EXITS} from '../../shell/exit-codes.js'
import {marksFor, type Painter, wantsAccessible} from '../../terminal/colour.js'
import {columnsOf, type Result} from '../../terminal/result.js'
import {hang} from '../../terminal/text.js'
import {type Check, found, ok, runChecks, skipAll, skipped} from './check.js'
import {
  checkConfiguration,
  checkDatabases,
  checkDisk,
  checkEnvironment,
  checkPermissions,
  checkSandboxNote,
  checkSettings,
  checkVersions,
} from './machine.js'
import {checkNetwork, checkReceiver, checkSigningSecrets, NETWORK_CHECKS} from './network.js'
import {checkService, SERVICE_CHECKS} from './service-and-clock.js'
import {checkStore} from './store.js'

/** For each step, without --timeout. */
const STEP_SECONDS = 10

function baseUrlAlone(state: State, flags: TargetFlags): string | undefined {
  try {
    const text = flags['base-url'] || profileOf(flags, state)?.base_url
    return text === undefined ? undefined : parseBaseUrl(text).baseUrl
  } catch {
    // The checks of configuration and login report it.
    return undefined
  }
}

async function checkRemote(
  baseUrl: string | undefined,
  target: Target | undefined,
  state: State,
  given: ConnectOptions,
): Promise<Check[]> {
  if (baseUrl === undefined) return skipAll([...NETWORK_CHECKS, ...SERVICE_CHECKS], 'no base URL')
  const {env, proxy, caFile, insecure = false, timeoutSeconds = STEP_SECONDS} = given
  const parts = {env, proxy, caFile, insecure, timeoutSeconds}
  const network = await checkNetwork(baseUrl, parts, systemClock.now())
  const blocked = network.find(({status}) => status === 'fail')
  if (blocked) return [...network, ...skipAll(SERVICE_CHECKS, `${blocked.name} failed`)]
  const link = {...given, timeoutSeconds}
  const signedIn = target ? await connect(target, state, link) : undefined
  const opened = signedIn ?? (await openSender(link))
  try {
    const times = {timeoutSeconds, now: systemClock.now}
    return [...network, ...(await checkService(baseUrl, {sender: opened.sender, signedIn}, times))]
  } finally {
    await opened.close()
  }
}

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

/** A line a check, with its fix below; neighbours that were skipped for one reason are one line. */
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

/** `21 checks: 17 ok, 2 failed (token, account), 2 skipped`. */
function summaryOf(checks: readonly Check[]): string {
  const counted = (status: Check['status'], what: (count: number) => string, isNamed = false) => {
    const names = checks.filter(check => check.status === status).map(({name}) => name)
    if (names.length === 0) return []
    return [`${names.length} ${what(names.length)}${isNamed ? ` (${names.join(', ')})` : ''}`]
  }
  const parts = [
    ...counted('ok', () => 'ok'),
    ...counted('warn', count => (count === 1 ? 'warning' : 'warnings'), true),
    ...counted('fail', () => 'failed', true),
    ...counted('skipped', () => 'skipped'),
  ]
  return `${checks.length} checks: ${parts.join(', ')}`
}

/** `2 of 21 checks failed: token, account`; undefined when none did. */
export function failedText(checks: readonly Check[]): string | undefined {
  const failed = checks.filter(({status}) => status === 'fail').map(({name}) => name)
  if (failed.length === 0) return undefined
  return `${failed.length} of ${checks.length} checks failed: ${failed.join(', ')}`
}

/** That of the first failed check, or 0. */
export function doctorExit(checks: readonly Check[]): number {
  const first = checks.find(({status}) => status === 'fail')
  return first ? EXITS[first.kind ?? 'unexpected'].code : EXITS.done.code
}

export abstract class DiagnosingCommand extends BaseCommand {
  override readonly showsSettings = true

  /** Without config.json where it cannot be understood, which a check reports. */
  private usableSurroundings(): Promise<Surroundings> {
    return this.surroundings().catch(error => {
      if (!(error instanceof Failure || error instanceof StorageError)) throw error
      return {settings: {profiles: {}}, env: process.env, flags: {}}
    })
  }

  protected async diagnose(offline: boolean, url: string | undefined): Promise<Check[]> {
    // First of all, because opening our files, config.json too, tightens their permissions.
    const permissions = await found(() => checkPermissions(this.config.configDir))
    const {globals: flags} = this
    const around = await this.usableSurroundings()
    const state = await this.state()
    const {directory} = state
    const link = await this.connectOptions(await readConnectionSettings(around, true))
    const {env, caFile, timeoutSeconds} = link
    let target: Target | undefined
    const local = await runChecks({
      versions: () => checkVersions(link.version),
      configuration: () => checkConfiguration(state),
      permissions: () => permissions,
      databases: () => checkDatabases(directory),
      environment: () => checkEnvironment(env),
      settings: () => checkSettings(around),
      disk: () => checkDisk(directory),
      store: () => checkStore(state, offline),
      sandbox: () => checkSandboxNote(directory),
      login: async () => {
        target = await resolveTarget(flags, env, state, this.namesProfile()).catch(error => {
          if (error instanceof Failure && error.details.code === 'settings_invalid') return undefined
          throw error
        })
        if (!target) return skipped('configuration failed')
        const {mode, baseUrl, clientId, profile} = target
        const from = profile === null ? 'the environment' : `profile ${profile}`
        return ok(`${mode.toUpperCase()}, ${baseUrl}, client ${clientId}, from ${from}`)
      },
    })
    const remote = offline
      ? skipAll([...NETWORK_CHECKS, ...SERVICE_CHECKS], '--offline')
      : await checkRemote(target?.baseUrl ?? baseUrlAlone(state, flags), target, state, link)
    const receiver = {state, env, caFile, timeoutSeconds, profile: flags.profile}
    const webhooks = await runChecks({
      'signing secrets': () => checkSigningSecrets(receiver),
      receiver: () => checkReceiver(offline ? undefined : url, receiver),
    })
    return [...local, ...remote, ...webhooks]
  }
}
