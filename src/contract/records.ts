/** What records share, and the small ones: tokens (§2.1, §4.1, §4.2), account, reference data, tours, errors (not shown). */
import {z} from 'zod'
import {isCalendarDate} from './dates.js'
import {isAmount, isCurrencyCode} from './money.js'

/** Metadata that puts `x-source` on a schema in the OpenAPI description: a § of the interface, or `ours`. */
export const ours = (description: string) => ({description, 'x-source': 'ours'})
export const from = (section: string, description: string) => ({description, 'x-source': section})

export const calendarDate = z
  .string()
  .refine(isCalendarDate, 'must be a date that exists, written YYYY-MM-DD')
  .meta({description: 'Hotel-local calendar date, YYYY-MM-DD', format: 'date'})

export const countryCode = z
  .string()
  .regex(/^[A-Z]{2}$/, 'must be a two-letter country code')
  .meta({description: 'ISO 3166-1 alpha-2 country code', examples: ['TR']})

export const currencyCode = z
  .string()
  .refine(isCurrencyCode, 'must be a three-letter currency code')
  .meta({description: 'ISO 4217 currency code', pattern: '^[A-Z]{3}$', examples: ['EUR']})

/** An amount as we send and print it. What is received may also be a JSON number. */
export const amount = z
  .string()
  .refine(isAmount, 'must be a decimal amount such as 1250.00')
  .meta({description: 'Decimal amount', pattern: '^[0-9]{1,15}(\\.[0-9]{1,6})?$', examples: ['1250.00']})

export const timestamp = z.iso
  .datetime({offset: true})
  .meta({description: 'ISO 8601 timestamp with offset', examples: ['2030-06-01T12:00:00Z']})

/** Token requests may have other fields, which are ignored (RFC 6749 §3.2, RFC 7009 §2.1). */
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

export const country = z
  .object({code: countryCode, name: z.string(), phone_code: z.string(), currency: z.string()})
  .meta({id: 'Country', ...ours('A country')})

export const currency = z
  .object({code: currencyCode, name: z.string(), minor_units: z.int()})
  .meta({id: 'Currency', ...ours('A currency')})

export type Country = z.infer<typeof country>
export type Currency = z.infer<typeof currency>

export const account = z
  .object({
    account_id: z.string(),
    name: z.string(),
    mode: z.enum(['live', 'test']),
    status: z.enum(['ACTIVE', 'BLOCKED']),
    client_id: z.string(),
    scopes: z.array(z.string()),
    currency: currencyCode,
    balance: amount,
    credit_limit: amount,
    available_balance: amount,
    updated_at: timestamp,
  })
  .meta({id: 'Account', ...ours('Account information and balance')})

export type Account = z.infer<typeof account>

/** Where to search: a city by its id. */
export const destination = z.strictObject({type: z.literal('CITY'), id: z.int().positive()})

export const tourSearchRequest = z
  .strictObject({
    destination,
    date: calendarDate.optional(),
    currency: currencyCode,
  })
  .meta({id: 'TourSearchRequest', ...ours('What to search tours for')})

export const tour = z
  .object({
    tour_id: z.string(),
    name: z.string(),
    short_description: z.string(),
    duration_minutes: z.int(),
    price_from: z.object({amount, currency: currencyCode}),
    city: z.object({id: z.int(), name: z.string()}),
    country_code: countryCode,
    rating: z.number().nullable(),
    review_count: z.int(),
    tags: z.array(z.string()),
  })
  .meta({id: 'Tour', ...ours('A tour')})

export type TourSearchRequest = z.infer<typeof tourSearchRequest>
export type Tour = z.infer<typeof tour>

const errorDetail = z.object({field: z.string(), code: z.string(), message: z.string()})

export const errorBody = z
  .object({
    error: z.looseObject({
      code: z.string(),
      message: z.string(),
      request_id: z.string(),
      retryable: z.boolean(),
      details: z.array(errorDetail).optional(),
    }),
    error_description: z.string().optional().meta({description: "RFC 6749's field, on the token endpoint"}),
  })
  .meta({id: 'Error', ...ours('Why the request was refused')})

export type ErrorDetail = z.infer<typeof errorDetail>

export const listMeta = z
  .object({
    limit: z.int().meta({description: 'the most records of one answer'}),
    after: z.string().nullable().meta({description: 'cursor of the next page; null on the last'}),
    before: z.string().nullable().meta({description: 'cursor of the page before; null on the first'}),
  })
  .meta({id: 'ListMeta', ...ours('Where a list goes on')})
