/** What is known about receiving events: subscriptions, and signs that their events are stored here. */
import {Failure} from '../../../contract/failure.js'
import {StorageError} from '../../../storage/errors.js'
import type {KnownSubscription, Receiving} from './facts.js'
import {readReceptions} from './from-events.js'
import type {Means} from './subject.js'

/** Returns what is known about receiving these types; with none, nothing needs a subscription. */
export async function receivingFor(types: readonly string[], means: Means): Promise<Receiving> {
  const {events, service} = means
  const prunedBefore = await events.prunedBefore()
  const known = knownSubscriptions(means)
  if (types.length === 0) return {known, listed: undefined, receptions: [], prunedBefore, refusedLastHour: 0}
  const listed = await service.subscriptions()
  const target = await service.target()
  // With a store that machines share, the secret of a subscription may be on another machine.
  const elsewhere = (listed ?? []).flatMap(({id, types: of, url}): KnownSubscription[] => {
    if (target === undefined || known.some(each => each.id === id)) return []
    const {baseUrl, clientId} = target
    return [{id, baseUrl, clientId, types: of, url, storedAt: Number.POSITIVE_INFINITY}]
  })
  return {
    known: [...known, ...elsewhere],
    listed,
    receptions: await readReceptions(events, types),
    prunedBefore,
    refusedLastHour: await refusedLastHour(events),
  }
}

/** Returns the subscriptions whose signing secrets are stored here, with the client of their profiles. */
function knownSubscriptions({state}: Means): KnownSubscription[] {
  const profiles = profilesOf(state)
  return state.secrets.listSigningSecrets().map(({subscription_id, profile, stored_at, subscribed}) => {
    const owner = Object.hasOwn(profiles, profile) ? profiles[profile] : undefined
    return {
      id: subscription_id,
      baseUrl: subscribed?.baseUrl ?? owner?.base_url ?? null,
      clientId: owner?.client_id ?? null,
      types: subscribed?.events ?? null,
      url: subscribed?.url ?? null,
      storedAt: stored_at,
    }
  })
}

/** A broken config.json is reported where the service is asked; credentials of the environment work without it. */
function profilesOf(state: Means['state']) {
  try {
    return state.settings.read().profiles
  } catch (error) {
    if (error instanceof Failure || error instanceof StorageError) return {}
    throw error
  }
}

async function refusedLastHour(events: Means['events']): Promise<number> {
  const {refusedLastHour: byReason} = await events.overview()
  return Object.values(byReason).reduce((sum, count) => sum + count, 0)
}
