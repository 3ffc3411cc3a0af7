/**
 * Manages webhook subscriptions. A creation is recorded before the request is sent, and its secret is stored before it
 * is printed.
 */
import {join, resolve} from 'node:path'
import type {FoundSubscription} from '../../../api/operations/webhooks.js'
import {isoTime} from '../../../contract/dates.js'
import {isEventType} from '../../../contract/events.js'
import {Failure, failureWith, requireFailure, usage} from '../../../contract/failure.js'
import {parseUrl, sanitizeLine} from '../../../contract/foreign-text.js'
import {isLoopbackHost} from '../../../contract/network.js'
import type {SubscriptionRequest} from '../../../contract/webhooks.js'
import {TOKENS_NAME} from '../../../state/file-names.js'
import type {SigningSecret} from '../../../state/secret-store.js'
import type {State} from '../../../state/state.js'
import {StorageError} from '../../../storage/errors.js'
import {writeWholeFile} from '../../../storage/files.js'
import {checkGiven, invalid} from '../../input/checks.js'
import {checkedFlag, identifierArg} from '../../input/flags.js'
import type {Connection, ConnectOptions} from '../../session/connect.js'
import {profileName, type Target, type TargetFlags} from '../../session/resolve.js'
import type {BaseCommand} from '../../shell/base-command.js'
import type {OutputFlags} from '../../terminal/output.js'
import {listResult, type Result, single} from '../../terminal/result.js'
import {caFileFor} from './targets.js'

/**
 * A flag for a URL to subscribe: https, or http on this machine, which `requireHttps` checks later. Throws a usage
 * error for any other URL.
 */
export const subscriptionUrlFlag = checkedFlag((field, text) => {
  const url = parseUrl(text)
  if (url === undefined || /[\s\p{Cc}]/u.test(text)) throw invalid(field, 'must be an https URL')
  if (url.username !== '' || url.password !== '') throw invalid(field, 'must hold no user name or password')
  if (url.hash !== '') throw invalid(field, 'must have no fragment')
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopbackHost(url.hostname))) return text
  throw notHttps(field)
})

/** Throws a usage error for an http URL, unless the service runs on this machine too and decides itself. */
export function requireHttps(url: string, target: Pick<Target, 'isLoopback'>): void {
  if (!url.startsWith('https:') && !target.isLoopback) throw notHttps('--url')
}

function notHttps(field: string): Failure {
  const hint =
    'for a receiver on this machine, start the local sandbox with --allow-http-loopback, or use webhooks listen --tls'
  return usage('url_not_https', `${field}: must start with https://`, hint)
}

/**
 * Defines `--event`. With SEVERAL_TYPES, the flag can be repeated, and its value can have several types separated by
 * commas.
 */
export const eventFlag = checkedFlag(checkGiven)
export const SEVERAL_TYPES = {helpValue: 'TYPE', multiple: true, delimiter: ','} as const

export const subscriptionArg = {
  id: identifierArg('subscription_id')({required: true, description: 'id of the subscription'}),
}

/** Returns a warning for each of `types` that is not in §6.1. */
export function unknownEventWarnings(types: Iterable<string> = []): string[] {
  const unknown = [...types].filter(type => !isEventType(type))
  return unknown.map(type => `Warning: ${sanitizeLine(type, 60)} is not a known event type`)
}

export type CreationFlags = TargetFlags & {
  readonly again?: boolean
  readonly 'secret-file'?: string | undefined
}

/** A new subscription, or a subscription with a new secret. Its secret is stored, unless `problem` says why not. */
export interface KeptSubscription {
  readonly id: string
  readonly stored_in: string | null
  readonly result: Result
  readonly problem: StorageError | undefined
  readonly warnings: readonly string[]
}

/**
 * Creates a subscription and stores its secret, with what a rotation must remember. If storing fails, `problem` says
 * why, and the caller reports it with `failNotStored`. Throws a Failure, of kind `outcome_unknown` if a subscription
 * may exist.
 */
