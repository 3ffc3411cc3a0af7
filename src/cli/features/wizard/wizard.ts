/**
 * The booking wizard: `reserve` at a terminal with something missing. Search, choose, guests, contact, payment, a summary
 * and one confirmation; nothing is sent to reserve before it. What was typed outlives an offer that expires or is gone.
 */
import type {ReserveOutcome} from '../../../api/reserve/reserve.js'
import type {Connection} from '../../session/connect.js'
import type {Preferences} from '../../session/defaults.js'
import type {Prompts} from '../../terminal/prompts/prompts.js'
import {cityText} from '../catalogue/city-names.js'
import {type Plan, refuseWithoutJournal, stoppedBeforeSending} from '../reserve/reserve.js'
import type {Begun} from './begun.js'
import {book} from './book.js'
import type {Reader} from './clocks.js'
import {type Draft, draftOf, SearchAgain} from './draft.js'
import {chooseSeen, findOffer} from './find-offer.js'

export interface WizardParts {
  readonly prompts: Prompts
  readonly connection: Connection
  /** Says something between two questions. */
  readonly tell: (text: string) => void
  readonly reader: () => Reader
  /** The calendar day here, YYYY-MM-DD. */
  readonly today: string
  /** What the settings give, to be offered where it is asked for. */
  readonly preferred?: Preferences | undefined
  readonly maxPrice: string | undefined
  readonly key: string | undefined
  /** Whether the person agreed beforehand (--yes). */
  readonly agreed: boolean
  /** Whether to stop before sending (--dry-run). */
  readonly dryRun: boolean
  /** Sends the reservation of `plan`. Throws Failure. */
  readonly send: (plan: Plan) => Promise<ReserveOutcome>
  /** Told, after each refusal, what is true of the reservation when the wizard is stopped from then on. */
  readonly refused?: (words: string) => void
}

export interface Booked {
  readonly plan: Plan
  /** Undefined after a dry run. */
  readonly made: ReserveOutcome | undefined
}

/**
 * Leads a person from what is given to a reservation. Throws Failure: `interrupted` with nothing booked, usage when the
 * person stops, and whatever the sending throws that no other answer can mend.
 */
export async function runWizard(parts: WizardParts, begun: Begun): Promise<Booked> {
  const {state, target} = parts.connection
  if (!state.writable) refuseWithoutJournal(begun.key !== undefined && begun.reference !== undefined)
  const draft = draftOf(begun)
  if (begun.offerId !== undefined) {
    const client = {baseUrl: target.baseUrl, clientId: target.clientId}
    const seen = state.writable ? state.offers.find(client, begun.offerId) : undefined
    const city = seen?.details?.city ?? undefined
    chooseSeen(draft, begun.offerId, seen, city === undefined ? undefined : cityText(city, parts.connection))
  }
  for (;;) {
    try {
      return await lead(parts, draft)
    } catch (error) {
      if (!(error instanceof SearchAgain)) throw stoppedBeforeSending(error, draft.refusedCount)
      parts.tell(`\n${error.message}`)
      draft.chosen = undefined
    }
  }
}

async function lead(parts: WizardParts, draft: Draft): Promise<Booked> {
  await findOffer(parts, draft)
  return book(parts, draft)
}
