/**
 * Exactly one token: cached for all processes (§5.7), renewed early, requested by one process while the others wait, and
 * replaced at most once when the service refuses it (§5.6, §7).
 */
import {Failure} from '../../contract/failure.js'
import type {Scope} from '../../contract/scopes.js'
import type {CachedToken, Token, TokenCache, TokenRequestKind} from '../../contract/token-cache.js'
import type {TokenSource} from '../types.js'
import {
  type Credentials,
  requestToken,
  sortScopes,
  type TokenRequestParts,
  tokenClientOf,
} from './token-request.js'

export {requestToken, revokeToken} from './token-request.js'

export interface TokenSourceParts extends TokenRequestParts {
  readonly credentials: Credentials
  /** Scopes to request (default: those that are needed, §5.9). */
  readonly configuredScopes?: readonly Scope[]
  readonly cache: TokenCache
  /** The proxy, certificates and timeout in use, as text. */
  readonly route: string
}

/** Tokens from the cache, else from the service. Throws Failure as requestToken does. */
export function createTokenSource(parts: TokenSourceParts): TokenSource {
  const client = tokenClientOf(parts.baseUrl, parts.credentials)
  const {cache, clock} = parts
  /** Tokens that were cached before this source needed one: if one of them is refused, all of them may be. */
  const seen = new Set<string>()
  /** The last one this process requested; the disk may have been full. */
  let own: CachedToken | undefined
  const list = async () => {
    const tokens = await cache.list(client)
    return own ? [...tokens, own] : tokens
  }

  const choose = (
    tokens: readonly CachedToken[],
    scopes: readonly Scope[],
    isGood: (token: CachedToken, now: number) => boolean,
  ) => {
    const asked = sortScopes(parts.configuredScopes ?? scopes)
    const now = clock.now()
    return tokens
      .filter(token => token.obtainedAt <= now && isGood(token, now) && serves(token, scopes, asked))
      .sort((a, b) => a.scopes.length - b.scopes.length || b.expiresAt - a.expiresAt)[0]
  }
  /** A token that came while waiting is used however little is left: another request would bring no more. */
  const chooseNew = async (scopes: readonly Scope[]) => {
    const tokens = (await list()).filter(token => !seen.has(token.access_token))
    return choose(tokens, scopes, (token, now) => token.expiresAt > now)
  }

  const ask = async (scopes: readonly Scope[]): Promise<Token> => {
    own = await requestToken(parts, parts.configuredScopes ?? scopes)
    // One that has expired already may still serve this call, and no other.
    if (own.expiresAt > own.obtainedAt) await cache.put(client, own)
    return own
  }
  const askForAll = async (scopes: readonly Scope[], kind: TokenRequestKind): Promise<Token> => {
    try {
      return await ask(scopes)
    } catch (error) {
      if (error instanceof Failure && error.kind !== 'interrupted')
        await cache.noteFailure(client, kind, error, clock.now())
      throw error
    }
  }
  /** All who waited share the outcome, also a failure: one request to a failing service is enough. */
  const askAlone = async (scopes: readonly Scope[]) => {
    const kind = {scopes: sortScopes(parts.configuredScopes ?? scopes), route: parts.route}
    const began = clock.now()
    const peek = async () => {
      const token = await chooseNew(scopes)
      // Up to now, because a failure recorded while the clock was ahead must not lock everyone out.
      const failure = token ? undefined : await cache.failureBetween(client, kind, began, clock.now())
      if (failure) throw failure
      return token
    }
    const work = async () => (await peek()) ?? (await askForAll(scopes, kind))
    const outcome = await cache.alone(client, parts.timeoutSeconds * 1000, work, peek)
    return outcome.gaveUp ? ask(scopes) : outcome.value
  }

  return {
    async get(scopes) {
      const tokens = await list()
      for (const token of tokens) seen.add(token.access_token)
      // Its own token is used to its end: a service may give less than the margin each time.
      const isOwn = (token: CachedToken) => token.access_token === own?.access_token
      const kept = choose(
        tokens,
        scopes,
        (token, now) => isFresh(token, now) || (isOwn(token) && token.expiresAt > now),
      )
      return kept ?? (await askAlone(scopes))
    },
    async replace(refused, scopes) {
      await cache.remove(client, refused.access_token)
      if (own?.access_token === refused.access_token) own = undefined
      seen.add(refused.access_token)
      return (await chooseNew(scopes)) ?? (await askAlone(scopes))
    },
  }
}

/** Not in the interface: a cached token is renewed when less than this is left. */
const RENEWAL_MARGIN_SECONDS = 60

function isFresh(token: CachedToken, now: number): boolean {
  return token.expiresAt - now >= RENEWAL_MARGIN_SECONDS
}

/** A token requested with the same scopes serves too, although fewer were granted: another request would bring no more. */
function serves(token: CachedToken, needed: readonly string[], asked: readonly string[]): boolean {
  return (
    needed.every(scope => token.scopes.includes(scope)) || token.askedScopes.join(' ') === asked.join(' ')
  )
}
