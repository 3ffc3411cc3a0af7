/** The partner's account (§4.6; the body is not shown, so every field is ours). */
import {z} from 'zod'
import {amount, currencyCode, mode, ours, timestamp} from './common.js'

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
