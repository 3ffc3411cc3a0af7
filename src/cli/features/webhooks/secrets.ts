/**
 * The signing secrets a webhook command checks with: --secret-file or --secret-stdin, else BOOKCTL_WEBHOOK_SECRET,
 * else all those stored for the profile. No login is needed. Secrets are kept as they were found, blanks and quotes
 * too: that is what a receiver would use, and what the explanation looks at.
 */
import * as Flags from '@oclif/core/flags'
import {usage} from '../../../contract/failure.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import type {State} from '../../../state/state.js'
import {isEmptySecret, type NamedSecret} from '../../../webhooks/signature/signature.js'
import {decode, readBytes, stdinIsTerminal} from '../../input/files.js'
import {rememberedIn} from '../../session/connect.js'
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
    summary: 'read the signing secret from a file; several stand on lines of their own',
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
  const stored = storedWebhookSecrets(state, profileName(flags, rememberedIn(state)))
  if (stored.length > 0) return stored
  throw usage(
    'no_webhook_secret',
    'there is no signing secret to check with: none was given and none is stored for the profile',
    'pass it by --secret-file, --secret-stdin or BOOKCTL_WEBHOOK_SECRET; webhooks create stores the one it gets',
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
    `${from}: the signing secret is empty, or nothing follows its whsec_`,
    'anyone could sign with it; take the secret shown when the subscription was created',
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
