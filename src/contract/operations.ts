/**
 * Every operation of the service, and the scope it needs (§5). `source: 'ours'` marks a path that §4.9 implies but does
 * not show. The client calls such a path only on the local sandbox, or if the profile sets the path.
 */

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

export interface Operation {
  readonly method: Method
  /** The path after the base URL, with `{name}` for each parameter. */
  readonly path: string
  /** The scope that the bearer token needs; null for the OAuth endpoints, which take no Authorization header. */
  readonly scope: Scope | null
  readonly summary: string
  /** The § that shows the operation, or `ours` if none does. */
  readonly source: string
}

const RESERVATION = '/reservations/{reservation_ref}'
const QUOTE = `${RESERVATION}/cancellation-quote`
const SUBSCRIPTIONS = '/webhooks/subscriptions'
const SUBSCRIPTION = `${SUBSCRIPTIONS}/{subscription_id}`

export const OPERATIONS = {
  'token.create': op('POST', '/oauth/token', null, 'Obtain an access token', '§4.1'),
  'token.revoke': op('POST', '/oauth/revoke', null, 'Revoke an access token', '§4.2'),
  'hotels.search': op('POST', '/hotels/search', 'hotels:read', 'Search hotel offers', '§4.3'),
  'hotels.show': op('GET', '/hotels/{hotel_id}', 'hotels:read', 'Show one hotel'),
  'hotels.price': op('GET', '/hotels/offers/{offer_id}', 'hotels:read', 'Query the price of an offer'),
  'tours.search': op('POST', '/tours/search', 'tours:read', 'Search tours'),
  'tours.show': op('GET', '/tours/{tour_id}', 'tours:read', 'Show one tour'),
  'reservations.create': op('POST', '/reservations/hotel', 'reservations:write', 'Book an offer', '§4.4'),
  'reservations.list': op('GET', '/reservations', 'reservations:read', 'List reservations'),
  'reservations.show': op('GET', RESERVATION, 'reservations:read', 'Show one reservation'),
  'reservations.update': op('PATCH', RESERVATION, 'reservations:write', 'Update a reservation'),
  'reservations.quote': op('GET', QUOTE, 'reservations:read', 'Quote the fee of a cancellation'),
  'reservations.cancel': op('POST', `${RESERVATION}/cancel`, 'reservations:write', 'Cancel a reservation'),
  'voucher.show': op('GET', `${RESERVATION}/voucher`, 'reservations:read', 'Get the voucher link', '§4.5'),
  'account.show': op('GET', '/account', 'account:read', 'Show the account and its balance', '§4.6'),
  'content.countries': op('GET', '/content/countries', 'content:read', 'List countries'),
  'content.currencies': op('GET', '/content/currencies', 'content:read', 'List currencies'),
  'content.cities': op('GET', '/content/cities', 'content:read', 'List cities'),
  'subscriptions.create': op('POST', SUBSCRIPTIONS, 'webhooks:write', 'Create a subscription', '§4.7'),
  'subscriptions.test': op('POST', `${SUBSCRIPTION}/test`, 'webhooks:write', 'Send a test event', '§4.8'),
  'subscriptions.list': op('GET', SUBSCRIPTIONS, 'webhooks:read', 'List webhook subscriptions'),
  'subscriptions.show': op('GET', SUBSCRIPTION, 'webhooks:read', 'Show one webhook subscription'),
  'subscriptions.update': op('PATCH', SUBSCRIPTION, 'webhooks:write', 'Update a webhook subscription'),
  'subscriptions.delete': op('DELETE', SUBSCRIPTION, 'webhooks:write', 'Delete a webhook subscription'),
  'subscriptions.deliveries': op('GET', `${SUBSCRIPTION}/deliveries`, 'webhooks:read', 'List deliveries'),
  'subscriptions.rotate': op('POST', `${SUBSCRIPTION}/rotate`, 'webhooks:write', 'Rotate a signing secret'),
} as const satisfies Record<string, Operation>

export type OperationName = keyof typeof OPERATIONS

/**
 * The operations of the local sandbox. It has no operation that rotates a secret: a second subscription has the same
 * effect, and works with every service.
 */
export type SandboxOperation = Exclude<OperationName, 'subscriptions.rotate'>

export const SANDBOX_OPERATIONS = (Object.keys(OPERATIONS) as OperationName[]).filter(
  (name): name is SandboxOperation => name !== 'subscriptions.rotate',
)

/**
 * The operations that a command calls. Each value is a note for help that says when; it is empty if the command always
 * calls it.
 */
export type CalledOperations = Readonly<Partial<Record<OperationName, string>>>

/**
 * Matches a path that a profile sets for an operation, such as `/bookings/{reservation_ref}`. It has only plain
 * characters and no segment `.` or `..`.
 */
export const PATH_TEMPLATE = /^(\/(?!\.{1,2}(\/|$))[A-Za-z0-9_.~{}-]+)+$/

/**
 * Returns the path of operation `name`, or of `template`, with its parameters filled in and percent-encoded. Throws a
 * TypeError if a parameter is missing.
 */
export function pathOf(name: OperationName, parameters: Record<string, string> = {}, template?: string) {
  return (template ?? OPERATIONS[name].path).replace(/\{(\w+)\}/g, (_, key: string) => {
    const value = parameters[key]
    if (value === undefined) throw new TypeError(`${name} needs the path parameter ${key}`)
    return encodeURIComponent(value)
  })
}

/** Returns the operation with this method and path (relative to the base URL, without query), or undefined. */
export function operationAt(method: string, path: string): OperationName | undefined {
  const fits = (template: string) => new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}/?$`).test(path)
  const names = Object.keys(OPERATIONS) as OperationName[]
  return names.find(name => OPERATIONS[name].method === method && fits(OPERATIONS[name].path))
}

export function isSuccess({status}: {readonly status: number | null}): boolean {
  return status !== null && status >= 200 && status <= 299
}

/** Reports whether the status says that the record does not exist (404) or was removed (410). */
export function isNotFound({status}: {readonly status?: number | null | undefined}): boolean {
  return status === 404 || status === 410
}

function op(method: Method, path: string, scope: Scope | null, summary: string, source = 'ours'): Operation {
  return {method, path, scope, summary, source}
}

export const SCOPES = {
  'hotels:read': 'hotel search, detail, price query',
  'tours:read': 'tour search, detail',
  'reservations:read': 'listing and viewing reservations',
  'reservations:write': 'creating, updating, cancelling reservations',
  'account:read': 'account information and balance',
  'content:read': 'reference data: currencies, countries, cities and similar',
  'webhooks:read': 'listing webhook subscriptions',
  'webhooks:write': 'creating, updating, deleting webhook subscriptions',
} as const

export type Scope = keyof typeof SCOPES

export const SCOPE_NAMES = Object.keys(SCOPES) as Scope[]

/** Maximum length of a cancellation's reason in characters. Not in the interface. */
export const MOST_REASON_LENGTH = 200

/** The scopes that `login` requests by default, enough to search, book and read bookings (§5.9). Not in the interface. */
export const BOOKING_SCOPES = [
  'account:read',
  'hotels:read',
  'reservations:read',
  'reservations:write',
] as const satisfies readonly Scope[]

export function isOperationName(name: string): name is OperationName {
  return Object.hasOwn(OPERATIONS, name)
}

export function isScope(name: string): name is Scope {
  return Object.hasOwn(SCOPES, name)
}
