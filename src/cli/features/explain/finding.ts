/** The findings: what is noteworthy, with the details that their texts need. */
import type {Money} from '../../../api/answers/amounts.js'
import type {BookingSummary, Double} from './facts.js'

/** How serious each finding is. */
export const SEVERITIES = {
  outcome_unknown: 'problem',
  price_changed: 'problem',
  likely_double: 'problem',
  event_missing: 'problem',
  event_refused: 'problem',
  forward_given_up: 'problem',
  not_found_there: 'problem',
  voucher_missing: 'problem',
  charged_in_other_currency: 'notice',
  no_subscription: 'notice',
  delivery_pending: 'notice',
  cancelled: 'notice',
} as const

/** How a missing event was lost, as far as that is known. */
type Loss =
  /** The service gave up delivering the event. */
  | 'given_up'
  /** A receiver answered with 2xx, but the event is not in this store. */
  | 'not_kept'
  /** The event is overdue. */
  | 'never_came'
  /** The service made no delivery for the event. */
  | 'not_sent'

interface About {
  /**
   * The reservation that the finding is about. Null for an attempt without a reservation, or an event that names none.
   */
  readonly reference: string | null
}

type EventDetails = {readonly type: string; readonly eventId: string | null}

/** Attempts to deliver or forward an event: their number, and the result of the last one. */
export interface Attempts {
  readonly attempts: number
  readonly status: number | null
  readonly error: string | null
}

/** Where and when the service tried to deliver an event, as far as it reports that. */
export interface Tries {
  /** The URL of the subscription, or null if unknown. */
  readonly address: string | null
  /**
   * The times of the first and the last attempt, in Unix seconds. Null if there was none, or if the time is unknown.
   */
  readonly firstAt: number | null
  readonly lastAt: number | null
}

/**
 * The subscription that should take the event but is disabled, so that nothing is sent to it. Null if there is none.
 */
interface MayBePassive {
  readonly passiveId: string | null
}

export type Finding = About &
  (
    | {
        readonly code: 'outcome_unknown'
        readonly clientReferenceId: string
        /** In Unix seconds. */
        readonly sentAt: number
        /** The reservations that the service has under the client reference, or null if unknown. */
        readonly found: readonly string[] | null
        /** Whether the attempt was given up on this machine, so that it cannot be resumed. */
        readonly isForgotten: boolean
      }
    | {
        readonly code: 'price_changed'
        readonly agreed: Money | null
        /** Null if the reservation was refused because of the price. */
        readonly booked: Money | null
        readonly clientReferenceId: string | null
      }
    | {readonly code: 'likely_double'; readonly own: BookingSummary; readonly double: Double}
    | ({
        readonly code: 'event_missing'
        readonly dueAt: number | null
        readonly loss: Loss
        /**
         * How many requests were refused here in the last hour, one of which may be this event. 0 if the service
         * reports its deliveries.
         */
        readonly refusedHere: number
      } & EventDetails &
        Attempts &
        Tries &
        MayBePassive)
    | ({
        readonly code: 'event_refused'
        readonly at: number
        readonly address: string | null
        readonly status: number
        readonly attempts: number
        /** When the service will send the event again, in Unix seconds; null if it will not. */
        readonly nextAt: number | null
      } & EventDetails &
        MayBePassive)
    | ({
        readonly code: 'forward_given_up'
        readonly target: string
      } & EventDetails &
        Attempts)
    | {readonly code: 'not_found_there'; readonly baseUrl: string}
    | {readonly code: 'voucher_missing'; readonly confirmedAt: number | null}
    | {
        readonly code: 'charged_in_other_currency'
        readonly price: Money | null
        readonly charged: Money
        readonly rate: string | null
      }
    | ({
        readonly code: 'no_subscription'
        readonly types: readonly string[]
      } & MayBePassive)
    | ({
        readonly code: 'delivery_pending'
        /** If the event waits to be forwarded: the target. Null if it waits to be received. */
        readonly target: string | null
        readonly dueAt: number | null
        readonly nextAt: number | null
        readonly refusedHere: number
      } & EventDetails &
        Attempts &
        Tries &
        MayBePassive)
    | {
        readonly code: 'cancelled'
        readonly at: number | null
        readonly isExpired: boolean
        readonly fee: Money | null
        readonly refund: Money | null
      }
  )

/** The finding with this code. */
export type FindingOf<Code extends Finding['code']> = Extract<Finding, {readonly code: Code}>

export function isProblem({code}: Finding): boolean {
  return SEVERITIES[code] === 'problem'
}
