/** The composition root of `webhooks listen`: flags and state in, something that listens out. */
import {sanitizeLine} from '../../../contract/foreign-text.js'
import type {State} from '../../../state/state.js'
import {rememberedIn, systemClock} from '../../session/connect.js'
import {profileName} from '../../session/target.js'
import {createOccasionally} from '../../terminal/line-writer.js'
import type {OutputFlags} from '../../terminal/output.js'
import {webhookHeaderNames} from './headers.js'
import {Listening} from './listen.js'
import type {ListenFlags, ListenPlan} from './listen-flags.js'
import {createListenOutput} from './listen-output.js'
import {type LiveSecrets, watchSecrets} from './listen-secrets.js'
import {openListenStore} from './listen-store.js'
import {listenIdentity, type TlsFlags} from './listen-tls.js'
import {createExpectation} from './listen-wait.js'
import type {WebhookSecretFlags} from './secrets.js'

export interface OpenParts {
  readonly plan: ListenPlan
  readonly flags: ListenFlags & TlsFlags & WebhookSecretFlags & OutputFlags & ExtraFlags
  readonly env: NodeJS.ProcessEnv
  readonly state: State
  /** Says something on stderr. */
  readonly tell: (text: string) => void
  /** Says something to a person at a terminal. */
  readonly note: (text: string) => void
}

interface ExtraFlags {
  readonly 'ca-file'?: string | undefined
  readonly capture?: string | undefined
}

export interface OpenListening {
  readonly listening: Listening
  /** Where its secrets and events belong. */
  readonly profile: string
  readonly secrets: LiveSecrets
  /** Where it listens. */
  readonly url: string
}

const LOOPBACK = /^(localhost|::1|127(\.\d{1,3}){3})$/

/** Listens, and has not said so yet. `closer` is told what undoes it, as soon as there is something to undo. */
export async function openListening(
  {plan, flags, env, state, tell, note}: OpenParts,
  closer: (close: () => unknown) => void,
): Promise<OpenListening> {
  const clock = systemClock.now
  const profile = profileName(flags, rememberedIn(state))
  const expectation = plan.wait && (await createExpectation(plan.wait))
  const secrets = await watchSecrets({flags, env, state, profile, mayBeNone: flags.subscribe})
  closer(secrets.stop)
  const tls = await listenIdentity(flags, plan.host, state.directory, clock())
  const {trustedCertificates} = await import('../../session/trust.js')
  const trusted = await trustedCertificates(flags['ca-file'], env)
  const output = await createListenOutput({flags, tell})
  const store = await openListenStore({directory: state.directory, profile, targets: plan.targets, clock})
  const listening = new Listening({
    ...{plan, tls, store, trusted, output, expectation, clock},
    secrets: secrets.now,
    headerNames: webhookHeaderNames(flags, state),
    talk: createOccasionally(tell),
    note,
  })
  closer(() => listening.close())
  if (tls === undefined && !LOOPBACK.test(plan.host))
    tell(
      `Warning: plain http on ${sanitizeLine(plan.host, 100)}, where others can read it; --tls, or a proxy with TLS before it`,
    )
  return {listening, profile, secrets, url: await listening.open()}
}
