/**
 * The port for handles. A handle stands for a reservation or a cancellation that an agent has prepared, and that a person may
 * agree to. The agent knows only the name of the handle; what is sent is fixed in the store, so that it cannot be changed.
 */
import {randomBytes} from 'node:crypto'
import {type Failure, usage} from './failure.js'
import type {JournalClient, Price, ReservationIntent} from './journal.js'
import type {OfferFound} from './seen-offers.js'
import type {Alone} from './token-cache.js'

/** A reservation that was prepared. */
export interface PreparedReservation {
  readonly kind: 'reservation'
  /** What is recorded and sent: the body, the client reference, the Idempotency-Key and the price agreed to. */
  readonly intent: ReservationIntent
  /** The offer as it was prepared, with its price of that time, for the person who is asked. */
  readonly offer: OfferFound
  /** Whether the service was asked for the price; otherwise it is that of the search. */
  readonly priceChecked: boolean
  /** What looked wrong when it was prepared, for the person who is asked. */
  readonly doubts: readonly string[]
}

/** A cancellation that was prepared. */
export interface PreparedCancellation {
  readonly kind: 'cancellation'
  readonly reservationRef: string
  /** The fee that the service stated. */
  readonly fee: Price
  /** What is cancelled, in sanitised lines for the person who is asked. */
  readonly lines: readonly string[]
}

export type Prepared = PreparedReservation | PreparedCancellation

/**
 * What a person has decided. `void` means that the price or the fee has risen since the handle was made, so nothing that was
 * decided applies any more.
 */
export type Decision = 'waiting' | 'approved' | 'declined' | 'void'

/** Who decided: the person that the agent's program asked, the person at a terminal, or the server itself. */
export type DecidedBy = 'elicitation' | 'terminal' | 'server'

interface NewHandle {
  readonly handle: string
  readonly prepared: Prepared
  /** The name and version that the agent's program gave, on one line of at most 100 characters. */
  readonly program: string
  /** Unix seconds. */
  readonly expiresAt: number
}

export interface AgentHandle {
  readonly handle: string
  readonly kind: Prepared['kind']
  /** Null once it was carried out, because it contains personal data. */
  readonly prepared: Prepared | null
  readonly program: string
  readonly decision: Decision
  readonly decidedBy: DecidedBy | null
  /** The time when it began to be carried out, or null. */
  readonly usedAt: number | null
  /** The result of a cancellation. The result of a reservation is in the journal. */
  readonly result: Record<string, unknown> | null
  /** Unix seconds on this machine's clock. */
  readonly createdAt: number
  readonly expiresAt: number
}

/** The handles of one client at one base URL. Times are Unix seconds. Methods reject with the errors of the store. */
export interface HandleStore {
  /**
   * Lets one process at a time do a kind of work for this base URL, such as counting what was spent. Waits for no other lock
   * of the store.
   */
  readonly alone: Alone<string>
  /**
   * Stores a handle, and deletes those that have expired. If the client has MOST_LIVE_HANDLES, the oldest that nobody has
   * answered gives way; if all of them were answered, throws a usage error.
   */
  create(handle: NewHandle, now: number): Promise<void>
  /**
   * Returns the handle, or undefined if there is none of this client, or if it has expired. One that was carried out is found
   * for USED_HANDLE_RETENTION_SECONDS.
   */
  find(handle: string, now: number): Promise<AgentHandle | undefined>
  /**
   * Records a decision, if the handle still waits for one. `void` also replaces a decision. Returns the handle as it then is,
   * with the decision that was first; undefined if `find` finds none.
   */
  decide(
    handle: string,
    decision: Exclude<Decision, 'waiting'>,
    by: DecidedBy,
    now: number,
  ): Promise<AgentHandle | undefined>
  /** Records that the handle begins to be carried out. It no longer expires. */
  use(handle: string, now: number): Promise<void>
  /** Records that the handle was carried out, with the result of a cancellation, and erases what was prepared. */
  end(handle: string, result: Record<string, unknown> | null, now: number): Promise<void>
  /** Deletes the handles of all clients that have expired, with the personal data in them. */
  prune(now: number): Promise<void>
}

export interface HandleStores {
  forClient(client: JournalClient): HandleStore
}

/** Not in the interface: how many handles of one client may wait or be approved at a time. */
export const MOST_LIVE_HANDLES = 200
/** How long a handle that was carried out is kept, so that a cancellation that is asked for again returns its result. */
export const USED_HANDLE_RETENTION_SECONDS = 24 * 3600

/** Crockford's base32 in lower case. It has no letters that are mistaken for digits. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
/** 26 digits of 5 bits are 130 random bits, which cannot be guessed. */
const DIGITS = 26
const FORM = new RegExp(`^hdl_[${ALPHABET}]{${DIGITS}}$`)

/** Creates a handle. It is random, so nothing that an agent says can become a handle. */
export function mintHandle(): string {
  const digits = Array.from(randomBytes(DIGITS), byte => ALPHABET[byte % ALPHABET.length])
  return `hdl_${digits.join('')}`
}

/** Reports whether `text` has the form of a handle. */
export function isHandle(text: string): boolean {
  return FORM.test(text)
}

/** Returns the usage error for a handle that `find` does not find. It does not say which reason applies, because that would help to guess. */
export function handleNotValid(): Failure {
  return usage(
    'handle_not_valid',
    'this handle is not valid: it is unknown, has expired, was changed, or belongs to another client; nothing was sent',
    'prepare it again, and copy the new handle exactly',
  )
}

/** Returns the usage error for a client all of whose handles were answered and not yet carried out. */
export function tooManyHandles(): Failure {
  return usage(
    'too_many_handles',
    `${MOST_LIVE_HANDLES} handles of this client were approved and wait to be carried out; no other is made`,
    'carry them out, or wait until they expire',
  )
}
