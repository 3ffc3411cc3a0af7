/**
 * Gets access tokens. One token is cached for all processes (§5.7) and renewed early. One process requests a token
 * while the others wait. A token that the service refuses is replaced at most once per call (§5.6, §7). Requests to the
 * OAuth endpoints (§4.1, §4.2) have no Authorization header.
 */
import {createHash} from 'node:crypto'
import type {Clock} from '../../contract/dates.js'
import {Failure} from '../../contract/failure.js'
import {HEADER_VALUE} from '../../contract/identifiers.js'
import {breadthFirst, fieldsOf, textOf} from '../../contract/json.js'
import {ACCESS_TOKEN_LIFETIME_SECONDS} from '../../contract/limits.js'
import {isSuccess, OPERATIONS, type Scope} from '../../contract/operations.js'
import type {CachedToken, TokenCache, TokenClient} from '../../contract/token-cache.js'
import {
  describeError,
  notUnderstood,
  readAnswer,
  refusalOf,
  throwUnanswered,
  wordsOf,
} from '../answers/refusals.js'
import {refusedScopes} from '../answers/scopes.js'
import {quoted} from '../redact/redact.js'
import type {Answer, Sender, TokenSource} from '../types.js'

/** A cached token is renewed if fewer seconds than this are left. Not in the interface. */
const RENEWAL_MARGIN_SECONDS = 60
/**
 * A longer lifetime is reduced to one year, because the expiry could exceed the range of a date. Not in the interface.
 */
const LONGEST_LIFETIME_SECONDS = 365 * 24 * 3600

interface TokenSourceOptions extends TokenRequestOptions {
  readonly credentials: Credentials
  /** The scopes to request (default: those that the operation needs, §5.9). */
  readonly configuredScopes?: readonly Scope[]
  readonly cache: TokenCache
  /**
   * The proxy, certificates and timeout in use, as one text. Processes share a failure only if their routes are equal.
   */
  readonly route: string
}

/**
 * Creates a source of tokens, which come from the cache, else from the service. Its methods throw a Failure as
 * `requestToken` does.
 */
