/** Webhook subscriptions and events (§2.7, §2.8, §4.7, §4.8, §6). */
import {z} from 'zod'
import {EVENT_TYPE_NAMES} from './events.js'
import {from, ours, timestamp} from './records.js'

/** Of all these only the description is stricter than what is taken: an unknown type is refused by name, or is new. */
const eventType = z.string().meta({enum: EVENT_TYPE_NAMES})
const address = z
  .string()
  .meta({description: 'https address that receives events', format: 'uri', pattern: '^https://'})

export const subscriptionRequest = z
  .strictObject({url: address, events: z.array(eventType).min(1)})
  .meta({id: 'SubscriptionRequest', ...from('§4.7', 'A new subscription')})

export const subscriptionUpdate = subscriptionRequest
  .partial()
  .extend({is_active: z.boolean().optional()})
  .meta({id: 'SubscriptionUpdate', ...ours('The parts of a subscription that may change')})

export const subscription = z
  .object({id: z.string(), url: address, events: z.array(eventType), is_active: z.boolean()})
  .meta({id: 'Subscription', ...from('§2.7', 'A subscription without its secret')})

export const createdSubscription = subscription
  .extend({secret: z.string().meta({description: 'signing secret; shown in this answer and never again'})})
  .meta({id: 'CreatedSubscription', ...from('§2.7', 'A new subscription with its signing secret')})

export const eventEnvelope = z
  .object({
    id: z.string(),
    type: eventType,
    created: timestamp,
    data: z.looseObject({object: z.string(), reservation_ref: z.string(), status: z.string()}),
  })
  .meta({id: 'EventEnvelope', ...from('§2.8', 'The body of a webhook request')})

export const testEventAccepted = z
  .object({event_id: z.string(), delivery_id: z.string()})
  .meta({id: 'TestEventAccepted', ...ours('The answer to a test event')})

export const deletedSubscription = z
  .object({id: z.string(), deleted: z.literal(true)})
  .meta({id: 'DeletedSubscription', ...ours('The subscription is gone')})

export const deliveryAttempt = z.object({
  n: z.int().meta({description: '1 to 8'}),
  at: timestamp,
  status: z.int().nullable().meta({description: "the subscriber's answer; null when there was none"}),
  ms: z.int().nullable().meta({description: 'how long the answer took, in milliseconds'}),
  error: z.string().nullable().meta({description: 'why there was no answer, or why it did not count'}),
})

export const delivery = z
  .object({
    delivery_id: z.string(),
    subscription_id: z.string(),
    event_id: z.string(),
    type: eventType,
    status: z.string().meta({enum: ['PENDING', 'DELIVERED', 'ABANDONED']}),
    next_attempt_at: timestamp.nullable(),
    attempts: z.array(deliveryAttempt),
  })
  .meta({id: 'Delivery', ...ours('One event on its way to one subscription')})

export type SubscriptionRequest = z.infer<typeof subscriptionRequest>
export type SubscriptionChange = z.infer<typeof subscriptionUpdate>
export type Subscription = z.infer<typeof subscription>
export type CreatedSubscription = z.infer<typeof createdSubscription>
