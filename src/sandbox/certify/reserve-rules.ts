/** Rules about offers and bookings (§2.3, §2.4, §4.4). */
import {OFFER_VALIDITY_SECONDS} from '../../contract/limits.js'
import {isSuccess} from '../../contract/operations.js'
import {counted} from '../base/wording.js'
import type {Evidence, SeenRequest} from './evidence.js'
import {lossesIn} from './losses.js'
import {
  countedExpiries,
  finding,
  groupBy,
  inOrder,
  movesOf,
  type Rule,
  secondsBetween,
  workersOf,
} from './rule.js'

const bookingsIn = (requests: readonly SeenRequest[]) =>
  requests.filter(({operation}) => operation === 'reservations.create')

/** An offer may expire while the customer decides. */
const GRACE_SECONDS = 60

function judgeFresh({requests}: Evidence) {
  const bookings = bookingsIn(requests).filter(({facts}) => facts.offer !== undefined)
  const movedAt = movesOf(requests)
  const byExpiry = groupBy(
    requests.filter(({code, fault}) => code === 'offer_expired' && fault === null),
    ({facts}) => String(facts.expiresAt),
  )
  const expired: SeenRequest[] = []
  for (const [, same] of byExpiry) {
    const late = same.filter(({operation, at, facts}) => {
      return operation === 'reservations.create' && at - (facts.expiresAt ?? 0) > GRACE_SECONDS
    })
    expired.push(...countedExpiries(late, same, OFFER_VALIDITY_SECONDS, movedAt, workersOf(requests)))
  }
  const {unresolved} = lossesIn(requests)
  const used = bookings.filter(request => {
    return request.code === 'offer_already_used' && request.fault === null && !unresolved.has(request)
  })
  const failures = [...(expired.length > 1 ? expired : []), ...used]
  return finding(bookings.length, inOrder(failures), {
    broken: count => `${counted(count, 'booking')} with an offer that had expired or was already booked`,
    kept: `${counted(bookings.length, 'booking')} with offers that were valid`,
    unseen: 'nothing was booked',
  })
}

/** After an answer with one of these statuses nothing was done, and the key can be used again. */
const NOTHING_DONE = [400, 401, 403, 429]

function judgeKey({requests}: Evidence) {
  const bookings = bookingsIn(requests)
  const failures: SeenRequest[] = []
  const bodies = new Map<string, string | undefined>()
  for (const request of bookings) {
    const {key, body} = request.facts
    if (key === undefined) {
      failures.push(request)
      continue
    }
    const isOther = bodies.has(key) && bodies.get(key) !== body
    if (isOther) failures.push(request)
    else if (request.status === null || !NOTHING_DONE.includes(request.status)) bodies.set(key, body)
  }
  return finding(bookings.length, failures, {
    broken: count => `${counted(count, 'booking')} without an Idempotency-Key, or with one of another body`,
    kept: `${counted(bookings.length, 'booking')}, each with a key of its own`,
    unseen: 'nothing was booked',
  })
}

function judgeKeyUuid({requests}: Evidence) {
  const keyed = bookingsIn(requests).filter(({facts}) => facts.key !== undefined)
  const failures = keyed.filter(({facts}) => facts.keyIsUuid === false)
  return finding(keyed.length, failures, {
    broken: count => `${counted(count, 'booking')} with an Idempotency-Key that is no UUID`,
    kept: 'every Idempotency-Key was a UUID',
    unseen: 'no Idempotency-Key was sent',
  })
}

function judgeLostAnswer({requests}: Evidence) {
  const {losses, again, isGivenUp} = lossesIn(requests)
  const sentAgain = new Set([...again.values()])
  const failures = [
    ...[...again.values()].map(({request}) => request),
    ...again.keys(),
    ...losses.filter(loss => !sentAgain.has(loss) && isGivenUp(loss)).map(({request}) => request),
  ]
  return finding(losses.length, inOrder(failures), {
    broken: count =>
      again.size > 0
        ? `after a lost answer or a 5xx the booking was sent again with another key: ${counted(again.size, 'time')}`
        : `after a lost answer or a 5xx nothing was done to find out the outcome: ${counted(count, 'booking')}`,
    kept: `${counted(losses.length, 'lost answer')}: the booking was repeated with its key, or searched for`,
    unseen: 'no answer to a booking was lost',
  })
}

function judgeReference({requests}: Evidence) {
  const {unresolved} = lossesIn(requests)
  const bookings = bookingsIn(requests)
  const failures = bookings.filter(request => {
    return request.code === 'duplicate_client_reference' && request.fault === null && !unresolved.has(request)
  })
  const made = new Set(bookings.filter(isSuccess).map(({facts}) => facts.reference))
  return finding(made.size > 1 ? made.size : 0, failures, {
    broken: count => `${counted(count, 'booking')} with the client_reference_id of another one`,
    kept: `${counted(made.size, 'booking')}, each with a reference of its own`,
    unseen: 'fewer than two bookings were made',
  })
}

const PATIENCE_SECONDS = 60

function judgePatience({requests}: Evidence) {
  const lasted = (request: SeenRequest) =>
    secondsBetween({...request, ended: request.begun}, {...request, begun: request.ended})
  const bookings = bookingsIn(requests)
  const failures = bookings.filter(request => request.ending === 'gone' && lasted(request) < PATIENCE_SECONDS)
  const patient = bookings.filter(request => lasted(request) >= PATIENCE_SECONDS)
  return finding(failures.length + patient.length, failures, {
    broken: count => `hung up on ${counted(count, 'booking')} in less than ${PATIENCE_SECONDS} s`,
    kept: `waited ${PATIENCE_SECONDS} s or longer for ${counted(patient.length, 'booking')}`,
    unseen: `no booking took ${PATIENCE_SECONDS} s`,
  })
}

export const RESERVE_RULES: readonly Rule[] = [
  {
    id: 'offer.fresh',
    section: '§2.3',
    required: true,
    advice: 'Book an offer within 15 minutes of its search and once; after a refusal search again.',
    judge: judgeFresh,
  },
  {
    id: 'reserve.key',
    section: '§4.4',
    required: true,
    advice: 'Send an Idempotency-Key with every booking: one for each booking, the same for all its repeats.',
    judge: judgeKey,
  },
  {
    id: 'reserve.key_uuid',
    section: '§4.4',
    required: false,
    advice: 'Use a UUID as Idempotency-Key, so that no two bookings ever share one.',
    judge: judgeKeyUuid,
  },
  {
    id: 'reserve.lost_answer',
    section: null,
    required: true,
    advice:
      'Without an answer, or after a 5xx, repeat the booking with the same key and body, or search for it by client_reference_id.',
    judge: judgeLostAnswer,
  },
  {
    id: 'reserve.reference',
    section: '§2.4',
    required: true,
    advice: 'Give every booking a client_reference_id of its own.',
    judge: judgeReference,
  },
  {
    id: 'reserve.patience',
    section: null,
    required: false,
    advice: 'Wait at least 60 s, better 120 s, for the answer to a booking.',
    judge: judgePatience,
  },
]
