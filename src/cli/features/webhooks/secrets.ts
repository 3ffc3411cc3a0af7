/**
 * Finds the signing secrets with which a webhook command checks signatures. Secrets are used unchanged, as a receiver
 * would use them.
 */
import {statSync} from 'node:fs'
import process from 'node:process'
import * as Flags from '@oclif/core/flags'
import type {InferredFlags} from '@oclif/core/interfaces'
import {systemClock} from '../../../contract/dates.js'
import {usage} from '../../../contract/failure.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import {nameOfEarlier} from '../../../state/secret-store.js'
import type {State} from '../../../state/state.js'
import {removedSecretsText} from '../../../webhooks/diagnose/explanations.js'
import type {RemovedSecret} from '../../../webhooks/diagnose/finding.js'
import type {WebhookHeaderNames} from '../../../webhooks/signature/headers.js'
import {isEmptySecret, type NamedSecret} from '../../../webhooks/signature/signature.js'
import {decode, readBytes} from '../../input/files.js'
import {effective, profileName, webhookSecretsOfEnvironment} from '../../session/resolve.js'
import {SETTINGS, type SettingKey} from '../../session/setting-keys.js'
import {listResult, type Result} from '../../terminal/result.js'
import {stdinIsTerminal} from '../../terminal/streams.js'

export const webhookSecretFlags = {
  'secret-file': Flags.string({
    helpValue: 'FILE',
    summary: 'read the signing secret from a file (several: one a line)',
    exclusive: ['secret-stdin'],
  }),
  'secret-stdin': Flags.boolean({summary: 'read the signing secret from standard input'}),
}

export type WebhookSecretFlags = Partial<InferredFlags<typeof webhookSecretFlags>> & {
  readonly profile?: string | undefined
}

/**
 * Returns at least one secret, each with a printable name: a subscription id, `file` or `env[0]`. Throws a usage error
 * if there is none.
 */
export async function resolveWebhookSecrets(flags: WebhookSecretFlags, state: State): Promise<NamedSecret[]> {
  const profile = profileName(flags, state)
  return atLeastOne((await givenSecrets(flags)) ?? storedWebhookSecrets(state, profile), state, profile)
}

function atLeastOne<Secrets extends readonly NamedSecret[]>(secrets: Secrets, state: State, profile: string) {
  if (secrets.length > 0) return secrets
  const removed = removedSecretsText(state.secrets.listRemovedSigningSecrets(profile))
  const more = removed === undefined ? '' : `; ${removed}`
  const problem = `no signing secret: none was given and none is stored for the profile${more}`
  const hint =
    'pass --secret-file, --secret-stdin or BOOKCTL_WEBHOOK_SECRET; webhooks create stores the secret it gets'
  throw usage('no_webhook_secret', problem, hint)
}

/** Returns the secrets of a flag, otherwise those of the environment; undefined if none are given. */
async function givenSecrets(flags: WebhookSecretFlags): Promise<NamedSecret[] | undefined> {
  const {'secret-file': file, 'secret-stdin': fromStdin} = flags
  const flag = fromStdin ? '--secret-stdin' : '--secret-file'
  const source = fromStdin ? '-' : file
  if (source === '-' && stdinIsTerminal())
    throw usage('invalid_input', `${flag}: standard input is the terminal`, 'pipe the secret in')
  if (source === undefined) {
    const secrets = webhookSecretsOfEnvironment(process.env)
    return secrets?.map((secret, n) => checkSecret({name: `env[${n}]`, secret}, 'BOOKCTL_WEBHOOK_SECRET'))
  }
  const name = source === '-' ? 'stdin' : 'file'
  // Drops one trailing line break. If there are several non-empty lines, each is a secret.
  const text = decode(flag, await readBytes(flag, source, 64 * 1024), true).replace(/\r?\n$/, '')
  const lines = text.split(/\r?\n/).filter(line => line.trim() !== '')
  if (lines.length < 2) return [checkSecret({name, secret: text}, flag)]
  return lines.map((secret, n) => checkSecret({name: `${name}[${n}]`, secret}, flag))
}

/**
 * Returns the signing secrets stored for `profile` (default: for all profiles), newest first, named by their
 * subscription. A secret that the service has replaced is included until the rotation is finished.
 */
export function storedWebhookSecrets(state: State, profile?: string): NamedSecret[] {
  const stored = state.secrets.listSigningSecrets(profile).flatMap(kept => {
    const {subscription_id: name, secret, earlier_secret: earlier} = kept
    return [{name, secret}, ...(earlier === undefined ? [] : [{name: nameOfEarlier(name), secret: earlier}])]
  })
  return stored.filter(({secret}) => !isEmptySecret(secret))
}

/**
 * Returns a function that lists the removed signing secrets, for explanations. If secrets are given, the list is empty,
 * because stored secrets are not used then.
 */
export function removedSecretsFor(flags: WebhookSecretFlags, state: State): () => readonly RemovedSecret[] {
  const isGiven = flags['secret-stdin'] || flags['secret-file'] || webhookSecretsOfEnvironment(process.env)
  return isGiven ? () => [] : () => state.secrets.listRemovedSigningSecrets(profileName(flags, state))
}

function checkSecret(named: NamedSecret, from: string): NamedSecret {
  if (!isEmptySecret(named.secret)) return named
  const problem = `${from}: the signing secret is empty, or has nothing after whsec_`
  const hint = 'anyone could sign with it; use the secret shown when the subscription was created'
  throw usage('empty_webhook_secret', problem, hint)
}

