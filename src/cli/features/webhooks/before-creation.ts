/** Warnings before a subscription is created: its address has one already, or its receiver answers 404 for the path. */
import type {Sender} from '../../../api/types.js'
import {Failure} from '../../../contract/failure.js'
import {parseUrl, sanitizeLine} from '../../../contract/foreign-text.js'
import {isLoopbackHost} from '../../../contract/network.js'
import type {Connection, ConnectOptions} from '../../session/connect.js'
import {caFileFor} from './targets.js'

/** Long enough for a receiver on this machine. */
const ANSWER_SECONDS = 2

/** Warnings about `url`, the most important first. What cannot be found out causes none. */
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

/** Looks in the list of the service or, where that cannot be read (§4.9 shows no path), among those created from this machine. */
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

/** Sends a GET to a receiver on this machine, which answers 404 if it takes another path. */
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

/** The status of the answer to a GET; undefined if there is none. */
async function statusOf(sender: Sender, url: string): Promise<number | undefined> {
  const request = {method: 'GET', url, headers: {}}
  const policy = {repeatable: false, mostAttempts: 1, timeoutSeconds: ANSWER_SECONDS}
  const answer = await sender.send(request, policy).catch(() => undefined)
  return answer?.status
}
