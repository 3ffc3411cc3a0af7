/** Rules about the receiver of webhooks (§6.3, §6.4), judged by the attempts to deliver events. */
import {WEBHOOK_RESPONSE_SECONDS} from '../../contract/limits.js'
import {counted} from '../base/wording.js'
import type {Evidence, SeenAttempt} from './evidence.js'
import {type Finding, groupBy, onceEach, type Rule, textOf} from './rule.js'

/** The attempts, each under one kind. */
interface Sorted {
  /** Those that found no receiver, or were cut when the program ended, whatever they are. */
  readonly unsent: SeenAttempt[]
  readonly first: SeenAttempt[]
  /** Of an event that was accepted before. */
  readonly duplicate: SeenAttempt[]
  /** Of an event that is older than one that was accepted before. */
  readonly disorder: SeenAttempt[]
  readonly forgery: SeenAttempt[]
  /** The events that were accepted, at whatever attempt. */
  readonly accepted: ReadonlySet<string>
}

const eventOf = ({subscriptionId, eventId}: SeenAttempt) => `${subscriptionId} ${eventId}`

/** A timer may fire a little early, so an attempt that lasted almost as long as the limit was given up. */
const GIVEN_UP_MILLISECONDS = WEBHOOK_RESPONSE_SECONDS * 1000 - 50

/** Reports whether the connection was cut before an answer, as when a receiver is stopped. */
const isCut = ({status, begun, ended}: SeenAttempt) =>
  status === null && ended - begun < GIVEN_UP_MILLISECONDS

function sortByKind({attempts, requests}: Evidence): Sorted {
  let lastSignOfLife = requests.at(-1)?.begun ?? 0
  for (const {isSent, begun} of attempts) if (isSent) lastSignOfLife = Math.max(lastSignOfLife, begun)
  const foundNobody = (attempt: SeenAttempt) =>
    !attempt.isSent || (isCut(attempt) && !attempt.isLast && attempt.ended >= lastSignOfLife)
  const accepted = new Set<string>()
  const refused = new Set<string>()
  const newest = new Map<string, SeenAttempt>()
  const sorted: Sorted = {unsent: [], first: [], duplicate: [], disorder: [], forgery: [], accepted}
  for (const attempt of attempts) {
    if (foundNobody(attempt)) {
      if (attempt.forgery === null) sorted.unsent.push(attempt)
      continue
    }
    if (attempt.forgery !== null) {
      sorted.forgery.push(attempt)
      continue
    }
    const event = eventOf(attempt)
    const subject = `${attempt.subscriptionId} ${attempt.reservation}`
    const newer = newest.get(subject)
    const isOld = newer !== undefined && newer.created > attempt.created && newer.ended <= attempt.begun
    if (accepted.has(event)) sorted.duplicate.push(attempt)
    // An event that was refused when it was the newest is refused for a reason of its own.
    else if (isOld && !refused.has(event)) sorted.disorder.push(attempt)
    else sorted.first.push(attempt)
    if (!attempt.isAccepted) refused.add(event)
    else {
      accepted.add(event)
      if (newer === undefined || newer.created < attempt.created) newest.set(subject, attempt)
    }
  }
  return sorted
}

/** Returns the attempts by their kind. All rules of this file and four drills need them, so they are sorted once. */
export const sortedAttempts = onceEach(sortByKind)

const isLate = ({begun, ended}: SeenAttempt) => ended - begun > WEBHOOK_RESPONSE_SECONDS * 1000

function finding(
  seen: readonly SeenAttempt[],
  failures: readonly SeenAttempt[],
  texts: Parameters<typeof textOf>[2],
): Finding {
  const ids = [...new Set(failures.map(({deliveryId}) => deliveryId))]
  return {seen: seen.length, failures: ids, text: textOf(seen.length, ids.length, texts)}
}

/**
 * A receiver may be restarted, so an attempt that was cut or found none is no failure if the event was accepted by another one.
 * Otherwise a cut is one, if the program went on. If there was no receiver at all, the program may have ended: that counts if the
 * schedule (§6.4) has no attempt left, or if it failed again while the program went on.
 */
