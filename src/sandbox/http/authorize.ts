/** The bearer token of a request (§5.2, §5.6) and the scope it must have. */
import type {Scope} from '../../contract/scopes.js'
import {Refusal} from '../base/refusal.js'
import type {Service} from '../base/service.js'
import {type Client, findClient, findToken} from '../store/clients.js'

/** The client whose token this is. Throws Refusal: `token_invalid`, `token_expired`, `insufficient_scope`. */
export function authorize(service: Service, authorization: string | null, scope: Scope): Client {
  const token = /^Bearer ([\x21-\x7e]+)$/i.exec(authorization?.trim() ?? '')?.[1]
  if (!token) {
    throw new Refusal('token_invalid', 'the request has no bearer token', {
      headers: {'WWW-Authenticate': 'Bearer'},
    })
  }
  const stored = findToken(service.database, token)
  const client = stored && findClient(service.database, stored.client_id)
  if (!client) throw unauthorized('token_invalid', 'the access token is unknown or was revoked')
  if (stored.expires_at <= service.clock.now()) {
    throw unauthorized('token_expired', 'the access token has expired')
  }
  if (!stored.scopes.split(' ').includes(scope)) throw scopeMissing(scope)
  return client
}

function unauthorized(code: 'token_invalid' | 'token_expired', message: string): Refusal {
  return new Refusal(code, message, {
    headers: {'WWW-Authenticate': `Bearer error="invalid_token", error_description="${message}"`},
  })
}

function scopeMissing(scope: Scope): Refusal {
  return new Refusal('insufficient_scope', `the access token lacks the scope ${scope}`, {
    members: {scope},
    headers: {'WWW-Authenticate': `Bearer error="insufficient_scope", scope="${scope}"`},
  })
}
