/** Webhook subscriptions (§4.7, §4.8; listing, updating and deleting are ours). delivery/ sends their events. */
import {EVENT_TYPE_NAMES, isEventType} from '../../contract/events.js'
import {parseUrl} from '../../contract/foreign-text.js'
import {SIGNING_SECRET_PREFIX, SUBSCRIPTION_ID_PREFIX} from '../../contract/identifiers.js'
import {isLoopbackHost} from '../../contract/network.js'
import type {Subscription} from '../../contract/webhooks.js'
import {data, invalidField, notFound, Refusal} from '../base/answers.js'
import {randomId, randomSecret} from '../base/random.js'
import type {Service} from '../base/service.js'
import {NO_RESERVATION} from '../booking/pay-change-cancel.js'
import type {Call, Handlers} from '../http/perform.js'
import {pageOf, readPaging} from '../store/lists.js'
import {
  addEventFor,
  addSubscription,
  findSubscription,
  listDeliveries,
  listSubscriptions,
  removeSubscription,
  saveSubscription,
} from '../store/webhooks.js'

export const SUBSCRIPTIONS = {
  /** The one answer that shows the signing secret (§2.7). */
  'subscriptions.create': ({service, client, body}) => {
    const subscription: Subscription = {
      id: randomId(SUBSCRIPTION_ID_PREFIX),
      url: checkUrl(service, body.url),
      events: checkEvents(body.events),
      is_active: true,
    }
    const secret = randomSecret(SIGNING_SECRET_PREFIX)
    addSubscription(service.database, client.client_id, subscription, secret)
    return data({...subscription, secret})
  },

  'subscriptions.list': ({service, client, query}) => {
    const paging = readPaging(query)
    const {items, next} = listSubscriptions(service.database, paging, client.client_id)
    return pageOf({items: items.map(({subscription}) => subscription), next}, paging.limit)
  },

  'subscriptions.show': call => data(ownSubscription(call)),

  'subscriptions.update': call => {
    const {service, body} = call
    const before = ownSubscription(call)
    const updated: Subscription = {
      ...before,
      ...(body.url !== undefined && {url: checkUrl(service, body.url)}),
      ...(body.events !== undefined && {events: checkEvents(body.events)}),
      ...(body.is_active !== undefined && {is_active: body.is_active}),
    }
    saveSubscription(service.database, updated)
    return data(updated)
  },

  'subscriptions.delete': call => {
    const {id} = ownSubscription(call)
    removeSubscription(call.service.database, id)
    return data({id, deleted: true})
  },

  /** An event of the first type the subscription lists, about a reservation that does not exist. */
  'subscriptions.test': call => {
    const {service, client, now} = call
    const {id, events, is_active} = ownSubscription(call)
    if (!is_active) {
      const message = 'the subscription is passive; to send to it, set is_active to true'
      throw new Refusal('subscription_passive', message)
    }
    const reservation = {reservation_ref: NO_RESERVATION, client_reference_id: 'test', status: 'CONFIRMED'}
    const event = {
      clientId: client.client_id,
      type: events[0] ?? 'reservation.confirmed',
      data: {object: 'reservation', ...reservation, test: true},
      now,
    }
    const {database} = service
    const {eventId, deliveryIds} = database.transaction(() => addEventFor(database, [id], event))
    return data({event_id: eventId, delivery_id: deliveryIds[0]})
  },

  'subscriptions.deliveries': call => {
    const paging = readPaging(call.query)
    const filter = {subscriptionId: ownSubscription(call).id}
    const {items, next} = listDeliveries(call.service.database, filter, paging, true)
    return pageOf({items: items.map(({delivery}) => delivery), next}, paging.limit)
  },
} satisfies Partial<Handlers>

function ownSubscription({service, client, parameters}: Call<unknown>): Subscription {
  const id = parameters.subscription_id ?? ''
  const found = findSubscription(service.database, client.client_id, id)
  if (!found) throw notFound('subscription', id)
  return found
}

/** The characters of a URI (RFC 3986 §2). An address with others is answered percent-encoded, as it is used. */
const URI_CHARACTERS = /^[\w\-.~:/?#[\]@!$&'()*+,;=%]+$/

/** §6: https only. With --allow-http-loopback also http on loopback. */
function checkUrl(service: Service, text: string): string {
  const url = parseUrl(text)
  if (url === undefined) throw invalidField('url', 'invalid_format', 'must be an https address')
  const allowed =
    url.protocol === 'https:' ||
    (url.protocol === 'http:' && isLoopbackHost(url.hostname) && service.allowHttpLoopback)
  if (!allowed) {
    const details = [{field: 'url', code: 'not_https', message: 'must begin with https://'}]
    throw new Refusal('url_not_https', 'the address of a subscription must be https', {details})
  }
  if (url.username || url.password) throw invalidField('url', 'invalid_value', 'must not contain credentials')
  return URI_CHARACTERS.test(text) ? text : url.href
}

function checkEvents(events: readonly string[]): string[] {
  const unknown = events.findIndex(name => !isEventType(name))
  if (unknown >= 0) {
    throw invalidField(`events[${unknown}]`, 'unknown_value', `must be one of ${EVENT_TYPE_NAMES.join(', ')}`)
  }
  return [...new Set(events)]
}
