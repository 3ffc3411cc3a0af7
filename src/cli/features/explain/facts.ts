/**
 * What is known about the subject of a question, gathered from all sources. The findings are derived from these facts
 * alone.
 */
import type {Money} from '../../../api/answers/amounts.js'
import type {ReadReservation} from '../../../api/answers/reservations.js'
import type {JournalEntry} from '../../../contract/journal.js'
import type {JsonObject} from '../../../contract/json.js'
import type {SeenOffer} from '../../../contract/seen-offers.js'
import type {EventForward} from '../../../contract/stored-events.js'
import type {Client} from '../../../contract/token-cache.js'
import type {SentDeliveries, SubscriptionHistory} from '../due-events/judgement.js'

export type SubjectKind = 'reservation' | 'client_reference' | 'event' | 'offer' | 'request'

/** What the user asked about. */
interface Subject {
  readonly kind: SubjectKind
  readonly id: string
}

type Source = 'offers' | 'journal' | 'requests' | 'events' | 'service' | 'sandbox'

/** The ids of the objects that a moment is about, named as in the service's JSON. */
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

/** Something that happened at a certain time. */
export interface Moment extends MomentIds {
  /** In Unix seconds. */
  readonly at: number
  /** A part of a sentence, without personal data. Foreign text in it is not sanitised yet. */
  readonly what: string
  readonly source: Source
}

/** A source of facts. `problem` says why the source could not be asked, and is null if it was asked. */
export interface Asked {
  readonly source: Source
  /** Words that complete `looked in …`. */
  readonly where: string
  readonly problem: string | null
  /** True if asking the source failed. `problem` then says how. */
  readonly hasFailed?: boolean
}

/** Returns the sources that were asked, for the JSON document. */
export function lookedIn(asked: readonly Asked[]) {
  return asked.map(({source, where, problem}) => ({source, where, problem}))
}

/** A request, from the history of this machine or the log of a sandbox. */
export interface RequestFact {
  /** In Unix seconds. */
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
  /** The command that sent the request, if it was sent from this machine. */
  readonly command: string | null
  /** The client reference and `offerId` in the body, if the body is known. */
  readonly clientReferenceId: string | null
  readonly offerId: string | null
  /** The reservation in the answer, if the answer is known. */
  readonly reservationRef: string | null
}

/** A stored event, without its body. */
export interface ReceivedEvent {
  readonly eventId: string
  readonly type: string | null
  readonly status: string | null
  /** Whether this is a test event, which is about no reservation. */
  readonly isTest: boolean
  /** In Unix seconds. */
  readonly receivedAt: number
  /** When the event happened according to the service, in Unix seconds. */
  readonly createdAt: number | null
  readonly secretName: string
  readonly forwards: readonly EventForward[]
}

interface DeliveryAttempt {
  /** In Unix seconds of the service's clock. */
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

/** What the service says about a reservation. `hidden` means that it could not be asked. */
export type ServiceAnswer =
  | {readonly kind: 'shown'; readonly found: ReadReservation}
  | {readonly kind: 'absent'}
  | {readonly kind: 'hidden'}

/** Whether the link to the voucher is available now. `unknown` means that the service was not asked or did not say. */
export type VoucherAnswer = 'ready' | 'refused' | 'unknown'

/** The hotel and the dates (`YYYY-MM-DD`) of a stay. Each is null if unknown. */
export interface Stay {
  readonly hotel: string | null
  readonly checkIn: string | null
  readonly checkOut: string | null
}

/**
 * What cancelling costs. Times are in Unix seconds. A fee is an amount or a share such as `50 %`, or null if unknown.
 */
export type Cancelling =
  | {readonly kind: 'free'; readonly until: number; readonly feeAfterwards: string | null}
  | {readonly kind: 'costs'; readonly fee: string | null}
  | {readonly kind: 'not_refundable'}

/** A summary of a booking. Unknown values are null. */
export interface BookingSummary {
  readonly clientReferenceId: string | null
  /** The newest known state, in lower case. */
  readonly state: string | null
  readonly isPaid: boolean
  /** In Unix seconds. */
  readonly madeAt: number | null
  readonly price: Money | null
  /** Null if the terms are unknown. */
  readonly cancelling: Cancelling | null
}

/** Another reservation of the same client for the same guests, hotel and dates that is not cancelled. */
export interface Double {
  readonly reservationRef: string | null
  readonly clientReferenceId: string | null
  /** When the reservation was made, in Unix seconds. */
  readonly at: number | null
  /** False if the outcome of the attempt is unknown and the service could not be asked. */
  readonly isCertain: boolean
  /** Null if `isCertain` is false. */
  readonly summary: BookingSummary | null
}

/** What is known about one reservation, or about one attempt to make it. */
export interface ReservationFacts {
  readonly reference: string | null
  readonly client: Client | undefined
  readonly entry: JournalEntry | undefined
  readonly offer: SeenOffer | undefined
  readonly service: ServiceAnswer
  readonly voucher: VoucherAnswer
  /** The reservations that the service lists under the client reference of an attempt with an unknown outcome. */
  readonly listed: readonly ReadReservation[] | undefined
  readonly events: readonly ReceivedEvent[]
  /** The deliveries that a local sandbox reports. Undefined for another service. */
  readonly deliveries: readonly Delivery[] | undefined
  /**
   * The deliveries that the service lists for events that did not come. Undefined if it has no such list or was not
   * asked.
   */
  readonly sent: SentDeliveries | undefined
  readonly doubles: readonly Double[]
  /** In Unix seconds of the service's clock. For a local sandbox, that differs from this machine's clock. */
  readonly now: number
  /** The error codes with which the service refused to make the reservation, as far as they are still known. */
  readonly refusals: readonly string[]
}

/** A stored event, which shows that the events of a subscription are received here. */
export interface Reception {
  readonly secretName: string
  readonly type: string | null
  readonly receivedAt: number
}

/** A subscription that exists or existed. */
export interface OwnSubscription extends SubscriptionHistory {
  /** Null for a secret that an earlier version stored. */
  readonly baseUrl: string | null
  /** The client of the profile that stores the secret. Null if the profile is not in config.json. */
  readonly clientId: string | null
}

/** What is known about how events are received. */
export interface Receiving {
  readonly subscriptions: readonly OwnSubscription[]
  /** Whether the service listed its subscriptions. */
  readonly isListed: boolean
  readonly receivedTypes: readonly string[]
  /** The time before which stored events may have been removed, in Unix seconds, or null if none were. */
  readonly prunedBefore: number | null
  /** How many requests the receivers of this store refused in the last hour. Which events were in them is unknown. */
  readonly refusedLastHour: number
}

export interface Facts {
  readonly subject: Subject
  readonly reservations: readonly ReservationFacts[]
  readonly receiving: Receiving
  readonly moments: readonly Moment[]
  /** The requests that the user asked about, if any. */
  readonly requests: readonly RequestFact[]
  readonly asked: readonly Asked[]
}

/**
 * Returns the reservation as the service shows it now, otherwise as it was answered when it was made. Returns an empty
 * object if neither is known.
 */
export function recordOf({service, entry}: Pick<ReservationFacts, 'service' | 'entry'>): JsonObject {
  if (service.kind === 'shown') return service.found.reservation
  return entry?.result ?? {}
}
