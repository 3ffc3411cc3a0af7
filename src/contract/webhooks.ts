/** Webhook subscriptions and events (§2.7, §2.8, §4.7, §4.8, §6). */
import {z} from 'zod'
import {EVENT_TYPE_NAMES} from './events.js'
import {about, from, ours, plainText, textField, timeField, timestamp, wholeField} from './records.js'

/** A URL length that servers and proxies commonly accept. */
const MOST_ADDRESS_LENGTH = 2000

/**
 * The description lists the known event types, but the schema accepts any. An unknown type in a request is refused by name; in
 * an answer it may be new.
 */
const eventType = plainText().meta({enum: EVENT_TYPE_NAMES})
const address = plainText(MOST_ADDRESS_LENGTH).meta({
  ...about('https address that receives events', 'https://partner.example/hooks'),
  format: 'uri',
  pattern: '^https://',
})
const subscribedTypes = about('Types of events that are sent', ['reservation.confirmed', 'voucher.ready'])
const isActive = z.boolean().meta(about('Whether events are sent', true))
const subscriptionId = textField('Identifier of the subscription', 'whsub_5cR8nTq2')
const eventId = textField('Identifier of the event', 'evt_2pW6bYh0')
const deliveryId = textField('Identifier of the delivery', 'dlv_6tZ3kMd9')
const typeOfEvent = eventType.meta(about('Type of the event', 'reservation.confirmed'))

export const subscriptionRequest = z
  .strictObject({url: address, events: z.array(eventType).min(1).meta(subscribedTypes)})
  .meta({id: 'SubscriptionRequest', ...from('§4.7', 'A new subscription')})

export const subscriptionUpdate = subscriptionRequest
  .partial()
  .extend({is_active: isActive.optional()})
  .meta({id: 'SubscriptionUpdate', ...ours('The parts of a subscription that may change')})

export const subscription = z
  .object({
    id: subscriptionId,
    url: address,
    events: z.array(eventType).meta(subscribedTypes),
    is_active: isActive,
  })
  .meta({id: 'Subscription', ...from('§2.7', 'A subscription without its secret')})

export const createdSubscription = subscription
  .extend({
    secret: textField('signing secret; shown in this answer and never again', 'whsec_8mQ1vXn5Jk7Tz3Lr'),
  })
  .meta({id: 'CreatedSubscription', ...from('§2.7', 'A new subscription with its signing secret')})

export const eventEnvelope = z
  .object({
    id: eventId,
    type: typeOfEvent,
    created: timeField('When it happened', '2030-06-01T12:05:00Z'),
    data: z
      .looseObject({
        object: textField('Kind of record', 'reservation'),
        reservation_ref: textField("The service's reference of the reservation", 'RSV-7K3M9QX2AB'),
        status: textField('State of the reservation', 'CONFIRMED'),
      })
      .meta({description: 'What it is about'}),
  })
  .meta({id: 'EventEnvelope', ...from('§2.8', 'The body of a webhook request')})

export const testEventAccepted = z
  .object({event_id: eventId, delivery_id: deliveryId})
  .meta({id: 'TestEventAccepted', ...ours('The answer to a test event')})

export const deletedSubscription = z
  .object({id: subscriptionId, deleted: z.literal(true).meta(about('Always true', true))})
  .meta({id: 'DeletedSubscription', ...ours('The subscription is gone')})

export const deliveryAttempt = z.object({
  n: wholeField('1 to 8', 1),
  at: timeField('When', '2030-06-01T12:05:01Z'),
  status: z.int().nullable().meta(about("the subscriber's answer; null when there was none", 200)),
  ms: z.int().nullable().meta(about('how long the answer took, in milliseconds', 42)),
  error: z.string().nullable().meta(about('why there was no answer, or why it did not count', null)),
})

export const delivery = z
  .object({
    delivery_id: deliveryId,
    subscription_id: subscriptionId,
    event_id: eventId,
    type: typeOfEvent,
    reservation_ref: z
      .string()
      .nullable()
      .meta(about('The reservation that the event is about; null: none', 'RSV-7K3M9QX2AB')),
    status: z.string().meta({
      ...about('How far the delivery is', 'DELIVERED'),
      enum: ['PENDING', 'DELIVERED', 'ABANDONED'],
    }),
    next_attempt_at: timestamp.nullable().meta(about('When it is tried again; null: not again', null)),
    attempts: z.array(deliveryAttempt).meta({description: 'Every attempt, the first at first'}),
  })
  .meta({id: 'Delivery', ...ours('One event on its way to one subscription')})

export type SubscriptionRequest = z.infer<typeof subscriptionRequest>
export type SubscriptionChange = z.infer<typeof subscriptionUpdate>
export type Subscription = z.infer<typeof subscription>
export type CreatedSubscription = z.infer<typeof createdSubscription>
