/**
 * Reads which events the service says it sent, if it lists its deliveries. The local sandbox does, and a service for
 * which config.json has the path.
 */
import {eachDelivery} from '../../../api/operations/webhooks.js'
import type {Api} from '../../../api/types.js'
import {zonedInstantOf} from '../../../contract/dates.js'
import {Failure} from '../../../contract/failure.js'
import {type DeliveryState, eventName, type SentDeliveries, type SubscriptionHistory} from './judgement.js'

/**
 * Returns the deliveries of the events in `names` to the subscriptions, and when the first delivery to each was sent.
 * Returns undefined if the service does not list the deliveries of a subscription that exists. Those of a deleted
 * subscription may have been removed.
 */
export async function readSent(
  api: Api,
  subscriptions: readonly Pick<SubscriptionHistory, 'id' | 'until'>[],
  names: ReadonlySet<string>,
): Promise<SentDeliveries | undefined> {
  const byName = new Map<string, DeliveryState[]>()
  const firstTo = new Map<string, number | null>()
  for (const {id, until} of subscriptions) {
    let first: number | null = null
    try {
      for await (const page of eachDelivery(api, id)) {
        for (const {type, reservationRef, isPending, isDelivered, triedAt, lastTriedAt} of page) {
          const at = zonedInstantOf(triedAt ?? '')
          if (at !== undefined) first = Math.min(first ?? at, at)
          const name = eventName({type, reservation_ref: reservationRef})
          if (!names.has(name)) continue
          const state = {
            subscriptionId: id,
            isPending,
            isDelivered,
            lastTriedAt: zonedInstantOf(lastTriedAt ?? ''),
          }
          byName.set(name, [...(byName.get(name) ?? []), state])
        }
      }
    } catch (error) {
      if (!(error instanceof Failure) || error.kind === 'interrupted') throw error
      if (until === null) return undefined
      continue
    }
    // An empty list for a deleted subscription may mean that its deliveries were removed too.
    if (first !== null || until === null) firstTo.set(id, first)
  }
  return {byName, firstTo}
}
