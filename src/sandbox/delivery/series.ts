/**
 * Sends a series of deliveries to one subscription, in an order that the caller chooses. The events are about a
 * reservation that does not exist.
 */
import {EVENT_TYPE_NAMES, type EventType, isEventType} from '../../contract/events.js'
import type {Subscription} from '../../contract/webhooks.js'
import {randomReservationRef} from '../base/random.js'
import type {Service} from '../base/service.js'
import {PLACEHOLDER, sampleEvent} from '../booking/pay-change-cancel.js'
import type {Series, SeriesDelivery} from '../certify/drills.js'
import {addEventAlone, addUnscheduledDelivery, findDelivery} from '../store/webhooks.js'
import type {Dispatcher} from './dispatcher.js'

/** The event types in the order in which they occur for a reservation. */
const COURSE: readonly EventType[] = [
  'payment.failed',
  'payment.captured',
  'reservation.confirmed',
  'voucher.ready',
  'reservation.updated',
  'reservation.cancelled',
]

export interface Receiver {
  readonly clientId: string
  readonly subscription: Subscription
}

/** A delivery that was sent, and its answer. */
export interface SentDelivery extends SeriesDelivery {
  /** The number, from 0, of the group of deliveries that were sent together. */
  readonly group: number
  readonly deliveryId: string
  readonly eventId: string
  readonly type: EventType
  /** When the event happened, in Unix seconds of the sandbox's clock. */
  readonly created: number
  /** The HTTP status of the answer; null if there was none. */
  readonly status: number | null
  readonly milliseconds: number | null
  /** Why the delivery failed; null if it was answered with 2xx in time. */
  readonly error: string | null
}

export interface Playing {
  /** Seconds between one event and the next. */
  readonly spacingSeconds: number
  /** Whether to stop after the first group in which a delivery failed. */
  readonly endsWhenWrong: boolean
}

/**
 * Creates new events and sends them as the series says. Resolves, with the deliveries that were sent, when the last one
 * was answered or its time was up. Nothing is repeated. Rejects with a StorageError.
 */
export async function playSeries(
  service: Service & {readonly dispatcher: Dispatcher},
  receiver: Receiver,
  series: Series,
  {spacingSeconds, endsWhenWrong}: Playing,
): Promise<SentDelivery[]> {
  const {database, dispatcher} = service
  const count = 1 + Math.max(...series.flat().map(({event}) => event))
  const events = createEvents(service, receiver, count, spacingSeconds)
  const sent: SentDelivery[] = []
  for (const [group, deliveries] of series.entries()) {
    const together = deliveries.flatMap(each => {
      const event = events[each.event]
      if (event === undefined) return []
      const deliveryId = addUnscheduledDelivery(database, receiver.subscription.id, event.eventId)
      return [{...each, ...event, group, deliveryId}]
    })
    await Promise.all(together.map(({deliveryId, forgery}) => dispatcher.deliverNow(deliveryId, forgery)))
    const answered = together.map(each => {
      const attempt = findDelivery(database, each.deliveryId)?.delivery.attempts.at(-1)
      const {status = null, ms = null, error = 'not sent'} = attempt ?? {}
      return {...each, status, milliseconds: ms, error}
    })
    sent.push(...answered)
    if (endsWhenWrong && answered.some(({error}) => error !== null)) break
  }
  return sent
}

/** Records `count` events about one invented reservation. The last of them happens now. */
function createEvents(
  {database, clock}: Service,
  {clientId, subscription}: Receiver,
  count: number,
  spacingSeconds: number,
) {
  const subscribed = COURSE.filter(type => subscription.events.includes(type))
  const types = subscribed.length > 0 ? subscribed : EVENT_TYPE_NAMES.filter(isEventType)
  const subject = {...PLACEHOLDER, reservation_ref: randomReservationRef()}
  const last = clock.now()
  return database.transaction(() =>
    Array.from({length: count}, (_, n) => {
      const type = types[n % types.length] ?? 'reservation.confirmed'
      const now = last - (count - 1 - n) * spacingSeconds
      const data = sampleEvent(database, type, now, subject)
      return {eventId: addEventAlone(database, {clientId, type, data, now}), type, created: now}
    }),
  )
}
