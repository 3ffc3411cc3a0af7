/** The types of the diagnosis: the terms of a check, findings, and the bodies, keys and digests that a search tries. */
import type {KeyObject} from 'node:crypto'
import type {CapturedRequest} from '../captures/request.js'
import type {EventSummary} from '../signature/event.js'
import type {WebhookHeaderNames} from '../signature/headers.js'
import type {NamedSecret, Verdict} from '../signature/signature.js'

/**
 * One cause of an invalid request, as `webhooks verify` prints it. If there are several, they may explain the failure
 * only together.
 */
export interface Finding {
  /** A stable word for scripts. */
  readonly code: string
  readonly explanation: string
  /** The next step for the user, on one line. */
  readonly fix: string
}

/** A finding without a fix, or with one. If there is none, the code and the framework decide the fix. */
export type Cause = Pick<Finding, 'code' | 'explanation'> & Partial<Finding>

/** Creates a cause. `explanation` is a sentence that says how the request differs from the one that was signed. */
export function cause(code: string, explanation: string): Cause {
  return {code, explanation}
}

/** A body that may have been signed, and the changes that would turn it into the received body. */
export interface BodyForm {
  readonly bytes: Uint8Array
  readonly causes: readonly Cause[]
}

export interface KeyForm {
  readonly key: KeyObject
  readonly causes: readonly Cause[]
}

/** A digest in a header, and the timestamp that may have been signed with it. */
export interface Claim {
  /** Undefined if the header has no timestamp. */
  readonly timestamp: string | undefined
  readonly digest: string
  readonly causes: readonly Cause[]
}

export interface RemovedSecret {
  readonly subscription_id: string
  /** Unix seconds. */
  readonly removed_at: number
  /** The command that removed the secret, for example `logout --all`. */
  readonly removed_by: string
}

export interface CheckTerms {
  readonly secrets: readonly NamedSecret[]
  /** Called before each search for a cause, to get what the functions below return where that takes time. */
  readonly beforeSearch?: (() => Promise<void>) | undefined
  /** Signing secrets of this machine's other subscriptions. They only serve the explanation. */
  readonly otherSecrets: () => readonly NamedSecret[]
  /** Signing secrets of this profile that were removed, last removed first. They are only used to find the cause. */
  readonly removedSecrets?: (() => readonly RemovedSecret[]) | undefined
  readonly names: WebhookHeaderNames
  /** Values of flags, which override headers in the capture. */
  readonly signature?: string | undefined
  readonly eventId?: string | undefined
  /** Returns the time, in Unix seconds, at which a request with this signature header is to be judged. */
  readonly now: (
    request: Pick<CapturedRequest, 'receivedAt' | 'problem' | 'gap'>,
    header: string | readonly string[] | undefined,
  ) => number
  readonly toleranceSeconds: number
  /** The number of searches that found no cause, over all requests that are checked with these terms. */
  readonly inVain: {count: number}
  /** Returns the raw body of an event that this machine received, or undefined. */
  readonly findOriginal?: ((eventId: string) => Promise<Uint8Array | undefined>) | undefined
}

/** A request whose signature was checked. If it is invalid, the cause is not known yet. */
export interface CheckedRequest {
  readonly request: CapturedRequest
  readonly terms: CheckTerms
  /** The value of the signature header, or the values if there are several. */
  readonly header: string | readonly string[] | undefined
  readonly eventIdHeader: string | readonly string[] | undefined
  /** The time at which the request is judged, in Unix seconds. */
  readonly now: number
  readonly verdict: Verdict
  readonly body: {
    readonly length: number
    /** The complete body, or undefined if it was too long to keep. */
    readonly kept?: Uint8Array
    readonly event?: EventSummary | undefined
  }
}
