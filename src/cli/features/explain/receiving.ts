/** Finds out how events are received: current and earlier subscriptions, and whether their events are stored here. */
import {Failure} from '../../../contract/failure.js'
import {StorageError} from '../../../storage/errors.js'
import {addToSpan, type ReceivedSpan, subscriptionHistories} from '../due-events/judgement.js'
import {type OwnedSubscription, rememberedSubscriptions} from '../due-events/remembered.js'
import type {OwnSubscription, Receiving, Reception} from './facts.js'
import {readReceptions} from './from-events.js'
import {isSameService} from './from-service.js'
import type {Sources} from './subject.js'

/** Returns what is known about receiving events of these types. If there are no types, no subscription is needed. */
export async function receivingFor(types: readonly string[], sources: Sources): Promise<Receiving> {
  const {events, service, state} = sources
  const prunedBefore = await events.prunedBefore()
  const nothing = {subscriptions: [], isListed: false, receivedTypes: [], prunedBefore, refusedLastHour: 0}
  if (types.length === 0) return nothing
  const receptions = await readReceptions(events, types)
  const spans = spansOf(receptions)
  const listed = await service.subscriptions()
  const target = await service.target()
  const profiles = profilesOf(state)
  const ownerOf = ({profile, baseUrl}: OwnedSubscription) => {
    const owner = Object.hasOwn(profiles, profile) ? profiles[profile] : undefined
    return {baseUrl: baseUrl ?? owner?.base_url ?? null, clientId: owner?.client_id ?? null}
  }
  const remembered = rememberedSubscriptions(state).map(each => ({...each, ...ownerOf(each)}))
  const mayBeListed = ({baseUrl, clientId}: Pick<OwnSubscription, 'baseUrl' | 'clientId'>) =>
    target !== undefined &&
    (baseUrl === null || isSameService({baseUrl}, target)) &&
    (clientId === null || clientId === target.clientId)
  // The service's list shows which subscriptions of the client in use exist, even if another machine has the secret.
  const here = remembered.filter(each => listed !== undefined && mayBeListed(each))
  const elsewhere = remembered.filter(each => !here.includes(each))
  const ofTarget = target && {baseUrl: target.baseUrl, clientId: target.clientId}
  const withOwner = (each: ReturnType<typeof subscriptionHistories>[number]): OwnSubscription => {
    const owner = remembered.find(({subscription_id}) => subscription_id === each.id)
    const {baseUrl = null, clientId = null} = owner ?? ofTarget ?? {}
    return {...each, baseUrl, clientId}
  }
  return {
    subscriptions: [
      ...(listed === undefined ? [] : subscriptionHistories(listed, here, spans)),
      ...subscriptionHistories(undefined, elsewhere, spans),
    ].map(withOwner),
    isListed: listed !== undefined,
    receivedTypes: [...new Set(receptions.flatMap(({type}) => type ?? []))],
    prunedBefore,
    refusedLastHour: await refusedLastHour(events),
  }
}

function spansOf(receptions: readonly Reception[]): Map<string, ReceivedSpan> {
  const spans = new Map<string, ReceivedSpan>()
  for (const reception of receptions) addToSpan(spans, reception)
  return spans
}

/** An invalid config.json is reported when the service is asked. Credentials of the environment work without it. */
function profilesOf(state: Sources['state']) {
  try {
    return state.settings.read().profiles
  } catch (error) {
    if (error instanceof Failure || error instanceof StorageError) return {}
    throw error
  }
}

async function refusedLastHour(events: Sources['events']): Promise<number> {
  const {refusedLastHour: byReason} = await events.overview()
  return Object.values(byReason).reduce((sum, count) => sum + count, 0)
}
