/** Vouchers (§2.6, §4.5). */
import {z} from 'zod'
import {from, ours, timestamp} from './common.js'

export const voucherLink = z
  .object({
    reservation_ref: z.string().meta(ours('The reservation of the voucher')),
    voucher: z.object({
      url: z
        .string()
        .meta({description: 'signed link to a PDF; valid 1 hour; fetched without Authorization (§2.6)'}),
      expires_at: timestamp.meta(ours('When the link stops working')),
    }),
  })
  .meta({id: 'VoucherLink', ...from('§2.6', 'Where to fetch the voucher')})

export type VoucherLink = z.infer<typeof voucherLink>
