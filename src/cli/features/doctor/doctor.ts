/** The work behind `doctor`: every check in order, each made whatever became of the others where that is possible. */

import process from 'node:process'
import {parseBaseUrl} from '../../../api/http/base-url.js'
import {Failure} from '../../../contract/failure.js'
import type {State} from '../../../state/state.js'
import {StorageError} from '../../../storage/errors.js'
import {
  type ConnectOptions,
  connect,
  openSender,
  rememberedIn,
  resolve,
  systemClock,
} from '../../session/connect.js'
import {readConnectionSettings, type Surroundings} from '../../session/settings.js'
import {profileName, type Target, type TargetFlags} from '../../session/target.js'
import {BaseCommand} from '../../shell/base-command.js'
import {EXIT_CODES} from '../../shell/failure.js'
import type {Result} from '../../terminal/result.js'
import {type Check, checking, ok, skipped} from './check.js'
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

interface DoctorOptions {
  /** What inspectPermissions saw. */
  readonly permissions: Check
  readonly state: State
  readonly flags: TargetFlags
  /** Whether --profile stood on the command line. */
  readonly namesProfile: boolean
  readonly connect: ConnectOptions
  /** What settings are resolved from. */
  readonly around: Surroundings
  readonly offline: boolean
  /** Address of a webhook receiver to probe. */
  readonly receiver: string | undefined
}

/** Ours: for each step, where --timeout says nothing. */
const STEP_SECONDS = 10

/** The check that comes before all: whoever opens a file of ours, config.json too, mends its permissions. */
function inspectPermissions(directory: string): Promise<Check> {
  return checking('permissions', () => checkPermissions(directory))
}

/** Makes every check. Throws nothing that a check can tell. */
async function diagnose(options: DoctorOptions): Promise<Check[]> {
  const {state, connect: link, offline} = options
  const {directory} = state
  const machine = [
    checkVersions(link.version),
    await checking('configuration', () => checkConfiguration(state)),
    options.permissions,
    await checking('databases', () => checkDatabases(directory)),
    await checking('environment', () => checkEnvironment(link.env)),
    await checking('settings', () => checkSettings(options.around)),
    await checking('disk', () => checkDisk(directory)),
    await checking('sandbox', () => checkSandboxNote(directory)),
  ]
  const found = await findTarget(options)
  const timeoutSeconds = link.timeoutSeconds ?? STEP_SECONDS
  const remote = offline
    ? [...NETWORK_CHECKS, ...SERVICE_CHECKS].map(name => skipped(name, '--offline'))
    : await checkRemote(options, found, timeoutSeconds)
  const webhooks = {
    state,
    env: link.env,
    caFile: link.caFile,
    timeoutSeconds: link.timeoutSeconds,
    profile: options.flags.profile,
  }
  return [
    ...machine,
    found.check,
    ...remote,
    await checking('signing secrets', () => checkSigningSecrets(webhooks)),
    await checkReceiver(offline ? undefined : options.receiver, webhooks),
  ]
}

interface Found {
  readonly check: Check
  readonly target: Target | undefined
  /** Known also where there are no credentials. */
  readonly baseUrl: string | undefined
}

async function findTarget({state, flags, namesProfile, connect: link}: DoctorOptions): Promise<Found> {
  let target: Target | undefined
  const check = await checking('login', async () => {
    target = await resolve(flags, link.env, state, namesProfile).catch(error => {
      if (error instanceof Failure && error.details.code === 'settings_invalid') return undefined
      throw error
    })
    if (!target) return skipped('login', 'configuration failed')
    const from = target.profile === null ? 'the environment' : `profile ${target.profile}`
    return ok(
      'login',
      `${target.mode.toUpperCase()}, ${target.baseUrl}, client ${target.clientId}, from ${from}`,
    )
  })
  return {check, target, baseUrl: target?.baseUrl ?? baseUrlAlone(state, flags)}
}

function baseUrlAlone(state: State, flags: TargetFlags): string | undefined {
  try {
    const remembered = rememberedIn(state)
    const text = flags['base-url'] || remembered.profile(profileName(flags, remembered))?.base_url
    return text === undefined ? undefined : parseBaseUrl(text).baseUrl
  } catch {
    // What is wrong with it is told by the checks of configuration and login.
    return undefined
  }
}

async function checkRemote(options: DoctorOptions, found: Found, timeoutSeconds: number): Promise<Check[]> {
  const {baseUrl, target} = found
  const {env, proxy, caFile, insecure = false} = options.connect
  if (baseUrl === undefined)
    return [...NETWORK_CHECKS, ...SERVICE_CHECKS].map(name => skipped(name, 'no base URL'))
  const parts = {env, proxy, caFile, insecure, timeoutSeconds}
  const network = await checkNetwork(baseUrl, parts, systemClock.now())
  const blocked = network.find(({status}) => status === 'fail')
  if (blocked) return [...network, ...SERVICE_CHECKS.map(name => skipped(name, `${blocked.name} failed`))]
  const link = {...options.connect, timeoutSeconds}
  const connection = target ? await connect(target, options.state, link) : undefined
  const opened = connection ?? (await openSender(link))
  try {
    const times = {timeoutSeconds, now: systemClock.now}
    return [
      ...network,
      ...(await checkService(baseUrl, {sender: opened.sender, signedIn: connection}, times)),
    ]
  } finally {
    await opened.close()
  }
}

const DOCTOR_COLUMNS = ['status', 'name', 'detail', 'fix']

export function doctorResult(checks: readonly Check[]): Result<Record<string, unknown>> {
  const items = checks.map(({name, status, detail, fix}) => ({name, status, detail, fix}))
  return {
    document: {checks: items},
    items,
    columns: DOCTOR_COLUMNS.map(name => ({name, value: item => item[name], wraps: true})),
    id: item => item.name,
  }
}

/** `2 of 21 checks failed: token, account`; undefined when none did. */
export function failedText(checks: readonly Check[]): string | undefined {
  const failed = checks.filter(({status}) => status === 'fail').map(({name}) => name)
  if (failed.length === 0) return undefined
  return `${failed.length} of ${checks.length} checks failed: ${failed.join(', ')}`
}

/** The exit code: that of the first check that failed, or 0. */
export function doctorExit(checks: readonly Check[]): number {
  const first = checks.find(({status}) => status === 'fail')
  return first ? EXIT_CODES[first.kind ?? 'unexpected'] : EXIT_CODES.done
}

export abstract class DiagnosingCommand extends BaseCommand {
  override readonly showsSettings = true

  /** Without what config.json says where it cannot be understood, which is one of the things to tell. */
  private usableSurroundings(): Promise<Surroundings> {
    return this.surroundings().catch(error => {
      if (!(error instanceof Failure || error instanceof StorageError)) throw error
      return {settings: {profiles: {}}, env: process.env, flags: {}}
    })
  }

  /** Every check of `doctor`. */
  protected async diagnose(offline: boolean, receiver: string | undefined): Promise<Check[]> {
    const permissions = await inspectPermissions(this.config.configDir)
    const around = await this.usableSurroundings()
    return diagnose({
      permissions,
      state: await this.state(),
      flags: this.globals,
      namesProfile: this.namesProfile(),
      connect: await this.connectOptions(await readConnectionSettings(around, true)),
      around,
      offline,
      receiver,
    })
  }
}
