/** The error body of the local sandbox (ours; §7 shows no shape). */
import {z} from 'zod'
import {ours} from './common.js'

export const errorDetail = z.object({field: z.string(), code: z.string(), message: z.string()})

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
