/**
 * Webhook subscriptions (§2.7, §4.7, §4.8). Listing, updating and deleting go to paths of ours (§4.9); whether such a
 * path may be called at all is decided by cli/session/own-paths.ts. Answers of every shape are read.
 */
import {Failure} from '../../contract/failure.js'
import {fieldsOf} from '../../contract/field-names.js'
import {SIGNING_SECRET_PREFIX, SUBSCRIPTION_ID_PREFIX} from '../../contract/identifiers.js'
import {isObject, type JsonObject} from '../../contract/json.js'
import {inDocumentOrder, textOf} from '../../contract/json-walk.js'
import type {CreatedSubscription, SubscriptionRequest} from '../../contract/webhooks.js'
import {itemAskedFor} from '../answers/asked.js'
import {quoted, quotedUrl} from '../answers/errors.js'
import {factIn, textIn, unwrap} from '../answers/facts.js'
import {redirectIn, refusalOf, saidIn, unanswered} from '../answers/refusals.js'
import {SUBSCRIPTION} from '../answers/vocabulary.js'
import {mayHaveActed} from '../http/retry.js'
import {type Answer, type Api, SendError} from '../types.js'
import {sendChange, unnamedChange} from './change.js'
import {checkHoldsList, readPages, type WholeList} from './lists.js'

/** A subscription as it was answered, under the names of §2.7; null where the answer does not say. */
export interface FoundSubscription {
  readonly id: string
  readonly url: string | null
  readonly events: readonly string[] | null
  readonly is_active: boolean | null
}

/** What of a subscription may be changed (ours). */
export interface SubscriptionChange {
  readonly url?: string
  readonly events?: readonly string[]
  readonly is_active?: boolean
}

/** A subscription after a change, and what of it is not as asked for: `url A in place of B`, safe to show. */
export interface AnsweredSubscription<Subscription> {
  readonly subscription: Subscription
  readonly deviations: readonly string[]
}

/**
 * Creates a subscription (§4.7); the answer is the one place where its secret is shown. Never repeated by itself: a
 * second request would make a second subscription. Throws Failure, `outcome_unknown` when one may have been made.
 */
export async function createSubscription(
  api: Api,
  request: SubscriptionRequest,
): Promise<AnsweredSubscription<CreatedSubscription>> {
  const answer = await api.exchange('subscriptions.create', {body: request}).catch(error => {
    throw error instanceof SendError ? unanswered(error, true) : error
  })
  const {status} = answer
  if (!mayHaveActed(answer)) throw refusalOf(answer, api.clock.now())
  if (status < 200 || status > 299) throw mayExist(answer, `with ${redirectIn(answer) ?? status}`)
  const subscription = readCreated(answer.json, request)
  if (subscription) return {subscription, deviations: deviationsFrom(request, subscription, answer)}
  throw mayExist(answer, `${status} without an id and a signing secret`)
}

/**
 * Asks the service for a test event (§4.8); returns its answer, which is not shown and may be empty, out of the
 * envelope. Throws Failure, `outcome_unknown` when one may have been sent.
 */
export async function sendTestEvent(api: Api, id: string): Promise<unknown> {
  const answer = await sendChange(api, 'subscriptions.test', parametersOf(id))
  requireSubscription(answer, id)
  return unwrap(answer.json) ?? null
}

/** All subscriptions (ours), page by page. Throws Failure. */
export function listSubscriptions(api: Api): Promise<WholeList<FoundSubscription>> {
  const readPage = (answer: Answer) => {
    const items = readSubscriptions(answer.json)
    if (items.length === 0) checkHoldsList(answer, 'subscriptions')
    return {items, count: items.length}
  }
  return readPages(api, 'subscriptions.list', readPage, ({id}) => id)
}

/**
 * Changes a subscription (ours); returns it as it is now. Throws Failure, `outcome_unknown` when it may be changed, also
 * when the answer is about another one.
 */
export async function updateSubscription(
  api: Api,
  id: string,
  change: SubscriptionChange,
): Promise<AnsweredSubscription<FoundSubscription>> {
  const answer = await sendChange(api, 'subscriptions.update', {...parametersOf(id), body: change})
  const subscription = itemAskedFor(answer, askedFor(id), readSubscriptions(answer.json), found => [found.id])
  if (subscription) return {subscription, deviations: deviationsFrom(change, subscription, answer)}
  throw unnamedChange(answer, 'subscription')
}

/** Deletes a subscription (ours). Throws Failure, `outcome_unknown` when it may or may not be gone. */
export async function deleteSubscription(api: Api, id: string): Promise<void> {
  const answer = await sendChange(api, 'subscriptions.delete', parametersOf(id))
  requireSubscription(answer, id)
}

function askedFor(id: string) {
  return {what: 'subscription', id, changes: true}
}

/** Throws Failure when an answer that need not name a subscription names only others. */
function requireSubscription(answer: Answer, id: string): void {
  const named = [...inDocumentOrder(answer.json)].flatMap(
    ({value}) => markedIdIn(value) ?? textIn(fieldsOf(value), SUBSCRIPTION.ownId) ?? [],
  )
  itemAskedFor(answer, askedFor(id), named, found => [found])
}

