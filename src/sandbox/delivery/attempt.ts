/** One attempt to deliver an event (§2.8), signed for this attempt (§6.3), and the step that follows (§6.4). */
import {isoTime} from '../../contract/dates.js'
import {EVENT_ID_HEADER, SIGNATURE_HEADER} from '../../contract/events.js'
import {DELIVERY_ATTEMPTS, DELIVERY_DELAYS_SECONDS} from '../../contract/limits.js'
import {sign} from '../../webhooks/signature/signature.js'
import type {Attempt, DeliveryStatus, DueDelivery, NextStep} from '../store/deliveries.js'
import {eventWithOrigin} from '../store/events.js'
import type {Post} from './post.js'

/** Attempts that the moved clock brings together in one second are signed with seconds of their own. */
const MOST_SECONDS_AHEAD = 60

/** Never rejects. `now`: the sandbox's clock, `realNow`: real time, in Unix seconds. Links lead to `origin`. */
export async function makeAttempt(
  post: Post,
  delivery: DueDelivery,
  {now, realNow}: {now: number; realNow: number},
  origin: string,
): Promise<{attempt: Attempt; signedAt: number}> {
  const signedAt = signingTime(realNow, delivery.signedAt)
  const body = Buffer.from(JSON.stringify(eventWithOrigin(delivery.event, origin)))
  const posted = await post({
    url: delivery.url,
    headers: {
      'content-type': 'application/json',
      'user-agent': 'bookctl-sandbox',
      [SIGNATURE_HEADER]: sign(delivery.secret, String(signedAt), body),
      [EVENT_ID_HEADER]: delivery.event.id,
    },
    body,
  })
  return {signedAt, attempt: {n: delivery.attempts + 1, at: isoTime(now), ...posted}}
}

/** The second to sign: of real time, by which receivers check it, and never that of the last attempt. */
function signingTime(realNow: number, before: number | null): number {
  const now = Math.floor(realNow)
  if (before === null || before < now || before - now > MOST_SECONDS_AHEAD) return now
  return before + 1
}

/** The step after attempt number `n`, made at `at`. After the schedule, a failed attempt by hand changes nothing. */
export function stepAfter(
  {n, at, status}: {n: number; at: number; status: DeliveryStatus},
  delivered: boolean,
): NextStep {
  if (delivered) return {status: 'DELIVERED', nextAttemptAt: null}
  if (status !== 'PENDING') return {status, nextAttemptAt: null}
  const delay = n < DELIVERY_ATTEMPTS ? DELIVERY_DELAYS_SECONDS[n] : undefined
  if (delay === undefined) return {status: 'ABANDONED', nextAttemptAt: null}
  return {status: 'PENDING', nextAttemptAt: at + delay}
}
