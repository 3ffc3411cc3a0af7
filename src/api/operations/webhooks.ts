/**
 * Manages webhook subscriptions (§2.7, §4.7, §4.8), from answers of any shape. cli/session/own-paths.ts decides whether
 * the operations whose paths §4.9 does not show may be called.
 */

import {parseUrl} from '../../contract/foreign-text.js'
import {SIGNING_SECRET_PREFIX, SUBSCRIPTION_ID_PREFIX} from '../../contract/identifiers.js'
import {
  type Fields,
  fieldsOf,
  inDocumentOrder,
  isObject,
  type JsonObject,
  textOf,
} from '../../contract/json.js'
import type {CreatedSubscription, SubscriptionChange, SubscriptionRequest} from '../../contract/webhooks.js'
import {itemAskedFor} from '../answers/asked.js'
import {asWord, factIn, integerIn, textIn, unwrap} from '../answers/facts.js'
import {mayBeDone, reportsError, wordsOf} from '../answers/refusals.js'
import {DELIVERY, STATE, SUBSCRIPTION} from '../answers/vocabulary.js'
import {quoted, quotedUrl} from '../redact/redact.js'
import type {Answer, Api} from '../types.js'
import {checkHoldsList, eachPage, readPages, type WholeList} from './lists.js'

/** A subscription with the field names of §2.7. A field is null if the answer does not state it. */
export type FoundSubscription = ReturnType<typeof readSubscriptions>[number]

/**
 * Creates a subscription (§4.7). The request is sent once, because a second one could make another subscription, and
 * only this answer contains the secret. `deviations` describe how the subscription differs from the request, sanitised.
 * Throws a Failure, of kind `outcome_unknown` if a subscription may have been made.
 */
export async function createSubscription(api: Api, request: SubscriptionRequest) {
  const answer = await api.call('subscriptions.create', {body: request})
  const subscription = readCreated(answer.json, request)
  if (subscription) return {subscription, deviations: deviationsFrom(request, subscription, answer)}
  throw mayBeDone(answer, `${answer.status}, and without an id and a signing secret`)
}

/**
 * Requests a test event (§4.8) and returns the content of the answer. Throws a Failure, of kind `outcome_unknown` if
 * the event may have been sent.
 */
export async function sendTestEvent(api: Api, id: string): Promise<unknown> {
  const answer = await api.call('subscriptions.test', {parameters: {subscription_id: id}})
  requireSubscription(answer, id)
  return unwrap(answer.json) ?? null
}

/** The last attempt to deliver an event. A field is null if the answer does not state it. */
export interface LastAttempt {
  readonly at: string | null
  /** The HTTP status that the receiver answered, or null if it did not answer. */
  readonly status: number | null
  readonly ms: number | null
  readonly error: string | null
}

/**
 * Returns the last attempt to deliver the event to the subscription, or undefined if there is none yet. `wanted`
 * identifies the event or its delivery. The operation is not in the interface. Throws a Failure if the call fails.
 */
export async function findLastAttempt(
  api: Api,
  id: string,
  wanted: {readonly eventId: string | null; readonly deliveryId: string | null},
): Promise<LastAttempt | undefined> {
  const answer = await api.call('subscriptions.deliveries', {parameters: {subscription_id: id}})
  const isWanted = (fields: Fields) =>
    textIn(fields, DELIVERY.event) === (wanted.eventId ?? undefined) ||
    textIn(fields, DELIVERY.id) === (wanted.deliveryId ?? undefined)
  const deliveries = [...inDocumentOrder(answer.json)].map(({value}) => fieldsOf(value))
  const attempts = factIn(deliveries.find(isWanted) ?? fieldsOf(undefined), DELIVERY.attempts, list =>
    Array.isArray(list) ? list : null,
  )
  const last = attempts?.at(-1)
  if (!isObject(last)) return undefined
  const fields = fieldsOf(last)
  return {
    at: textIn(fields, DELIVERY.at),
    status: integerIn(fields, DELIVERY.status),
    ms: integerIn(fields, DELIVERY.milliseconds),
    error: textIn(fields, DELIVERY.error),
  }
}

/** A delivery of an event that is about a reservation. */
export interface FoundDelivery {
  readonly type: string
  readonly reservationRef: string
  /** Whether the service will try the delivery again. */
  readonly isPending: boolean
  /** Whether the receiver has accepted the event. */
  readonly isDelivered: boolean
  /** The times of the first and the last attempt, as written by the service. */
  readonly triedAt: string | null
  readonly lastTriedAt: string | null
}

/**
 * Yields the deliveries of a subscription that are about reservations, page by page. The operation is not in the
 * interface. Throws a Failure if a call fails.
 */