function judgeAnswer(evidence: Evidence): Finding {
  const {first, unsent, accepted} = sortedAttempts(evidence)
  const isWrong = (attempt: SeenAttempt) =>
    isCut(attempt) ? !accepted.has(eventOf(attempt)) : !attempt.isAccepted || isLate(attempt)
  const lost = unsent.filter(attempt => !accepted.has(eventOf(attempt)))
  const lastCall = evidence.requests.at(-1)?.begun ?? 0
  const absent = [...groupBy(lost, eventOf).values()].flatMap(same => {
    const isOver = same.some(({isLast}) => isLast)
    const again = same[1]
    return isOver || (again !== undefined && again.ended < lastCall) ? same : []
  })
  const failures = [...first.filter(isWrong), ...absent].sort((a, b) => a.ended - b.ended)
  const waiting = new Set(lost.map(eventOf)).size
  const waits = waiting === 0 ? '' : `; ${counted(waiting, 'event')} could not be delivered yet`
  return finding([...first, ...absent], failures, {
    broken: count => `${counted(count, 'event')} not answered 2xx within ${WEBHOOK_RESPONSE_SECONDS} s`,
    kept: `${counted(first.length, 'event')} answered 2xx within ${WEBHOOK_RESPONSE_SECONDS} s${waits}`,
    unseen: `no event reached a receiver${waits}`,
  })
}

function judgeSignature(evidence: Evidence): Finding {
  const seen = sortedAttempts(evidence).forgery
  const failures = seen.filter(({isAccepted}) => isAccepted)
  const kinds = [...new Set(failures.flatMap(({forgery}) => forgery ?? []))].map(kind => FORGERIES[kind])
  return finding(seen, failures, {
    broken: () => `accepted ${kinds.join(', ')}`,
    kept: `refused ${counted(seen.length, 'forged event')}`,
    unseen: 'no forged event was sent',
  })
}

const FORGERIES = {
  signature: 'an event with a wrong signature',
  timestamp: 'an event with an old timestamp',
  body: 'an event whose body was changed',
} as const

function judgeSignatureStatus(evidence: Evidence): Finding {
  const seen = sortedAttempts(evidence).forgery.filter(({isAccepted}) => !isAccepted)
  const failures = seen.filter(({status}) => status !== 401)
  return finding(seen, failures, {
    broken: count => `${counted(count, 'forged event')} refused with another answer than 401`,
    kept: `${counted(seen.length, 'forged event')} refused with 401`,
    unseen: 'no forged event was refused',
  })
}

function judgeDuplicate(evidence: Evidence): Finding {
  const seen = sortedAttempts(evidence).duplicate
  const failures = seen.filter(({isAccepted}) => !isAccepted)
  return finding(seen, failures, {
    broken: count => `not answered 2xx when it came again: ${counted(count, 'event')}`,
    kept: `answered 2xx when it came again: ${counted(seen.length, 'event')}`,
    unseen: 'no event came again after it was accepted',
  })
}

function judgeDisorder(evidence: Evidence): Finding {
  const seen = sortedAttempts(evidence).disorder
  const failures = seen.filter(({isAccepted}) => !isAccepted)
  return finding(seen, failures, {
    broken: count => `not answered 2xx when it came after a newer one: ${counted(count, 'event')}`,
    kept: `answered 2xx when it came after a newer one: ${counted(seen.length, 'event')}`,
    unseen: 'no event came after a newer one of its reservation',
  })
}

export const WEBHOOK_RULES: readonly Rule[] = [
  {
    id: 'webhook.answer',
    section: '§6.4',
    required: true,
    advice: 'Store the event, answer 200 within 3 s, and do the work afterwards.',
    judge: judgeAnswer,
  },
  {
    id: 'webhook.signature',
    section: '§6.3',
    required: true,
    advice: 'Verify signature and timestamp of the raw body, and answer 401 if either is wrong.',
    judge: judgeSignature,
  },
  {
    id: 'webhook.signature_status',
    section: '§6.3',
    required: false,
    advice: 'Answer 401 to an event that you refuse for its signature.',
    judge: judgeSignatureStatus,
  },
  {
    id: 'webhook.duplicate',
    section: '§6.4',
    required: true,
    advice: 'Answer 200 to an event that you have already, and do nothing else with it.',
    judge: judgeDuplicate,
  },
  {
    id: 'webhook.disorder',
    section: null,
    required: true,
    advice:
      'Answer 200 to an event that is older than what you know; read the reservation if you need its state.',
    judge: judgeDisorder,
  },
]