/**
 * Returns the secrets to sign with: all given ones, for a rotation, or the newest stored one. Throws a usage error if a
 * secret contains white space or quotes.
 */
export async function chooseSigningSecrets(flags: WebhookSecretFlags, state: State): Promise<NamedSecret[]> {
  const secrets = await resolveWebhookSecrets(flags, state)
  const stored = secrets.filter(({name}) => !/^(?:file|stdin|env)\b/.test(name))
  const chosen = stored.length > 0 ? stored.slice(0, 1) : secrets
  const odd = chosen.find(({secret}) => /^["'`]|["'`]$|\s|[\ufeff\u200b]/u.test(secret))
  if (odd === undefined) return chosen
  const problem = `the signing secret from ${odd.name} has white space or quotes in it`
  throw usage('odd_webhook_secret', problem, "write it with printf '%s', without quotes")
}

/** Returns the secrets, one per line, for `webhooks listen --print-secret`. */
export async function secretList(flags: WebhookSecretFlags, state: State): Promise<Result<NamedSecret>> {
  const secrets = await resolveWebhookSecrets(flags, state)
  const text = secrets.map(({secret}) => `${sanitizeLine(secret)}\n`).join('')
  return {...listResult({secrets}, secrets, ['name', 'secret']), id: ({secret}) => secret, text}
}

/** Reports whether `path` can be read again. A pipe, such as `<(command)`, cannot. */
function isRegularFile(path: string): boolean {
  const stats = statSync(path, {throwIfNoEntry: false})
  return stats === undefined || stats.isFile()
}

/** How often stored secrets are read again, so that a change by another command takes effect within a second. */
const WATCH_MILLISECONDS = 500

/** The secrets to check with. After `watch`, stored secrets are read again twice a second. */
export class WatchedSecrets {
  current: readonly NamedSecret[]
  private readonly usesStored: boolean
  private readonly profile: string
  private timer: NodeJS.Timeout | undefined
  private onRemoved: (removed: RemovedSecret) => void = () => {}
  private onAdded: (name: string) => void = () => {}

  /** Opens the secrets. Throws a usage error if there are none, unless --subscribe will create one. */
  static async open(
    flags: WebhookSecretFlags & {readonly subscribe: boolean},
    state: State,
  ): Promise<WatchedSecrets> {
    const given = await givenSecrets(flags)
    const opened = new WatchedSecrets(flags, state, given)
    if (!flags.subscribe) atLeastOne(opened.current, state, opened.profile)
    return opened
  }

  private constructor(
    private readonly flags: WebhookSecretFlags & {readonly subscribe: boolean},
    private readonly state: State,
    private given: readonly NamedSecret[] | undefined,
  ) {
    this.profile = profileName(flags, state)
    // Given secrets are used alone, or together with the secret that --subscribe creates.
    this.usesStored = given === undefined || flags.subscribe
    this.current = this.read()
  }

  /**
   * Begins to read the stored secrets again twice a second. `onRemoved` is called for each removed secret, `onAdded`
   * with the subscription id of each new one.
   */
  watch(onRemoved: (removed: RemovedSecret) => void, onAdded: (subscription_id: string) => void = () => {}) {
    this.onRemoved = onRemoved
    this.onAdded = onAdded
    if (this.usesStored) this.timer = setInterval(() => this.refresh(), WATCH_MILLISECONDS).unref()
  }

  refresh(): void {
    try {
      const before = this.current
      this.current = this.read()
      // A secret may have been renamed: a rotation makes it an earlier one.
      const gone = before.filter(({secret}) => !this.current.some(other => other.secret === secret))
      const added = this.current.filter(({secret}) => !before.some(other => other.secret === secret))
      for (const {name} of added) this.onAdded(name)
      if (gone.length === 0) return
      const removals = this.state.secrets.listRemovedSigningSecrets(this.profile)
      for (const {name: subscription_id} of gone) {
        const removal = removals.find(removed => removed.subscription_id === subscription_id)
        const unknown = {subscription_id, removed_at: systemClock.now(), removed_by: 'of another version'}
        this.onRemoved(removal ?? unknown)
      }
    } catch {
      // The database is busy with another process; the next refresh will read it.
    }
  }

  /**
   * Reads --secret-file again and uses its secrets from now on. Returns whether they differ from before. If the file
   * cannot be read or a secret is empty, keeps the earlier secrets and throws a usage error.
   */
  async readFileAgain(): Promise<boolean> {
    const path = this.flags['secret-file']
    if (path === undefined || path === '-' || !isRegularFile(path)) return false
    const given = (await givenSecrets(this.flags)) ?? []
    const secretsOf = (all: readonly NamedSecret[] = []) => all.map(({secret}) => secret).join('\n')
    if (secretsOf(given) === secretsOf(this.given)) return false
    this.given = given
    this.current = this.read()
    return true
  }

  stop(): void {
    clearInterval(this.timer)
  }

  private read(): NamedSecret[] {
    const stored = this.usesStored ? storedWebhookSecrets(this.state, this.profile) : []
    return [...(this.given ?? []), ...stored]
  }
}

/** Returns the names of the headers for signature and event id (§6.2) from the settings. The profile need not exist. */
export function webhookHeaderNames(flags: WebhookSecretFlags, state: State): WebhookHeaderNames {
  const named = {profile: profileName(flags, state)}
  const surroundings = {settings: state.settings.read(), env: {}, flags: named}
  const read = (key: SettingKey) => String(effective(key, surroundings).value)
  return {signature: read(SETTINGS.signature_header), eventId: read(SETTINGS.event_id_header)}
}
