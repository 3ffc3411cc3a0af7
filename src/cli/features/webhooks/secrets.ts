/**
 * The signing secrets a webhook command checks with: --secret-file or --secret-stdin, else BOOKCTL_WEBHOOK_SECRET,
 * else all those stored for the profile. No login is needed. Secrets are used as they were found, with spaces and quotes,
 * as a receiver would use them; the explanation of a mismatch looks at those.
 */
import * as Flags from '@oclif/core/flags'
import {usage} from '../../../contract/failure.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import {EVENT_ID_HEADER, SIGNATURE_HEADER} from '../../../contract/webhook-headers.js'
import type {State} from '../../../state/state.js'
import type {WebhookHeaderNames} from '../../../webhooks/signature/headers.js'
import {isEmptySecret, type NamedSecret} from '../../../webhooks/signature/signature.js'
import {decode, readBytes, stdinIsTerminal} from '../../input/files.js'
import {profileName} from '../../session/target.js'
import type {Result} from '../../terminal/result.js'

export interface WebhookSecretFlags {
  readonly profile?: string | undefined
  readonly 'secret-file'?: string | undefined
  readonly 'secret-stdin'?: boolean | undefined
}

/** The flags that name a secret; spread into those of a command. */
export const webhookSecretFlags = {
  'secret-file': Flags.string({
    helpValue: 'FILE',
    summary: 'read the signing secret from a file (several: one a line)',
    exclusive: ['secret-stdin'],
  }),
  'secret-stdin': Flags.boolean({summary: 'read the signing secret from standard input'}),
}

/** Ours: no list of secrets is longer. */
const MOST_BYTES = 64 * 1024

/**
 * The secrets, at least one, each with a name that may be printed: a subscription id, `file`, `stdin` or `env[0]`.
 * Throws usage when there is none, or one is empty or nothing but `whsec_`.
 */
export async function resolveWebhookSecrets(
  flags: WebhookSecretFlags,
  env: NodeJS.ProcessEnv,
  state: State,
): Promise<NamedSecret[]> {
  const given = await givenSecrets(flags, env)
  if (given) return given
  const stored = storedWebhookSecrets(state, profileName(flags, state))
  if (stored.length > 0) return stored
  throw usage(
    'no_webhook_secret',
    'no signing secret: none was given and none is stored for the profile',
    'pass --secret-file, --secret-stdin or BOOKCTL_WEBHOOK_SECRET; webhooks create stores the secret it gets',
  )
}

async function givenSecrets(
  flags: WebhookSecretFlags,
  env: NodeJS.ProcessEnv,
): Promise<NamedSecret[] | undefined> {
  const {'secret-file': file, 'secret-stdin': fromStdin} = flags
  const source = fromStdin ? '-' : file
  if (source !== undefined) {
    const flag = fromStdin ? '--secret-stdin' : '--secret-file'
    if (source === '-' && stdinIsTerminal())
      throw usage('invalid_input', `${flag}: standard input is the terminal`, 'pipe the secret in')
    const bytes = await readBytes(flag, source, MOST_BYTES)
    return secretsIn(bytes, source === '-' ? 'stdin' : 'file', flag)
  }
  const text = env.BOOKCTL_WEBHOOK_SECRET
  if (text === undefined || text === '') return undefined
  const words = text.split(/\s+/).filter(Boolean)
  return words.length === 0
    ? [checkSecret({name: 'env[0]', secret: text}, 'BOOKCTL_WEBHOOK_SECRET')]
    : words.map((secret, n) => checkSecret({name: `env[${n}]`, secret}, 'BOOKCTL_WEBHOOK_SECRET'))
}

/** The signing secrets stored for `profile`, newest first, named by their subscription; all there are if absent. */
export function storedWebhookSecrets(state: State, profile?: string): NamedSecret[] {
  return state.secrets
    .listSigningSecrets(profile)
    .map(({subscription_id, secret}) => ({name: subscription_id, secret}))
    .filter(({secret}) => !isEmptySecret(secret))
}

/**
 * One secret, without its one final line break and otherwise untouched; or, when several lines have something in
 * them, a secret a line.
 */