function deviationsFrom(asked: SubscriptionChange, found: FoundSubscription, answer: Answer): string[] {
  const {url, events, is_active} = found
  const list = (types: readonly string[]) => quoted(types.join(' '), 300, answer) || '(none)'
  const differ = (name: string, is: string, wanted: string) => `${name} ${is} in place of ${wanted}`
  return [
    ...(asked.url !== undefined && url !== null && !isSameUrl(url, asked.url)
      ? [differ('url', quotedUrl(url, answer), quotedUrl(asked.url, answer))]
      : []),
    ...(asked.events && events && !isSameSet(events, asked.events)
      ? [differ('events', list(events), list(asked.events))]
      : []),
    ...(asked.is_active !== undefined && is_active !== null && is_active !== asked.is_active
      ? [differ('is_active', String(is_active), String(asked.is_active))]
      : []),
  ]
}

function isSameUrl(left: string, right: string): boolean {
  return new URL(left).href === new URL(right).href
}

function isSameSet(left: readonly string[], right: readonly string[]): boolean {
  return left.every(item => right.includes(item)) && right.every(item => left.includes(item))
}

function parametersOf(id: string): {parameters: {subscription_id: string}} {
  return {parameters: {subscription_id: id}}
}

function mayExist(answer: Answer, what: string): Failure {
  const said = answer.status < 300 ? undefined : saidIn(answer)
  const reason = `the service answered ${what}${said === undefined ? '' : `: ${said}`}`
  return new Failure('outcome_unknown', `the outcome is unknown, a subscription may exist: ${reason}`, {
    code: 'outcome_unknown',
    status: answer.status,
    ...(answer.requestId === undefined ? {} : {requestId: answer.requestId}),
    reason,
  })
}

/** The new subscription in an answer of any shape, with what was asked for where the answer does not say. */
function readCreated(json: unknown, request: SubscriptionRequest): CreatedSubscription | undefined {
  const objects = [...inDocumentOrder(json)].map(({value}) => value)
  const secret = first(objects, secretIn)
  // An envelope may have an id of its own: what looks like a subscription's (§2.7) goes first.
  const id = first(objects, markedIdIn) ?? first(objects.filter(secretIn), idIn) ?? first(objects, idIn)
  if (secret === undefined || id === undefined) return undefined
  // What is beside the id comes before what another object of the answer says.
  const ownFirst = [...objects.filter(value => idIn(value) === id), ...objects]
  return {
    id,
    url: first(ownFirst, urlIn) ?? request.url,
    events: [...(first(ownFirst, eventsIn) ?? request.events)],
    is_active: first(ownFirst, activeIn) ?? true,
    secret,
  }
}

function first<T>(objects: readonly JsonObject[], read: (value: JsonObject) => T | undefined): T | undefined {
  for (const value of objects) {
    const found = read(value)
    if (found !== undefined) return found
  }
  return undefined
}

function readSubscriptions(json: unknown): FoundSubscription[] {
  return [...inDocumentOrder(json)].flatMap(({value}) => {
    const id = idIn(value)
    if (id === undefined || (urlIn(value) === undefined && eventsIn(value) === undefined)) return []
    return [
      {
        id,
        url: urlIn(value) ?? null,
        events: eventsIn(value) ?? null,
        is_active: activeIn(value) ?? null,
      },
    ]
  })
}

/** A signing secret: whatever begins as one (§2.7), or a text under a name that says so. */
function secretIn(value: JsonObject): string | undefined {
  const marked = Object.values(value).find(
    inner => typeof inner === 'string' && inner.startsWith(SIGNING_SECRET_PREFIX),
  )
  return (marked as string | undefined) ?? textUnder(value, SUBSCRIPTION.secret)
}

function idIn(value: JsonObject): string | undefined {
  return markedIdIn(value) ?? textIn(fieldsOf(value), SUBSCRIPTION.id) ?? undefined
}

function markedIdIn(value: JsonObject): string | undefined {
  const isMarked = (id: unknown) => typeof id === 'string' && id.startsWith(SUBSCRIPTION_ID_PREFIX)
  return (
    factIn(fieldsOf(value), SUBSCRIPTION.id, id => (isMarked(id) ? (id as string) : undefined)) ?? undefined
  )
}

function urlIn(value: JsonObject): string | undefined {
  const url = textUnder(value, SUBSCRIPTION.url)
  return url !== undefined && URL.canParse(url) ? url : undefined
}

function eventsIn(value: JsonObject): string[] | undefined {
  const list = factIn(fieldsOf(value), SUBSCRIPTION.events, inner =>
    Array.isArray(inner) ? inner : undefined,
  )
  const types = list?.map(item => (isObject(item) ? textUnder(item, SUBSCRIPTION.eventType) : textOf(item)))
  // A list that is written in a way we cannot read says nothing of what is in it.
  return types?.every(type => type !== undefined) ? types : undefined
}

function activeIn(value: JsonObject): boolean | undefined {
  const read = (flag: unknown) => (typeof flag === 'boolean' ? flag : undefined)
  return factIn(fieldsOf(value), SUBSCRIPTION.active, read) ?? undefined
}

function textUnder(value: JsonObject, names: readonly string[]): string | undefined {
  const read = (inner: unknown) => (typeof inner === 'string' && inner !== '' ? inner : undefined)
  return factIn(fieldsOf(value), names, read) ?? undefined
}
