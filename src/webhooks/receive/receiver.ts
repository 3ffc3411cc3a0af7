/**
 * What becomes of one webhook request whose body was read (§6.3, §6.4): signature, then the event id, then a place in
 * the store, then the answer, and only then everything else. The body is parsed when its signature is right, not before.
 */

import type {WebhookHeaderNames} from '../signature/headers.js'
import type {NamedSecret} from '../signature/signature.js'
import {type Arrival, checkArrival, type RefusalReason} from './arrival.js'
import {createGroupCommit, type Settled} from './group-commit.js'

export type {Arrival, RefusalReason} from './arrival.js'

/** What a store is given to keep. */
export interface AcceptedEvent extends Arrival {
  /** The id in the signed body. */
  readonly eventId: string
  readonly type: string | null
  /** Name of the secret that matched. */
  readonly secretName: string
  /** Addresses it is to be handed to. */
  readonly targets: readonly string[]
}

/** One request and what was answered: 200 or 401. */
export interface Receipt extends Arrival {
  readonly status: 200 | 401
  readonly reason: 'ok' | RefusalReason
  /** Of the signed body; undefined when the signature is not right: nobody has looked into the body then. */
  readonly eventId: string | undefined
  readonly type: string | null
  readonly secretName: string | undefined
  /** Whether the store had an event with this id. */
  readonly duplicate: boolean
  /** From the request's head to the answer, in milliseconds. */
  readonly ackMilliseconds: number
}

export interface ReceiverParts {
  /** Makes events durable in one transaction; says of each whether its id was there before. */
  readonly store: {receive(events: readonly AcceptedEvent[]): Promise<readonly {duplicate: boolean}[]>}
  /** Asked for every request, since a subscription may be added meanwhile. */
  readonly secrets: () => readonly NamedSecret[]
  readonly headerNames: WebhookHeaderNames
  /** Where an event of this type goes. */
  readonly targetsOf: (type: string | null) => readonly string[]
  /** How many events may wait for the disk. */
  readonly maxWaiting: number
  /** Told of every request that was answered 200 or 401, after the answer left. */
  readonly onReceipt: (receipt: Receipt) => void
  /** Told that the store failed, after everyone waiting for it was answered 503. */
  readonly onStoreError: (error: unknown) => void
}

export type Answer = (status: 200 | 401 | 503) => void

export interface Receiver {
  /** Decides, and calls `answer` once; `started` is `performance.now()` at the request's head. */
  take(arrival: Arrival, started: number, answer: Answer): void
  /** How many wait for the disk. */
  readonly waiting: number
}

/** Ours: larger transactions gain nothing. */
const MAX_BATCH = 512
/** Ours: the thread of the store always finds the next events there, and takes all of them at once. */
const MAX_ON_THEIR_WAY = 4

export function createReceiver(parts: ReceiverParts): Receiver {
  const names = {
    signature: parts.headerNames.signature.toLowerCase(),
    eventId: parts.headerNames.eventId.toLowerCase(),
  }
  const commits = createGroupCommit<AcceptedEvent, {duplicate: boolean}>({
    commit: events => parts.store.receive(events),
    maxWaiting: parts.maxWaiting,
    maxBatch: MAX_BATCH,
    maxOnTheirWay: MAX_ON_THEIR_WAY,
    onError: parts.onStoreError,
  })
  const tell = createTelling(parts.onReceipt)

  return {
    get waiting() {
      return commits.waiting
    },
    take(arrival, started, answer) {
      const {rawHeaders, body, receivedAt} = arrival
      const {reason, eventId, type, secretName} = checkArrival(arrival, names, parts.secrets())
      // Objects are written out in full here: spread, they cost more than the check of the signature.
      const finish = (status: 200 | 401, duplicate: boolean) => {
        answer(status)
        const ackMilliseconds = performance.now() - started
        tell({
          rawHeaders,
          body,
          receivedAt,
          status,
          reason,
          eventId,
          type,
          secretName,
          duplicate,
          ackMilliseconds,
        })
      }
      if (reason !== 'ok' || eventId === undefined || secretName === undefined) return finish(401, false)
      const targets = parts.targetsOf(type)
      const event = {rawHeaders, body, receivedAt, eventId, type, secretName, targets}
      const settle = (settled: Settled<{duplicate: boolean}>) =>
        'error' in settled ? answer(503) : finish(200, settled.outcome.duplicate)
      if (!commits.add(event, settle)) answer(503)
    },
  }
}

/** Ours: receipts handed on in one turn of the event loop, or this part of those that wait, whichever is more. */
const RECEIPTS_PER_TURN = 16
const PART_PER_TURN = 1 / 4

/**
 * Hands receipts on in later turns of the event loop, when their answers have left: a few a turn, so that what comes in
 * is read between them, and a part of all, so that their number is bounded under any load.
 */
function createTelling(onReceipt: (receipt: Receipt) => void): (receipt: Receipt) => void {
  let receipts: Receipt[] = []
  const tellSome = () => {
    const some = Math.max(RECEIPTS_PER_TURN, Math.ceil(receipts.length * PART_PER_TURN))
    const due = receipts.slice(0, some)
    receipts = receipts.slice(some)
    for (const each of due) onReceipt(each)
    if (receipts.length > 0) setImmediate(tellSome)
  }
  return receipt => {
    if (receipts.push(receipt) === 1) setImmediate(tellSome)
  }
}
