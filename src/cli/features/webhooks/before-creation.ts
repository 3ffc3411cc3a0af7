/** What is probably a mistake in a subscription that is about to be created: an address subscribed twice, or a path that its receiver does not take. */
import type {Sender} from '../../../api/types.js'
import {Failure} from '../../../contract/failure.js'
import {parseUrl, sanitizeLine} from '../../../contract/foreign-text.js'
import {isLoopbackHost} from '../../../contract/network.js'
import type {Connection, ConnectOptions} from '../../session/connect.js'
import {caFileFor} from './targets.js'

/** A receiver on this machine answers at once. */
const ANSWER_SECONDS = 2

/** Warnings about `url`, in the order in which they matter. What cannot be found out is no warning. */
export async function warningsBefore(
  connection: Connection,
  url: string,
  profile: string,
  options: ConnectOptions,
): Promise<string[]> {
  const {state} = connection
  const [second, path] = await Promise.all([
    secondSubscription(connection, url, profile),
    pathNotTaken(url, {...options, caFile: caFileFor(url, options.caFile, state.directory)}),
  ])
  return [second, path].filter(text => text !== undefined)
}

/** By the service's list; where that cannot be read (§4.9 shows no path), by what was subscribed from this machine. */
async function secondSubscription(
  {api, state, target}: Connection,
  url: string,
  profile: string,
): Promise<string | undefined> {
  const {listSubscriptions} = await import('../../../api/operations/webhooks.js')
  const listed = await listSubscriptions(api).catch(error => {
    if (error instanceof Failure && error.kind !== 'interrupted') return undefined
    throw error
  })
  const wanted = parseUrl(url)?.href
  const isSame = (other: string | null) => other !== null && parseUrl(other)?.href === wanted
  if (listed) {
    const known = listed.items.find(each => isSame(each.url))
    if (known === undefined) return undefined
    const {id, types} = shownOf(known.id, known.events)
    return `Warning: the subscription ${id} sends to this address already (${types}): with a second one an event of both comes twice; to change the first: bookctl webhooks update ${id}`
  }
  const stored = state.secrets.listSigningSecrets(profile)
  const made = stored.find(({subscribed}) => subscribed?.baseUrl === target.baseUrl && isSame(subscribed.url))
  if (made === undefined) return undefined
  const {id, types} = shownOf(made.subscription_id, made.subscribed?.events)
  return `Warning: the subscription ${id} was created for this address from this machine (${types}): if it still exists, an event of both comes twice`
}

function shownOf(id: string, events: readonly string[] | null | undefined) {
  return {id: sanitizeLine(id, 200), types: sanitizeLine(events?.join(', ') || 'unknown types', 200)}
}

/** Asks what listens on this machine: a receiver of another path answers 404, one of this path anything else. */
async function pathNotTaken(url: string, options: ConnectOptions): Promise<string | undefined> {
  const {hostname, pathname, origin} = new URL(url)
  if (!isLoopbackHost(hostname)) return undefined
  const {openSender} = await import('../../session/connect.js')
  const opened = await openSender({...options, har: undefined, history: undefined})
  try {
    if ((await statusOf(opened.sender, url)) !== 404) return undefined
  } finally {
    await opened.close()
  }
  const path = sanitizeLine(pathname, 100)
  return `Warning: what listens at ${origin} answers 404 for the path ${path}: events would not arrive; subscribe the path that it takes, or start it for this one: bookctl webhooks listen --path ${path}`
}

/** Undefined where nothing answers. */
async function statusOf(sender: Sender, url: string): Promise<number | undefined> {
  const request = {method: 'GET', url, headers: {}}
  const policy = {repeatable: false, mostAttempts: 1, timeoutSeconds: ANSWER_SECONDS}
  const answer = await sender.send(request, policy).catch(() => undefined)
  return answer?.status
}
