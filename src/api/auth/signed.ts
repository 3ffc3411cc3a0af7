/** Sends a request with a bearer token, and once more with a new one when the service answers 401 (§5.6, §7). */

import type {Scope} from '../../contract/operations.js'
import type {Token} from '../../contract/token-cache.js'
import {
  type Clock,
  SendError,
  type Sender,
  type SendPolicy,
  type SentAnswer,
  type TokenSource,
  type WireRequest,
} from '../types.js'

export interface CallParts {
  readonly sender: Sender
  readonly tokens: TokenSource
  readonly clock: Clock
}

/** Any answer; `policy.timeoutSeconds` begins once there is a token. Throws SendError, and Failure without a token. */
export async function sendWithToken(
  {sender, tokens, clock}: CallParts,
  request: WireRequest,
  policy: SendPolicy,
  scopes: readonly Scope[],
): Promise<SentAnswer> {
  const token = await tokens.get(scopes)
  // The limit starts here: waiting for the token of another process does not count.
  const deadline = clock.now() + policy.timeoutSeconds
  const first = await sender.send(authorized(request, token), policy)
  if (first.status !== 401) return first
  const renewed = await tokens.replace(token, scopes).catch(error => {
    // A failed renewal must not hide that an earlier attempt may have acted.
    if (first.mayHaveActed) return token
    throw error
  })
  if (renewed.access_token === token.access_token) return first
  const timeoutSeconds = Math.max(1, deadline - clock.now())
  // A second 401 is an answer like any other; attempts count from the first request on.
  const total = ({attempts, mayHaveActed}: SentAnswer | SendError) => ({
    attempts: first.attempts + attempts,
    mayHaveActed: first.mayHaveActed || mayHaveActed,
  })
  try {
    const second = await sender.send(authorized(request, renewed), {...policy, timeoutSeconds})
    return {...second, ...total(second)}
  } catch (error) {
    if (!(error instanceof SendError)) throw error
    const {attempts, mayHaveActed} = total(error)
    throw new SendError(error.last, attempts, mayHaveActed)
  }
}

function authorized(request: WireRequest, token: Token): WireRequest {
  return {...request, headers: {...request.headers, authorization: `Bearer ${token.access_token}`}}
}
