/**
 * Calls the operations of the service: builds the path, adds the bearer token, encodes and parses JSON, and renews the
 * token once after a 401 (§5.6, §7). Also fetches links that the service returns.
 */

import type {Clock} from '../../contract/dates.js'
import {Failure} from '../../contract/failure.js'
import {parseUrl} from '../../contract/foreign-text.js'
import {isLoopbackHost} from '../../contract/network.js'
import {OPERATIONS, type OperationName, pathOf, type Scope} from '../../contract/operations.js'
import type {Token} from '../../contract/token-cache.js'
import {failureIn, readAnswer, throwUnanswered} from '../answers/refusals.js'
import {DEFAULT_TIMEOUT_SECONDS} from '../http/send.js'
import {
  type Api,
  type CallOptions,
  NotPublicError,
  SendError,
  type Sender,
  type SendPolicy,
  type SentAnswer,
  type TokenSource,
  type WireRequest,
} from '../types.js'

interface ApiOptions extends Authorized {
  /** The base URL as `parseBaseUrl` returns it. */
  readonly baseUrl: string
  readonly timeoutSeconds?: number
  /**
   * Returns the path that the profile sets for an operation without one in the interface (§4.9), or undefined to use
   * the path of the local sandbox. Throws a Failure if that path must not be called at this service.
   */
  readonly ownPath?: (name: OperationName) => Promise<string | undefined>
}

/**
 * Creates the client of the service at `baseUrl`. `callForAnswer` throws a SendError if there is no answer; `call` and
 * `fetchLink` throw a Failure.
 */
export function createApi(options: ApiOptions): Api {
  const {baseUrl, clock, sender, ownPath, timeoutSeconds = DEFAULT_TIMEOUT_SECONDS} = options
  const callForAnswer = async (name: OperationName, call: CallOptions = {}) => {
    const {method, scope, source} = OPERATIONS[name]
    const template = source === 'ours' ? await ownPath?.(name) : undefined
    const url = new URL(baseUrl + pathOf(name, call.parameters, template))
    for (const [key, value] of Object.entries(call.query ?? {})) {
      if (value !== undefined) url.searchParams.set(key, value)
    }
    // The body is serialised once, so that every repeat sends the same bytes.
    const body: string | undefined = call.text ?? JSON.stringify(call.body)
    const headers: Record<string, string> = {}
    if (body !== undefined) headers['content-type'] = 'application/json'
    headers.accept = 'application/json'
    for (const [key, value] of Object.entries(call.headers ?? {})) headers[key.toLowerCase()] = value
    const request = {method, url: url.href, headers, ...(body !== undefined && {body})}
    const policy = {repeatable: !changesSomething(name), timeoutSeconds, ...call.policy}
    if (scope === null) return readAnswer(await sender.send(request, policy))
    return readAnswer(await fetchWithToken(options, request, policy, [scope]))
  }
  return {
    baseUrl,
    clock,
    callForAnswer,
    async call(operation, call) {
      const changes = changesSomething(operation)
      const answer = await callForAnswer(operation, call).catch(throwUnanswered(changes))
      const {scope} = OPERATIONS[operation]
      const {reservation_ref, subscription_id} = call?.parameters ?? {}
      const about = reservation_ref ?? subscription_id
      const failure = failureIn(answer, changes, {now: clock.now(), scope, about})
      if (failure) throw failure
      return answer
    },
    fetchLink: url => fetchLink(options, url),
  }
}

/** POST operations that only read, or that have no further effect when repeated. */
const HARMLESS = new Set<OperationName>(['token.create', 'token.revoke', 'hotels.search', 'tours.search'])

/** Reports whether repeating `operation` could change something. */
export function changesSomething(operation: OperationName): boolean {
  return OPERATIONS[operation].method !== 'GET' && !HARMLESS.has(operation)
}

/** Limits on fetching a link. Not in the interface. */
const LINK_LIMITS = {redirects: 3, bytes: 50 * 1024 * 1024, seconds: 60} as const
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/**
 * Fetches a link that the service returned, following up to three redirects, and returns any other answer. The link
 * must be https; http is allowed if both the service and the link are on this machine. It must lead to a public
 * address, unless the service itself has none. Throws a Failure, whose message never contains the link.
 */
