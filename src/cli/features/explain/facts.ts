/** What is known about the subject of a question, gathered from all sources. The findings are made from these facts alone. */
import type {Money} from '../../../api/answers/amounts.js'
import type {ReadReservation} from '../../../api/answers/reservations.js'
import type {JournalEntry} from '../../../contract/journal.js'
import type {JsonObject} from '../../../contract/json.js'
import type {SeenOffer} from '../../../contract/seen-offers.js'
import type {EventForward} from '../../../contract/stored-events.js'
import type {Client} from '../../../contract/token-cache.js'
import type {SentDeliveries, SubscriptionHistory} from '../due-events/judgement.js'

export type SubjectKind = 'reservation' | 'client_reference' | 'event' | 'offer' | 'request'

/** What was asked about, as the user typed it. */
interface Subject {
  readonly kind: SubjectKind
  readonly id: string
}

type Source = 'offers' | 'journal' | 'requests' | 'events' | 'service' | 'sandbox'

/** Identifiers that a moment is about, under their names on the wire. */
interface MomentIds {
  readonly reservation_ref?: string | null
  readonly client_reference_id?: string
  readonly offer_id?: string
  readonly idempotency_key?: string
  readonly event_id?: string
  readonly request_id?: string
  readonly delivery_id?: string
  readonly subscription_id?: string
}

/** Something that happened. */
export interface Moment extends MomentIds {
  /** Unix seconds. */
  readonly at: number
  /** A sentence part without personal data. Foreign text in it is not sanitised yet. */
  readonly what: string
  readonly source: Source
}

/** A source, and why it could not be asked; `problem` is null if it was. */
export interface Asked {
  readonly source: Source
  /** Words that complete `looked in …`. */
  readonly where: string
  readonly problem: string | null
  /** True if it was asked and that failed; `problem` then says how. */
  readonly hasFailed?: boolean
}

/** Returns what was asked, for JSON. */
export function lookedIn(asked: readonly Asked[]) {
  return asked.map(({source, where, problem}) => ({source, where, problem}))
}

/** A request, from the history of this machine or from the log of a sandbox. */
export interface RequestFact {
  /** Unix seconds. */
  readonly at: number
  readonly source: Extract<Source, 'requests' | 'sandbox'>
  readonly method: string
  /** The path without the origin. */
  readonly path: string
  readonly status: number | null
  readonly reason: string | null
  readonly errorCode: string | null
  readonly ms: number | null
  readonly requestId: string | null
  readonly idempotencyKey: string | null
  readonly attempt: number | null
  /** The command that sent it, if this machine did. */
  readonly command: string | null
  /** Client reference and offer in the body, where the body is known. */
  readonly clientReferenceId: string | null
  readonly offerId: string | null
  /** The reservation that the answer named, where the answer is known. */
  readonly reservationRef: string | null
}

/** A stored event, without its body. */
export interface ReceivedEvent {
  readonly eventId: string
  readonly type: string | null
  readonly status: string | null
  /** Whether it is a test, which is about no real reservation. */
  readonly isTest: boolean
  /** Unix seconds. */
  readonly receivedAt: number
  /** When the service says that it happened, in Unix seconds. */
  readonly createdAt: number | null
  readonly secretName: string
  readonly forwards: readonly EventForward[]
}

interface DeliveryAttempt {
  /** Unix seconds of the service's clock. */
  readonly at: number
  readonly status: number | null
  readonly error: string | null
}

/** A delivery of an event to a subscription, as the service reports it. */
export interface Delivery {
  readonly deliveryId: string
  readonly subscriptionId: string
  readonly eventId: string
  readonly type: string
  readonly reservationRef: string | null
  readonly status: 'PENDING' | 'DELIVERED' | 'ABANDONED'
  readonly nextAttemptAt: number | null
  readonly attempts: readonly DeliveryAttempt[]
}

/** What the service says about a reservation: `hidden` if it could not be asked. */
export type ServiceAnswer =
  | {readonly kind: 'shown'; readonly found: ReadReservation}
  | {readonly kind: 'absent'}
  | {readonly kind: 'hidden'}

