/** Access tokens (§2.1, §4.1, §4.2). Requests may have other fields, which are ignored (RFC 6749 §3.2, RFC 7009 §2.1). */
import {z} from 'zod'
import {from, ours} from './common.js'

export const tokenRequest = z
  .object({
    // Another one is refused by a code of its own (RFC 6749 §5.2).
    grant_type: z
      .string()
      .min(1)
      .meta({enum: ['client_credentials']}),
    client_id: z.string().min(1),
    client_secret: z.string().min(1),
    scope: z.string().meta({description: 'space-separated scopes'}),
  })
  .meta({id: 'TokenRequest', ...from('§4.1', 'Client credentials, asking for a token')})

export const accessToken = z
  .looseObject({
    access_token: z.string().min(1),
    token_type: z.string().optional(),
    expires_in: z.coerce.number().int().positive().optional(),
    scope: z.string().optional(),
  })
  .meta({id: 'AccessToken', ...from('§2.1', 'A bearer credential and its lifetime')})

export const revokeRequest = z
  .object({token: z.string().min(1)})
  .meta({id: 'RevokeRequest', ...from('§4.2', 'The access token to revoke')})

export const revokedToken = z
  .object({revoked: z.literal(true)})
  .meta({id: 'RevokedToken', ...ours('The token is no longer valid, whether it ever was or not')})
