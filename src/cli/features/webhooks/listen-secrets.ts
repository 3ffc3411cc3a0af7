/** The secrets a running `listen` checks with. Stored ones are looked at again, since a subscription may be created. */
import type {State} from '../../../state/state.js'
import type {NamedSecret} from '../../../webhooks/signature/signature.js'
import {resolveWebhookSecrets, storedWebhookSecrets, type WebhookSecretFlags} from './secrets.js'

export interface LiveSecrets {
  readonly now: () => readonly NamedSecret[]
  /** Looks at once. */
  refresh(): void
  stop(): void
}

const LOOK_MILLISECONDS = 1000

export interface SecretsParts {
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
      // With secrets given, those are meant; and the one that `--subscribe` creates.
      if (!isGiven) secrets = seen
      else if (mayBeNone) secrets = [...given, ...seen]
    } catch {
      // Busy with another process: the next look will do.
    }
  }
  const timer = isGiven ? undefined : setInterval(refresh, LOOK_MILLISECONDS).unref()
  return {now: () => secrets, refresh, stop: () => clearInterval(timer)}
}
