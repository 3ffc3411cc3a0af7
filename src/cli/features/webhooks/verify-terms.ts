/** The terms of `webhooks verify`: by which secrets, and as of which time, requests are checked. */
import {systemClock} from '../../../contract/dates.js'
import {usage} from '../../../contract/failure.js'
import type {CheckTerms} from '../../../webhooks/diagnose/finding.js'
import {signatureIn} from '../../../webhooks/signature/signature.js'

/** The value of --at: Unix seconds, or when each request was received or signed. The default is now. */
export type JudgedAt = number | 'received' | 'signed' | undefined

export interface VerifyTerms extends CheckTerms {
  readonly at: JudgedAt
}

/** Returns the time at which requests are judged. It throws a usage error where a capture does not contain that time. */
export function timeOfJudging(at: JudgedAt): CheckTerms['now'] {
  return ({receivedAt, problem, gap}, header) => {
    if (at === 'signed') return signedAt(header) ?? systemClock.now()
    if (at !== 'received') return at ?? systemClock.now()
    if (receivedAt !== undefined) return receivedAt
    if (problem !== undefined || gap !== undefined) return 0
    const hint =
      'captures of webhooks listen, events show and HAR files do; otherwise pass the time itself, or --at signed'
    const missing = '--at received: the capture does not contain the time of receipt'
    throw usage('no_receiving_time', missing, hint)
  }
}

/** Returns the time in a well-formed signature header, in Unix seconds. */
function signedAt(header: string | readonly string[] | undefined): number | undefined {
  const signature = signatureIn(header)
  return typeof signature === 'string' ? undefined : Number(signature.timestamp)
}
