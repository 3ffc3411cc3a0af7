/**
 * Processes one webhook request whose body was read (§6.3, §6.4): checks the signature and the event id, stores the
 * event, answers, and only then does everything else. The body is parsed only if its signature is valid.
 */
import type {NewEvent} from '../../contract/stored-events.js'
import {checkEventId, readEvent} from '../signature/event.js'
import {lowerCaseNames, type WebhookHeaderNames} from '../signature/headers.js'
import {type NamedSecret, type Verdict, verify} from '../signature/signature.js'
import {GroupCommit} from './group-commit.js'

type Arrival = Pick<NewEvent, 'rawHeaders' | 'body' | 'receivedAt'>

interface CheckedArrival {
  readonly reason: Verdict['reason'] | 'event_id_mismatch'
  /** Undefined if the signature is invalid, because the body is then not parsed. */
  readonly eventId: string | undefined
  readonly type: string | null
  readonly reservationRef: string | null
  readonly secretName: string | undefined
}

/** Checks a request. `names` must be in lower case. Throws as `verify` does. */
export function checkArrival(
  {rawHeaders, body, receivedAt}: Arrival,
  names: WebhookHeaderNames,
  secrets: readonly NamedSecret[],
): CheckedArrival {
  const header = valuesOf(rawHeaders, names.signature)
  const verdict = verify({secrets, header, rawBody: body, now: receivedAt})
  const {secretName} = verdict
  if (!verdict.valid)
    return {reason: verdict.reason, eventId: undefined, type: null, reservationRef: null, secretName}
  const event = readEvent(body)
  const agrees = event !== undefined && checkEventId(valuesOf(rawHeaders, names.eventId), event)
  const reason = agrees ? 'ok' : 'event_id_mismatch'
  const {id: eventId, type = null, reservationRef = null} = event ?? {}
  return {reason, eventId, type, reservationRef, secretName}
}

/**
 * Returns all values of the header `name` (lower case). node:http joins them, which would hide that a header occurred
 * twice.
 */
function valuesOf(rawHeaders: readonly string[], name: string): string[] {
  const values: string[] = []
  for (let n = 0; n < rawHeaders.length; n += 2) {
    const found = rawHeaders[n] as string
    if (found.length !== name.length) continue
    if (found.toLowerCase() === name) values.push(rawHeaders[n + 1] as string)
  }
  return values
}

/** A request and its answer, which is 200 or 401. */
export interface Receipt extends Arrival, CheckedArrival {
  readonly status: 200 | 401
  readonly duplicate: boolean
  /** Milliseconds from the headers of the request to the answer. */
  readonly ackMilliseconds: number
  /** Milliseconds from the end of the checks until the event was stored. Undefined if a check failed. */
  readonly commitMilliseconds: number | undefined
}

interface ReceiverOptions {
  /** Makes events durable in one transaction. Returns for each event whether its id was already stored. */
  readonly store: {receive(events: readonly NewEvent[]): Promise<readonly {duplicate: boolean}[]>}
  /** Called for every request, because subscriptions may change. */
  readonly secrets: () => readonly NamedSecret[]
  readonly headerNames: WebhookHeaderNames
  readonly targetsOf: (type: string | null) => readonly string[]
  readonly maxWaiting: number
  /** Called for every request that was answered with 200 or 401, after the answer. */
  readonly onReceipt: (receipt: Receipt) => void
  /** Called when the store failed, after all waiting requests were answered with 503. */
  readonly onStoreError: (error: unknown) => void
}

export class Receiver {
  private readonly names: WebhookHeaderNames
  private readonly commits: GroupCommit<NewEvent, {duplicate: boolean}>
  /** Requests that were answered but not reported yet. */
  private receipts: Receipt[] = []

  constructor(private readonly options: ReceiverOptions) {
    const {store, maxWaiting, onStoreError, headerNames} = options
    this.names = lowerCaseNames(headerNames)
    this.commits = new GroupCommit({
      commit: events => store.receive(events),
      maxWaiting,
      // Larger transactions are not faster.
      maxBatch: 512,
      // With several transactions, the store's thread always has further events waiting and takes them all at once.
      maxRunning: 4,
      // With this many events, the disk starts to write while other requests are read. Otherwise each waits for the
      // other, and a fifth fewer events are received (`npm run bench`, listen).
      enough: 16,
      onError: onStoreError,
    })
  }

  /** Number of events that are waiting to be stored. */
  get waiting(): number {
    return this.commits.waiting
  }

  /** Processes a request and calls `answer` once. `started` is `performance.now()` when the headers arrived. */
  take(arrival: Arrival, started: number, answer: (status: 200 | 401 | 503) => void) {
    const {rawHeaders, body, receivedAt} = arrival
    const checked = checkArrival(arrival, this.names, this.options.secrets())
    const {reason, eventId, type, reservationRef, secretName} = checked
    // The fields are listed one by one, because spreading objects here would cost more than checking the signature.
    const finish = (status: 200 | 401, duplicate: boolean, commitMilliseconds?: number) => {
      answer(status)
      const ackMilliseconds = performance.now() - started
      this.receipts.push({
        rawHeaders,
        body,
        receivedAt,
        status,
        reason,
        eventId,
        type,
        reservationRef,
        secretName,
        duplicate,
        ackMilliseconds,
        commitMilliseconds,
      })
      if (this.receipts.length === 1) setImmediate(() => this.reportSome())
    }
    if (reason !== 'ok' || eventId === undefined || secretName === undefined) return finish(401, false)
    const targets = this.options.targetsOf(type)
    const event = {rawHeaders, body, receivedAt, eventId, type, reservationRef, secretName, targets}
    const added = performance.now()
    const isAdded = this.commits.add(event, settled => {
      if ('error' in settled) answer(503)
      else finish(200, settled.outcome.duplicate, performance.now() - added)
    })
    if (!isAdded) answer(503)
  }

  /**
   * Reports some receipts in each turn of the event loop, so that requests are read in between. A longer list is
   * reported in larger parts.
   */
  private reportSome(): void {
    const some = Math.max(16, Math.ceil(this.receipts.length / 4))
    const due = this.receipts.slice(0, some)
    this.receipts = this.receipts.slice(some)
    for (const receipt of due) this.options.onReceipt(receipt)
    if (this.receipts.length > 0) setImmediate(() => this.reportSome())
  }
}
