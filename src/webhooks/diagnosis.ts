/** Why a webhook did not verify. */
import type {CheckResult} from './check.js'
import type {EventSummary} from './event.js'
import type {HeaderMap, WebhookHeaderNames} from './headers.js'
import type {NamedSecret, Verdict} from './signature.js'

/** One cause, or one of several that only together explain it. */
export interface Finding {
  /** Stable word for scripts. */
  readonly code: string
  readonly explanation: string
  /** What to do, in one line. */
  readonly fix: string
}

export interface DiagnosisInput {
  readonly verdict: Verdict
  readonly reason: CheckResult['reason']
  readonly header: string | readonly string[] | undefined
  readonly eventIdHeader: string | readonly string[] | undefined
  readonly headers: HeaderMap
  readonly names: WebhookHeaderNames
  readonly secrets: readonly NamedSecret[]
  readonly otherSecrets: () => readonly NamedSecret[]
  /** Undefined when the body was too long to keep. */
  readonly rawBody: Uint8Array | undefined
  readonly bodyBytes: number
  /** What followed the body that Content-Length tells of. */
  readonly surplus: Uint8Array | undefined
  readonly event: EventSummary | undefined
  readonly now: number
  readonly toleranceSeconds: number
  readonly receivedAt: number | undefined
  readonly findOriginal: ((eventId: string) => Uint8Array | undefined) | undefined
}

export function diagnose(_input: DiagnosisInput): Finding[] {
  return [{code: 'unexplained', explanation: 'No known cause explains it.', fix: ''}]
}
