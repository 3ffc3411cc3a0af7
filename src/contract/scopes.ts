/** The OAuth scopes of §5 and what each allows. */
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
