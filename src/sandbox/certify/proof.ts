/** The facts about the evidence that a signed page states: how much there was, when, and a digest of all of it. */
import {createHash} from 'node:crypto'
import {isoTime} from '../../contract/dates.js'
import type {Evidence} from './evidence.js'

/** Returns the proof. Times are those of the sandbox's clock; the same evidence always has the same digest. */
export function proofOf({requests, attempts}: Evidence) {
  const sum = createHash('sha256')
  for (const seen of [requests, attempts]) for (const each of seen) sum.update(`${JSON.stringify(each)}\n`)
  const times = [requests[0], attempts[0], requests.at(-1), attempts.at(-1)].flatMap(seen => seen?.at ?? [])
  const timeOf = (at: number) => (Number.isFinite(at) ? isoTime(at) : null)
  return {
    digest: `sha256:${sum.digest('hex')}`,
    deliveries: attempts.length,
    first_at: timeOf(Math.min(...times)),
    last_at: timeOf(Math.max(...times)),
  }
}
