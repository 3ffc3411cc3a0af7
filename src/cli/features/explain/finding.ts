/** A finding: what stands out, with the details that its texts need. */
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

/** Why an event is missing: how it was lost, as far as that is known. */
type Loss =
  /** The service gave up delivering it. */
  | 'given_up'
  /** It was answered with 2xx, but is not in this store. */
  | 'not_kept'
  /** It is overdue and never came. */
  | 'never_came'
  /** The service made no delivery of it. */
  | 'not_sent'

interface About {
  /** The reservation that it is about; null for an attempt without one, or an event about none. */
  readonly reference: string | null
}

type EventDetails = {readonly type: string; readonly eventId: string | null}

/** The attempts to deliver an event or to forward it: how many, and how the last one ended. */
export interface Attempts {
  readonly attempts: number
  readonly status: number | null
  readonly error: string | null
}

/** Where and when the service tried to deliver an event, as far as it reports that. */
export interface Tries {
  /** The address of the subscription; null if it is not known. */
  readonly address: string | null
  /** The first and the last attempt, in Unix seconds; null if there was none, or none is known. */
  readonly firstAt: number | null
  readonly lastAt: number | null
}

/** The subscription that should take it and is turned off, so that nothing is sent to it; null if none is known to be. */
interface MayBePassive {
  readonly passiveId: string | null
}

export type Finding = About &
  (
    | {
        readonly code: 'outcome_unknown'
        readonly clientReferenceId: string
        /** Unix seconds. */
        readonly sentAt: number
        /** The reservations there under the client reference; null if that is not known. */
        readonly found: readonly string[] | null
        /** Whether it was given up here, so that it cannot be resumed. */
        readonly isForgotten: boolean
      }
    | {
        readonly code: 'price_changed'
        readonly agreed: Money | null
        /** Null if the reservation was refused for it. */
        readonly booked: Money | null
        readonly clientReferenceId: string | null
      }
    | {readonly code: 'likely_double'; readonly own: BookingSummary; readonly double: Double}
    | ({
        readonly code: 'event_missing'
        readonly dueAt: number | null
        readonly loss: Loss
        /** Requests that were refused here in the last hour, among which it may be; 0 if the service reports what it delivered. */
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
        /** When it is sent again; null if it is not. */
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
        /** Whether it waits to be forwarded, not to be received. */
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

/** The findings of a code. */
export type FindingOf<Code extends Finding['code']> = Extract<Finding, {readonly code: Code}>

export function isProblem({code}: Finding): boolean {
  return SEVERITIES[code] === 'problem'
}
