/** The types of the diagnosis: what a request is checked by, why it is refused, and the bodies, keys and claims that are tried. */
import type {KeyObject} from 'node:crypto'
import type {CapturedRequest} from '../captures/request.js'
import type {EventSummary} from '../signature/event.js'
import type {WebhookHeaderNames} from '../signature/headers.js'
import type {NamedSecret, Verdict} from '../signature/signature.js'

/** One cause, or one of several that only together explain a refusal, as `webhooks verify` prints it. */
export interface Finding {
  /** Stable word for scripts. */
  readonly code: string
  readonly explanation: string
  /** What to do, in one line. */
  readonly fix: string
}

/** A missing fix is chosen by the code and the framework. */
export type Cause = Pick<Finding, 'code' | 'explanation'> & Partial<Finding>

/** `explanation`: one sentence, the difference from what was signed. */
export function cause(code: string, explanation: string): Cause {
  return {code, explanation}
}

/** A body that may be the signed one, and what must have happened to it since. */
export interface BodyForm {
  readonly bytes: Uint8Array
  readonly causes: readonly Cause[]
}

export interface KeyForm {
  readonly key: KeyObject
  readonly causes: readonly Cause[]
}

/** A digest that a header holds, and the timestamp as it may have been signed. */
export interface Claim {
  /** Undefined when the header has none. */
  readonly timestamp: string | undefined
  readonly digest: string
  readonly causes: readonly Cause[]
}

export interface RemovedSecret {
  readonly subscription_id: string
  /** Unix seconds. */
  readonly removed_at: number
  /** The command that removed it, such as `logout --all`. */
  readonly removed_by: string
}

export interface CheckTerms {
  readonly secrets: readonly NamedSecret[]
  /** Signing secrets of other subscriptions this machine knows, for the explanation alone. */
  readonly otherSecrets: () => readonly NamedSecret[]
  /** Signing secrets that were stored for this profile and are no more, last removed first; for the explanation alone. */
  readonly removedSecrets?: (() => readonly RemovedSecret[]) | undefined
  readonly names: WebhookHeaderNames
  /** Given by flags; they override the capture's headers. */
  readonly signature?: string | undefined
  readonly eventId?: string | undefined
  /** Unix seconds at which to judge a request. */
  readonly now: (request: Pick<CapturedRequest, 'receivedAt' | 'problem'>) => number
  readonly toleranceSeconds: number
  /** How many searches for a cause were in vain; counted over all requests checked by these terms. */
  readonly inVain: {count: number}
  /** The raw body of an event as it was received here, or undefined. */
  readonly findOriginal?: ((eventId: string) => Promise<Uint8Array | undefined>) | undefined
}

/** A request whose signature was checked, before its cause is searched. */
export interface CheckedRequest {
  readonly request: CapturedRequest
  readonly terms: CheckTerms
  /** Value or values of the signature header. */
  readonly header: string | readonly string[] | undefined
  readonly eventIdHeader: string | readonly string[] | undefined
  readonly verdict: Verdict
  readonly body: {
    readonly length: number
    /** All of it, or undefined when it was too long to keep. */
    readonly kept?: Uint8Array
    readonly event?: EventSummary | undefined
  }
}
