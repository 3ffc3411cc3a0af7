/** The port for cached tokens (§5.7). `state` stores them where all processes share them. */
import type {Failure} from './failure.js'

/** An API client at one base URL. */
export interface Client {
  readonly baseUrl: string
  readonly clientId: string
}

/**
 * The client id that is used for a ready-made token without a client id. No real client has it, because real ids begin with
 * `cid_`.
 */
export const TOKEN_CLIENT = 'token'

/** A client with the secret that its tokens are requested with. */
export interface TokenClient extends Client {
  /** The client secret, which is never stored. Data in a shared store is encrypted with a key derived from it. */
  readonly clientSecret: string
  /** Identifies the secret, because a token must not be used with another secret than its own. */
  readonly secretFingerprint: string
}

export interface Token {
  readonly access_token: string
  /** The granted scopes, sorted. */
  readonly scopes: readonly string[]
  /** The requested scopes, sorted; undefined for a token that was not requested here. Fewer may have been granted. */
  readonly askedScopes?: readonly string[]
  /** Unix seconds on this machine's clock. */
  readonly obtainedAt: number
  readonly expiresAt: number
}

/** A stored token, which was requested here. */
export interface CachedToken extends Token {
  readonly askedScopes: readonly string[]
}

/** The properties of a token request that decide its outcome, so that waiting processes can share a failure. */
export interface TokenRequestKind {
  /** Sorted. */
  readonly scopes: readonly string[]
  /** The proxy, certificates and timeout in use, as text. */
  readonly route: string
}

/**
 * Runs `work` in one process at a time per `whose`. A waiting process returns the first result of `peek`, and gives up after
 * `waitMilliseconds`.
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
   * Stores a token and replaces the one that was requested with the same scopes. Does nothing if the user logged out in
   * between.
   */
  put(client: TokenClient, token: CachedToken): Promise<void>
  remove(client: TokenClient, accessToken: string): Promise<void>
  /** Records that a token request failed at `now` (Unix seconds), for the processes that wait for it. */
  noteFailure(client: TokenClient, request: TokenRequestKind, failure: Failure, now: number): Promise<void>
  /** Returns the last failure of this kind if its time is from `since` to `until` (Unix seconds). */
  failureBetween(
    client: TokenClient,
    request: TokenRequestKind,
    since: number,
    until: number,
  ): Promise<Failure | undefined>
  readonly alone: Alone<TokenClient>
}

export interface TokenStore extends TokenCache {
  /** Returns every stored token with its client, under any secret. `logout --all` revokes them. */
  listAll(): Promise<{client: Client; token: CachedToken}[]>
}
