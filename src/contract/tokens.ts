/**
 * Access tokens (§2.1, §4.1, §4.2) and their scopes (§5). Requests may have other fields, which are ignored
 * (RFC 6749 §3.2, RFC 7009 §2.1).
 */
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

export const SCOPES = {
  'hotels:read': 'hotel search, detail, price query',
  'tours:read': 'tour search, detail',
  'reservations:read': 'listing and viewing reservations',
  'reservations:write': 'creating, updating, cancelling reservations',
  'account:read': 'account information and balance',
  'content:read': 'constant data: currencies, countries, cities and similar',
  'webhooks:read': 'listing webhook subscriptions',
  'webhooks:write': 'creating, updating, deleting webhook subscriptions',
} as const

export type Scope = keyof typeof SCOPES

export const SCOPE_NAMES = Object.keys(SCOPES) as Scope[]

/** Not in the interface: the scopes `login` requests by default, enough to search, book, and read bookings (§5.9). */
export const BOOKING_SCOPES = [
  'account:read',
  'hotels:read',
  'reservations:read',
  'reservations:write',
] as const satisfies readonly Scope[]

export function isScope(name: string): name is Scope {
  return Object.hasOwn(SCOPES, name)
}
