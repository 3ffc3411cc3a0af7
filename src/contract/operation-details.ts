/** The bodies, answers, query parameters and errors of each operation, for the OpenAPI description and the sandbox. */
import type {z} from 'zod'
import type {ErrorCode} from './error-codes.js'
import * as hotels from './hotels.js'
import type {SandboxOperation} from './operations.js'
import * as records from './records.js'
import * as reservations from './reservations.js'
import * as webhooks from './webhooks.js'

/** Limits on the number of records in one page of the sandbox's lists. */
export const PAGE_LIMITS = {min: 1, max: 200, default: 50} as const

/** How long the sandbox keeps the answer to an Idempotency-Key. */
export const KEY_RETENTION_SECONDS = 24 * 3600

/** The name of a query parameter in `components/parameters` of the description. */
type QueryParameter = 'limit' | 'after' | 'client_reference_id' | 'status' | 'created_from' | 'created_to'

export interface OperationDetails {
  /** The schema of `data` in the answer. It has an id, so that it becomes a component of the description. */
  readonly answer: z.ZodType
  /** Whether `data` is a list of such records, next to a field `meta`. */
  readonly isList?: boolean
  /** HTTP status of a success (default 200). */
  readonly status?: number
  /** The schema of the request body. An operation without a schema ignores the body. */
  readonly body?: z.ZodType
  /** Whether an empty body means `{}`. */
  readonly isBodyOptional?: boolean
  /** Whether the operation requires an Idempotency-Key (§4.4). Its answer is stored under the key. */
  readonly isIdempotent?: boolean
  readonly query?: readonly QueryParameter[]
  /** Errors of this operation, in addition to those of every operation. */
  readonly errors?: readonly ErrorCode[]
}

const PAGING = ['limit', 'after'] as const
const OWN_RESERVATION = ['reservation_not_found'] as const
const OWN_SUBSCRIPTION = ['subscription_not_found'] as const
const GUEST_ERRORS = ['guest_count_mismatch', 'invalid_identity_number'] as const

const DETAILS = {
  'token.create': {
    body: records.tokenRequest,
    answer: records.accessToken,
    errors: ['invalid_scope', 'unsupported_grant_type', 'invalid_client'],
  },
  'token.revoke': {body: records.revokeRequest, answer: records.revokedToken},
  'hotels.search': {body: hotels.searchRequest, answer: hotels.searchResult},
  'hotels.show': {answer: hotels.hotel, errors: ['hotel_not_found']},
  'hotels.price': {answer: hotels.offer, errors: ['offer_not_found', 'offer_already_used', 'offer_expired']},
  'tours.search': {body: records.tourSearchRequest, answer: records.tour, isList: true},
  'tours.show': {answer: records.tour, errors: ['tour_not_found']},
  'reservations.create': {
    body: reservations.reservationRequest,
    answer: reservations.reservation,
    status: 201,
    isIdempotent: true,
    errors: [
      ...GUEST_ERRORS,
      'nationality_mismatch',
      'idempotency_key_missing',
      'idempotency_key_invalid',
      'insufficient_balance',
      'offer_not_found',
      'offer_already_used',
      'duplicate_client_reference',
      'price_changed',
      'idempotency_in_progress',
      'offer_expired',
      'rooms_unavailable',
      'idempotency_key_reused',
    ],
  },
  'reservations.list': {
    answer: reservations.reservation,
    isList: true,
    query: ['client_reference_id', 'status', 'created_from', 'created_to', ...PAGING],
  },
  'reservations.show': {answer: reservations.reservation, errors: OWN_RESERVATION},
  'reservations.update': {
    body: reservations.reservationUpdate,
    answer: reservations.reservation,
    errors: [...OWN_RESERVATION, ...GUEST_ERRORS, 'not_updatable'],
  },
  'reservations.quote': {
    answer: reservations.cancellationQuote,
    errors: [...OWN_RESERVATION, 'already_cancelled', 'not_cancellable'],
  },
  'reservations.cancel': {
    body: reservations.cancellationRequest,
    isBodyOptional: true,
    answer: reservations.reservation,
    errors: [...OWN_RESERVATION, 'already_cancelled', 'not_cancellable'],
  },
  'voucher.show': {
    answer: reservations.voucherLink,
    errors: [...OWN_RESERVATION, 'reservation_not_confirmed'],
  },
  'account.show': {answer: records.account},
  'content.countries': {answer: records.country, isList: true, query: PAGING},
  'content.currencies': {answer: records.currency, isList: true, query: PAGING},
  'content.cities': {answer: hotels.city, isList: true, query: PAGING},
  'subscriptions.create': {
    body: webhooks.subscriptionRequest,
    answer: webhooks.createdSubscription,
    status: 201,
    errors: ['url_not_https'],
  },
  'subscriptions.test': {
    answer: webhooks.testEventAccepted,
    status: 202,
    errors: [...OWN_SUBSCRIPTION, 'subscription_passive'],
  },
  'subscriptions.list': {answer: webhooks.subscription, isList: true, query: PAGING},
  'subscriptions.show': {answer: webhooks.subscription, errors: OWN_SUBSCRIPTION},
  'subscriptions.update': {
    body: webhooks.subscriptionUpdate,
    answer: webhooks.subscription,
    errors: [...OWN_SUBSCRIPTION, 'url_not_https'],
  },
  'subscriptions.delete': {answer: webhooks.deletedSubscription, errors: OWN_SUBSCRIPTION},
  'subscriptions.deliveries': {
    answer: webhooks.delivery,
    isList: true,
    query: PAGING,
    errors: OWN_SUBSCRIPTION,
  },
} as const satisfies Record<SandboxOperation, OperationDetails>

export const OPERATION_DETAILS: Readonly<Record<SandboxOperation, OperationDetails>> = DETAILS

/** The type of an operation's request body after parsing. */
export type BodyOf<Name extends SandboxOperation> = (typeof DETAILS)[Name] extends {body: infer Schema}
  ? z.infer<Schema>
  : undefined