export async function createAndKeep(
  connection: Connection,
  wanted: SubscriptionRequest,
  flags: CreationFlags,
  rotation: Pick<SigningSecret, 'replaces' | 'subscribed_since'> = {},
): Promise<KeptSubscription> {
  const {state, clock, target} = connection
  const profile = profileName(flags, state)
  const startedAt = clock.now()
  const {again} = flags
  const replay =
    rotation.replaces === undefined
      ? 'create it with --again'
      : `run it again: bookctl webhooks rotate ${sanitizeLine(rotation.replaces, 100)} --again`
  const created = await createOnce(connection, wanted, {
    profile,
    again,
    hint: `${CHECK_FIRST}; then ${replay}`,
  })
  const {creationId, subscription, deviations} = created
  const {id, url, events, secret, is_active} = subscription
  const kept = {
    subscription_id: id,
    profile,
    secret,
    stored_at: clock.now(),
    subscribed: {...wanted, baseUrl: target.baseUrl},
    replaces: rotation.replaces,
    subscribed_since: rotation.subscribed_since ?? startedAt,
  }
  const {places, problem, warnings: problems} = await keepSecret(state, kept, flags['secret-file'])
  // From here on failures only warn, because the subscription exists and its secret is never shown again.
  const warnings: string[] = []
  const unended = await storageProblem(() => state.subscriptions.end(creationId))
  if (unended) {
    const what =
      'the end of the creation could not be recorded, so another one for this address needs --again'
    warnings.push(`${what}: ${unended.message}`)
  }
  const deviation = notAsAsked(id, deviations)
  if (deviation !== undefined) warnings.push(deviation)
  warnings.push(...problems)
  const shown = {id, url, events, secret, is_active}
  const result = single({...shown, ...places, subscription: shown}, {...shown, ...places}, id)
  return {id, stored_in: places.stored_in, result, problem, warnings}
}

/**
 * Stores a secret that the service never shows again, and writes it to `secretFile` too. Returns where the secret is
 * stored. If it could not be stored, `problem` says why; if only the file could not be written, there is a warning.
 */
export async function keepSecret(state: State, kept: SigningSecret, secretFile: string | undefined) {
  const problem = await storageProblem(() => state.secrets.putSigningSecret(kept))
  const stored_in = problem ? null : join(state.directory, TOKENS_NAME)
  const places: {stored_in: string | null; secret_file?: string} = {stored_in}
  const warnings: string[] = []
  if (secretFile !== undefined) {
    const unwritten = await storageProblem(() =>
      writeWholeFile(resolve(secretFile), [Buffer.from(kept.secret)], {existing: 'create'}),
    )
    if (unwritten)
      warnings.push(`--secret-file: ${sanitizeLine(unwritten.message, 200)}; the secret is in tokens.db`)
    else places.secret_file = secretFile
  }
  return {places, problem, warnings}
}

/**
 * Records the creation and sends the request. Throws a Failure of kind `outcome_unknown`, without sending, if the
 * outcome of an earlier creation for this URL is unknown.
 */
async function createOnce(
  {api, state, clock, target}: Connection,
  wanted: SubscriptionRequest,
  {
    profile,
    again = false,
    hint,
  }: {readonly profile: string; readonly again?: boolean | undefined; readonly hint: string},
) {
  requireStorage(state, profile)
  const client = {baseUrl: target.baseUrl, clientId: target.clientId}
  const creation = await state.subscriptions.begin(client, wanted, {now: clock.now(), again})
  if (creation.earlier) {
    const message = `a subscription for this address may exist: the outcome of the creation of ${isoTime(creation.earlier.begunAt)} is unknown; nothing was sent`
    throw new Failure('outcome_unknown', message, {code: 'earlier_creation_unknown', hint})
  }
  const {createSubscription} = await import('../../../api/operations/webhooks.js')
  try {
    return {creationId: creation.id, ...(await createSubscription(api, wanted))}
  } catch (error) {
    if (error instanceof Failure && error.kind === 'outcome_unknown') throw failureWith(error, {hint})
    if (error instanceof Failure) await state.subscriptions.end(creation.id)
    throw error
  }
}

/**
 * Throws a StorageError if a secret could not be stored. Must be called before anything is sent, because the service
 * shows a secret only once.
 */
export function requireStorage(state: State, profile: string): void {
  if (!state.writable) {
    const hint = 'make it writable, or set BOOKCTL_CONFIG_DIR: the signing secret is shown only once'
    throw new StorageError('not_writable', 'the configuration directory cannot be written', hint)
  }
  state.secrets.listSigningSecrets(profile)
}

export function notAsAsked(id: string, deviations: readonly string[]): string | undefined {
  if (deviations.length === 0) return undefined
  const name = sanitizeLine(id, 100)
  return `the service answered that the subscription ${name} has ${deviations.join(' and ')}; change it with bookctl webhooks update ${name}, or delete it with bookctl webhooks delete ${name}`
}

/**
 * Runs `work` and returns its StorageError instead of throwing it, because the subscription exists and must be printed.
 */
async function storageProblem(work: () => unknown): Promise<StorageError | undefined> {
  try {
    await work()
    return undefined
  } catch (error) {
    if (!(error instanceof StorageError)) throw error
    return error
  }
}

/**
 * Throws a Failure that says that the secret could not be stored. `remedy` is what to do if the printed secret was not
 * kept. Before, prints the whole subscription even with --quiet or --columns; with --json, the Failure contains it.
 */
