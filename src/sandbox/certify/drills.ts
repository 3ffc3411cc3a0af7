/**
 * The list of drills. Each arms one fault, or sends one series of deliveries, and so shows what ordinary traffic does not. It
 * names the rule that it shows, and recognises the evidence that it took place.
 */
import type {Evidence, Forgery, SeenRequest} from './evidence.js'
import {sortedAttempts} from './webhook-rules.js'

export interface Drill {
  readonly name: string
  /** The rule that its traffic shows, and others that it shows besides. */
  readonly rule: string
  readonly alsoShows?: readonly string[]
  /** What happens to the program. */
  readonly shows: string
  /** What is armed, or sent at once. */
  readonly does: DrillFault | DrillSeries
  /** Whether another operation can be chosen. */
  readonly takesOperation?: boolean
  /** Reports whether the evidence shows that it took place. */
  readonly isShown: (evidence: Evidence) => boolean
}

/** A fault as `sandbox fault add` takes it, for one request. */
export interface DrillFault {
  readonly kind: string
  readonly operation: string
  readonly status?: number
  readonly retry_after?: number
  readonly code?: string
  readonly latency_ms?: number
}

interface DrillSeries {
  readonly series: Series
}

/**
 * Deliveries of a few events, which happened one after the other and are about one reservation. Those of a group are sent at the
 * same time, and the groups one after the other.
 */
export type Series = readonly (readonly SeriesDelivery[])[]

export interface SeriesDelivery {
  /** The number of the event, from 0, in the order in which the events happened. */
  readonly event: number
  readonly forgery?: Forgery
}

/** How long the drill `slow` takes, unless it is told otherwise. */
export const SLOW = '70 s (--slow)'

const BOOKING = 'reservations.create'
const anyRequest = (is: (request: SeenRequest) => boolean) => (evidence: Evidence) =>
  evidence.requests.some(is)
const anyForgery =
  (...forgeries: Forgery[]) =>
  (evidence: Evidence) =>
    sortedAttempts(evidence).forgery.some(({forgery}) => forgery !== null && forgeries.includes(forgery))

/** A client that waits for a minute is patient; one that hangs up before has shown that it is not. */
const SLOW_MILLISECONDS = 60_000

export const DRILLS: readonly Drill[] = [
  {
    name: 'lost-answer',
    rule: 'reserve.lost_answer',
    shows: 'the next booking is made, but the connection is cut before the answer',
    does: {kind: 'commit-then-drop', operation: BOOKING},
    isShown: anyRequest(({operation, ending}) => operation === BOOKING && ending === 'cut'),
  },
  {
    name: 'failing',
    rule: 'reserve.lost_answer',
    shows: 'the next booking is made, but answered 503; then all is well',
    does: {kind: 'commit-then-status', operation: BOOKING, status: 503},
    takesOperation: true,
    isShown: anyRequest(({status}) => (status ?? 0) >= 500),
  },
  {
    name: 'busy',
    rule: 'errors.busy',
    shows: 'the next booking is answered 429 with Retry-After: 2',
    does: {kind: 'status', operation: BOOKING, status: 429, retry_after: 2},
    takesOperation: true,
    isShown: anyRequest(({status}) => status === 429),
  },
  {
    name: 'slow',
    rule: 'reserve.patience',
    shows: `the next booking takes ${SLOW}`,
    does: {kind: 'latency', operation: BOOKING, latency_ms: 70_000},
    isShown: anyRequest(
      ({operation, ending, begun, ended}) =>
        operation === BOOKING && (ending === 'gone' || ended - begun >= SLOW_MILLISECONDS),
    ),
  },
  {
    name: 'expired-token',
    rule: 'token.renewed',
    shows: 'the access token of the next call expires before its time',
    does: {kind: 'expire-token', operation: '*'},
    isShown: anyRequest(({code}) => code === 'token_expired'),
  },
  {
    name: 'used-offer',
    rule: 'errors.refusal',
    shows: 'the offer of the next booking is refused as already booked',
    does: {kind: 'lose-offer', operation: BOOKING, code: 'offer_already_used'},
    isShown: anyRequest(({code}) => code === 'offer_already_used'),
  },
  {
    name: 'sold-out',
    rule: 'errors.refusal',
    shows: 'the rooms of the next booking are no longer available',
    does: {kind: 'lose-offer', operation: BOOKING, code: 'rooms_unavailable'},
    isShown: anyRequest(({code}) => code === 'rooms_unavailable'),
  },
  {
    name: 'duplicate-event',
    rule: 'webhook.duplicate',
    alsoShows: ['webhook.answer'],
    shows: 'an event comes twice',
    does: {series: [[{event: 0}], [{event: 0}]]},
    isShown: evidence => sortedAttempts(evidence).duplicate.length > 0,
  },
  {
    name: 'disorder',
    rule: 'webhook.disorder',
    shows: 'an event comes after a newer one of its reservation',
    does: {series: [[{event: 1}], [{event: 0}]]},
    isShown: evidence => sortedAttempts(evidence).disorder.length > 0,
  },
  {
    name: 'forged-event',
    rule: 'webhook.signature',
    alsoShows: ['webhook.signature_status'],
    shows: 'after a good event come one with a wrong signature and one whose body was changed',
    does: {
      series: [[{event: 0}], [{event: 1, forgery: 'signature'}], [{event: 2, forgery: 'body'}]],
    },
    isShown: anyForgery('signature', 'body'),
  },
  {
    name: 'old-event',
    rule: 'webhook.signature',
    alsoShows: ['webhook.signature_status'],
    shows: 'after a good event comes one that was signed too long ago',
    does: {series: [[{event: 0}], [{event: 1, forgery: 'timestamp'}]]},
    isShown: anyForgery('timestamp'),
  },
  {
    name: 'slow-voucher',
    rule: 'payment.waits',
    shows: 'the voucher of the next booking is ready 30 s after the confirmation',
    does: {kind: 'slow-voucher', operation: BOOKING},
    isShown: anyRequest(
      ({operation, code}) => operation === 'voucher.show' && code === 'reservation_not_confirmed',
    ),
  },
]

/** Returns the names of the drills that show a rule. */
export function drillsFor(rule: string): string[] {
  const drills = DRILLS.filter(drill => drill.rule === rule || drill.alsoShows?.includes(rule))
  return drills.map(({name}) => name)
}
