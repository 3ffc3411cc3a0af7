/** Links are stored as paths and answered with the origin of the running sandbox. */
import type {Reservation} from '../contract/reservations.js'
import type {Answer} from './base/answer.js'
import type {StoredEvent} from './store/events.js'

/** The reservation as it is answered. */
export function withOrigin(record: Reservation, origin: string): Reservation {
  const {url} = record.payment
  return url === undefined ? record : {...record, payment: {...record.payment, url: origin + url}}
}

/** The answer to a new reservation: what is kept under its Idempotency-Key has the link as a path. */
export function answerWithOrigin(answer: Answer, origin: string): Answer {
  const {data} = answer.json as {data?: Reservation}
  return data ? {...answer, json: {data: withOrigin(data, origin)}} : answer
}

/** The event's envelope as it is shown and sent. */
export function eventWithOrigin(event: StoredEvent, origin: string): StoredEvent {
  const voucher = event.data.voucher as {url: string} | undefined
  if (!voucher) return event
  return {...event, data: {...event.data, voucher: {...voucher, url: origin + voucher.url}}}
}