export async function failNotStored(
  command: BaseCommand,
  {id, result, problem}: KeptSubscription,
  {json, format}: OutputFlags,
  remedy = `delete the subscription (bookctl webhooks delete ${sanitizeLine(id, 100)}) and create another`,
): Promise<never> {
  if (!json) await command.print(result, false, {format})
  const what = `the subscription ${sanitizeLine(id, 100)} exists, but its secret, which is shown only once, could not be stored`
  throw new Failure('outcome_unknown', `${what}: ${problem?.message}`, {
    code: 'secret_not_stored',
    hint: `keep the printed secret, or ${remedy}`,
    keepsResult: true,
    result: result.document,
  })
}

const CHECK_FIRST =
  'check whether it exists (bookctl webhooks list, or ask the operator) and delete it, because its secret is lost'

export const SUBSCRIPTION_COLUMNS = ['id', 'url', 'events', 'is_active'] as const

export function subscriptionList(subscriptions: readonly FoundSubscription[]): Result<FoundSubscription> {
  const list = listResult({subscriptions}, subscriptions, SUBSCRIPTION_COLUMNS)
  return {...list, whenEmpty: 'No subscriptions.'}
}

interface Deletion {
  /** Name of the command, for the record of the removed secret (default: `webhooks delete`). */
  readonly by?: string
  /** Reports whether the deletion failed because the subscription is gone already. */
  readonly unless?: (error: unknown) => Promise<boolean>
}

/** Deletes the subscription, then its stored secret. If the deletion fails, throws a Failure and keeps the secret. */
export async function deleteAndForget(
  {api, clock, state}: Connection,
  id: string,
  flags: TargetFlags,
  {by = 'webhooks delete', unless}: Deletion = {},
) {
  const {deleteSubscription} = await import('../../../api/operations/webhooks.js')
  await deleteSubscription(api, id).catch(async error => {
    if (!(await unless?.(error))) throw error
  })
  const profile = profileName(flags, state)
  const removal = {removed_at: clock.now(), removed_by: by}
  const name = {profile, subscription_id: id}
  const secret_removed = state.writable && state.secrets.removeSigningSecret(name, removal)
  return {subscription_id: id, deleted: true, secret_removed}
}

const ANSWER_SECONDS = 2

/** Returns warnings about `url`, the most important one first. A check that fails gives no warning. */
export async function warningsBefore(
  connection: Connection,
  url: string,
  profile: string,
  options: ConnectOptions,
): Promise<string[]> {
  const {state} = connection
  const [second, path] = await Promise.all([
    secondSubscription(connection, url, profile),
    pathNotTaken(url, {...options, caFile: caFileFor(url, options.caFile, state.directory)}),
  ])
  return [second, path].filter(text => text !== undefined)
}

/**
 * Returns a warning if there is another subscription for the same URL. Searches the service's list or, if that is not
 * available (§4.9 shows no path), the subscriptions created from this machine.
 */
export async function secondSubscription(
  {api, state, target}: Connection,
  url: string,
  profile: string,
): Promise<string | undefined> {
  const {listSubscriptions} = await import('../../../api/operations/webhooks.js')
  const answered = await listSubscriptions(api).catch(requireFailure)
  const listed = answered instanceof Failure ? undefined : answered
  const wanted = parseUrl(url)?.href
  const isSame = (other: string | null | undefined) => parseUrl(other ?? '')?.href === wanted
  const known = listed?.items.find(each => isSame(each.url))
  const made = state.secrets
    .listSigningSecrets(profile)
    .find(({subscribed}) => subscribed?.baseUrl === target.baseUrl && isSame(subscribed.url))
  const id = sanitizeLine((listed ? known?.id : made?.subscription_id) ?? '', 200)
  if (id === '') return undefined
  const events = listed ? known?.events : made?.subscribed?.events
  const types = sanitizeLine(events?.join(', ') || 'unknown types', 200)
  return listed
    ? `Warning: the subscription ${id} sends to this address already (${types}): with a second one an event of both comes twice; to change the first: bookctl webhooks update ${id}`
    : `Warning: the subscription ${id} was created for this address from this machine (${types}): if it still exists, an event of both comes twice`
}

/** Returns a warning if a receiver on this machine has no such path, which means that it answers a GET with 404. */
async function pathNotTaken(url: string, options: ConnectOptions): Promise<string | undefined> {
  const {hostname, pathname, origin} = new URL(url)
  if (!isLoopbackHost(hostname)) return undefined
  const {openSender} = await import('../../session/connect.js')
  const {sender, close} = await openSender({...options, har: undefined, history: undefined})
  const policy = {repeatable: false, mostAttempts: 1, timeoutSeconds: ANSWER_SECONDS}
  const answer = await sender
    .send({method: 'GET', url, headers: {}}, policy)
    .catch(() => undefined)
    .finally(close)
  if (answer?.status !== 404) return undefined
  const path = sanitizeLine(pathname, 100)
  return `Warning: what listens at ${origin} answers 404 for the path ${path}: events would not arrive; subscribe the path that it takes, or start it for this one: bookctl webhooks listen --path ${path}`
}
