/** The event types and headers of webhooks (§6), what an event is about (§2.8), and the states of a reservation (§3). */
import {isObject} from './json.js'

/** The event types and their meaning (§6.1). */
export const EVENT_TYPES = {
  'reservation.confirmed': 'reservation confirmed (payment completed or balance debited)',
  'reservation.cancelled': 'reservation cancelled',
  'reservation.updated': 'reservation information updated (guest, price and similar)',
  'payment.captured': 'payment received successfully (instant mode)',
  'payment.failed': 'payment failed',
  'voucher.ready': 'voucher produced and ready to download',
} as const

export type EventType = keyof typeof EVENT_TYPES

export const EVENT_TYPE_NAMES = Object.keys(EVENT_TYPES) as EventType[]

export function isEventType(name: string): name is EventType {
  return Object.hasOwn(EVENT_TYPES, name)
}

/**
 * The reservation that an event is about, and the status that the event reports. A field is null if the event does not
 * name it.
 */
export interface EventSubject {
  readonly reservationRef: string | null
  readonly status: string | null
}

/** Reports whether the event is a test (§4.8), which is about no real reservation. Not in the interface. */
export function isTestEvent(event: unknown): boolean {
  return isObject(event) && isObject(event.data) && event.data.test === true
}

/** Returns `data.reservation_ref` and `data.status` (§2.8) of `event`, the parsed body of a webhook. */
export function subjectOf(event: unknown): EventSubject {
  const data = isObject(event) && isObject(event.data) ? event.data : {}
  const {reservation_ref: reference, status} = data
  return {
    reservationRef: typeof reference === 'string' && reference !== '' ? reference : null,
    status: typeof status === 'string' && status !== '' ? status : null,
  }
}

/**
 * The signature header: `t=<Unix seconds>,v1=<lowercase hex>` (§6.2). The word `Service` is a placeholder for the maker's name.
 */
export const SIGNATURE_HEADER = 'X-Service-Signature'
/** The header with the event's id, for finding duplicates (§6.2). The signature does not cover it. */
export const EVENT_ID_HEADER = 'X-Service-Event-Id'

/** The states of a reservation. CANCELLED and EXPIRED are not in §3; the sandbox uses them. The client accepts any status. */
export const RESERVATION_STATUSES = ['PENDING_PAYMENT', 'CONFIRMED', 'CANCELLED', 'EXPIRED'] as const
