/** Schemas shared by the records. `ours()` marks a record or field the interface does not show. */
import {z} from 'zod'
import {isCalendarDate} from './dates.js'
import {isAmount, isCurrencyCode} from './money.js'

/** Metadata that puts `x-source` on a schema in the OpenAPI description: a § of the interface, or `ours`. */
export const ours = (description: string) => ({description, 'x-source': 'ours'})
export const from = (section: string, description: string) => ({description, 'x-source': section})

/** For a character class. Spelled out, because `\s` and `\p{…}` differ between the readers of the description. */
export const SPACES_AND_CONTROLS = String.raw`\x00-\x20\x7f-\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff`

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

export const mode = z.enum(['live', 'test'])
export const paymentMode = z.enum(['account', 'instant'])
export type PaymentMode = z.infer<typeof paymentMode>