export async function* eachDelivery(api: Api, id: string): AsyncGenerator<readonly FoundDelivery[], void> {
  const readPage = (answer: Answer) => {
    const all = [...inDocumentOrder(answer.json)].map(({value}) => fieldsOf(value))
    const items = all.filter(fields => textIn(fields, DELIVERY.event) !== null)
    if (items.length === 0) checkHoldsList(answer, 'deliveries')
    return {items, count: items.length}
  }
  const idOf = (fields: Fields) => textIn(fields, DELIVERY.id) ?? textIn(fields, DELIVERY.event) ?? ''
  const wanted = Number.POSITIVE_INFINITY
  const parameters = {subscription_id: id}
  const reading = {readPage, idOf, wanted, parameters, mostPages: MOST_DELIVERY_PAGES}
  for await (const {items} of eachPage(api, 'subscriptions.deliveries', reading))
    yield items.flatMap(fields => deliveryIn(fields) ?? [])
}

/** Enough for 1,000,000 deliveries from a service that sends 50 per page. Not in the interface. */
const MOST_DELIVERY_PAGES = 20_000

function deliveryIn(fields: Fields): FoundDelivery | undefined {
  const type = textIn(fields, DELIVERY.type)
  const reservationRef = textIn(fields, DELIVERY.reservation)
  if (type === null || reservationRef === null) return undefined
  const state = asWord(textIn(fields, STATE))
  const timeOf = (attempt: unknown) => (isObject(attempt) ? textIn(fieldsOf(attempt), DELIVERY.at) : null)
  const tries = factIn(fields, DELIVERY.attempts, list => (Array.isArray(list) ? list : null)) ?? []
  return {
    type,
    reservationRef,
    isPending: /pend|retr|wait|queue|schedul|progress/.test(state),
    isDelivered: /^(delivered|success(ful)?|succeeded|ok|done|completed?)$/.test(state),
    triedAt: timeOf(tries[0]),
    lastTriedAt: timeOf(tries.at(-1)),
  }
}

/** Returns all subscriptions of the client. The path is not in the interface. Throws a Failure if a call fails. */
export function listSubscriptions(api: Api): Promise<WholeList<FoundSubscription>> {
  const readPage = (answer: Answer) => {
    const items = readSubscriptions(answer.json)
    if (items.length === 0) checkHoldsList(answer, 'subscriptions')
    return {items, count: items.length}
  }
  return readPages(api, 'subscriptions.list', {readPage, idOf: ({id}) => id})
}

/**
 * Changes a subscription and returns its new state, with `deviations` from the requested change. The operation is not
 * in the interface. Throws a Failure, of kind `outcome_unknown` if the change may have been made.
 */
export async function updateSubscription(api: Api, id: string, change: SubscriptionChange) {
  const answer = await api.call('subscriptions.update', {parameters: {subscription_id: id}, body: change})
  const asked = {what: 'subscription', id, changes: true}
  const subscription = itemAskedFor(answer, asked, readSubscriptions(answer.json), found => [found.id])
  if (subscription) return {subscription, deviations: deviationsFrom(change, subscription, answer)}
  throw mayBeDone(answer, `${answer.status}, and without a subscription`)
}

/**
 * Replaces the signing secret of a subscription and returns the new one. Only some services have this operation. Throws
 * a Failure, of kind `outcome_unknown` if the secret may have been replaced.
 */
export async function rotateSecret(api: Api, id: string): Promise<string> {
  const answer = await api.call('subscriptions.rotate', {parameters: {subscription_id: id}})
  requireSubscription(answer, id)
  const secrets = [...inDocumentOrder(answer.json)].flatMap(
    ({value}) => subscriptionFacts(value).secret ?? [],
  )
  const [secret] = secrets
  if (secret !== undefined) return secret
  throw mayBeDone(answer, `${answer.status}, and without a signing secret`)
}

/**
 * Deletes a subscription. The operation is not in the interface. Throws a Failure, of kind `outcome_unknown` if the
 * subscription may have been deleted.
 */
export async function deleteSubscription(api: Api, id: string): Promise<void> {
  const answer = await api.call('subscriptions.delete', {parameters: {subscription_id: id}})
  requireSubscription(answer, id)
}

/**
 * Throws a Failure if the answer reports an error or names only other subscriptions. An answer that names no
 * subscription is accepted.
 */
function requireSubscription(answer: Answer, id: string): void {
  if (reportsErrorIn(answer)) throw mayBeDone(answer, `${answer.status} and an error`)
  const named = [...inDocumentOrder(answer.json)].flatMap(
    ({value}) => subscriptionFacts(value).markedId ?? textIn(fieldsOf(value), SUBSCRIPTION.ownId) ?? [],
  )
  itemAskedFor(answer, {what: 'subscription', id, changes: true}, named, found => [found])
}

