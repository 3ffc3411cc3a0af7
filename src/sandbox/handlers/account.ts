/** POST /oauth/token (§4.1), POST /oauth/revoke (§4.2) and GET /account (§4.6; the record is ours). */
import {isoTime} from '../../contract/dates.js'
import {ACCESS_TOKEN_LIFETIME_SECONDS} from '../../contract/limits.js'
import {fromMinor} from '../../contract/money.js'
import {isScope} from '../../contract/operations.js'
import type {Account} from '../../contract/records.js'
import {data, Refusal} from '../base/answers.js'
import type {Handlers} from '../http/perform.js'
import {checkCredentials, forgetToken, issueToken} from '../store/clients.js'

export const ACCOUNT = {
  /** Grants the requested scopes that the client has. An unknown scope, or none granted, is `invalid_scope`. */
  'token.create': ({service, now, body}) => {
    if (body.grant_type !== 'client_credentials') {
      throw new Refusal('unsupported_grant_type', 'grant_type must be client_credentials')
    }
    const client = checkCredentials(service.database, body.client_id, body.client_secret)
    if (!client) throw new Refusal('invalid_client', 'invalid client_id or client_secret')
    const asked = [...new Set(body.scope.split(' ').filter(Boolean))]
    if (!asked.every(isScope)) throw new Refusal('invalid_scope', 'a requested scope does not exist')
    const granted = asked.filter(scope => client.scopes.split(' ').includes(scope))
    if (granted.length === 0)
      throw new Refusal('invalid_scope', 'the client has none of the requested scopes')
    return data({
      access_token: issueToken(service.database, client.client_id, granted, now),
      token_type: 'Bearer',
      expires_in: ACCESS_TOKEN_LIFETIME_SECONDS,
      scope: granted.join(' '),
    })
  },

  /** Answers 200 for an unknown token too (RFC 7009 §2.2). */
  'token.revoke': ({service, body}) => {
    forgetToken(service.database, body.token)
    return data({revoked: true})
  },

  'account.show': ({client}) => {
    const balance = fromMinor(BigInt(client.balance_minor), client.currency)
    const account: Account = {
      account_id: client.account_id,
      name: client.name,
      mode: 'test',
      status: 'ACTIVE',
      client_id: client.client_id,
      scopes: client.scopes.split(' '),
      currency: client.currency,
      balance,
      credit_limit: fromMinor(0n, client.currency),
      available_balance: balance,
      updated_at: isoTime(client.updated_at),
    }
    return data(account)
  },
} satisfies Partial<Handlers>