function secretsIn(bytes: Uint8Array, name: string, flag: string): NamedSecret[] {
  const text = decode(flag, bytes, {ignoreBOM: true}).replace(/\r?\n$/, '')
  const lines = text.split(/\r?\n/).filter(line => line.trim() !== '')
  if (lines.length < 2) return [checkSecret({name, secret: text}, flag)]
  return lines.map((secret, n) => checkSecret({name: `${name}[${n}]`, secret}, flag))
}

function checkSecret(named: NamedSecret, from: string): NamedSecret {
  if (!isEmptySecret(named.secret)) return named
  throw usage(
    'empty_webhook_secret',
    `${from}: the signing secret is empty, or has nothing after whsec_`,
    'anyone could sign with it; use the secret shown when the subscription was created',
  )
}

/**
 * The secrets to sign with: all that were given, as during a rotation, or the newest of those stored. Throws usage
 * for one with blanks or quotes around it, which no receiver could use.
 */
export function signingSecrets(secrets: readonly NamedSecret[]): readonly NamedSecret[] {
  const stored = secrets.filter(({name}) => !/^(?:file|stdin|env)\b/.test(name))
  const chosen = stored.length > 0 ? stored.slice(0, 1) : secrets
  const odd = chosen.find(({secret}) => /^["'`]|["'`]$|\s|[\ufeff\u200b]/u.test(secret))
  if (odd === undefined) return chosen
  throw usage(
    'odd_webhook_secret',
    `the signing secret from ${odd.name} has white space or quotes in it`,
    "write it with printf '%s', without quotes",
  )
}

/** The secrets as `webhooks listen --print-secret` prints them: one a line, for a receiver that needs them. */
export function secretList(secrets: readonly NamedSecret[]): Result<NamedSecret> {
  return {
    document: {secrets: secrets.map(({name, secret}) => ({name, secret}))},
    items: secrets,
    columns: [
      {name: 'name', value: item => item.name},
      {name: 'secret', value: item => item.secret},
    ],
    id: item => item.secret,
    text: secrets.map(({secret}) => `${sanitizeLine(secret)}\n`).join(''),
  }
}

/** The secrets a running `listen` checks with. Stored ones are read again, because a subscription may be created. */
export interface LiveSecrets {
  readonly now: () => readonly NamedSecret[]
  /** Reads them at once. */
  refresh(): void
  stop(): void
}

/** Ours. */
const REFRESH_MILLISECONDS = 1000

interface SecretsParts {
  readonly flags: WebhookSecretFlags
  readonly env: NodeJS.ProcessEnv
  readonly state: State
  readonly profile: string
  /** Whether there may be none yet: one is about to be created. */
  readonly mayBeNone: boolean
}

/** Throws usage when there is none. */
export async function watchSecrets({
  flags,
  env,
  state,
  profile,
  mayBeNone,
}: SecretsParts): Promise<LiveSecrets> {
  const isGiven =
    flags['secret-file'] !== undefined ||
    flags['secret-stdin'] === true ||
    Boolean(env.BOOKCTL_WEBHOOK_SECRET)
  const stored = () => storedWebhookSecrets(state, profile)
  const given = isGiven || !mayBeNone ? await resolveWebhookSecrets(flags, env, state) : []
  let secrets: readonly NamedSecret[] = isGiven && mayBeNone ? [...given, ...stored()] : given
  const refresh = () => {
    try {
      const seen = stored()
      // Given secrets are used alone, or with the one that `--subscribe` creates.
      if (!isGiven) secrets = seen
      else if (mayBeNone) secrets = [...given, ...seen]
    } catch {
      // Busy with another process: read again the next time.
    }
  }
  const timer = isGiven ? undefined : setInterval(refresh, REFRESH_MILLISECONDS).unref()
  return {now: () => secrets, refresh, stop: () => clearInterval(timer)}
}

/**
 * The names of the headers with the signature and the event id (§6.2): `signature_header` and `event_id_header` of the
 * profile or the defaults, else those of the interface. No profile is needed.
 */
export function webhookHeaderNames(
  flags: {readonly profile?: string | undefined},
  state: State,
): WebhookHeaderNames {
  const {profiles, defaults} = state.settings.read()
  const name = profileName(flags, state)
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined
  return {
    signature: profile?.signature_header ?? defaults?.signature_header ?? SIGNATURE_HEADER,
    eventId: profile?.event_id_header ?? defaults?.event_id_header ?? EVENT_ID_HEADER,
  }
}
