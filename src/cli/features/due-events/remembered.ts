/**
 * The subscriptions that this machine knows: those whose signing secrets are stored, and those whose secrets were
 * removed.
 */
import type {State} from '../../../state/state.js'
import type {RememberedSubscription} from './judgement.js'

export interface OwnedSubscription extends RememberedSubscription {
  readonly profile: string
  /** The base URL of the service. Undefined for secrets that an earlier version stored or removed. */
  readonly baseUrl: string | undefined
}

/** Returns the known subscriptions of `profile`, or of all profiles, newest first. */
export function rememberedSubscriptions(
  {secrets}: Pick<State, 'secrets'>,
  profile: string | null = null,
): OwnedSubscription[] {
  const stored = secrets.listSigningSecrets(profile).map((kept): OwnedSubscription => {
    const {subscription_id, subscribed, subscribed_since, stored_at} = kept
    return {
      subscription_id,
      profile: kept.profile,
      baseUrl: subscribed?.baseUrl,
      types: subscribed?.events,
      url: subscribed?.url,
      since: subscribed_since ?? stored_at,
      removal: undefined,
    }
  })
  const removed = secrets.listRemovedSigningSecrets(profile).map((record): OwnedSubscription => {
    const {subscription_id, subscribed, subscribed_since: since, removed_at, removed_by} = record
    return {
      subscription_id,
      profile: record.profile,
      baseUrl: subscribed?.baseUrl,
      types: subscribed?.events,
      url: undefined,
      since,
      removal: {removed_at, removed_by},
    }
  })
  // If a removed secret was replaced, it is stored again under the same name.
  return [
    ...stored,
    ...removed.filter(({subscription_id: id}) => stored.every(each => each.subscription_id !== id)),
  ]
}
