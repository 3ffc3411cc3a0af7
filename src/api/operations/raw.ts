/**
 * Sends any request under the base URL with a token, because §4.9 does not show all operations. The token is never sent
 * to another origin or a path outside the base URL.
 */
import {type Failure, usage} from '../../contract/failure.js'
import {parseUrl, REDACTED, sanitizeLine} from '../../contract/foreign-text.js'
import {isSuccess, OPERATIONS, operationAt, type Scope} from '../../contract/operations.js'
import {failureIn, readAnswer, throwUnanswered} from '../answers/refusals.js'
import {spellingsOf} from '../redact/redact.js'
import type {Answer, WireRequest} from '../types.js'
import {type Authorized, changesSomething, fetchWithToken} from './client.js'

export const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
const READING = new Set(['GET', 'HEAD', 'OPTIONS'])
type RawRequest = ReturnType<typeof buildRaw>
/** A request as the user typed it. The body is JSON text and is sent unchanged. */
type RawInput = Pick<WireRequest, 'method' | 'headers'> & {path: string; body: string | undefined}

/**
 * Builds and checks a request, and finds the operation of the contract that it matches, if any. Sends nothing. Throws a
 * usage error if the request is not allowed.
 */
export function buildRaw(baseUrl: string, input: RawInput) {
  const {method, body} = input
  const url = urlUnder(baseUrl, input.path)
  const path = url.pathname.slice(new URL(baseUrl).pathname.length)
  if (path.startsWith('/oauth/'))
    throw usage('not_signed_in', 'the OAuth operations take no token', 'use bookctl login, token or logout')
  if (body !== undefined && READING.has(method))
    throw usage('invalid_input', `--data: a ${method} request has no body`)
  const operation = operationAt(method, path)
  const type = body !== undefined && {'content-type': 'application/json'}
  const headers = {accept: 'application/json', ...type, ...input.headers}
  const request: WireRequest = {method, url: url.href, headers, ...(body !== undefined && {body})}
  /** Whether the request may change something. Such a request is never repeated. */
  const changes = operation === undefined ? !READING.has(method) : changesSomething(operation)
  return {request, changes, operation, scope: (operation && OPERATIONS[operation].scope) ?? undefined}
}

/**
 * Returns the URL for `text`, which is a path (with or without its first slash) or a full URL. Throws a usage error if
 * it is not under `baseUrl`.
 */
function urlUnder(baseUrl: string, text: string): URL {
  if (/^[A-Za-z]:[\\/]/.test(text)) {
    const hint =
      'Git Bash rewrites an argument that begins with /: leave the slash out, or set MSYS_NO_PATHCONV=1'
    throw usage('invalid_path', 'PATH: is a path of Windows, not of the service', hint)
  }
  if (/[\s\p{Cc}\\#]/u.test(text)) throw invalidPath('must hold no spaces, backslashes or #')
  const base = new URL(baseUrl)
  const isWhole = /^[a-z][a-z0-9+.-]*:|^\/\//i.test(text)
  const written = isWhole ? text : `${baseUrl}/${text.replace(/^\//, '')}`
  const url = parseUrl(written, baseUrl)
  if (url === undefined) throw invalidPath('is not a path of the service')
  if (url.origin !== base.origin || url.username !== '' || url.password !== '')
    throw usage(
      'other_origin',
      `PATH: is not at ${sanitizeLine(base.origin, 200)}; credentials go nowhere else, and nothing was sent`,
      'give the path under the base URL, for example /account; --base-url names another service',
    )
  // The URL parser has already resolved dot segments, so the original text is checked, including percent-encoded dots.
  const segments = (written.split('?', 1)[0] ?? '')
    .replace(/^[a-z][a-z0-9+.-]*:/i, '')
    .replace(/%2e/gi, '.')
    .split(/\/|%2f|%5c/i)
  if (segments.some(segment => segment === '.' || segment === '..'))
    throw invalidPath('must not hold . or .. as a segment')
  if (url.pathname !== base.pathname && !url.pathname.startsWith(`${base.pathname}/`))
    throw invalidPath('is not under the base URL')
  return url
}

function invalidPath(problem: string) {
  return usage('invalid_path', `PATH: ${problem}`, 'give the path under the base URL, for example /account')
}

/**
 * Sends the request and returns the answer, whatever its status. A request that may change something is sent only once.
 * Throws a Failure, of kind `outcome_unknown` if a change may have been made.
 */
export async function callRaw(
  options: Authorized & {readonly timeoutSeconds: number},
  {request, changes, scopes}: RawRequest & {readonly scopes: readonly Scope[]},
): Promise<Answer> {
  const policy = {repeatable: !changes, timeoutSeconds: options.timeoutSeconds}
  return readAnswer(await fetchWithToken(options, request, policy, scopes).catch(throwUnanswered(changes)))
}

/**
 * Returns the Failure for an answer that is not a success, or that says it is JSON but is not. Returns undefined for
 * any other answer. `now` is in Unix seconds.
 */
export function failureOf(answer: Answer, {changes}: RawRequest, now: number): Failure | undefined {
  const saysJson = /^application\/([\w.-]+\+)?json\s*(;|$)/i.test(answer.headers['content-type'] ?? '')
  const isBroken = saysJson && answer.json === undefined && answer.body.length > 0
  return isSuccess(answer) && !isBroken ? undefined : failureIn(answer, changes, {now})
}

/** Removes the secrets of the request, in any encoding, from an answer that will be shown. All other bytes stay. */
export function withoutEcho(answer: Answer): Answer {
  const spellings = (answer.secrets ?? []).flatMap(spellingsOf).sort((a, b) => b.length - a.length)
  // The replacement works on bytes (latin1), because an error answer may contain anything.
  const bytesOf = (text: string) => Buffer.from(text).toString('latin1')
  const text = spellings.reduce(
    (rest, spelling) => rest.replaceAll(bytesOf(spelling), REDACTED),
    Buffer.from(answer.body).toString('latin1'),
  )
  return readAnswer({...answer, body: Buffer.from(text, 'latin1')})
}
