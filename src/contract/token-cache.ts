/** The port for cached tokens (§5.7). `state` stores them where all processes share them. */
import type {Failure} from './failure.js'

/** An API client at one base URL. */
export interface Client {
  readonly baseUrl: string
  readonly clientId: string
}

/**
 * The client id for an access token that the user supplied without a client id. No real client has it, because real ids
 * begin with `cid_`.
 */
export const TOKEN_CLIENT = 'token'

/** A client with the secret that it requests tokens with. */
export interface TokenClient extends Client {
  /** The client secret, which is never stored. Data in a shared store is encrypted with a key derived from it. */
  readonly clientSecret: string
  /**
   * A fingerprint of the secret. It is part of the cache key, because a token must not be used with a different secret.
   */
  readonly secretFingerprint: string
}

export interface Token {
  readonly access_token: string
  /** The granted scopes, sorted. */
  readonly scopes: readonly string[]
  /** The requested scopes, sorted. The service may have granted fewer. Undefined for a token that the user supplied. */
  readonly askedScopes?: readonly string[]
  /** Unix seconds on this machine's clock, as is `expiresAt`. */
  readonly obtainedAt: number
  readonly expiresAt: number
}

/** A stored token, which this program requested. */
export interface CachedToken extends Token {
  readonly askedScopes: readonly string[]
}

/**
 * The properties of a token request that decide its outcome. Waiting processes share a failure only if these are equal.
 */
export interface TokenRequestKind {
  /** Sorted. */
  readonly scopes: readonly string[]
  /** The proxy, certificates and timeout in use, as text. */
  readonly route: string
}

/**
 * Runs `work` in only one process at a time for each `whose`. Other processes call `peek` while they wait, and return
 * its first result. A process that waited longer than `waitMilliseconds` returns `gaveUp: true`.
 */
export type Alone<Whose> = <T>(
  whose: Whose,
  waitMilliseconds: number,
  work: () => Promise<T>,
  peek: () => Promise<T | undefined>,
) => Promise<{gaveUp: false; value: T} | {gaveUp: true}>

/** The cache of tokens. Methods reject with the errors of the store. */
export interface TokenCache {
  /** Returns every stored token of `client`, newest first, including expired ones. */
  list(client: TokenClient): Promise<CachedToken[]>
  /**
   * Stores a token, replacing the one that was requested with the same scopes. Does nothing if the user has logged out
   * since the request.
   */
  put(client: TokenClient, token: CachedToken): Promise<void>
  remove(client: TokenClient, accessToken: string): Promise<void>
  /** Records that a token request failed at `now` (Unix seconds), so that processes waiting for it can fail at once. */
  noteFailure(client: TokenClient, request: TokenRequestKind, failure: Failure, now: number): Promise<void>
  /** Returns the last failure of such a request between `since` and `until` (Unix seconds), or undefined. */
  failureBetween(
    client: TokenClient,
    request: TokenRequestKind,
    since: number,
    until: number,
  ): Promise<Failure | undefined>
  readonly alone: Alone<TokenClient>
}

export interface TokenStore extends TokenCache {
  /** Returns all stored tokens of all clients and secrets, so that `logout --all` can revoke them. */
  listAll(): Promise<{client: Client; token: CachedToken}[]>
}
