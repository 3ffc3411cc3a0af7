/** The parts that agents book and cancel with, and who calls. */
import type {HandleStore} from '../../../contract/agent-handles.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import type {Journal} from '../../../contract/journal.js'
import type {Connection} from '../../session/connect.js'
import type {Preferences} from '../../session/resolve.js'
import type {Ask} from './consent.js'
import type {SpendingLimits} from './limits.js'

/** What the bookings of one server are made with. */
export interface BookingParts {
  readonly connection: Connection
  /** Undefined if agents may not reserve. */
  readonly limits: SpendingLimits | undefined
  /** `none` needs no consent of a person; only test credentials may use it. */
  readonly consent: 'ask' | 'none'
  /** Defaults from the settings for what an agent leaves out. */
  readonly preferred?: Preferences
  /** The limit that the user has set for sending and its repeats (default: that of `reserve`). */
  readonly timeoutSeconds?: number | undefined
  /** The flags of the command line that lead to the same service, for commands that are suggested. */
  readonly serviceFlags?: readonly string[]
}

/** Who calls. */
export interface Caller {
  /** The name and version of the agent's program, as it gave them. */
  readonly program: string
  readonly ask: Ask
}

/** The parts that `openBookings` derives for its functions. */
export interface Booking extends BookingParts {
  readonly handles: HandleStore
  readonly journal: Journal
  /** Aborted when the server ends: nothing more is sent. */
  readonly signal: AbortSignal
  readonly approveCommand: (handle: string) => string
}

/** Returns the name of the agent's program as it is stored: on one line, and cut. */
export function programOf({program}: Pick<Caller, 'program'>): string {
  return sanitizeLine(program, 100)
}
