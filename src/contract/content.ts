/** Constant data (§5 scope content:read; records and paths are ours). Cities are in hotels.ts. */
import {z} from 'zod'
import {countryCode, currencyCode, ours} from './common.js'

export const country = z
  .object({code: countryCode, name: z.string(), phone_code: z.string(), currency: z.string()})
  .meta({id: 'Country', ...ours('A country')})

export const currency = z
  .object({code: currencyCode, name: z.string(), minor_units: z.int()})
  .meta({id: 'Currency', ...ours('A currency')})

export type Country = z.infer<typeof country>
export type Currency = z.infer<typeof currency>
