/** Records that the interface names and does not show: reference data (cities are in hotels.ts), the account, tours, errors. */
import {z} from 'zod'
import {amount, calendarDate, countryCode, currencyCode, mode, ours, timestamp} from './common.js'

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
    mode,
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

export const tourSearchRequest = z
  .strictObject({
    destination: z.strictObject({type: z.literal('CITY'), id: z.int().positive()}),
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