export function createTokenSource(options: TokenSourceOptions): TokenSource {
  const client = tokenClientOf(options.baseUrl, options.credentials)
  const {cache, clock} = options
  /**
   * Tokens that were cached before this source last needed one. If the service refuses one of them, it may refuse them
   * all.
   */
  const seen = new Set<string>()
  /** Tokens that this process requested. They are kept here in case the cache cannot store them. */
  const own = new Map<string, CachedToken>()
  /**
   * Tokens in use. They are used further if the cache can no longer be read, for example because a shared store is
   * down.
   */
  const used = new Map<string, CachedToken>()
  const list = async () => {
    const stored = await cache.list(client).catch(error => {
      if (used.size === 0) throw error
      return used.values()
    })
    return [...stored, ...own.values()]
  }
  const use = (token: CachedToken) => {
    used.set(token.access_token, token)
    return token
  }

  type IsGood = (token: CachedToken, now: number) => boolean
  const choose = (tokens: readonly CachedToken[], scopes: readonly Scope[], isGood: IsGood) => {
    const asked = sortScopes(options.configuredScopes ?? scopes).join(' ')
    const now = clock.now()
    /**
     * A token that was requested with the same scopes is usable even if the service granted fewer: another request
     * would get no more.
     */
    const serves = (token: CachedToken) =>
      scopes.every(scope => token.scopes.includes(scope)) || token.askedScopes.join(' ') === asked
    return tokens
      .filter(token => token.obtainedAt <= now && isGood(token, now) && serves(token))
      .sort((a, b) => a.scopes.length - b.scopes.length || b.expiresAt - a.expiresAt)[0]
  }
  /**
   * Returns a token that arrived during the wait, even if it expires soon, because another request would not get one
   * that lasts longer.
   */
  const chooseNew = async (scopes: readonly Scope[]) => {
    const tokens = (await list()).filter(token => !seen.has(token.access_token))
    return choose(tokens, scopes, (token, now) => token.expiresAt > now)
  }

  const ask = async (scopes: readonly Scope[]): Promise<CachedToken> => {
    const token = await requestToken(options, options.configuredScopes ?? scopes)
    own.set(token.access_token, token)
    // A token with a lifetime of zero may still work for this call, but it is not cached.
    if (token.expiresAt > token.obtainedAt) await cache.put(client, token)
    return token
  }
  /**
   * Requests a token in only one process at a time; waiting processes use the token. They share a failure as well,
   * because one request to a failing service is enough.
   */
  const askAlone = async (scopes: readonly Scope[]) => {
    const kind = {scopes: sortScopes(options.configuredScopes ?? scopes), route: options.route}
    const began = clock.now()
    const peek = async () => {
      const token = await chooseNew(scopes)
      // A failure with a time after now was recorded while the clock was ahead. It would block every process until then.
      const failure = token ? undefined : await cache.failureBetween(client, kind, began, clock.now())
      if (failure) throw failure
      return token
    }
    const askForAll = async () => {
      const token = await peek()
      if (token) return token
      try {
        return await ask(scopes)
      } catch (error) {
        if (error instanceof Failure && error.kind !== 'interrupted')
          await cache.noteFailure(client, kind, error, clock.now())
        throw error
      }
    }
    const outcome = await cache.alone(client, options.timeoutSeconds * 1000, askForAll, peek)
    return outcome.gaveUp ? ask(scopes) : outcome.value
  }

  return {
    async get(scopes) {
      const tokens = await list()
      for (const token of tokens) seen.add(token.access_token)
      // This process uses a token that it requested until it expires: some services grant a lifetime shorter than the
      // margin every time.
      const lasts = (token: CachedToken, now: number) =>
        token.expiresAt - now >= RENEWAL_MARGIN_SECONDS ||
        (own.has(token.access_token) && token.expiresAt > now)
      return use(choose(tokens, scopes, lasts) ?? (await askAlone(scopes)))
    },
    async replace(refused, scopes) {
      await cache.remove(client, refused.access_token)
      own.delete(refused.access_token)
      used.delete(refused.access_token)
      seen.add(refused.access_token)
      return use((await chooseNew(scopes)) ?? (await askAlone(scopes)))
    },
  }
}

export interface Credentials {
  readonly clientId: string
  readonly clientSecret: string
}

/** Returns the client at `baseUrl` with these credentials, and a fingerprint of its secret. */
export function tokenClientOf(baseUrl: string, credentials: Credentials): TokenClient {
  const {clientId, clientSecret} = credentials
  const hash = createHash('sha256').update(`${clientId}\n${clientSecret}`).digest('hex')
  // 16 hex digits are enough to tell secrets apart.
  return {baseUrl, clientId, clientSecret, secretFingerprint: hash.slice(0, 16)}
}

export interface TokenRequestOptions {
  /** The base URL as `parseBaseUrl` returns it. */
  readonly baseUrl: string
  readonly sender: Sender
  readonly clock: Clock
  readonly timeoutSeconds: number
  /** The hint if the service refuses the credentials (default: log in again, with the command). */
  readonly refusedHint?: string
}

/**
 * Requests one access token (§4.1). Fields that the answer lacks default to the requested scopes, the lifetime of §5.5
 * and the type Bearer (§2.1). Throws a Failure: `not_allowed` for wrong credentials or scopes that the client does not
 * have, `service_failed` for an answer without a bearer token, else `refused` or `unreachable`.
 */
