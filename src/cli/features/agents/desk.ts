/** What the tools of the server work with: the connection, the stores, the settings, and what one call leaves for the next. */
import type {State} from '../../../state/state.js'
import type {Connection, ConnectOptions} from '../../session/connect.js'
import type {Preferences, Target} from '../../session/resolve.js'
import type {Bookings} from './bookings.js'
import type {OfferPages} from './offer-pages.js'

export interface Desk {
  readonly target: Target
  readonly state: State
  /** The settings of the profile that complete a search. */
  readonly preferences: Preferences
  /** Returns the connection to the service, which the first call opens. */
  readonly connect: () => Promise<Connection>
  /** Returns what agents book and cancel with, which the first call opens. Throws a usage error if nothing can be recorded. */
  readonly bookings: () => Promise<Bookings>
  /** Who approves what is reserved or cancelled: a person is asked, or nobody. */
  readonly consent: 'ask' | 'none'
  /** The options of further connections: `explain` also asks local sandboxes. */
  readonly connectOptions: () => Promise<ConnectOptions>
  /** Where vouchers may be written; undefined if no file may be. */
  readonly voucherDirectory: string | undefined
  readonly offerPages: OfferPages
  /** Reports what a person should know, on stderr. */
  readonly warn: (text: string) => void
}
