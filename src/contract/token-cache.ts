/** The token cache as a port (§5.7); `state` stores tokens in a file that processes share. */
import type {Failure} from './failure.js'

/** An API client at one base URL. */
export interface Client {
  readonly baseUrl: string
  readonly clientId: string
}

/** The client id of a ready token, if none is named with it. No client has it, since theirs begin with `cid_`. */
export const TOKEN_CLIENT = 'token'

/** A client with the secret its tokens were obtained with. */
export interface TokenClient extends Client {
  /** Never stored; what is stored elsewhere than on this machine is sealed with it. */
  readonly clientSecret: string
  /** Distinguishes secrets: a token must not serve under another secret than its own. */
  readonly secretFingerprint: string
}

export interface Token {
  readonly access_token: string
  /** Granted scopes, sorted. */
  readonly scopes: readonly string[]
  /** Unix seconds, on this machine's clock. */
  readonly obtainedAt: number
  readonly expiresAt: number
}

/** A token as it is stored: with the requested scopes, sorted, which may be more than were granted. */
export interface CachedToken extends Token {
  readonly askedScopes: readonly string[]
}

/** Token requests of one client that have these in common end alike. */
export interface TokenRequestKind {
  /** Sorted. */
  readonly scopes: readonly string[]
  /** The proxy, certificates and timeout in use, as text. */
  readonly route: string
}

/** Runs `work` in one process at a time per `whose`; while it waits, returns the first result of `peek`. Then gives up. */
export type Alone<Whose> = <T>(
  whose: Whose,
  waitMilliseconds: number,
  work: () => Promise<T>,
  peek: () => Promise<T | undefined>,
) => Promise<{gaveUp: false; value: T} | {gaveUp: true}>

/** What it throws comes from where it is stored. */
export interface TokenCache {
  /** Every stored token of `client`, expired ones too, newest first. */
  list(client: TokenClient): Promise<CachedToken[]>
  /** Stores a token in place of the one requested with the same scopes, unless there was a logout in between. */
  put(client: TokenClient, token: CachedToken): Promise<void>
  remove(client: TokenClient, accessToken: string): Promise<void>
  /** Records that a token request failed at `now` (Unix seconds), for the processes that wait for its outcome. */
  noteFailure(client: TokenClient, request: TokenRequestKind, failure: Failure, now: number): Promise<void>
  /** The last failure of this kind, if it is from `since` to `until` (Unix seconds). */
  failureBetween(
    client: TokenClient,
    request: TokenRequestKind,
    since: number,
    until: number,
  ): Promise<Failure | undefined>
  readonly alone: Alone<TokenClient>
}

export interface TokenStore extends TokenCache {
  /** Every stored token, whatever its secret, with its client: what `logout --all` revokes. */
  listAll(): Promise<{client: Client; token: CachedToken}[]>
}
