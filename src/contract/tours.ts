/** Tours (§5 scope tours:read; §4.9 names search and detail, and shows neither: everything here is ours). */
import {z} from 'zod'
import {amount, calendarDate, countryCode, currencyCode, ours} from './common.js'

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
