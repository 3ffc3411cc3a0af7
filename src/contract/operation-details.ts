/** What each operation takes and gives: bodies, answers, query parameters, refusals. For the description and the sandbox. */
import type {z} from 'zod'
import {account, country, currency, tour, tourSearchRequest} from './content.js'
import type {ErrorCode} from './error-codes.js'
import {city, hotel, offer, searchRequest, searchResult} from './hotels.js'
import type {OperationName} from './operations.js'
import {
  cancellationQuote,
  cancellationRequest,
  reservation,
  reservationRequest,
  reservationUpdate,
  voucherLink,
} from './reservations.js'
import {accessToken, revokedToken, revokeRequest, tokenRequest} from './tokens.js'
import {
  createdSubscription,
  deletedSubscription,
  delivery,
  subscription,
  subscriptionRequest,
  subscriptionUpdate,
  testEventAccepted,
} from './webhooks.js'

/** Records in a page of a list: the sandbox's. */
export const PAGE_LIMITS = {min: 1, max: 200, default: 50} as const

/** How long the answer under an Idempotency-Key is kept: the sandbox's. */
export const KEY_RETENTION_SECONDS = 24 * 3600

/** A query parameter by its name in components/parameters. */
type QueryParameter = 'limit' | 'after' | 'client_reference_id' | 'status' | 'created_from' | 'created_to'

export interface OperationDetails {
  /** What is in `data`. It has an id, so it is a component of the description. */
  readonly answer: z.ZodType
  /** `data` is a list of answers, with `meta` beside it. */
  readonly isList?: boolean
  /** Default 200. */
  readonly status?: number
  /** An operation without one ignores the body. */
  readonly body?: z.ZodType
  /** An empty body means `{}`. */
  readonly isBodyOptional?: boolean
  /** Needs an Idempotency-Key (§4.4), under which its answer is kept. */
  readonly isIdempotent?: boolean
  readonly query?: readonly QueryParameter[]
  /** Refusals of this operation, besides those of every operation. */
  readonly errors?: readonly ErrorCode[]
}

const PAGING = ['limit', 'after'] as const
const OWN_RESERVATION = ['reservation_not_found'] as const
const OWN_SUBSCRIPTION = ['subscription_not_found'] as const
const GUEST_ERRORS = ['guest_count_mismatch', 'invalid_identity_number'] as const

const DETAILS = {
  'token.create': {
    body: tokenRequest,
    answer: accessToken,
    errors: ['invalid_scope', 'unsupported_grant_type', 'invalid_client'],
  },
  'token.revoke': {body: revokeRequest, answer: revokedToken},
  'hotels.search': {body: searchRequest, answer: searchResult},
  'hotels.show': {answer: hotel, errors: ['hotel_not_found']},
  'hotels.price': {answer: offer, errors: ['offer_not_found', 'offer_already_used', 'offer_expired']},
  'tours.search': {body: tourSearchRequest, answer: tour, isList: true},
  'tours.show': {answer: tour, errors: ['tour_not_found']},
  'reservations.create': {
    body: reservationRequest,
    answer: reservation,
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
    answer: reservation,
    isList: true,
    query: ['client_reference_id', 'status', 'created_from', 'created_to', ...PAGING],
  },
  'reservations.show': {answer: reservation, errors: OWN_RESERVATION},
  'reservations.update': {
    body: reservationUpdate,
    answer: reservation,
    errors: [...OWN_RESERVATION, ...GUEST_ERRORS, 'not_updatable'],
  },
  'reservations.quote': {
    answer: cancellationQuote,
    errors: [...OWN_RESERVATION, 'already_cancelled', 'not_cancellable'],
  },
  'reservations.cancel': {
    body: cancellationRequest,
    isBodyOptional: true,
    answer: reservation,
    errors: [...OWN_RESERVATION, 'already_cancelled', 'not_cancellable'],
  },
  'voucher.show': {answer: voucherLink, errors: [...OWN_RESERVATION, 'reservation_not_confirmed']},
  'account.show': {answer: account},
  'content.countries': {answer: country, isList: true, query: PAGING},
  'content.currencies': {answer: currency, isList: true, query: PAGING},
  'content.cities': {answer: city, isList: true, query: PAGING},
  'subscriptions.create': {
    body: subscriptionRequest,
    answer: createdSubscription,
    status: 201,
    errors: ['url_not_https'],
  },
  'subscriptions.test': {
    answer: testEventAccepted,
    status: 202,
    errors: [...OWN_SUBSCRIPTION, 'subscription_passive'],
  },
  'subscriptions.list': {answer: subscription, isList: true, query: PAGING},
  'subscriptions.show': {answer: subscription, errors: OWN_SUBSCRIPTION},
  'subscriptions.update': {
    body: subscriptionUpdate,
    answer: subscription,
    errors: [...OWN_SUBSCRIPTION, 'url_not_https'],
  },
  'subscriptions.delete': {answer: deletedSubscription, errors: OWN_SUBSCRIPTION},
  'subscriptions.deliveries': {answer: delivery, isList: true, query: PAGING, errors: OWN_SUBSCRIPTION},
} as const satisfies Record<OperationName, OperationDetails>

export const OPERATION_DETAILS: Readonly<Record<OperationName, OperationDetails>> = DETAILS

/** The body of an operation, as its schema parses it. */
export type BodyOf<Name extends OperationName> = (typeof DETAILS)[Name] extends {body: infer Schema}
  ? z.infer<Schema>
  : undefined
