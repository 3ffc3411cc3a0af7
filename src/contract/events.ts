/** The webhook event types of §6.1. */
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
