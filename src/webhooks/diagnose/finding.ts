/** The types of the diagnosis: the terms of a check, the findings, and the bodies, keys and digests that a search tries. */
import type {KeyObject} from 'node:crypto'
import type {CapturedRequest} from '../captures/request.js'
import type {EventSummary} from '../signature/event.js'
import type {WebhookHeaderNames} from '../signature/headers.js'
import type {NamedSecret, Verdict} from '../signature/signature.js'

/** A cause of an invalid request, as `webhooks verify` prints it. Several findings may explain the failure only together. */
export interface Finding {
  /** A stable word for scripts. */
  readonly code: string
  readonly explanation: string
  /** The next step for the user, on one line. */
  readonly fix: string
}

/** A finding whose fix may be missing. Then the code and the framework decide the fix. */
export type Cause = Pick<Finding, 'code' | 'explanation'> & Partial<Finding>

/** Creates a cause. `explanation` is a sentence that says how the request differs from what was signed. */
export function cause(code: string, explanation: string): Cause {
  return {code, explanation}
}

/** A possible form of the signed body, and the changes that would have led from it to the received body. */
export interface BodyForm {
  readonly bytes: Uint8Array
  readonly causes: readonly Cause[]
}

export interface KeyForm {
  readonly key: KeyObject
  readonly causes: readonly Cause[]
}

/** A digest in a header, with the timestamp that may have been signed. */
export interface Claim {
  /** Undefined when the header has no timestamp. */
  readonly timestamp: string | undefined
  readonly digest: string
  readonly causes: readonly Cause[]
}

export interface RemovedSecret {
  readonly subscription_id: string
  /** Unix seconds. */
  readonly removed_at: number
  /** The command that removed the secret, such as `logout --all`. */
  readonly removed_by: string
}

export interface CheckTerms {
  readonly secrets: readonly NamedSecret[]
  /** Signing secrets of this machine's other subscriptions. They only serve the explanation. */
  readonly otherSecrets: () => readonly NamedSecret[]
  /** Signing secrets of this profile that were removed, last removed first. They only serve the explanation. */
  readonly removedSecrets?: (() => readonly RemovedSecret[]) | undefined
  readonly names: WebhookHeaderNames
  /** Values of flags, which override the headers in the capture. */
  readonly signature?: string | undefined
  readonly eventId?: string | undefined
  /** Returns the time, in Unix seconds, at which a request with this signature header is judged. */
  readonly now: (
    request: Pick<CapturedRequest, 'receivedAt' | 'problem' | 'gap'>,
    header: string | readonly string[] | undefined,
  ) => number
  readonly toleranceSeconds: number
  /** Counts the searches that found no cause, over all requests checked with these terms. */
  readonly inVain: {count: number}
  /** Returns the raw body of an event as this machine received it, or undefined. */
  readonly findOriginal?: ((eventId: string) => Promise<Uint8Array | undefined>) | undefined
}

/** A request whose signature was checked, but whose cause is not known yet. */
export interface CheckedRequest {
  readonly request: CapturedRequest
  readonly terms: CheckTerms
  /** The value or values of the signature header. */
  readonly header: string | readonly string[] | undefined
  readonly eventIdHeader: string | readonly string[] | undefined
  /** The time at which it is judged, in Unix seconds. */
  readonly now: number
  readonly verdict: Verdict
  readonly body: {
    readonly length: number
    /** The complete body, or undefined when it was too long to keep. */
    readonly kept?: Uint8Array
    readonly event?: EventSummary | undefined
  }
}
