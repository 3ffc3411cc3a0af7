/** What a request is judged by, and a request that was refused. */
import type {CapturedRequest} from '../captures/request.js'
import type {EventSummary} from '../signature/event.js'
import type {WebhookHeaderNames} from '../signature/headers.js'
import type {NamedSecret, Verdict} from '../signature/signature.js'

export interface CheckTerms {
  readonly secrets: readonly NamedSecret[]
  /** Signing secrets of other subscriptions this machine knows, for the explanation alone. */
  readonly otherSecrets: () => readonly NamedSecret[]
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