/** Whether the voucher's link is available now; `unknown` if that was not asked or answered. */
export type VoucherAnswer = 'ready' | 'refused' | 'unknown'

/** The hotel and the dates of a stay, each null if it is not known. Dates are `YYYY-MM-DD`. */
export interface Stay {
  readonly hotel: string | null
  readonly checkIn: string | null
  readonly checkOut: string | null
}

/** What cancelling costs. Times are in Unix seconds, and a fee is an amount or a share such as `50 %`, or null if not known. */
export type Cancelling =
  | {readonly kind: 'free'; readonly until: number; readonly feeAfterwards: string | null}
  | {readonly kind: 'costs'; readonly fee: string | null}
  | {readonly kind: 'not_refundable'}

/** A booking in short. What is not known is null. */
export interface BookingSummary {
  readonly clientReferenceId: string | null
  /** The newest state that is known, in lower case. */
  readonly state: string | null
  readonly isPaid: boolean
  /** Unix seconds. */
  readonly madeAt: number | null
  readonly price: Money | null
  /** Null if the terms are not known. */
  readonly cancelling: Cancelling | null
}

/** Another reservation of the same client for the same guests, hotel and dates that is not cancelled. */
export interface Double {
  readonly reservationRef: string | null
  readonly clientReferenceId: string | null
  /** When it was made, in Unix seconds. */
  readonly at: number | null
  /** False if its outcome is unknown and the service could not be asked. */
  readonly isCertain: boolean
  /** Null if it is not certain. */
  readonly summary: BookingSummary | null
}

/** What is known of one reservation, or of one attempt to make it. */
export interface ReservationFacts {
  readonly reference: string | null
  readonly client: Client | undefined
  readonly entry: JournalEntry | undefined
  readonly offer: SeenOffer | undefined
  readonly service: ServiceAnswer
  readonly voucher: VoucherAnswer
  /** The reservations that the service lists under the client reference of an attempt without a known outcome. */
  readonly listed: readonly ReadReservation[] | undefined
  readonly events: readonly ReceivedEvent[]
  /** The deliveries that a local sandbox reports; undefined for another service. */
  readonly deliveries: readonly Delivery[] | undefined
  /** What the service lists as sent for events that did not come; undefined if it has no such list or was not asked. */
  readonly sent: SentDeliveries | undefined
  readonly doubles: readonly Double[]
  /** Unix seconds on the service's clock, which differs from this machine's on a local sandbox. */
  readonly now: number
  /** The codes of errors with which the service refused to make it, as far as they are still known. */
  readonly refusals: readonly string[]
}

/** A sign that a subscription's events are received here. */
export interface Reception {
  readonly secretName: string
  readonly type: string | null
  readonly receivedAt: number
}

/** A subscription that exists or existed. */
export interface OwnSubscription extends SubscriptionHistory {
  /** Null for a secret of an earlier version. */
  readonly baseUrl: string | null
  /** The client of its profile; null if the profile is not in config.json. */
  readonly clientId: string | null
}

/** What is known about receiving events. */
export interface Receiving {
  readonly subscriptions: readonly OwnSubscription[]
  /** Whether the service listed its subscriptions. */
  readonly isListed: boolean
  readonly receivedTypes: readonly string[]
  /** The time before which stored events may have been removed, in Unix seconds; null if none was. */
  readonly prunedBefore: number | null
  /** How many requests the receivers of this store refused in the last hour. Which events they were is not known. */
  readonly refusedLastHour: number
}

export interface Facts {
  readonly subject: Subject
  readonly reservations: readonly ReservationFacts[]
  readonly receiving: Receiving
  readonly moments: readonly Moment[]
  /** The requests that were asked about, if one was. */
  readonly requests: readonly RequestFact[]
  readonly asked: readonly Asked[]
}

/** Returns the reservation as the service shows it, or as it was answered when it was made; an empty object if neither is known. */
export function recordOf({service, entry}: Pick<ReservationFacts, 'service' | 'entry'>): JsonObject {
  if (service.kind === 'shown') return service.found.reservation
  return entry?.result ?? {}
}