function deviationsFrom(asked: SubscriptionChange, found: FoundSubscription, answer: Answer): string[] {
  const {url, events, is_active} = found
  const list = (types: readonly string[]) => quoted(types.join(' '), 300, answer) || '(none)'
  const deviations: string[] = reportsErrorIn(answer) ? [`an error beside it (${errorWords(answer)})`] : []
  const differ = (name: string, is: string, wanted: string) =>
    deviations.push(`${name} ${is} in place of ${wanted}`)
  if (asked.url !== undefined && url !== null && new URL(url).href !== new URL(asked.url).href)
    differ('url', quotedUrl(url, answer), quotedUrl(asked.url, answer))
  if (asked.events && events) {
    const all = new Set([...asked.events, ...events])
    const isSame = new Set(asked.events).size === all.size && new Set(events).size === all.size
    if (!isSame) differ('events', list(events), list(asked.events))
  }
  if (asked.is_active !== undefined && is_active !== null && is_active !== asked.is_active)
    differ('is_active', String(is_active), String(asked.is_active))
  return deviations
}

/** Reports whether the answer contains an error, which may be next to a subscription. */
function reportsErrorIn({json}: Answer): boolean {
  return [json, unwrap(json)].some(value => isObject(value) && reportsError(value))
}

const errorWords = (answer: Answer) => wordsOf(answer) ?? 'without saying why'

/**
 * Returns the new subscription from an answer of any shape, or undefined if the id or the secret is missing. Other
 * missing fields are copied from the request.
 */
function readCreated(json: unknown, request: SubscriptionRequest): CreatedSubscription | undefined {
  const objects = [...inDocumentOrder(json)].map(({value}) => subscriptionFacts(value))
  const first = <Name extends keyof SubscriptionFacts>(name: Name, among = objects) =>
    among.map(facts => facts[name]).find(found => found !== null) ?? undefined
  const secret = first('secret')
  // An envelope may have an id of its own, so an id with the subscription prefix (§2.7) takes precedence.
  const withSecret = objects.filter(facts => facts.secret !== null)
  const id = first('markedId') ?? first('id', withSecret) ?? first('id')
  if (secret === undefined || id === undefined) return undefined
  // Fields in the object that has the id take precedence over the same fields elsewhere.
  const ownFirst = [...objects.filter(facts => facts.id === id), ...objects]
  return {
    id,
    url: first('url', ownFirst) ?? request.url,
    events: [...(first('events', ownFirst) ?? request.events)],
    is_active: first('is_active', ownFirst) ?? true,
    secret,
  }
}

function readSubscriptions(json: unknown) {
  return [...inDocumentOrder(json)].flatMap(({value}) => {
    const {id, url, events, is_active} = subscriptionFacts(value)
    return id === null || (url === null && events === null) ? [] : [{id, url, events, is_active}]
  })
}

type SubscriptionFacts = ReturnType<typeof subscriptionFacts>

/** Returns what one object says about a subscription. A field is null if the object does not state it. */
function subscriptionFacts(value: JsonObject) {
  const fields = fieldsOf(value)
  const textUnder = (names: readonly string[], among = fields) =>
    factIn(among, names, text => (typeof text === 'string' && text !== '' ? text : null))
  const beginsWith = (prefix: string) => (text: unknown) =>
    typeof text === 'string' && text.startsWith(prefix) ? text : null
  const markedId = factIn(fields, SUBSCRIPTION.id, beginsWith(SUBSCRIPTION_ID_PREFIX))
  const url = textUnder(SUBSCRIPTION.url)
  const list = factIn(fields, SUBSCRIPTION.events, inner => (Array.isArray(inner) ? inner : null))
  const types = list?.map(item =>
    isObject(item) ? textUnder(SUBSCRIPTION.eventType, fieldsOf(item)) : textOf(item),
  )
  return {
    markedId,
    id: markedId ?? textIn(fields, SUBSCRIPTION.id),
    url: url !== null && parseUrl(url) ? url : null,
    // If one event type cannot be read, the list is unknown.
    events: types?.every(type => typeof type === 'string') ? types : null,
    is_active: factIn(fields, SUBSCRIPTION.active, flag => (typeof flag === 'boolean' ? flag : null)),
    /** A text with the prefix of a signing secret (§2.7), else any text in a field that is named like a secret. */
    secret:
      factIn(fields, [...fields.keys()], beginsWith(SIGNING_SECRET_PREFIX)) ?? textUnder(SUBSCRIPTION.secret),
  }
}
