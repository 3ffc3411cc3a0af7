/** The work behind `doctor`: every check in order, run whether or not others failed, where that is possible. */
import process from 'node:process'
import {systemClock} from '../../../contract/dates.js'
import {Failure} from '../../../contract/failure.js'
import {StorageError} from '../../../storage/errors.js'
import {connect, type OpenedSender, openSender} from '../../session/connect.js'
import {
  readConnectionSettings,
  resolveTarget,
  type Surroundings,
  serviceOf,
  type Target,
} from '../../session/resolve.js'
import {BaseCommand} from '../../shell/base-command.js'
import {marksFor, type Painter, wantsAccessible} from '../../terminal/colour.js'
import {counted} from '../../terminal/dates-and-amounts.js'
import {columnsOf, type Result} from '../../terminal/result.js'
import {hang} from '../../terminal/text.js'
import {type Check, found, ok, runChecks, skipped} from './check.js'
import {
  checkConfiguration,
  checkDatabases,
  checkEnvironment,
  checkPermissions,
  checkSettings,
  checkStore,
} from './machine.js'
import {checkReceiver, checkSigningSecrets, networkChecks, serviceChecks} from './network-and-service.js'

/** For each step, without --timeout. */
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
export function summaryOf(checks: readonly Check[]): string {
  const words = {ok: 'ok', warn: 'warning', fail: 'failed', skipped: 'skipped'}
  const parts = Object.entries(words).flatMap(([status, word]) => {
    const names = checks.filter(check => check.status === status).map(({name}) => name)
    if (names.length === 0) return []
    const count = status === 'warn' ? counted(names.length, word) : `${names.length} ${word}`
    return [status === 'warn' || status === 'fail' ? `${count} (${names.join(', ')})` : count]
  })
  return `${checks.length} checks: ${parts.join(', ')}`
}

export abstract class DiagnosingCommand extends BaseCommand {
  override readonly showsSettings = true

  protected async diagnose(offline: boolean, url: string | undefined): Promise<Check[]> {
    // First of all, because opening our files, config.json too, tightens their permissions.
    const permissions = await found(() => checkPermissions(this.config.configDir))
    const {globals: flags} = this
    // Without config.json where it cannot be understood, which a check reports.
    const around: Surroundings = await this.surroundings().catch(error => {
      if (!(error instanceof Failure || error instanceof StorageError)) throw error
      return {settings: {profiles: {}}, env: process.env, flags: {}}
    })
    const state = await this.state()
    const {directory} = state
    const link = await this.connectOptions(await readConnectionSettings(around, true))
    const {env, caFile, timeoutSeconds} = link
    let target: Target | undefined
    const local = await runChecks({
      versions: () =>
        ok(`version ${link.version}, Node.js ${process.version}, ${process.platform}-${process.arch}`),
      configuration: () => checkConfiguration(state),
      permissions: () => permissions,
      databases: () => checkDatabases(directory),
      environment: () => checkEnvironment(env),
      settings: () => checkSettings(around),
      store: () => checkStore(state, offline),
      login: async () => {
        target = await resolveTarget(flags, env, state, this.types('profile')).catch(error => {
          if (error instanceof Failure && error.details.code === 'settings_invalid') return undefined
          throw error
        })
        if (!target) return skipped('configuration failed')
        const {mode, baseUrl, clientId, profile} = target
        const from = profile === null ? 'the environment' : `profile ${profile}`
        return ok(`${mode.toUpperCase()}, ${baseUrl}, client ${clientId}, from ${from}`)
      },
    })
    // What is wrong with the address, the checks of configuration and login report.
    const alone = async () => serviceOf(flags, env, state)?.baseUrl
    const baseUrl = target?.baseUrl ?? (await alone().catch(() => undefined))
    const step = {...link, timeoutSeconds: timeoutSeconds ?? STEP_SECONDS}
    let opened: OpenedSender | undefined
    const open = async () => {
      const signedIn = target && (await connect(target, state, step))
      opened = signedIn ?? (await openSender(step))
      return {sender: opened.sender, signedIn}
    }
    const network = networkChecks(baseUrl ?? '', step, systemClock.now())
    const service = serviceChecks(baseUrl ?? '', open, {...step, now: systemClock.now})
    const whyNot = (done: readonly Check[]) => {
      if (offline || baseUrl === undefined) return offline ? '--offline' : 'no base URL'
      const failed = done.find(({name, status}) => status === 'fail' && Object.hasOwn(network, name))
      return failed && done.length > 1 ? `${failed.name} failed` : undefined
    }
    const remote = await runChecks({...network, ...service}, whyNot).finally(() => opened?.close())
    const receiver = {state, env, caFile, timeoutSeconds, profile: flags.profile}
    const webhooks = await runChecks({
      'signing secrets': () => checkSigningSecrets(receiver),
      receiver: () => checkReceiver(offline ? undefined : url, receiver),
    })
    return [...local, ...remote, ...webhooks]
  }
}
