/** What `doctor` looks at for webhooks: signing secrets, and a receiver where one is named. */

import type {State} from '../../../state/state.js'
import {isEmptySecret} from '../../../webhooks/signature/signature.js'
import {rememberedIn} from '../../session/connect.js'
import {profileName} from '../../session/target.js'
import {probeReceiver} from '../webhooks/probe.js'
import {storedWebhookSecrets} from '../webhooks/secrets.js'
import {type Check, checking, fail, ok, skipped, warn} from './check.js'

export interface ReceiverParts {
  readonly state: State
  readonly env: NodeJS.ProcessEnv
  readonly caFile: string | undefined
  readonly timeoutSeconds: number | undefined
  readonly profile: string | undefined
}

/** Whether there is something to check signatures with. */
export function checkSigningSecrets({state, env, profile}: ReceiverParts): Check {
  const fromEnv = (env.BOOKCTL_WEBHOOK_SECRET ?? '').split(/\s+/).filter(Boolean)
  if (fromEnv.some(isEmptySecret)) {
    const fix = 'set it to the secret shown when the subscription was created'
    return warn('signing secrets', 'BOOKCTL_WEBHOOK_SECRET holds one that is empty after whsec_', fix)
  }
  if (fromEnv.length > 0) return ok('signing secrets', `${fromEnv.length} in BOOKCTL_WEBHOOK_SECRET`)
  const stored = storedWebhookSecrets(state, profileName({profile}, rememberedIn(state)))
  if (stored.length > 0) return ok('signing secrets', `${stored.length} stored for the profile`)
  return ok('signing secrets', 'none; webhooks create stores the one it gets')
}

/** Sends the receiver at `url` what `webhooks probe` sends. */
export function checkReceiver(url: string | undefined, parts: ReceiverParts): Promise<Check> {
  if (url === undefined) return Promise.resolve(skipped('receiver', 'none was named with --receiver URL'))
  return checking('receiver', async () => {
    const {profile} = parts
    const rows = await probeReceiver(url, profile === undefined ? {} : {profile}, {...parts, onRow: () => {}})
    const failed = rows.filter(row => !row.ok)
    const [first] = failed
    const count = `${rows.length - failed.length} of ${rows.length} cases passed`
    if (!first) return ok('receiver', count)
    const advice = `${first.case}: ${first.advice ?? 'see webhooks probe'}`
    return fail('receiver', 'refused', `${count}; ${advice}`, `bookctl webhooks probe '${url}'`)
  })
}
