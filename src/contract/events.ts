/** The words and headers of the interface for events (§6), and the states of a reservation (§3). */

/** Type and meaning (§6.1). */
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

/** `t=<Unix seconds>,v1=<lowercase hex>` (§6.2). A neutral word is in place of the maker's name. */
export const SIGNATURE_HEADER = 'X-Service-Signature'
/** The event's identifier, for removing duplicates (§6.2). It is not covered by the signature. */
export const EVENT_ID_HEADER = 'X-Service-Event-Id'

/** Those of §3; CANCELLED and EXPIRED are the sandbox's. A service may have others: the client accepts any status. */
export const RESERVATION_STATUSES = ['PENDING_PAYMENT', 'CONFIRMED', 'CANCELLED', 'EXPIRED'] as const