export async function fetchLink(
  {baseUrl, sender, timeoutSeconds}: Pick<ApiOptions, 'baseUrl' | 'sender' | 'timeoutSeconds'>,
  link: string,
): Promise<SentAnswer> {
  let url = parseLink(link, undefined, baseUrl)
  for (let redirects = 0; ; redirects++) {
    const request = {method: 'GET', url: url.href, headers: {accept: 'application/pdf'}, givenBy: baseUrl}
    const policy = {
      repeatable: true,
      timeoutSeconds: timeoutSeconds ?? LINK_LIMITS.seconds,
      maxAnswerBytes: LINK_LIMITS.bytes,
    }
    const {host} = url
    const answer = await sender.send(request, policy).catch(error => {
      if (error instanceof NotPublicError) throw badLink(`leads to ${host}, ${error.message}`)
      // Only the host is reported, because anyone with the whole link can download the voucher.
      const hint =
        'the service gave this link: try again, check the connection to that host, or ask the operator of the service'
      return throwUnanswered(false, {name: "the host of the voucher's link", host, hint})(error)
    })
    if (!REDIRECTS.has(answer.status)) return answer
    if (redirects === LINK_LIMITS.redirects)
      throw badLink(`is redirected more than ${LINK_LIMITS.redirects} times`)
    const {location} = answer.headers
    if (!location) throw badLink('is redirected without saying where to')
    url = parseLink(location, url, baseUrl)
  }
}

function parseLink(link: string, from: URL | undefined, baseUrl: string): URL {
  const url = parseUrl(link, from?.href)
  if (url === undefined) throw badLink('is not a URL')
  if (url.username !== '' || url.password !== '') throw badLink('holds a user name or password')
  if (url.protocol === 'https:') return url
  const local = isLoopbackHost(url.hostname) && isLoopbackHost(new URL(baseUrl).hostname)
  if (url.protocol !== 'http:' || !local || from?.protocol === 'https:') throw badLink('is not https')
  return url
}

function badLink(problem: string): Failure {
  return new Failure('service_failed', `the voucher's link ${problem}; it was not followed`, {
    code: 'bad_voucher_link',
    hint: 'report this to the operator of the service',
  })
}

/** What is needed to send a request with a token. */
export interface Authorized {
  readonly sender: Sender
  readonly tokens: TokenSource
  readonly clock: Clock
}

/**
 * Sends a request with a token and returns the answer, whatever its status. Throws a SendError if there is no answer,
 * and a Failure if no token is available.
 */
export async function fetchWithToken(
  {sender, tokens, clock}: Authorized,
  request: WireRequest,
  policy: SendPolicy,
  scopes: readonly Scope[],
): Promise<SentAnswer> {
  const fetchWith = async (
    {access_token, askedScopes: asked, scopes: granted}: Token,
    bounded: SendPolicy,
  ) => {
    const headers = {...request.headers, authorization: `Bearer ${access_token}`}
    const answer = await sender.send({...request, headers}, bounded)
    return {...answer, grant: {needed: scopes, asked, granted}}
  }
  const token = await tokens.get(scopes)
  // The time limit starts here, so that waiting for a token that another process requests does not count.
  const deadline = clock.now() + policy.timeoutSeconds
  const first = await fetchWith(token, policy)
  if (first.status !== 401) return first
  const renewed = await tokens.replace(token, scopes).catch(error => {
    // An earlier attempt may have acted, and a failed renewal must not hide that.
    if (first.mayHaveActed) return token
    throw error
  })
  if (renewed.access_token === token.access_token) return first
  // A second 401 is returned like any other answer. The attempts of both requests are counted together.
  const total = ({attempts, mayHaveActed}: SentAnswer | SendError) => ({
    attempts: first.attempts + attempts,
    mayHaveActed: first.mayHaveActed || mayHaveActed,
  })
  try {
    const second = await fetchWith(renewed, {...policy, timeoutSeconds: Math.max(1, deadline - clock.now())})
    return {...second, ...total(second)}
  } catch (error) {
    if (!(error instanceof SendError)) throw error
    const {attempts, mayHaveActed} = total(error)
    throw new SendError(error.last, attempts, mayHaveActed)
  }
}
