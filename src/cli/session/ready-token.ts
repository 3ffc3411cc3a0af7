/** BOOKCTL_TOKEN: an access token that somebody else obtained. It is used as it is, and never kept or renewed. */
import type {TokenSource} from '../../api/types.js'
import {Failure} from '../../contract/failure.js'

/** Gives `accessToken` for everything. Throws Failure, exit 4, when the service no longer takes it. */
export function readyTokens(accessToken: string): TokenSource {
  const token = {access_token: accessToken, scopes: [], obtainedAt: 0, expiresAt: Number.POSITIVE_INFINITY}
  return {
    get: async () => token,
    replace: async () => {
      throw tokenNotTaken()
    },
  }
}

export function tokenNotTaken(): Failure {
  return new Failure(
    'not_allowed',
    'the token in BOOKCTL_TOKEN is not valid, or no longer; it is not renewed',
    {
      code: 'token_not_valid',
      status: 401,
      hint: 'set BOOKCTL_TOKEN to a new one, or unset it and use bookctl login',
    },
  )
}