export async function requestToken(
  options: TokenRequestOptions & {readonly credentials: Credentials},
  scopes: readonly string[],
): Promise<CachedToken> {
  const askedScopes = sortScopes(scopes)
  const {clientId, clientSecret} = options.credentials
  const obtainedAt = options.clock.now()
  const answer = await post(options, OPERATIONS['token.create'].path, {
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: clientSecret,
    scope: askedScopes.join(' '),
  })
  if (!isSuccess(answer)) {
    const failure = refusalOf(answer, {now: options.clock.now()})
    const {code} = describeError(answer)
    // RFC 6749 allows 400 as well as 401 for `invalid_client`.
    const wrongCredentials = answer.status === 401 || ['invalid_client', 'unauthorized_client'].includes(code)
    if (wrongCredentials && answer.status < 500) {
      const {refusedHint: hint = 'log in again: bookctl login'} = options
      const details = {...failure.details, code: 'invalid_client', hint}
      throw new Failure('not_allowed', 'the service does not accept the client id and secret', details)
    }
    if (code !== 'invalid_scope' || failure.kind !== 'refused') throw failure
    const message = `not allowed: ${wordsOf(answer) ?? code}`
    throw new Failure('not_allowed', message, {...failure.details, hint: refusedScopes(askedScopes)})
  }
  const read = readToken(answer.json)
  if (!read) throw notUnderstood(answer, 'it holds no access_token')
  if (!HEADER_VALUE.test(read.access_token))
    throw notUnderstood(answer, 'no header may hold its access_token')
  if (read.token_type !== undefined && !/^\s*bearer\s*$/i.test(read.token_type))
    throw notUnderstood(answer, `its token_type is ${quoted(read.token_type, 40, answer)} instead of Bearer`)
  // The lifetime is counted from the request, so that the token is never used after it has expired.
  const expiresAt = obtainedAt + (read.expires_in ?? ACCESS_TOKEN_LIFETIME_SECONDS)
  const scopesGranted = read.scope === undefined ? askedScopes : sortScopes(read.scope.split(/[\s,]/))
  return {access_token: read.access_token, scopes: scopesGranted, askedScopes, obtainedAt, expiresAt}
}

/** Reads the token in an answer (§4.1), with or without an envelope. Returns undefined if there is none. */
export function readToken(json: unknown) {
  const records = [...breadthFirst(json)].map(({value}) => fieldsOf(value))
  const fields = records.find(record => (record.get('access_token') ?? null) !== null)
  const token = fields?.get('access_token')
  if (!fields || typeof token !== 'string' || token === '') return undefined
  const seconds = Number(textOf(fields.get('expires_in')) ?? Number.NaN)
  let type = fields.get('token_type')
  if (type === null || type === '') type = undefined
  const scope = fields.get('scope')
  const scopeText = Array.isArray(scope) ? scope.filter(item => typeof item === 'string').join(' ') : scope
  return {
    access_token: token,
    /** Seconds, from 0 (the token has already expired) to one year. */
    expires_in: Number.isFinite(seconds)
      ? Math.min(Math.max(0, seconds), LONGEST_LIFETIME_SECONDS)
      : undefined,
    scope: typeof scopeText === 'string' ? scopeText : undefined,
    /** The type as the service wrote it, or as JSON if it is not a text. Undefined if the answer has none. */
    token_type: type === undefined || typeof type === 'string' ? type : JSON.stringify(type),
  }
}

/**
 * Revokes `accessToken` (§4.2). Any 2xx answer is a success, because the interface shows none. Throws a Failure for any
 * other answer or none.
 */
export async function revokeToken(options: TokenRequestOptions, accessToken: string): Promise<void> {
  const answer = await post(options, OPERATIONS['token.revoke'].path, {token: accessToken})
  if (!isSuccess(answer)) throw refusalOf(answer, {now: options.clock.now()})
}

/** Sorts scopes and removes duplicates and empty words. */
function sortScopes(scopes: readonly string[]): string[] {
  return [...new Set(scopes)].filter(scope => scope !== '').sort()
}

async function post(options: TokenRequestOptions, path: string, body: object): Promise<Answer> {
  const request = {
    method: 'POST',
    url: options.baseUrl + path,
    headers: {accept: 'application/json', 'content-type': 'application/json'},
    body: JSON.stringify(body),
  }
  const policy = {repeatable: true, timeoutSeconds: options.timeoutSeconds}
  return readAnswer(await options.sender.send(request, policy).catch(throwUnanswered(false)))
}
